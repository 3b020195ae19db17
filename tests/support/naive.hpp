// SPDX-License-Identifier: Apache-2.0
/// @file
/// What iterating over strided operands means, said as plainly as possible: the oracle for plans.
/// Nothing here uses weft.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace test {

using Dims = std::vector<std::int64_t>;

/// One operand: extents outermost first, strides in elements.
struct NaiveOperand {
  Dims shape;
  Dims strides;
  std::int64_t element_bytes = 1;
};

/// Calls visit(index) for every index below `shape`, row-major: the last axis varies fastest.
template <class Visit>
void for_each_index(const Dims& shape, Visit&& visit) {
  Dims index(shape.size(), 0);
  for (const std::int64_t extent : shape) {
    if (extent == 0) return;
  }
  for (;;) {
    visit(static_cast<const Dims&>(index));
    std::size_t axis = shape.size();
    while (axis > 0 && index[axis - 1] == shape[axis - 1] - 1)
      index[--axis] = 0;
    if (axis == 0) return;
    ++index[axis - 1];
  }
}

/// The common shape, or nothing if the shapes do not broadcast. Axes are aligned at the last; all
/// extents of one axis that are not 1 are equal.
std::optional<Dims> naive_broadcast(const std::vector<Dims>& shapes);

/// Offset in elements, from an operand's own element (0, 0, ...), of the element that belongs to an
/// index of the common shape. `Extents` is any list of std::int64_t.
template <class Extents>
std::int64_t naive_offset(const Extents& shape, const Extents& strides, const Dims& index) {
  std::int64_t offset = 0;
  const std::size_t lead = index.size() - shape.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    offset += (shape[axis] == 1 ? 0 : index[lead + axis]) * strides[axis];
  return offset;
}
/// The same in bytes.
inline std::int64_t naive_offset(const NaiveOperand& operand, const Dims& index) {
  return naive_offset(operand.shape, operand.strides, index) * operand.element_bytes;
}

/// Byte offsets of all operands, for every index in row-major order.
std::vector<Dims> naive_offsets(const Dims& common, const std::vector<NaiveOperand>& operands);

/// The same tuples in an order of their own, to compare sets with repeats.
std::vector<Dims> sorted(std::vector<Dims> tuples);

/// Strides of a dense row-major tensor; an extent of 0 counts as 1.
Dims row_major(const Dims& shape);

/// 0 as soon as one extent is 0, whatever the others are.
std::int64_t product(const Dims& shape);

}  // namespace test
