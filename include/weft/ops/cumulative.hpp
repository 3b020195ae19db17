// SPDX-License-Identifier: Apache-2.0
/// @file
/// Prefix operations along one axis: element i of a line depends on elements 0 ... i of it.
///
/// Inputs may be strided in any way; results do not depend on strides, threads or the level of
/// instructions. An output is written as it is (converted, if that keeps the kind of its values),
/// allocated if it is an undefined Tensor, or replaced if it is one of another shape; it may be the
/// input. f16 and bf16 are computed in f32 and rounded once. Nothing else is allocated up to rank
/// 8 but scratch memory, which is kept. Throw Error before anything is written: axis, shape,
/// dtype, cast, overlap, undefined.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

#include <optional>

namespace weft {
inline namespace v0 {

/// out[i] = a[0] + ... + a[i], of bool, integers, floating and complex types. Integers and bools
/// add up in i64, which wraps; floating types in f64, complex ones in c128. The result has the
/// input's type, i64 for integers and bools, or `dtype`.
///
/// Real elements are added by fours: of x0, x1, x2, x3 = a[4k] ... a[4k + 3] and the total t of all
/// before, t + x0, u = t + (x0 + x1), u + x2 and u + (x2 + x3).
WEFT_API Tensor cumsum(const Input& a, std::int64_t axis,
                       std::optional<ScalarType> dtype = std::nullopt);
WEFT_API void cumsum_out(const Output& out, const Input& a, std::int64_t axis);

/// out[i] = a[0] * ... * a[i], as cumsum; by fours too, but f64 and complex types one after the
/// other, since some factors together may overflow where all of them do not.
WEFT_API Tensor cumprod(const Input& a, std::int64_t axis,
                        std::optional<ScalarType> dtype = std::nullopt);
WEFT_API void cumprod_out(const Output& out, const Input& a, std::int64_t axis);

/// out[i] = log(e^a[0] + ... + e^a[i]), computed in f64 with the largest element so far taken out,
/// so that it neither overflows nor vanishes; bools and integers as f32. Infinities: -inf adds
/// nothing, inf makes the rest inf, NaN makes it NaN.
WEFT_API Tensor logcumsumexp(const Input& a, std::int64_t axis,
                             std::optional<ScalarType> dtype = std::nullopt);
WEFT_API void logcumsumexp_out(const Output& out, const Input& a, std::int64_t axis);

/// What stands, and where along the axis.
struct ValuesAndIndices {
  Tensor values;
  Tensor indices;  ///< i64
};

/// The largest (smallest) of a[0] ... a[i], and the position of the last of those that equal it. Of
/// real types. NaN wins: from the first on all values are NaN, and the position is that of the
/// last. 0.0 is above -0.0.
WEFT_API ValuesAndIndices cummax(const Input& a, std::int64_t axis);
WEFT_API ValuesAndIndices cummin(const Input& a, std::int64_t axis);
/// The values alone.
WEFT_API void cummax_out(const Output& values, const Input& a, std::int64_t axis);
WEFT_API void cummin_out(const Output& values, const Input& a, std::int64_t axis);
/// Both; the indices' output may meet neither the input nor the values.
WEFT_API void cummax_out(const Output& values, const Output& indices, const Input& a,
                         std::int64_t axis);
WEFT_API void cummin_out(const Output& values, const Output& indices, const Input& a,
                         std::int64_t axis);

}  // namespace v0
}  // namespace weft
