// SPDX-License-Identifier: Apache-2.0
/// @file
/// The form in which every reduction reaches the engine, and the engine.
#pragma once

#include <weft/base/export.hpp>
#include <weft/iter/tensor_iterator.hpp>
#include <weft/kernel/span_kernel.hpp>

#include <cstdint>

namespace weft::inline v0 {

/// A reduction with its types erased. An accumulator is `accumulator_bytes` of memory that may be
/// copied bytewise; arrays of them are dense. `index` counts the reduced elements of one output in
/// the plan's order: row-major over the reduced axes if only one axis is reduced or the config
/// enforced linear iteration.
struct ReductionKernel {
  /// *accumulator = the reduction of n >= 0 elements, dense in each input; nothing gives the
  /// identity.
  void (*reduce_span)(const void* context, void* accumulator, char* const* inputs, std::int64_t n,
                      std::int64_t index) = nullptr;
  /// accumulators[j] = the reduction of column j of `rows` x `columns` elements; columns are dense,
  /// rows are row_bytes[input] apart. Row r has index `index + r`.
  void (*reduce_columns)(const void* context, void* accumulators, char* const* inputs,
                         const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                         std::int64_t index) = nullptr;
  /// into[j] = combination of into[j] and from[j], which come from elements before and after each
  /// other.
  void (*combine)(const void* context, void* into, const void* from, std::int64_t n) = nullptr;
  /// outputs[k][j] = result k of accumulators[j], dense.
  void (*project)(const void* context, const void* accumulators, std::int64_t n,
                  char* const* outputs) = nullptr;
  /// Whether nothing can change the accumulator any more; null if that never happens.
  bool (*done)(const void* context, const void* accumulator) = nullptr;

  const void* context = nullptr;
  int noutputs = 0;
  int ninputs = 0;
  std::int64_t accumulator_bytes = 0;  ///< a multiple of its alignment, which is at most 64
  ScalarType types[max_operands] =
      {};  ///< of each operand's elements as the kernel sees them, outputs first
};

/// Runs a reduction: dims along which the outputs stand still are reduced. Every output is
/// overwritten; what reduces nothing gets the identity's result.
///
/// The reduced elements of an output are cut into blocks fixed by the geometry (rows of up to 2048
/// along a reduced inner dim, columns of up to 64 rows where the inner dim is kept), and the
/// blocks' accumulators are combined as a binary tree: of n blocks, the first 2^k >= n/2 against
/// the rest. Threads share outputs, and blocks where outputs are few; the tree, and so every bit of
/// the result, is the same for any number of threads and any grain.
///
/// Operands of another type or layout than the kernel wants are staged as in run_spans. Allocates
/// only where threads share the blocks of one output (their partial accumulators), and where
/// accumulators are so large, above some hundred bytes, that a tile of them does not fit 48 KiB.
/// Throws Error as run_spans; and Error(shape) if outputs differ in which dims they reduce.
WEFT_API void run_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                            const RunOptions& options = {});

/// iter.explain() together with how run_reduction would go about it.
WEFT_API Explanation explain_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                                       const RunOptions& options = {});

}  // namespace weft::inline v0
