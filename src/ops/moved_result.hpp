// SPDX-License-Identifier: Apache-2.0
/// @file
/// What operations share that move elements to other places: their result, and the copies that it
/// is put together of.
#pragma once

#include <weft/base/function_ref.hpp>
#include <weft/core/scalar.hpp>

#include "ops/result.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace weft {
inline namespace v0 {

/// A Result whose elements are those of inputs of `type`, or become them by conversion. Throws
/// Error(cast) for an output that cannot hold their kind, and as Result.
class MovedResult : public Result {
 public:
  MovedResult(const Output& out, IntSpan shape, ScalarType type,
              std::span<const TensorView* const> inputs)
      : Result(checked(out, type), shape, type, inputs) {}
  MovedResult(const Output& out, IntSpan shape, ScalarType type, const TensorView& input)
      : Result(checked(out, type), shape, type, {&input}) {}

 private:
  static const Output& checked(const Output& out, ScalarType type);
};

/// An element of a type, made of a number; as a view it has no axes.
class NumberElement {
 public:
  /// Throws Error(cast) that begins with `what` if the number is of a higher kind than the type.
  NumberElement(const Scalar& number, ScalarType type, std::string_view what);
  NumberElement(const NumberElement&) = delete;
  NumberElement& operator=(const NumberElement&) = delete;

  TensorView view() const;

 private:
  alignas(16) char bytes_[16];
  ScalarType type_;
};

/// Whether two views show the same elements in the same places.
bool same_place(const TensorView& a, const TensorView& b);

/// Extents of a result, which fit in 64 bits: Error(overflow) that names the axis if not.
std::int64_t extent_sum(std::int64_t a, std::int64_t b, std::size_t axis);
std::int64_t extent_product(std::int64_t a, std::int64_t b, std::size_t axis);

/// Copies `from`, broadcast, to a part of a result, converting. Preconditions: it fits, and the two
/// share no memory. A strategy that is forced is not meant for it.
void copy_part(const TensorView& to, const TensorView& from);

/// A part of all that has the axes of a result: the elements of a block along one of its axes.
class Block {
 public:
  Block() = default;  ///< everything
  Block(std::size_t axis, std::int64_t first, std::int64_t count)
      : axis_(static_cast<std::int64_t>(axis)), first_(first), count_(count) {}

  bool is_everything() const { return axis_ < 0; }
  TensorView of(const TensorView& view) const {
    return axis_ < 0 ? view : view.slice(axis_, first_, first_ + count_);
  }

 private:
  std::int64_t axis_ = -1, first_ = 0, count_ = 0;
};

/// Calls write(block) for blocks that make up a result of some parts along `axis`. That is one
/// block, unless the parts are so narrow that each line of a large result has elements of several:
/// then blocks are small enough for a cache to keep them until all parts are written. They are cut
/// along an axis that is not among `cut`, a bit for each axis, and threads share them.
void in_blocks(const TensorView& out, std::size_t axis, std::int64_t parts, std::uint64_t cut,
               FunctionRef<void(const Block& block)> write);

}  // namespace v0
}  // namespace weft
