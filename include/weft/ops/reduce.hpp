// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions over any set of axes.
///
/// `axes` lists the axes to reduce, negative ones from the end; an empty list means all. A reduced
/// axis is gone from the result, or has extent 1 with `keepdim`. Results do not depend on threads
/// or grain, and are equal on avx2 and avx512: the order of combination is fixed by the geometry.
/// The _out forms want an output of the result's shape (with or without the reduced axes as extent
/// 1), or a Tensor to allocate or replace. Throw Error: axis (out of range or twice), shape, dtype,
/// cast, overlap, undefined.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

#include <optional>

namespace weft::inline v0 {

/// How to reduce.
struct ReduceOptions {
  bool keepdim = false;
  /// Element type of a result that is allocated; default: sum of integers and bools i64, else the
  /// input's type.
  std::optional<ScalarType> dtype = std::nullopt;
};

/// Sum. Integers and bools add up in i64 (wrapping), f16, bf16 and f32 in f64, c64 in c128, and are
/// rounded once; blocks' partial sums are combined pairwise. Nothing to add gives 0. The order in which
/// elements add up follows the layouts of the input and the output, never the threads.
WEFT_API Tensor sum(const Input& a, IntSpan axes = {}, const ReduceOptions& options = {});
WEFT_API void sum_out(const Output& out, const Input& a, IntSpan axes = {},
                      const ReduceOptions& options = {});

/// Largest element; NaN if there is one. Nothing to compare is Error(shape). Not for complex.
WEFT_API Tensor amax(const Input& a, IntSpan axes = {}, const ReduceOptions& options = {});
WEFT_API void amax_out(const Output& out, const Input& a, IntSpan axes = {},
                       const ReduceOptions& options = {});

/// Index (i64) of the largest element along one axis, of the first among equals, of the first NaN
/// if there is one. Without an axis: the row-major index over all elements. Not for complex.
WEFT_API Tensor argmax(const Input& a, std::optional<std::int64_t> axis = std::nullopt,
                       bool keepdim = false);
WEFT_API void argmax_out(const Output& out, const Input& a,
                         std::optional<std::int64_t> axis = std::nullopt, bool keepdim = false);

}  // namespace weft::inline v0
