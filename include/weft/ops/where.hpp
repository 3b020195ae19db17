// SPDX-License-Identifier: Apache-2.0
/// @file
/// Selection between two operands.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

namespace weft::inline v0 {

/// condition ? a : b, elementwise; all three broadcast. The condition is bool (Error(dtype)
/// otherwise), a and b are promoted to their common type. Outputs and errors as in binary.hpp.
WEFT_API Tensor where(const Input& condition, const Input& a, const Input& b);
WEFT_API void where_out(const Output& out, const Input& condition, const Input& a, const Input& b);

}  // namespace weft::inline v0
