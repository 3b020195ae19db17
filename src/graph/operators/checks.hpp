// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the infer() of many operators asks of its inputs.
#pragma once

#include <weft/graph/operator.hpp>

#include "base/text.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// Throws Error(invalid_argument) unless there are from `least` to `most` inputs.
void expect_inputs(const InferContext& context, int least, int most);
/// Throws Error(dtype) unless inputs `i` and `j` are of one type.
void expect_same_type(const InferContext& context, int i, int j);
/// Throws Error(dtype) unless input `input` holds integers.
void expect_integers(const InferContext& context, int input, const char* meaning);
/// Throws Error(shape) that names the input unless its shape may be `expected`; what both tell.
PartialShape expect_shape(const InferContext& context, int input, const char* meaning,
                          const PartialShape& expected);
/// Throws Error: dtype unless input `i` holds bools; shape unless it broadcasts to input 0.
void check_mask(const InferContext& context, int i);
/// An axis in [-rank, rank) counted from the front. Throws Error(axis) that names what it was read
/// from.
int checked_axis(std::int64_t axis, int rank, const char* meaning);
/// The single integer that input i holds; false if it is not known yet. Throws Error(shape) if it
/// holds more or less.
bool integer_input(const InferContext& context, int i, const char* meaning, std::int64_t& out);
/// Which of `choices` the text of an attribute is, in upper or lower case. Throws
/// Error(invalid_argument) that lists them.
std::size_t choice_of(const Attributes& attributes, std::string_view name,
                      std::span<const std::string_view> choices, std::size_t otherwise);
/// i32 or i64 by an attribute. Throws Error(dtype) for any other type.
ScalarType index_type_of(const Attributes& attributes, std::string_view name, ScalarType otherwise);
/// The same geometry at another address.
inline TensorView rebound(const TensorView& view, const void* data) {
  return TensorView::trusted(const_cast<void*>(data), view.dtype(), view.shape(), view.strides());
}
/// Writes the integers, or bools as 0 and 1, of a contiguous constant or operand in memory. Throws
/// Error(overflow) that names the input and the value, if one of u64 does not fit.
void read_integers(const TensorView& view, int input, std::int64_t* to);
/// The same in a list, of any strides.
std::vector<std::int64_t> integers_of(const TensorView& view, int input);

}  // namespace graph
}  // namespace v0
}  // namespace weft
