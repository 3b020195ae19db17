// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions of two operands, elementwise: those of WEFT_FOR_EACH_BINARY in function_table.hpp,
/// which docs/functions.md lists with their meaning: add, sub, mul, div, maximum, bitwise_and, ...
///
/// All of these broadcast their inputs (aligned at the last axis, extents equal or 1), promote
/// their types (promotion.hpp) and accept a number on either side. `add(a, b)` allocates its
/// result; `add_out(out, a, b)` writes into a view, or into a Tensor that it may allocate or
/// replace. An output may be one of the inputs; any other overlap is an error. An output of another
/// type receives the converted result, if that keeps its kind (not floating to integer, for
/// instance). f16 and bf16 are computed in f32 and rounded once.
///
/// Throw Error: shape, dtype (types of a kind for which the function is not defined), cast,
/// overlap, overflow, undefined; nothing is written then. With a result to write to, nothing is
/// allocated for up to 8 axes but scratch memory, which is kept; making a new one takes three
/// allocations (its memory, its count of owners, the iterator's note of it).
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
WEFT_FOR_EACH_BINARY(WEFT_DECLARE)
#undef WEFT_DECLARE

}  // namespace v0
}  // namespace weft
