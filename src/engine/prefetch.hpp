// SPDX-License-Identifier: Apache-2.0
/// @file
/// Asking the caches for memory before it is read.
#pragma once

#include <weft/base/export.hpp>

#include "machine/tuning.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Asks for `bytes` bytes from `from` on, to stay in the first level (locality 3) or in the second
/// (2). May reach beyond what there is. Inlined, as whatever does nothing but call it must be: GCC
/// takes functions that only ask for functions that do nothing, and leaves out the calls.
template <int locality>
WEFT_ALWAYS_INLINE void prefetch_bytes(const char* from, std::int64_t bytes) {
  for (std::int64_t b = 0; b < bytes; b += cache_line_bytes)
    __builtin_prefetch(from + b, 0, locality);
}

}  // namespace v0
}  // namespace weft
