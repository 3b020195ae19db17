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
  /// Throws Error(shape), naming output `number`, for any other shape.
  TensorView seen(const TensorView& out, int number = 0) const;
  /// Output `number` to write to: as given if its shape fits, else memory with `type` for an
  /// undefined or unfitting Tensor, which gets it by replace(). Throws Error(shape, undefined).
  TensorView prepare(const Output& out, int number, ScalarType type, bool keepdim,
                     Tensor& memory) const;

 private:
  bool fits(IntSpan shape) const;

  IntSpan shape_;
  std::uint64_t mask_ = 0;
};

/// Gives an output the memory that was made for it, if any, now that nothing is refused any more.
/// Returns what it had so far, in which an input may lie.
std::shared_ptr<void> replace(const Output& out, Tensor& memory) noexcept;

}  // namespace v0
}  // namespace weft
