// SPDX-License-Identifier: Apache-2.0
/// @file
/// What release_kept_memory() frees besides blocks.
#pragma once

#include "base/internal_api.hpp"

namespace weft {
inline namespace v0 {

/// Has release_kept_memory() call a function first, for a component above that keeps tensors; null:
/// none. There is one at a time.
WEFT_INTERNAL_API void also_release(void (*release)() noexcept) noexcept;

}  // namespace v0
}  // namespace weft
