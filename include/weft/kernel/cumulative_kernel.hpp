// SPDX-License-Identifier: Apache-2.0
/// @file
/// The form in which every prefix operation reaches the engine, and the engine.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor_view.hpp>
#include <weft/iter/explain.hpp>
#include <weft/kernel/span_kernel.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// A prefix operation with its types erased: each column of a block carries an accumulator from row
/// to row.
struct CumulativeKernel {
  /// Writes the identity to n accumulators.
  void (*start)(const void* context, void* accumulators, std::int64_t n) = nullptr;
  /// For each row in turn and every column j: accumulators[j] takes in input element j, and its
  /// result is output element j. Columns are dense, rows are in_row_bytes and out_row_bytes from
  /// each other. The output block may be the input block.
  void (*advance)(const void* context, void* accumulators, char* out, std::int64_t out_row_bytes,
                  const char* in, std::int64_t in_row_bytes, std::int64_t rows,
                  std::int64_t columns) = nullptr;
  /// The same for lines: element i of line l, the next of accumulators[l], is element i of what
  /// begins at in + l * in_line_bytes. Null if there is none: lines are turned into columns then.
  void (*advance_lines)(const void* context, void* accumulators, char* out,
                        std::int64_t out_line_bytes, const char* in, std::int64_t in_line_bytes,
                        std::int64_t n, std::int64_t lines) = nullptr;

  const void* context = nullptr;
  std::int64_t accumulator_bytes = 0;  ///< a multiple of its alignment, at most 64
  /// Elements that are taken together, at most 4: of all calls for the same columns or lines, each
  /// but the last has a multiple of them.
  int step = 1;
  ScalarType out_type = ScalarType::f32;
  ScalarType in_type = ScalarType::f32;
};

/// Runs a prefix operation along an axis: out[..., i, ...] depends on in[..., 0 ... i, ...]. `out`
/// has the shape of `in`. Blocks of rows along the axis and columns along the others are staged
/// (packed, transposed, converted) where memory does not have columns dense or has other types.
/// Each column is accumulated in order by one thread, so results do not depend on threads.
/// Allocates nothing up to rank 8. Throws Error: shape, axis, cast, overlap (out may be in, element
/// for element), undefined.
WEFT_API void run_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis,
                             const CumulativeKernel& kernel, const RunOptions& options = {});

/// The plan of run_cumulative, the axis squashed, and how it would go about it.
WEFT_API Explanation explain_cumulative(const TensorView& out, const TensorView& in,
                                        std::int64_t axis, const CumulativeKernel& kernel,
                                        const RunOptions& options = {});

}  // namespace v0
}  // namespace weft
