// SPDX-License-Identifier: Apache-2.0
/// @file
/// Saying where in a file something went wrong.
#pragma once

#include <weft/base/error.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {
namespace ir {

/// f(), with where() and ": " before the message of an Error that leaves it. where() is asked only
/// then.
template <class Where, class F>
decltype(auto) in_context(Where&& where, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    fail(error.code(), text(where(), ": ", error.what()));
  }
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
