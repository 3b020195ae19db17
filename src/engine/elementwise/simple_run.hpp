// SPDX-License-Identifier: Apache-2.0
/// @file
/// Runs that need no tiles: spans in place, and a few elements of any layout.
#pragma once

#include <weft/iter/tensor_iterator.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "engine/elementwise/following_rows.hpp"
#include "machine/tuning.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// How to run without tiles, if that can be. Bits are operands.
struct SimpleRun {
  /// line, rows, strided_rows, elements or span; `automatic` if tiles are needed.
  Strategy strategy = Strategy::automatic;
  std::uint32_t broadcast = 0;  ///< one value along a row, a line or the span
  std::uint32_t packed = 0;     ///< span: elements do not follow each other in memory
  std::uint32_t cast = 0;       ///< line, span: memory is of another type than the kernel's
  bool is_shared = false;       ///< line: so long that threads may share it

  /// Operands that go through buffers.
  std::uint32_t buffered() const noexcept { return packed | cast; }
};

/// Threads share a line between elements whose numbers are multiples of this.
inline constexpr std::int64_t line_align = cache_line_bytes;

/// The dim along which what is run plane by plane has its rows: 1 if there is no other, or rows
/// that are taken for one follow each other there, or else the longest other than dim 0.
inline int dim_of_rows(Strategy strategy, const Geometry& geometry, const Tuning& tuning) {
  int longest = 1;
  if (strategy == Strategy::rows && has_following_rows(geometry, tuning)) return longest;
  for (int d = 2; d < geometry.ndim(); ++d)
    if (geometry.extent(d) > geometry.extent(longest)) longest = d;
  return longest;
}

/// Chooses for a few elements of the kernel's own types. Precondition: numel > 0.
SimpleRun choose_small(const Geometry& geometry, const SpanKernel& kernel, const Tuning& tuning);
/// Chooses for any. Precondition: numel > 0; the kernel's counts are the iterator's.
SimpleRun choose_simple(const TensorIterator& iter, const SpanKernel& kernel, const Tuning& tuning);
/// By a strategy that the caller names, if that can be: however many elements there are, as long as
/// buffers hold what has to be buffered, and one by one if they are few. Preconditions as of
/// choose_simple().
SimpleRun force_simple(const TensorIterator& iter, const SpanKernel& kernel, const Tuning& tuning,
                       Strategy wanted);
/// By the strategy that is wanted, or the cheapest. Preconditions as of choose_simple().
inline SimpleRun plan_simple(const TensorIterator& iter, const SpanKernel& kernel,
                             const Tuning& tuning, Strategy wanted) {
  return wanted == Strategy::automatic ? choose_simple(iter, kernel, tuning)
                                       : force_simple(iter, kernel, tuning, wanted);
}

/// Runs a few elements, none of which are cast. data[k] is operand k's element at index (0, 0,
/// ...).
void run_simple(const SimpleRun& run, const Geometry& geometry, const SpanKernel& kernel,
                char* const* data);
/// Runs any that needs no tiles. Precondition: types can be cast (check_kernel).
void run_simple(const SimpleRun& run, const TensorIterator& iter, const SpanKernel& kernel,
                const RunOptions& options);

}  // namespace v0
}  // namespace weft
