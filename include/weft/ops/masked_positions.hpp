// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where the largest and the smallest are of elements of which some are left out.
///
/// As argmax and argmin (ops/reduce.hpp): of real types, indexes (i64) along one axis, without an
/// axis row-major over all elements; of equal ones the first, and the first NaN if one is there.
/// Indexes count all elements, also those that are left out. Where all are left out, the result is
/// -1. Inputs may be strided in any way; results do not depend on threads.
///
/// The _out forms want an output of the result's shape (with or without the reduced axis as extent
/// 1), or a Tensor to allocate or replace. It shares no memory with the inputs, unless it is the
/// very elements of one: that takes reduced axes of extent 1, and is right, as of argmax_out.
/// Nothing of the input's size is allocated. Throw Error before anything is written: axis, shape
/// (also where an axis of extent 0 is reduced, or the mask does not broadcast to `a`), dtype
/// (complex numbers, a mask that is not bool), cast (also to unsigned integers, which do not hold
/// -1), overlap, undefined.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

#include <optional>

namespace weft {
inline namespace v0 {

/// Of the elements where the mask is true, which broadcasts to the shape of `a`.
WEFT_API Tensor masked_argmax(const Input& a, const TensorView& mask,
                              std::optional<std::int64_t> axis = std::nullopt,
                              bool keepdim = false);
WEFT_API void masked_argmax_out(const Output& out, const Input& a, const TensorView& mask,
                                std::optional<std::int64_t> axis = std::nullopt,
                                bool keepdim = false);
WEFT_API Tensor masked_argmin(const Input& a, const TensorView& mask,
                              std::optional<std::int64_t> axis = std::nullopt,
                              bool keepdim = false);
WEFT_API void masked_argmin_out(const Output& out, const Input& a, const TensorView& mask,
                                std::optional<std::int64_t> axis = std::nullopt,
                                bool keepdim = false);

/// Of the elements that are not NaN.
WEFT_API Tensor nanargmax(const Input& a, std::optional<std::int64_t> axis = std::nullopt,
                          bool keepdim = false);
WEFT_API void nanargmax_out(const Output& out, const Input& a,
                            std::optional<std::int64_t> axis = std::nullopt, bool keepdim = false);
WEFT_API Tensor nanargmin(const Input& a, std::optional<std::int64_t> axis = std::nullopt,
                          bool keepdim = false);
WEFT_API void nanargmin_out(const Output& out, const Input& a,
                            std::optional<std::int64_t> axis = std::nullopt, bool keepdim = false);

}  // namespace v0
}  // namespace weft
