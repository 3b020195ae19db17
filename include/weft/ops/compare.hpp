// SPDX-License-Identifier: Apache-2.0
/// @file
/// Comparisons, elementwise.
///
/// Inputs broadcast and are promoted to their common type, as in binary.hpp. The result is bool; an
/// output of another type receives 0 and 1. NaN equals nothing and is not ordered. Complex numbers
/// compare with eq and ne only: Error(dtype).
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

namespace weft::inline v0 {

WEFT_API Tensor eq(const Input& a, const Input& b);
WEFT_API void eq_out(const Output& out, const Input& a, const Input& b);
WEFT_API Tensor ne(const Input& a, const Input& b);
WEFT_API void ne_out(const Output& out, const Input& a, const Input& b);
WEFT_API Tensor lt(const Input& a, const Input& b);
WEFT_API void lt_out(const Output& out, const Input& a, const Input& b);
WEFT_API Tensor le(const Input& a, const Input& b);
WEFT_API void le_out(const Output& out, const Input& a, const Input& b);
WEFT_API Tensor gt(const Input& a, const Input& b);
WEFT_API void gt_out(const Output& out, const Input& a, const Input& b);
WEFT_API Tensor ge(const Input& a, const Input& b);
WEFT_API void ge_out(const Output& out, const Input& a, const Input& b);

}  // namespace weft::inline v0
