// SPDX-License-Identifier: Apache-2.0
/// @file
/// The part of a .npy file before its elements.
#pragma once

#include <weft/base/limits.hpp>
#include <weft/core/tensor_view.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft {
inline namespace v0 {

/// Bytes that are enough for parse_npy_prefix: magic, version and length of the dict.
inline constexpr std::size_t npy_prefix_size = 12;

/// Where the dict stands in the file, in bytes from the start.
struct NpyPrefix {
  std::size_t dict_begin = 0;
  std::size_t dict_size = 0;

  std::size_t data_begin() const noexcept { return dict_begin + dict_size; }
};

/// Reads magic, version and length of the dict. `start` is the start of the file: npy_prefix_size
/// bytes, or all if it is shorter. Throws Error(parse), Error(limit).
NpyPrefix parse_npy_prefix(std::span<const std::byte> start, const Limits& limits);

/// What the dict says.
struct NpyHeader {
  ScalarType type = ScalarType::f32;
  DimVector shape;
  DimVector strides;        ///< in elements, of C or of Fortran order
  std::int64_t nbytes = 0;  ///< of all elements
};

/// Reads the dict, and checks type, shape and size. Throws Error as parse_npy.
NpyHeader parse_npy_dict(std::string_view dict, const Limits& limits);

/// Everything before the elements, for a tensor in C order. Throws Error(dtype).
std::string format_npy_header(ScalarType type, IntSpan shape);

}  // namespace v0
}  // namespace weft
