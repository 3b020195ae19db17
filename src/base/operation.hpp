// SPDX-License-Identifier: Apache-2.0
/// @file
/// Putting the operation's name before what went wrong in it.
#pragma once

#include <weft/base/error.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {

/// f(), with "name: " before the message of an Error that leaves it; as it is if name is null.
template <class F>
decltype(auto) with_operation(const char* name, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    if (name == nullptr) throw;
    fail(error.code(), text(name, ": ", error.what()));
  }
}

}  // namespace v0
}  // namespace weft
