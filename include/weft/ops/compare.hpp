// SPDX-License-Identifier: Apache-2.0
/// @file
/// Comparisons and logic, elementwise: those of WEFT_FOR_EACH_COMPARISON in function_table.hpp,
/// which docs/functions.md lists with their meaning: eq, ne, lt, le, gt, ge, logical_and, ...
///
/// Inputs broadcast and are promoted to their common type, as in binary.hpp. The result is bool; an
/// output of another type receives 0 and 1. NaN equals nothing and is not ordered. Complex numbers
/// are not ordered either: Error(dtype).
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>
#include <weft/ops/function_table.hpp>

namespace weft {
inline namespace v0 {

// For each line F(NAME, ...) of the list, whose last column says what it gives:
//     Tensor NAME(const Input& a, const Input& b);
//     void NAME_out(const Output& out, const Input& a, const Input& b);
#define WEFT_DECLARE(NAME, ...)                         \
  WEFT_API Tensor NAME(const Input& a, const Input& b); \
  WEFT_API void NAME##_out(const Output& out, const Input& a, const Input& b);
WEFT_FOR_EACH_COMPARISON(WEFT_DECLARE)
#undef WEFT_DECLARE

}  // namespace v0
}  // namespace weft
