// SPDX-License-Identifier: Apache-2.0
// Which kernel file has the kernel of a reduction.
#include "kernels/reduce/reduce.hpp"

namespace weft {
inline namespace v0 {

const ReductionKernel* WEFT_KERNEL(reduce_kernel)(ReduceOp op, ScalarType type) {
  if (const ReductionKernel* kernel = WEFT_KERNEL(sums_kernel)(op, type)) return kernel;
  if (const ReductionKernel* kernel = WEFT_KERNEL(extremes_kernel)(op, type)) return kernel;
  if (const ReductionKernel* kernel = WEFT_KERNEL(moments_kernel)(op, type)) return kernel;
  if (const ReductionKernel* kernel = WEFT_KERNEL(complex_moments_kernel)(op, type)) return kernel;
  if (const ReductionKernel* kernel = WEFT_KERNEL(norms_kernel)(op, type)) return kernel;
  if (const ReductionKernel* kernel = WEFT_KERNEL(logsumexp_kernel)(op, type)) return kernel;
  if (const ReductionKernel* kernel = WEFT_KERNEL(dot_kernel)(op, type)) return kernel;
  if (const ReductionKernel* kernel = WEFT_KERNEL(number_products_kernel)(op, type)) return kernel;
  if (const ReductionKernel* kernel = WEFT_KERNEL(number_moments_kernel)(op, type)) return kernel;
  if (const ReductionKernel* kernel = WEFT_KERNEL(number_extremes_kernel)(op, type)) return kernel;
  return WEFT_KERNEL(products_kernel)(op, type);
}

}  // namespace v0
}  // namespace weft
