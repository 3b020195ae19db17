// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of storing what a mask selects.
#pragma once

#include <weft/machine/dispatch.hpp>

#include "base/internal_api.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Element i of `to`, at i * step bytes of any sign, becomes from[i] where mask[i] is not 0, for
/// 0 <= i < n and dense elements of one size. Nothing else is written, not even with its old value.
/// The three do not meet, but where elements are bytes next to each other, `mask` may be `to`.
using MaskedStoreFn = void (*)(char* to, std::int64_t step, const char* from, const char* mask,
                               std::int64_t n);
/// For elements of 1, 2, 4, 8 or 16 bytes; `by_instruction`: by masked stores, where the level has
/// them for such elements and they are dense.
WEFT_DECLARE_EXPORTED_KERNEL(WEFT_INTERNAL_API, masked_store_kernel,
                             MaskedStoreFn(std::int64_t element_bytes, bool by_instruction));
/// Whether any byte of a mask is not 0.
WEFT_DECLARE_EXPORTED_KERNEL(WEFT_INTERNAL_API, selects_any,
                             bool(const char* mask, std::int64_t n));

}  // namespace v0
}  // namespace weft
