// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions of three operands and a number, elementwise: addcmul and addcdiv. The operands
/// broadcast and are promoted; outputs and errors as in binary.hpp. The number takes no part in
/// promotion: it is converted to the type in which the function is computed, and Error(cast) if it
/// is of a higher kind (0.5 among integers).
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>
#include <weft/ops/function_table.hpp>

namespace weft {
inline namespace v0 {

// For each line F(NAME, ...) of the list, whose last column says what it gives:
//     Tensor NAME(const Input& a, const Input& b, const Input& c, const Scalar& value = 1);
//     void NAME_out(const Output& out, (the same));
#define WEFT_DECLARE(NAME, ...)                                                                  \
  WEFT_API Tensor NAME(const Input& a, const Input& b, const Input& c, const Scalar& value = 1); \
  WEFT_API void NAME##_out(const Output& out, const Input& a, const Input& b, const Input& c,    \
                           const Scalar& value = 1);
WEFT_FOR_EACH_SCALED(WEFT_DECLARE)
#undef WEFT_DECLARE

}  // namespace v0
}  // namespace weft
