// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions about to run: what calling and explaining have in common. Private to the compiled
/// part.
#pragma once

#include <weft/iter/config.hpp>
#include <weft/kernel/reduction_kernel.hpp>
#include <weft/ops/reduce.hpp>

#include "kernels/reduce/reduce.hpp"

#include <memory>

namespace weft::inline v0 {

struct ReduceCall {
  // A constructor, because compilers clear an aggregate of this size before they fill it.
  ReduceCall(const TensorIteratorConfig& config, const ReductionKernel* reduction)
      : iter(config.build()), kernel(reduction) {}

  TensorIterator iter;
  const ReductionKernel* kernel;
  std::shared_ptr<void> replaced;  ///< an output's former memory: the input may lie in it

  void run() const { run_reduction(iter, *kernel); }
  Explanation explain() const { return explain_reduction(iter, *kernel); }
};

ReduceCall prepare_sum(const Output& out, const TensorView& a, IntSpan axes,
                       const ReduceOptions& options);
ReduceCall prepare_amax(const Output& out, const TensorView& a, IntSpan axes,
                        const ReduceOptions& options);
ReduceCall prepare_argmax(const Output& out, const TensorView& a, std::optional<std::int64_t> axis,
                          bool keepdim);

}  // namespace weft::inline v0
