// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions of one operand, elementwise: those of WEFT_FOR_EACH_UNARY in function_table.hpp, which
/// docs/functions.md lists with their meaning: neg, abs, sqrt, floor, isnan, ... Outputs and errors
/// as in binary.hpp. Predicates give bool; an output of another type receives 0 and 1. Parts of
/// complex numbers (abs, real, imag) come as f32 or f64.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>
#include <weft/ops/function_table.hpp>

namespace weft {
inline namespace v0 {

// For each line F(NAME, ...) of the list, whose last column says what it gives:
//     Tensor NAME(const Input& a);
//     void NAME_out(const Output& out, const Input& a);
#define WEFT_DECLARE(NAME, ...)         \
  WEFT_API Tensor NAME(const Input& a); \
  WEFT_API void NAME##_out(const Output& out, const Input& a);
WEFT_FOR_EACH_UNARY(WEFT_DECLARE)
#undef WEFT_DECLARE

}  // namespace v0
}  // namespace weft
