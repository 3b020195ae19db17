// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which calls take loops of wider vectors than their file is compiled for (WEFT_WIDE_LOOPS).
#pragma once

#include <weft/base/export.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/machine/level.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
/// Whether to take wide loops for a call of `rows` rows of `n` elements of at most `size` bytes:
/// wherever kernels run at AVX2 or above.
inline bool takes_wide_loops(std::int64_t, std::int64_t, std::int64_t) noexcept {
  return current_level() != Level::baseline;
}
#elif defined(WEFT_WIDE_LOOPS)
/// Elements of a span that comes alone, and bytes of each of several rows, from which on the loop
/// is worth 64-byte registers: of shorter ones, and of pieces that are streamed, the ends cost more
/// than they save.
inline constexpr std::int64_t wide_span = 1024;
inline constexpr std::int64_t wide_row_bytes = 2048;

/// Whether to take wide loops for a call of `rows` rows of `n` elements of at most `size` bytes, on
/// a machine whose units are as wide.
inline bool takes_wide_loops(std::int64_t n, std::int64_t rows, std::int64_t size) noexcept {
  const bool is_long = rows == 1 ? n >= wide_span : n * size >= wide_row_bytes;
  return is_long && cpu_info().has_wide_units();
}
#endif

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
