// SPDX-License-Identifier: Apache-2.0
/// @file
/// The form in which every reduction reaches the engine, and the engine.
#pragma once

#include <weft/base/export.hpp>
#include <weft/iter/tensor_iterator.hpp>
#include <weft/kernel/span_kernel.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Rows that ReductionKernel::reduce_short_columns takes, at most.
inline constexpr std::int64_t max_short_columns = 4;

/// A reduction with its types erased. An accumulator is `accumulator_bytes` of memory that may be
/// copied bytewise; arrays of them are dense. `index` counts the reduced elements of one output in
/// the plan's order: row-major over the reduced axes if only one axis is reduced or the config
/// enforced linear iteration.
struct ReductionKernel {
  /// accumulators[r] = the reduction of row r of `rows` x `n` elements, rows >= 1, n >= 0; elements
  /// of a row are dense, rows are row_bytes[input] from each other. Nothing gives the identity. The
  /// first element of row r has index `index + r * index_step`. A row's result depends on nothing
  /// but its own elements.
  void (*reduce_spans)(const void* context, void* accumulators, char* const* inputs,
                       const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n,
                       std::int64_t index, std::int64_t index_step) = nullptr;
  /// accumulators[j] = the reduction of column j of `rows` x `columns` elements, rows >= 0;
  /// elements of a row are dense, rows are row_bytes[input] from each other. Row r has index `index
  /// + r`. A column's result depends on nothing but its own elements.
  void (*reduce_columns)(const void* context, void* accumulators, char* const* inputs,
                         const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                         std::int64_t index) = nullptr;
  /// accumulators[b * columns + j] = the reduction of column j of block b, for 0 <= b < `blocks`,
  /// as reduce_columns makes it of `rows` x `columns` elements; block b begins b *
  /// block_bytes[input] bytes after the first, and steps of either kind may have any sign. Null if
  /// there is no quicker way than one block after the other, and for kernels that are `indexed`: it
  /// gives no index.
  void (*reduce_column_blocks)(const void* context, void* accumulators, char* const* inputs,
                               const std::int64_t* row_bytes, std::int64_t rows,
                               std::int64_t columns, const std::int64_t* block_bytes,
                               std::int64_t blocks) = nullptr;
  /// into[j] = combination of into[j] and from[j], which stand for different elements, in any
  /// order.
  void (*combine)(const void* context, void* into, const void* from, std::int64_t n) = nullptr;
  /// into[r] = the combination of from[r * n] ... from[r * n + n - 1], n >= 1, all of which stand
  /// for different elements. Null if there is no quicker way than `combine`.
  void (*combine_rows)(const void* context, void* into, const void* from, std::int64_t rows,
                       std::int64_t n) = nullptr;
  /// outputs[k][j] = result k of accumulators[j], dense.
  void (*project)(const void* context, const void* accumulators, std::int64_t n,
                  char* const* outputs) = nullptr;
  /// outputs[0][r] = what reduce_spans and project make of row r of `rows` x `n` elements, 1 <= n <
  /// 16, which follow each other without gaps, as the outputs do. Null if there is no shorter way.
  /// Of one output and one input.
  void (*reduce_short_rows)(const void* context, char* output, const char* input, std::int64_t rows,
                            std::int64_t n) = nullptr;
  /// outputs[k][j] = result k of what reduce_columns and project make of column j of `rows` x
  /// `columns` elements, 1 <= rows <= max_short_columns; outputs are dense. Null if there is no
  /// shorter way.
  void (*reduce_short_columns)(const void* context, char* const* outputs, char* const* inputs,
                               const std::int64_t* row_bytes, std::int64_t rows,
                               std::int64_t columns, std::int64_t index) = nullptr;
  /// Puts loops in place of those that reduce spans and columns, for inputs of which some are one
  /// value in each row: those whose bit in `values` is set (bit k: input k). Of them only what
  /// stands where the row begins is read. Null if there are no such loops; inputs that stand
  /// still along rows are written out into buffers then, and with them all others are packed.
  void (*take_values)(ReductionKernel& kernel, std::uint32_t values) = nullptr;
  /// Whether nothing can change the accumulator any more; null if that never happens.
  bool (*done)(const void* context, const void* accumulator) = nullptr;

  const void* context = nullptr;
  int noutputs = 0;
  int ninputs = 0;
  std::int64_t accumulator_bytes = 0;  ///< a multiple of its alignment, which is at most 64
  std::int64_t span_elements =
      65536;                    ///< of one row, at most: as many as the kernel likes to have in
                                ///< cache, where it reads them more than once
  std::int64_t least_row = 16;  ///< elements of a row from which on reduce_spans is quick for many
                                ///< rows: of fewer, they are taken as columns
  bool indexed = false;         ///< whether `index` means anything to the kernel
  ScalarType types[max_operands] =
      {};  ///< of each operand's elements as the kernel sees them, outputs first
};

/// Runs a reduction: dims along which the outputs stand still are reduced. Every output is
/// overwritten; what reduces nothing gets the identity's result.
///
/// The reduced elements of an output are cut into blocks fixed by the geometry of the inputs, and
/// the blocks' accumulators are combined as a binary tree: of n blocks, the first 2^k >= n/2
/// against the rest. A block is a span of up to 65536 elements, or several short ones, where the
/// inner dim is reduced, up to 256 rows where it is kept. Elements of a short inner dim that is
/// reduced, beyond which a kept one lies and more of the reduced ones, are columns of their own,
/// which are combined at the end. Threads share outputs, and blocks where outputs are few; the
/// tree, and so every bit of the result, is the same for any number of threads and any grain.
///
/// Operands of another type or layout than the kernel wants are staged as in run_spans. Buffers and
/// accumulators are in blocks of 192 KiB, which are kept for later calls. Allocates besides only
/// what does not fit one: of partial accumulators, where threads share the blocks of one output; of
/// results that lie in another order than they are made, 4 to 256 KiB of which are put together
/// first; and of accumulators of hundreds of bytes each. Throws Error as run_spans; and
/// Error(shape) if outputs differ in which dims they reduce.
WEFT_API void run_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                            const RunOptions& options = {});

/// The first part of a reduction: an accumulator for each element of the outputs instead of a
/// result, so that the elements of one reduction may be spread over several calls, threads or
/// processes. Writes `accumulators`: iter.num_output_elements() of them, kernel.accumulator_bytes
/// each, aligned as the kernel wants them, in the order of the iterator's dims without the reduced
/// ones, dim 0 fastest. Accumulators of iterators with the same such order may be combined by
/// kernel.combine, in any order; which one is up to the caller, and shows in the last bits of
/// floating sums. The outputs are not touched. Throws as run_reduction.
WEFT_API void run_partial_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                                    void* accumulators, const RunOptions& options = {});
/// The last part: writes the outputs from accumulators in that order. The inputs are not read.
WEFT_API void finalize_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                                 const void* accumulators);

/// iter.explain() together with how run_reduction would go about it.
WEFT_API Explanation explain_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                                       const RunOptions& options = {});

}  // namespace v0
}  // namespace weft
