// SPDX-License-Identifier: Apache-2.0
/// @file
/// The Error that a call throws.
#pragma once

#include <weft/base/error.hpp>

#include "support/catch.hpp"

#include <string>
#include <utility>

namespace weft::cli {

/// Code and message of the weft::Error that `run` throws; the test fails if it throws none.
template <class Run>
std::pair<ErrorCode, std::string> error_of(Run&& run) {
  try {
    run();
  } catch (const Error& e) {
    return {e.code(), e.what()};
  }
  FAIL("no weft::Error was thrown");
  return {};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace weft::cli
