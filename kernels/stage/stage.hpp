// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the staging family: moving and converting blocks of elements.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/machine/dispatch.hpp>

#include "base/internal_api.hpp"

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace weft {
inline namespace v0 {

/// to[i1 * t1 + i0 * t0] = from[i1 * f1 + i0 * f0] for 0 <= i0 < n0, 0 <= i1 < n1 and elements of
/// one size; steps in bytes, of any sign, those of `from` also 0. The two do not meet.
using CopyBlockFn = void (*)(char* to, std::int64_t t0, std::int64_t t1, const char* from,
                             std::int64_t f0, std::int64_t f1, std::int64_t n0, std::int64_t n1);
/// to[i] = cast<To>(from[i]) for dense elements; the spans do not meet.
using ConvertFn = void (*)(char* to, const char* from, std::int64_t n);

/// For elements of 1, 2, 4, 8 or 16 bytes.
WEFT_DECLARE_EXPORTED_KERNEL(WEFT_INTERNAL_API, copy_block_kernel,
                             CopyBlockFn(std::int64_t element_bytes));
/// The same by non-temporal stores where whole lines allow it: for blocks of outputs that do not
/// fit the last-level cache. end_streaming() has to follow the last block.
WEFT_DECLARE_KERNEL(stream_block_kernel, CopyBlockFn(std::int64_t element_bytes));
/// Between any two element types; for equal ones, a copy that makes bools 0 or 1.
WEFT_DECLARE_EXPORTED_KERNEL(WEFT_INTERNAL_API, convert_kernel,
                             ConvertFn(ScalarType to, ScalarType from));

/// Orders what was streamed before all later stores, so that whoever sees one of these sees the
/// data. Once for many blocks: it waits for memory.
inline void end_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace v0
}  // namespace weft
