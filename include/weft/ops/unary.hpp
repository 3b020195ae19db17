// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions of one operand, elementwise. Outputs as in binary.hpp.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

namespace weft::inline v0 {

/// -a. Integers wrap. Not for bool: Error(dtype).
WEFT_API Tensor neg(const Input& a);
WEFT_API void neg_out(const Output& out, const Input& a);
/// |a|. The least integer stays itself (wraps); complex gives its magnitude as f32 or f64. Not for
/// bool: Error(dtype).
WEFT_API Tensor abs(const Input& a);
WEFT_API void abs_out(const Output& out, const Input& a);
/// Square root, correctly rounded; NaN below zero. Integers and bools are taken as f32; complex by
/// the C library.
WEFT_API Tensor sqrt(const Input& a);
WEFT_API void sqrt_out(const Output& out, const Input& a);
/// e^a, within 1 ulp (f32) and 1 ulp (f64); infinities, NaN and subnormal results as in C99 Annex
/// F. Integers and bools are taken as f32; complex by the C library.
WEFT_API Tensor exp(const Input& a);
WEFT_API void exp_out(const Output& out, const Input& a);

}  // namespace weft::inline v0
