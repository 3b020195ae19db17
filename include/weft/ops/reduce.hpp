// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions over any set of axes: those of reduction_table.hpp, which docs/functions.md lists
/// with their meaning: sum, mean, amax, any, argmax, ...
///
/// `axes` lists the axes to reduce, negative ones from the end; an empty list means all. A reduced
/// axis is gone from the result, or has extent 1 with `keepdim`. Results do not depend on threads
/// or grain, and are equal on avx2, avx512 and neon: the order of combination is fixed by shape and
/// strides of the input. Nothing of the input's size is allocated.
///
/// Sums of integers and bools add up in i64 (wrapping), those of f32 in f64 after trees of up to
/// eight elements (spans of up to 128 pairwise in f32), of f16 and bf16 as f32, of f64 in blocks
/// combined pairwise, of complex numbers in c128; all are rounded once at the end. Products of f32
/// are made in f64, eight factors at a time in f32 where that cannot leave its range. Variances are
/// sums of squared deviations from each block's own mean.
///
/// The _out forms want an output of the result's shape (with or without the reduced axes as extent
/// 1), or a Tensor to allocate or replace. Throw Error: axis (out of range or twice), shape (also
/// where nothing is reduced and there is no result for it), dtype, cast, overlap, undefined.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>
#include <weft/ops/reduction_table.hpp>

#include <optional>
#include <utility>

namespace weft {
inline namespace v0 {

/// How to reduce.
struct ReduceOptions {
  bool keepdim = false;
  /// Element type of a result that is allocated, and what f32 and the like are widened to before
  /// they are added; default: see the table.
  std::optional<ScalarType> dtype = std::nullopt;
  /// Of var and std: what is taken off the number of elements; 0 for the variance of the elements
  /// themselves. Where not more elements are left, the result is NaN or infinite.
  double correction = 1;
};

// For each line F(NAME, ...) of the list, whose last column says what it gives:
//     Tensor NAME(const Input& a, IntSpan axes = {}, const ReduceOptions& options = {});
//     void NAME_out(const Output& out, (the same));
#define WEFT_DECLARE(NAME, ...)                                                               \
  WEFT_API Tensor NAME(const Input& a, IntSpan axes = {}, const ReduceOptions& options = {}); \
  WEFT_API void NAME##_out(const Output& out, const Input& a, IntSpan axes = {},              \
                           const ReduceOptions& options = {});
WEFT_FOR_EACH_REDUCTION(WEFT_DECLARE)
#undef WEFT_DECLARE

/// The p-norm, (sum of |a|^p)^(1/p): for p = infinity the largest magnitude, for -infinity the
/// smallest, for 0 how many elements are not 0. Real results for complex numbers, f32 for integers.
/// With p = 2 nothing overflows or underflows on the way that the norm itself can express (complex
/// numbers aside, whose squares add up in f64, as powers do for any other p). NaN if there is one,
/// which p = 0 counts; of nothing 0, or infinity for p < 0.
WEFT_API Tensor norm(const Input& a, double p = 2, IntSpan axes = {},
                     const ReduceOptions& options = {});
WEFT_API void norm_out(const Output& out, const Input& a, double p = 2, IntSpan axes = {},
                       const ReduceOptions& options = {});

/// The sum of the products of the elements of two vectors, views of one axis and equal extent, as a
/// 0-d tensor: complex numbers are not conjugated. The result has their common type (promotion), or
/// that of the output. Integers wrap in that type; f32, f16 and bf16 are multiplied in f32 and
/// added like the elements of a sum; complex products are made and added in c128. 0 of nothing. The
/// order of addition depends on nothing but the extent, the strides and the types. Throws Error:
/// shape, dtype (bool), cast, overlap, undefined.
WEFT_API Tensor dot(const Input& a, const Input& b);
WEFT_API void dot_out(const Output& out, const Input& a, const Input& b);

// Indexes (i64) along one axis; without an axis row-major over all elements:
//     Tensor NAME(const Input& a, std::optional<std::int64_t> axis = {}, bool keepdim = false);
//     void NAME_out(const Output& out, (the same));
#define WEFT_DECLARE(NAME, ...)                                                         \
  WEFT_API Tensor NAME(const Input& a, std::optional<std::int64_t> axis = std::nullopt, \
                       bool keepdim = false);                                           \
  WEFT_API void NAME##_out(const Output& out, const Input& a,                           \
                           std::optional<std::int64_t> axis = std::nullopt, bool keepdim = false);
WEFT_FOR_EACH_ARG_REDUCTION(WEFT_DECLARE)
#undef WEFT_DECLARE

// Two results:
//     std::pair<Tensor, Tensor> NAME(const Input& a, IntSpan axes = {}, const ReduceOptions& = {});
//     void NAME_out(const Output& first, const Output& second, (the same));
#define WEFT_DECLARE(NAME, ...)                                                       \
  WEFT_API std::pair<Tensor, Tensor> NAME(const Input& a, IntSpan axes = {},          \
                                          const ReduceOptions& options = {});         \
  WEFT_API void NAME##_out(const Output& first, const Output& second, const Input& a, \
                           IntSpan axes = {}, const ReduceOptions& options = {});
WEFT_FOR_EACH_PAIR_REDUCTION(WEFT_DECLARE)
#undef WEFT_DECLARE

}  // namespace v0
}  // namespace weft
