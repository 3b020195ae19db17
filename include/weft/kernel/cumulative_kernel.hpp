// SPDX-License-Identifier: Apache-2.0
/// @file
/// The form in which every prefix operation reaches the engine, and the engine.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor_view.hpp>
#include <weft/iter/explain.hpp>
#include <weft/kernel/span_kernel.hpp>

#include <cstdint>
#include <span>

namespace weft {
inline namespace v0 {

/// What a prefix kernel works on: `length` elements along the axis, for each of `columns` of them.
struct CumulativeBlock {
  /// Where each operand's first element is, outputs first. An output's elements either are an
  /// input's or do not meet them. Pointers need no alignment.
  char* const* data;
  /// Of each operand, bytes from one element along the axis to the next, columns being dense; or,
  /// for lines, from line to line, lines being dense along the axis.
  const std::int64_t* step_bytes;
  std::int64_t length, columns;
  /// Accumulators take in the inputs, and no output is written. Only of kernels with `combine`.
  bool totals_only = false;
};

/// A prefix operation with its types erased: each column of a block carries an accumulator from
/// element to element.
struct CumulativeKernel {
  /// Writes n accumulators: what element j of each of the starts makes, dense and of the kernel's
  /// types; where `starts` is null, the identity.
  void (*start)(const void* context, void* accumulators, const char* const* starts,
                std::int64_t n) = nullptr;
  /// For each index along the axis in turn and every column j: accumulators[j] takes in element j
  /// of the inputs, and its results are elements j of the outputs.
  void (*advance)(const void* context, void* accumulators, const CumulativeBlock& block) = nullptr;
  /// The same for lines. Null if there is none: lines are turned into columns then.
  void (*advance_lines)(const void* context, void* accumulators,
                        const CumulativeBlock& block) = nullptr;
  /// into[j] = what from[j], which began with the identity, makes of into[j], for elements that
  /// follow those of into[j]. Null if there is none: then one thread takes all elements of a line.
  void (*combine)(const void* context, void* into, const void* from, std::int64_t n) = nullptr;

  const void* context = nullptr;
  int noutputs = 1;
  int ninputs = 1;
  int nstarts = 0;           ///< tensors that a start consists of
  bool has_identity = true;  ///< false: every call gives a start
  /// Elements that are taken together, at most 4: of all calls for the same columns or lines, each
  /// but the last has a multiple of them.
  int step = 1;
  std::int64_t accumulator_bytes = 0;  ///< a multiple of its alignment, at most 64
  /// Of each operand's elements as the kernel sees them: outputs, inputs, starts.
  ScalarType types[max_operands] = {};
};

/// What a prefix operation works on.
struct CumulativeOperands {
  std::span<const TensorView> outputs, inputs;
  /// None, or as many as the kernel's start consists of: of the inputs' shape with an extent of 1
  /// along the axis, or what broadcasts to it.
  std::span<const TensorView> starts = {};
};

/// Runs a prefix operation along an axis: out[..., i, ...] depends on in[..., 0 ... i, ...]. Inputs
/// are broadcast against each other, and outputs have that shape; the axis is counted in it. Blocks
/// of rows along the axis and columns along the others are staged (packed, transposed, converted)
/// where memory does not have columns dense or has other types, each operand by itself.
///
/// Each column is accumulated in order by one thread. Only one or two long lines (beyond 262,144
/// elements) of a kernel with `combine` are cut into blocks of a fixed length: their totals are
/// combined in order, and each block goes on from there. Results depend neither on threads nor on
/// the machine.
///
/// Allocates nothing up to rank 8 and 3 operands, but for accumulators of long lines' blocks, one
/// for 8,208 elements, if they are more than 192 KiB. Throws Error: invalid_argument (number of
/// operands, no identity and no start), shape, axis, cast, overlap (an output may be an input,
/// element for element), undefined.
WEFT_API void run_cumulative(const CumulativeOperands& operands, std::int64_t axis,
                             const CumulativeKernel& kernel, const RunOptions& options = {});
inline void run_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis,
                           const CumulativeKernel& kernel, const RunOptions& options = {}) {
  run_cumulative({{&out, 1}, {&in, 1}}, axis, kernel, options);
}

/// The plan of run_cumulative, the axis squashed, and how it would go about it.
WEFT_API Explanation explain_cumulative(const CumulativeOperands& operands, std::int64_t axis,
                                        const CumulativeKernel& kernel,
                                        const RunOptions& options = {});
inline Explanation explain_cumulative(const TensorView& out, const TensorView& in,
                                      std::int64_t axis, const CumulativeKernel& kernel,
                                      const RunOptions& options = {}) {
  return explain_cumulative({{&out, 1}, {&in, 1}}, axis, kernel, options);
}

}  // namespace v0
}  // namespace weft
