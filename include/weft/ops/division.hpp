// SPDX-License-Identifier: Apache-2.0
/// @file
/// Division with a whole quotient, elementwise: floor_divide, fmod and remainder, of integers and
/// floating numbers. Inputs, outputs and errors as in binary.hpp.
///
/// An integer divided by 0 is Error(division), found while the division runs: it is thrown when
/// everything has been written, the elements in question as if divided by 1. The least integer by
/// -1 wraps to itself, with remainder 0. Floating numbers by 0 give what a / 0 gives (floor_divide)
/// and NaN (fmod, remainder).
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
WEFT_FOR_EACH_DIVISION(WEFT_DECLARE)
#undef WEFT_DECLARE

}  // namespace v0
}  // namespace weft
