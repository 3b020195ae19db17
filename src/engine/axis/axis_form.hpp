// SPDX-License-Identifier: Apache-2.0
/// @file
/// The ways in which operations along one axis are carried out.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft {
inline namespace v0 {

/// How a prefix operation or softmax goes over its elements: line by line along the axis, or across
/// it, many columns at a time.
enum class AxisForm : std::uint8_t {
  few_lines,         ///< a few contiguous elements, without a plan
  few_columns,       ///< the same across the axis
  lines,             ///< where they stand
  columns,           ///< where they stand
  staged_lines,      ///< part by part through buffers
  staged_columns,    ///< part by part through buffers
  gathered_lines,    ///< many lines brought into a buffer, as they are or transposed
  gathered_columns,  ///< many columns likewise
};

/// "gathered-lines".
std::string_view name(AxisForm form) noexcept;
/// How the operands are had, in the words of Explanation::Operand::access.
const char* access_name(AxisForm form) noexcept;
/// Whether the kernel is given lines along the axis.
bool is_by_lines(AxisForm form) noexcept;

}  // namespace v0
}  // namespace weft
