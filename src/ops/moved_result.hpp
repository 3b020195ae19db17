// SPDX-License-Identifier: Apache-2.0
/// @file
/// What operations share that move elements to other places: their result, and numbers in it. The
/// copies that it is put together of are in part_copies.hpp.
#pragma once

#include <weft/core/scalar.hpp>
#include <weft/iter/explain.hpp>

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

/// What is told of a result without elements: its shape and no run.
Explanation explain_nothing(IntSpan shape);

/// Whether two views show the same elements in the same places.
bool same_place(const TensorView& a, const TensorView& b);

/// Extents of a result, which fit in 64 bits: Error(overflow) that names the axis if not.
std::int64_t extent_sum(std::int64_t a, std::int64_t b, std::size_t axis);
std::int64_t extent_product(std::int64_t a, std::int64_t b, std::size_t axis);

}  // namespace v0
}  // namespace weft
