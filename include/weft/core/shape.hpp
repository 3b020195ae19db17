// SPDX-License-Identifier: Apache-2.0
/// @file
/// Lists of extents and strides, and arithmetic on shapes.
#pragma once

#include <weft/base/export.hpp>
#include <weft/base/limits.hpp>
#include <weft/base/small_vector.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <string>

namespace weft {
inline namespace v0 {

/// Owns one integer per axis. No heap up to rank 8.
using DimVector = SmallVector<std::int64_t, inline_rank>;

/// Refers to a list of 64-bit integers: an initializer list in the argument, a std::vector, a
/// DimVector, ..., or one number, which is a list of one: sum(a, 1). It does not own them, so it is
/// for parameters.
class IntSpan : public std::span<const std::int64_t> {
 public:
  constexpr IntSpan() = default;
  constexpr IntSpan(const std::int64_t* data, std::size_t size) : span(data, size) {}
  constexpr IntSpan(std::initializer_list<std::int64_t> list) : span(list.begin(), list.size()) {}
  constexpr IntSpan(const std::int64_t& number) : span(&number, 1) {}
  template <std::floating_point T>
  IntSpan(T) = delete;
  template <std::ranges::contiguous_range R>
    requires std::ranges::sized_range<R> &&
             std::is_same_v<std::ranges::range_value_t<R>, std::int64_t>
  constexpr IntSpan(const R& range) : span(std::ranges::data(range), std::ranges::size(range)) {}

  constexpr int rank() const noexcept { return static_cast<int>(size()); }
};

/// True if both have the same numbers. In a loop: most lists have a few, and a call of memcmp costs
/// more.
inline bool same_list(IntSpan a, IntSpan b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

/// Product of the extents; 1 for rank 0, 0 as soon as one extent is 0.
/// Throws Error(shape) for a negative extent, Error(overflow) if the product does not fit in 64
/// bits.
WEFT_API std::int64_t numel(IntSpan shape);

/// Strides in elements of a dense row-major tensor: the last axis has stride 1, and an extent of 0
/// counts as 1. Throws Error(overflow).
WEFT_API DimVector contiguous_strides(IntSpan shape);

/// The shape to which `a` and `b` broadcast: aligned at the last axis, extents equal or one of them
/// 1 (so 0 with 1 gives 0). Throws Error(shape) that names both extents and the axis.
WEFT_API DimVector broadcast_shapes(IntSpan a, IntSpan b);
/// Whether a tensor of shape `own` broadcasts to `shape`: aligned at the last axis, extents are
/// equal or its own is 1.
WEFT_API bool broadcasts_to(IntSpan own, IntSpan shape) noexcept;

/// `axis` counted from the front: -1 is the last of `rank` axes. A 0-d tensor accepts 0 and -1.
/// Throws Error(axis) that names the axis and the allowed range.
WEFT_API int normalize_axis(std::int64_t axis, int rank);
/// `axis` as an index into `rank` extents or strides: -1 is the last. Throws Error(axis) that names
/// the axis if it is out of range, and for every axis of a 0-d tensor, which has none.
WEFT_API std::size_t existing_axis(std::int64_t axis, int rank);

/// As text: [2, 3, 4].
WEFT_API std::string to_string(IntSpan values);

}  // namespace v0
}  // namespace weft
