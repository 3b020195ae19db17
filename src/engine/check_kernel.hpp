// SPDX-License-Identifier: Apache-2.0
/// @file
/// Whether a kernel fits an iterator, and options what runs by them.
#pragma once

#include <weft/iter/tensor_iterator.hpp>
#include <weft/kernel/span_kernel.hpp>

#include <string>

namespace weft {
inline namespace v0 {

/// Throws Error(invalid_argument) for a grain below 0.
void check_grain(const RunOptions& options);
/// What is wrong with options that check_options() found to be so.
void fail_options(const RunOptions& options);
/// Throws Error(invalid_argument) for a grain below 0, and for a number that is no strategy.
inline void check_options(const RunOptions& options) {
  if (options.grain < 0 || static_cast<int>(options.strategy) >= strategy_count)
    fail_options(options);
}
/// Throws Error(invalid_argument) for an iterator of a reduction, whose outputs several elements
/// share.
void check_elementwise(const TensorIterator& iter);
/// As `f32, i16 -> f32`.
std::string signature_text(int noutputs, int ninputs, const ScalarType* types);
/// Throws Error unless a kernel of these operand counts fits the iterator; the types are for words.
void check_counts(const TensorIterator& iter, int noutputs, int ninputs, const ScalarType* types);
/// Throws Error unless a kernel of these types fits the first operands of the iterator.
void check_types(const TensorIterator& iter, int operands, const ScalarType* types);
/// Throws Error unless a kernel of these operand counts and types fits the iterator.
void check_kernel(const TensorIterator& iter, int noutputs, int ninputs, const ScalarType* types);

}  // namespace v0
}  // namespace weft
