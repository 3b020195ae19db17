// SPDX-License-Identifier: Apache-2.0
/// @file
/// .npy files put together by hand, for the tests of the reader.
#pragma once

#include <weft/base/error.hpp>
#include <weft/core/npy.hpp>

#include "support/catch.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace npy_test {

inline constexpr const char* dict_2x3 =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";

/// A .npy file, put together by hand; the dict is padded as the format wants it.
inline std::string file_of(std::string dict, const std::string& data, int major = 1,
                           int minor = 0) {
  const std::size_t length_size = major == 1 ? 2 : 4;
  while ((8 + length_size + dict.size() + 1) % 64 != 0)
    dict += ' ';
  dict += '\n';
  std::string out = "\x93NUMPY";
  out += static_cast<char>(major);
  out += static_cast<char>(minor);
  for (std::size_t i = 0; i < length_size; ++i) {
    out += static_cast<char>(dict.size() >> (8 * i) & 0xff);
  }
  return out + dict + data;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

inline weft::Tensor parse(const std::string& file, const weft::Limits& limits = {}) {
  return weft::parse_npy(std::as_bytes(std::span(file)), limits);
}

/// The code and the message of the Error that `run` throws.
inline std::pair<weft::ErrorCode, std::string> error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const weft::Error& e) {
    return {e.code(), e.what()};
  }
  FAIL("no weft::Error was thrown");
  return {};
}

/// 24 bytes of data.
inline std::vector<float> six() { return {1.5F, -2.0F, 3.0F, 4.0F, 5.0F, 6.25F}; }

}  // namespace npy_test
