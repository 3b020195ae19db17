// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which axes a reduction takes, and its output seen under the input's rank.
#pragma once

#include <weft/ops/argument.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

namespace weft {
inline namespace v0 {

/// The axes of one reduction of a tensor of given shape, to which it refers.
class ReduceAxes {
 public:
  /// `axes` as callers give them; empty: all. Throws Error(axis) for one out of range or named
  /// twice.
  ReduceAxes(IntSpan shape, IntSpan axes);

  bool reduced(int axis) const noexcept { return (mask_ >> axis & 1) != 0; }
  /// Shape of the result, with reduced axes as extent 1 or gone.
  DimVector result_shape(bool keepdim) const;
  /// Elements that go into one of the result's.
  std::int64_t count() const noexcept;
  /// First reduced axis of extent 0, or -1.
  int empty_axis() const noexcept;
  /// `out` (of the result's shape, either way) with reduced axes as extent 1 and stride 0.
  /// Throws Error(shape) for any other shape.
  TensorView seen(const TensorView& out) const;
  /// The output to write to: as given if its shape fits, else allocated with `type` if it is an
  /// undefined or unfitting Tensor, whose memory so far goes to `replaced`. Throws Error(shape,
  /// undefined).
  TensorView prepare(const Output& out, ScalarType type, bool keepdim,
                     std::shared_ptr<void>& replaced) const;

 private:
  bool fits(IntSpan shape) const;

  IntSpan shape_;
  std::uint64_t mask_ = 0;
};

}  // namespace v0
}  // namespace weft
