// SPDX-License-Identifier: Apache-2.0
/// @file
/// What operations along one axis check, and their iterator.
#pragma once

#include <weft/iter/config.hpp>
#include <weft/kernel/cumulative_kernel.hpp>

#include "base/internal_api.hpp"

namespace weft {
inline namespace v0 {

/// The operands of an operation along one axis, all of one shape: outputs, inputs, starts. Refers
/// to views that have it already.
class WEFT_INTERNAL_API AlongAxis {
 public:
  /// Throws Error: undefined, shape, axis.
  AlongAxis(const CumulativeOperands& operands, std::int64_t axis);
  AlongAxis(const TensorView& out, const TensorView& in, std::int64_t axis)
      : AlongAxis({{&out, 1}, {&in, 1}}, axis) {}
  AlongAxis(const AlongAxis&) = delete;
  AlongAxis& operator=(const AlongAxis&) = delete;

  int size() const noexcept { return static_cast<int>(views_.size()); }
  int noutputs() const noexcept { return noutputs_; }
  int ninputs() const noexcept { return ninputs_; }
  const TensorView& operator[](int k) const noexcept { return *views_[k]; }
  IntSpan shape() const noexcept { return views_[0]->shape(); }
  int axis() const noexcept { return axis_; }
  /// "output 0", "input 1", "start 0".
  std::string name_of(int k) const;

 private:
  SmallVector<const TensorView*, inline_operands> views_;
  SmallVector<TensorView, 2> expanded_;  // those that had another shape
  int noutputs_, ninputs_, axis_;
};

/// The columns that are left when the axis is squashed, of operands as a kernel of these types sees
/// them. Throws Error: cast, overlap.
WEFT_INTERNAL_API TensorIterator plan_along_axis(const AlongAxis& operands,
                                                 const ScalarType* types);

/// The same of one output and one input, to see whether it fits.
WEFT_INTERNAL_API TensorIterator plan_along_axis(const TensorView& out, const TensorView& in,
                                                 std::int64_t axis, ScalarType out_type,
                                                 ScalarType in_type);

}  // namespace v0
}  // namespace weft
