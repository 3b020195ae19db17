// SPDX-License-Identifier: Apache-2.0
/// @file
/// Elements that lie in memory as rows.
#pragma once

#include <weft/core/shape.hpp>

#include <cstdint>
#include <optional>

namespace weft {
inline namespace v0 {
namespace graph {

/// Dense rows at a constant stride.
struct RowForm {
  std::int64_t rows = 0;          ///< two or more
  std::int64_t row_elements = 0;  ///< one or more
  std::int64_t step = 0;          ///< from row to row; not less than row_elements

  /// True if only the step may be different.
  bool has_rows_of(const RowForm& other) const noexcept {
    return rows == other.rows && row_elements == other.row_elements;
  }
};

/// None for elements that lie otherwise, or that are one dense row.
std::optional<RowForm> row_form(IntSpan shape, IntSpan strides);

/// Strides of row-major elements in dense rows of so many, at a stride of `step` elements; without
/// gaps if rows do not end with an axis.
DimVector row_strides(IntSpan shape, std::int64_t row_elements, std::int64_t step);

}  // namespace graph
}  // namespace v0
}  // namespace weft
