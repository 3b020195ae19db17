// SPDX-License-Identifier: Apache-2.0
/// @file
/// The form in which every elementwise kernel reaches the engine: a function over contiguous spans.
#pragma once

#include <weft/base/export.hpp>
#include <weft/iter/tensor_iterator.hpp>
#include <weft/machine/strategy.hpp>

#include <cstdint>
#include <initializer_list>

namespace weft {
inline namespace v0 {

/// A typed inner function, its types erased. The engine brings every operand into the form it
/// wants: elements next to each other, of the kernel's own type, or one value that stands for all.
struct SpanKernel {
  /// Works on `rows` > 0 spans of `n` > 0 elements each. data[k] points to operand k's elements of
  /// the first span, outputs first; if bit k of `broadcast` is set, to the one element that all of
  /// that span read. row_bytes[k] leads from span to span, and is not read if there is one only.
  /// Pointers need no alignment. An output's span either is an input's span or does not meet it.
  /// Element i of the outputs depends on element i of the inputs only.
  using Run = void (*)(const void* context, char* const* data, const std::int64_t* row_bytes,
                       std::int64_t n, std::int64_t rows, std::uint32_t broadcast);

  /// Works on one span of `n` > 0 elements wherever they lie: operand k's are at a stride of
  /// strides_bytes[k], of any sign, or 0 for an input of one value; outputs' follow each other
  /// unless strides_outputs is set. Otherwise as Run, with the same results to the bit; only what a
  /// NaN holds may differ.
  using RunStrided = void (*)(const void* context, char* const* data,
                              const std::int64_t* strides_bytes, std::int64_t n);

  Run run = nullptr;
  /// As run, with the same results to the bit, of a kernel of one output, by non-temporal stores:
  /// every span of it begins on a cache line and is a multiple of streamed_bytes long, and at most
  /// one input is one value. Taken for outputs that no cache holds; if null, they are
  /// streamed by way of a buffer.
  Run run_streamed = nullptr;
  static constexpr std::int64_t streamed_bytes = 256;
  /// Taken where it is quicker to step over memory than to bring elements together; null if it
  /// never is.
  RunStrided run_strided = nullptr;
  /// Whether it is for outputs, too, whose elements do not follow each other.
  bool strides_outputs = false;
  const void* context = nullptr;  ///< passed to all; must live as long as the kernel is used
  int noutputs = 0;
  int ninputs = 0;
  std::uint32_t broadcastable = 0;  ///< inputs (bit k: operand k) that may come as one value
  float cost = 1;  ///< time per element, in units of an add in cache (about 0.1 ns)
  float row_cost =
      0;  ///< time per row besides, in the same units; what `run` takes is several rows
  ScalarType types[max_operands] = {};  ///< type of each operand's elements, outputs first

  /// Takes another loop as `run`, and gives up the others: they are of the loop that was.
  constexpr void replace_loops(Run loop) {
    run = loop;
    run_streamed = nullptr;
    run_strided = nullptr;
    strides_outputs = false;
  }
};

/// How to run.
struct RunOptions {
  /// Least elements a thread gets; 0: from the kernel's cost and the bytes moved. Less than that is
  /// an Error(invalid_argument).
  std::int64_t grain = 0;
  bool serial = false;  ///< this thread only
  /// How to carry out an elementwise call. Another than `automatic` is an Error(invalid_argument)
  /// that names those which can, where it cannot. Reductions and prefix operations do not look at
  /// it, nor do copies that are part of one.
  Strategy strategy = Strategy::automatic;
};

/// Runs a kernel over all elements of an iterator.
///
/// Operands of unit stride are used in place and broadcast ones as one value where the kernel can;
/// all others, and those of another type than the kernel's, are brought block by block into buffers
/// of at most 146 KiB a thread, outputs the same way back. Outputs that, with everything else, do
/// not stay in the last-level cache are written by non-temporal stores. Nothing is allocated but
/// the buffers, which are kept for later calls. The result does not depend on threads or grain.
///
/// A value passes from its type in memory to the iterator's dtype() and from that to the kernel's
/// type (and back), so that i32 in an f16 operation rounds to f16 first.
///
/// Throws Error(invalid_argument) if the operand counts differ, or for options that cannot be
/// followed; Error(cast) if an input's dtype cannot become the kernel's type, or the kernel's type
/// the output's dtype, without losing its kind (can_cast); std::bad_alloc; and what the kernel
/// throws.
WEFT_API void run_spans(const TensorIterator& iter, const SpanKernel& kernel,
                        const RunOptions& options = {});

/// The same on this thread, in the plan's order: dim 0 fastest. So it is in tiles of rows, plane
/// after plane of dims 0 and 1. What the kernel can use neither in place nor as one value goes
/// through buffers; nothing is streamed.
WEFT_API void run_spans_in_order(const TensorIterator& iter, const SpanKernel& kernel);

/// A kernel of whose results a mask selects those that are stored: the iterator has one more input
/// than `values` has, the last, of bools. masked() makes it in cpu_kernel (masked_op.hpp).
struct MaskedSpanKernel {
  SpanKernel values;
};

/// Runs a kernel and stores what the mask selects; nothing is stored to other elements, not even
/// their old value, so threads whose masks have no element in common may write to one output.
///
/// Results are computed in boxes of up to 16 KiB into memory of the thread, as run_spans would
/// compute them, and not at all where the mask selects nothing of a box: the kernel may see
/// elements that are not selected, or not. An output may be an input, the mask too, in the same
/// layout. In an output that build() has allocated, what is not selected is anything. A strategy in
/// the options is that of a box. Allocates what run_spans does, and notes of an iterator that was
/// built with casts or new outputs, twice a thread. Throws as run_spans, before anything is
/// written; and Error(dtype) for a mask of other elements than bools.
WEFT_API void run_spans(const TensorIterator& iter, const MaskedSpanKernel& kernel,
                        const RunOptions& options = {});

/// Throws Error(invalid_argument) for an iterator without an input, and Error(dtype) if the last
/// one, a mask, is not of bools.
WEFT_API void check_mask(const TensorIterator& iter);

/// Throws the Error(dtype) of a generic kernel that is not compiled for the type given.
[[noreturn]] WEFT_API void fail_generic_type(ScalarType given,
                                             std::initializer_list<ScalarType> compiled);

/// iter.explain() together with how run_spans would run `kernel`.
WEFT_API Explanation explain_run(const TensorIterator& iter, const SpanKernel& kernel,
                                 const RunOptions& options = {});
WEFT_API Explanation explain_run(const TensorIterator& iter, const MaskedSpanKernel& kernel,
                                 const RunOptions& options = {});
/// The same for a kernel over the iterator's own types.
WEFT_API Explanation explain_run(const TensorIterator& iter);

}  // namespace v0
}  // namespace weft
