// SPDX-License-Identifier: Apache-2.0
/// @file
/// Prefix operations and softmax along one axis, of the elements that a mask selects or that are
/// not NaN.
///
/// Types, conversions and values are those of the operations of all elements (ops/cumulative.hpp,
/// ops/softmax.hpp), with a number that changes nothing in place of elements that are left out: 0
/// in sums, 1 in products, -infinity or the least value for the largest so far, and so on. The mask
/// is of bools and broadcasts to the shape of `a`; it may be strided in any way, as `a` and outputs
/// may.
///
/// An output is written where the mask is true. **What is left out is not stored to**, not even
/// with its old value: threads whose masks have no element in common may write to one tensor. So
/// the output has to be there, of the shape of `a`: a Tensor that would be allocated or replaced is
/// an Error(invalid_argument). It may be `a` or the mask, element for element; any other overlap is
/// an Error(overlap). The functions that return a Tensor put 0 there, or what they say.
///
/// Threads share the lines along the axis, each of which is one thread's work; results do not
/// depend on them. Prefix operations take scratch memory of 192 KiB a thread at most, however long
/// lines are; softmax goes over a line several times and takes copies of its values, mask and
/// results: scratch memory, which is kept, for lines of up to about 15,000 elements, and more for
/// longer ones. Nothing else is allocated up to rank 8. Throw Error before anything is written:
/// axis, shape, dtype, cast, overlap, undefined, invalid_argument.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>
#include <weft/ops/cumulative.hpp>

#include <optional>

namespace weft {
inline namespace v0 {

/// The bits are those of cumsum(where(mask, a, 0), axis).
WEFT_API Tensor masked_cumsum(const TensorView& a, const TensorView& mask, std::int64_t axis,
                              std::optional<ScalarType> dtype = std::nullopt);
WEFT_API void masked_cumsum_out(const Output& out, const TensorView& a, const TensorView& mask,
                                std::int64_t axis);
/// Those of cumprod(where(mask, a, 1), axis), and of logcumsumexp with -infinity.
WEFT_API Tensor masked_cumprod(const TensorView& a, const TensorView& mask, std::int64_t axis,
                               std::optional<ScalarType> dtype = std::nullopt);
WEFT_API void masked_cumprod_out(const Output& out, const TensorView& a, const TensorView& mask,
                                 std::int64_t axis);
WEFT_API Tensor masked_logcumsumexp(const TensorView& a, const TensorView& mask, std::int64_t axis,
                                    std::optional<ScalarType> dtype = std::nullopt);
WEFT_API void masked_logcumsumexp_out(const Output& out, const TensorView& a,
                                      const TensorView& mask, std::int64_t axis);

/// Positions count all elements of a line; where nothing is selected, those returned are -1.
WEFT_API ValuesAndIndices masked_cummax(const TensorView& a, const TensorView& mask,
                                        std::int64_t axis);
WEFT_API ValuesAndIndices masked_cummin(const TensorView& a, const TensorView& mask,
                                        std::int64_t axis);
/// The values alone.
WEFT_API void masked_cummax_out(const Output& values, const TensorView& a, const TensorView& mask,
                                std::int64_t axis);
WEFT_API void masked_cummin_out(const Output& values, const TensorView& a, const TensorView& mask,
                                std::int64_t axis);
/// Both; the indices' output may meet neither the inputs nor the values.
WEFT_API void masked_cummax_out(const Output& values, const Output& indices, const TensorView& a,
                                const TensorView& mask, std::int64_t axis);
WEFT_API void masked_cummin_out(const Output& values, const Output& indices, const TensorView& a,
                                const TensorView& mask, std::int64_t axis);

/// Elements that are left out have no share: the results of the others add up to 1. What is
/// returned has 0 there, and -infinity of log_softmax.
WEFT_API Tensor masked_softmax(const TensorView& a, const TensorView& mask, std::int64_t axis,
                               std::optional<ScalarType> dtype = std::nullopt);
WEFT_API void masked_softmax_out(const Output& out, const TensorView& a, const TensorView& mask,
                                 std::int64_t axis);
WEFT_API Tensor masked_log_softmax(const TensorView& a, const TensorView& mask, std::int64_t axis,
                                   std::optional<ScalarType> dtype = std::nullopt);
WEFT_API void masked_log_softmax_out(const Output& out, const TensorView& a, const TensorView& mask,
                                     std::int64_t axis);

/// cumsum in which NaN counts as 0. All elements of the result are written; the output is as that
/// of cumsum (ops/cumulative.hpp), and so are bits, threads, memory and errors.
WEFT_API Tensor nancumsum(const Input& a, std::int64_t axis,
                          std::optional<ScalarType> dtype = std::nullopt);
WEFT_API void nancumsum_out(const Output& out, const Input& a, std::int64_t axis);

}  // namespace v0
}  // namespace weft
