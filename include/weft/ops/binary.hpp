// SPDX-License-Identifier: Apache-2.0
/// @file
/// Arithmetic of two operands.
///
/// All of these broadcast their inputs (aligned at the last axis, extents equal or 1), promote
/// their types (promotion.hpp) and accept a number on either side. `add(a, b)` allocates its
/// result; `add_out(out, a, b)` writes into a view, or into a Tensor that it may allocate or
/// replace. An output may be one of the inputs; any other overlap is an error. An output of another
/// type receives the converted result, if that keeps its kind (not floating to integer, for
/// instance).
///
/// Throw Error: shape, dtype, cast, overlap, overflow, undefined; nothing is written then. With a
/// result to write to, nothing is allocated for up to 8 axes; making a new one takes three
/// allocations (its memory, its count of owners, the iterator's note of it).
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

namespace weft::inline v0 {

/// a + b. Integers wrap; bools are or-ed.
WEFT_API Tensor add(const Input& a, const Input& b);
WEFT_API void add_out(const Output& out, const Input& a, const Input& b);
/// a - b. Integers wrap. Not for two bools: Error(dtype).
WEFT_API Tensor sub(const Input& a, const Input& b);
WEFT_API void sub_out(const Output& out, const Input& a, const Input& b);
/// a * b. Integers wrap; bools are and-ed.
WEFT_API Tensor mul(const Input& a, const Input& b);
WEFT_API void mul_out(const Output& out, const Input& a, const Input& b);
/// a / b, true division: integers and bools are divided as f32. By zero: infinities and NaN as in
/// IEEE 754.
WEFT_API Tensor div(const Input& a, const Input& b);
WEFT_API void div_out(const Output& out, const Input& a, const Input& b);

}  // namespace weft::inline v0
