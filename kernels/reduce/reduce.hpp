// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the reduction family.
#pragma once

#include <weft/kernel/reduction_kernel.hpp>
#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// What kernels there are. Several functions may share one: var and std are `var` and its root.
enum class ReduceOp : std::uint8_t {
  sum,
  nansum,
  mean,  ///< context: the number of elements, a double
  prod,
  var,  ///< this and the next three: context: what is taken off the number of elements, a double
  std,
  var_mean,
  std_mean,
  norm1,
  norm2,
  norm_inf,
  norm_minus_inf,
  norm_p,  ///< context: p, a double
  logsumexp,
  any,
  all,
  count_nonzero,
  amax,
  amin,
  aminmax,
  argmax,
  argmin,
  dot,      ///< of two inputs
  nanprod,  ///< this and the next six: of what is not NaN, floats alone
  nanmean,  ///< this and the next three: NaN of nothing
  nanmax,
  nanmin,
  nanvar,     ///< context: what is taken off the number of elements, a double
  nanargmax,  ///< this and the next: -1 of nothing
  nanargmin,
};

/// The accumulator of arg reductions, whose kernels take no context: an element, and where it
/// is. A negative index means that nothing has been seen yet, and that the element is one that
/// nothing is beyond.
struct PlaceAccumulator {
  alignas(8) char element[8];
  std::int64_t index;
};

/// The kernel of a reduction over elements of a type, or null where there is none: sums and means
/// of f16 and bf16 aside, these are reduced as f32; norms and variances of integers as f64. Sums
/// and products of integers and bools give i64, their means f64; any and all give bool,
/// count_nonzero and arg reductions i64, norms and variances of complex numbers their parts' type,
/// all others the elements' type.
WEFT_DECLARE_KERNEL(reduce_kernel, const ReductionKernel*(ReduceOp op, ScalarType type));

// The parts of it, one a kernel file.
WEFT_DECLARE_KERNEL(sums_kernel, const ReductionKernel*(ReduceOp op, ScalarType type));
WEFT_DECLARE_KERNEL(moments_kernel, const ReductionKernel*(ReduceOp op, ScalarType type));
WEFT_DECLARE_KERNEL(products_kernel, const ReductionKernel*(ReduceOp op, ScalarType type));
WEFT_DECLARE_KERNEL(complex_moments_kernel, const ReductionKernel*(ReduceOp op, ScalarType type));
WEFT_DECLARE_KERNEL(logsumexp_kernel, const ReductionKernel*(ReduceOp op, ScalarType type));
WEFT_DECLARE_KERNEL(norms_kernel, const ReductionKernel*(ReduceOp op, ScalarType type));
WEFT_DECLARE_KERNEL(dot_kernel, const ReductionKernel*(ReduceOp op, ScalarType type));
WEFT_DECLARE_KERNEL(extremes_kernel, const ReductionKernel*(ReduceOp op, ScalarType type));
WEFT_DECLARE_KERNEL(number_products_kernel, const ReductionKernel*(ReduceOp op, ScalarType type));
WEFT_DECLARE_KERNEL(number_moments_kernel, const ReductionKernel*(ReduceOp op, ScalarType type));
WEFT_DECLARE_KERNEL(number_extremes_kernel, const ReductionKernel*(ReduceOp op, ScalarType type));

// ---- Reductions of what is in no memory

using ReduceSpans = decltype(ReductionKernel::reduce_spans);
using ReduceColumns = decltype(ReductionKernel::reduce_columns);

/// The context of loops that compute what they reduce: the number that is the context of the kernel
/// for elements in memory, whose other loops do the rest; and the loops of that, for what is
/// computed into a buffer.
struct LoopsInMemory {
  double number = 0;
  ReduceSpans spans = nullptr;
  ReduceColumns columns = nullptr;
  decltype(ReductionKernel::combine) combine = nullptr;
  std::int64_t accumulator_bytes = 0;
};

/// The reduce_spans of sums and means of two inputs, the second one of bools: what these select is
/// added, and 0 for all else. Bit for bit what a sum of such elements in memory is, but for which
/// NaN it is. The context is a LoopsInMemory. Null where there is none: it is there for f32 and
/// f64.
WEFT_DECLARE_KERNEL(masked_sums, ReduceSpans(ScalarType type));
/// Whether it is quicker for rows of so many bytes than to compute them first: they fill vectors.
constexpr bool sums_masked_rows(std::int64_t bytes) noexcept { return bytes >= 128; }

}  // namespace v0
}  // namespace weft
