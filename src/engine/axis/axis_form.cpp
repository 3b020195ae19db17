// SPDX-License-Identifier: Apache-2.0
#include "engine/axis/axis_form.hpp"

namespace weft {
inline namespace v0 {

std::string_view name(AxisForm form) noexcept {
  switch (form) {
    case AxisForm::few_lines: return "few-lines";
    case AxisForm::few_columns: return "few-columns";
    case AxisForm::lines: return "lines";
    case AxisForm::columns: return "columns";
    case AxisForm::staged_lines: return "staged-lines";
    case AxisForm::staged_columns: return "staged-columns";
    case AxisForm::gathered_lines: return "gathered-lines";
    case AxisForm::gathered_columns: return "gathered-columns";
  }
  return "";
}

const char* access_name(AxisForm form) noexcept {
  switch (form) {
    case AxisForm::few_lines:
    case AxisForm::lines: return "direct: lines along the axis";
    case AxisForm::few_columns:
    case AxisForm::columns: return "direct: columns across the axis";
    case AxisForm::staged_lines: return "staged: lines along the axis";
    case AxisForm::staged_columns: return "staged: columns across the axis";
    case AxisForm::gathered_lines: return "staged: many lines along the axis";
    case AxisForm::gathered_columns: return "staged: many columns across the axis";
  }
  return "";
}

bool is_by_lines(AxisForm form) noexcept {
  return form == AxisForm::few_lines || form == AxisForm::lines || form == AxisForm::staged_lines ||
         form == AxisForm::gathered_lines;
}

}  // namespace v0
}  // namespace weft
