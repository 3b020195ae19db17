// SPDX-License-Identifier: Apache-2.0
/// @file
/// Numbers from callers that name one of several things.
#pragma once

#include <weft/base/error.hpp>

#include "base/text.hpp"

#include <cstddef>
#include <string_view>

namespace weft {
inline namespace v0 {

/// `i` as an index below `count`. Throws Error(invalid_argument) that names what there is of and
/// how many.
inline std::size_t checked_index(int i, std::size_t count, std::string_view what) {
  if (i < 0 || static_cast<std::size_t>(i) >= count) {
    fail(ErrorCode::invalid_argument,
         text(what, " ", i, ": expected a number from 0 and below ", count));
  }
  return static_cast<std::size_t>(i);
}

}  // namespace v0
}  // namespace weft
