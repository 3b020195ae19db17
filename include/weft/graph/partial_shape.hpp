// SPDX-License-Identifier: Apache-2.0
/// @file
/// Shapes of which not everything is known yet, and the types of a graph's values.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/scalar_type.hpp>
#include <weft/core/shape.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace weft {
inline namespace v0 {
namespace graph {

/// A shape with unknown extents, or even of unknown rank. Default-constructed: rank 0, known.
class WEFT_API PartialShape {
 public:
  /// Stands for an extent that is not known.
  static constexpr std::int64_t unknown = -1;

  PartialShape() = default;
  /// Extents, `unknown` where they are. Throws Error(shape) for one below -1, Error(rank) for more
  /// than max_rank of them.
  PartialShape(IntSpan extents);          // NOLINT(google-explicit-constructor)
  PartialShape(const DimVector& extents)  // NOLINT(google-explicit-constructor)
      : PartialShape(IntSpan(extents)) {}
  PartialShape(std::initializer_list<std::int64_t> extents)
      : PartialShape(IntSpan(extents.begin(), extents.size())) {}
  /// Nothing is known, not even the rank.
  static PartialShape unranked();
  /// Only the rank is known.
  static PartialShape of_rank(int rank);

  bool has_rank() const noexcept { return has_rank_; }
  /// Throws Error(rank) if it is unknown, as do all that need it.
  int rank() const;
  IntSpan extents() const;
  /// Extent along an axis in [-rank, rank), or `unknown`. Throws Error(axis).
  std::int64_t extent(std::int64_t axis) const;
  /// True if rank and all extents are known.
  bool is_static() const noexcept;
  /// The shape. Throws Error(shape) if it is not static.
  IntSpan shape() const;

  /// True if a tensor of that shape has this partial one.
  bool admits(IntSpan shape) const noexcept;
  /// What both say together. Throws Error(shape) if they contradict.
  PartialShape merged_with(const PartialShape& other) const;
  /// What holds for tensors of either: extents in which they differ are unknown, and so is the rank
  /// if that differs.
  PartialShape united_with(const PartialShape& other) const;

  friend bool operator==(const PartialShape&, const PartialShape&) = default;

 private:
  bool has_rank_ = true;
  DimVector extents_;
};

/// As text: [2, ?, 4]; [...] of unknown rank.
WEFT_API std::string to_string(const PartialShape& shape);

/// The shape to which `a` and `b` broadcast, aligned at the last axis, as far as it is known.
/// Throws Error(shape) for known extents that do not fit.
WEFT_API PartialShape broadcast_shapes(const PartialShape& a, const PartialShape& b);

/// Element type and shape of a value in a graph.
struct ValueType {
  ScalarType dtype = ScalarType::f32;
  PartialShape shape;

  friend bool operator==(const ValueType&, const ValueType&) = default;
};

/// As text: f32[2, ?].
WEFT_API std::string to_string(const ValueType& type);

}  // namespace graph
}  // namespace v0
}  // namespace weft
