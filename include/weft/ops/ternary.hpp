// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions of three operands, elementwise: where, clamp, lerp and muladd. All three broadcast;
/// outputs and errors as in binary.hpp.
///
/// The condition of `where` is bool (Error(dtype) otherwise) and keeps its type; b and c are
/// promoted to their common type. What is not chosen does not matter, be it NaN. Bounds of `clamp`
/// may be tensors or numbers; where they cross, the upper one holds. One bound alone: clamp_min and
/// clamp_max in binary.hpp.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>
#include <weft/ops/function_table.hpp>

namespace weft {
inline namespace v0 {

// For each line F(NAME, ...) of the list, whose last column says what it gives:
//     Tensor NAME(const Input& a, const Input& b, const Input& c);
//     void NAME_out(const Output& out, const Input& a, const Input& b, const Input& c);
#define WEFT_DECLARE(NAME, ...)                                         \
  WEFT_API Tensor NAME(const Input& a, const Input& b, const Input& c); \
  WEFT_API void NAME##_out(const Output& out, const Input& a, const Input& b, const Input& c);
WEFT_FOR_EACH_TERNARY(WEFT_DECLARE)
#undef WEFT_DECLARE

}  // namespace v0
}  // namespace weft
