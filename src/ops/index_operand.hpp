// SPDX-License-Identifier: Apache-2.0
/// @file
/// A tensor of positions along an axis, checked.
#pragma once

#include <weft/base/function_ref.hpp>
#include <weft/core/tensor.hpp>

#include <cstddef>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// Throws Error(undefined) that names the input.
void check_defined(const TensorView& view, int input);
/// A 0-d tensor takes part as if it had one axis.
inline TensorView with_axis(const TensorView& view) {
  return view.rank() == 0 ? view.unsqueeze(0) : view;
}
/// Throws Error(dtype) if there is an output of another type.
void check_output_type(const TensorView& out, ScalarType type);

/// The place of the first element in C order for whose address `wanted` is true; no place if there
/// is none, or the tensor has no axes.
DimVector first_place(const TensorView& view, FunctionRef<bool(const char* at)> wanted);

/// Throws Error(rank) unless `index` has the rank of `a`, Error(shape) if it is longer along an
/// axis other than `along`.
void check_index_shape(const TensorView& index, const TensorView& a, std::size_t along);

/// Indices of i32 or i64. Whether they are inside their axis is asked by check(), or as they are
/// used.
class IndexOperand {
 public:
  /// `input` is the operand's number. Throws Error: undefined; dtype, unless it holds integers.
  /// `axis` is for messages; below 0: none.
  IndexOperand(const TensorView& index, int input, std::int64_t extent, std::int64_t axis);

  const TensorView& view() const noexcept { return converted_.defined() ? converted_ : *given_; }

  /// Throws Error(axis) if one is outside [-extent, extent). Reads all indices, in parallel.
  void check() const;
  /// Throws Error(axis) for the first one in C order that is; there is one.
  [[noreturn]] void fail_outside() const;

 private:
  const TensorView* given_;
  Tensor converted_;
  int input_;
  std::int64_t extent_, axis_;
};

}  // namespace v0
}  // namespace weft
