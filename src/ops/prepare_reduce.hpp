// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions about to run: what calling and explaining have in common.
#pragma once

#include <weft/iter/config.hpp>
#include <weft/kernel/reduction_kernel.hpp>
#include <weft/ops/reduce.hpp>

#include "base/internal_api.hpp"
#include "engine/reduce/computed_input.hpp"
#include "kernels/reduce/reduce.hpp"

#include <memory>
#include <span>

namespace weft {
inline namespace v0 {

struct WEFT_INTERNAL_API ReduceCall {
  // A constructor, because compilers clear an aggregate of this size before they fill it.
  ReduceCall(const TensorIteratorConfig& config, const ReductionKernel* reduction)
      : iter(config.build()), kernel(reduction) {}
  // Not inline: both are long, and many places need them.
  ReduceCall(ReduceCall&& other) noexcept;
  ~ReduceCall();

  TensorIterator iter;
  const ReductionKernel* kernel;
  double number = 0;  ///< for the kernel, where it takes one
  bool has_number = false;
  std::shared_ptr<void> replaced[2];  ///< outputs' former memory: the input may lie in it

  // Where each result comes from a single element and takes no kernel: the output, and what is
  // copied into it, or nothing if the result is 0 whatever the element is.
  TensorView single, source;

  /// Gives the kernel a number.
  void take(double value);
  /// `serial`: as part of what a thread does.
  void run(bool serial = false) const;
  [[gnu::cold]] Explanation explain() const;
  Explanation explain_computed(const ComputedRows& computed,
                               const ReductionKernel* rows = nullptr) const;
};

/// What a reduction makes of a type and a shape, where nobody asks for another type. Throws Error:
/// axis, dtype, shape (no elements, and no result for none). `has_initial`: a number is part of it,
/// so there is a result for none.
struct ReducedResult {
  ScalarType type;
  DimVector shape;
};
ReducedResult result_of(Reduction op, ScalarType type, IntSpan shape, IntSpan axes,
                        const ReduceOptions& options, bool has_initial = false);

WEFT_INTERNAL_API ReduceCall prepare(Reduction op, const Output& out, const TensorView& a,
                                     IntSpan axes, const ReduceOptions& options);
/// The same of an input that is computed: `stands_for` has its type and shape, and is dense; of it
/// no address is looked at. An arg reduction over all axes counts in row-major order. Outputs are
/// one, or two of a reduction of two results.
WEFT_INTERNAL_API ReduceCall prepare_computed(Reduction op, std::span<const Output> outs,
                                              const TensorView& stands_for, IntSpan axes,
                                              const ReduceOptions& options);
ReduceCall prepare(Reduction op, const Output& first, const Output& second, const TensorView& a,
                   IntSpan axes, const ReduceOptions& options);
/// prepare(...).run(), without an iterator where a few elements next to each other become one.
WEFT_INTERNAL_API void call(Reduction op, const Output& out, const TensorView& a, IntSpan axes,
                            const ReduceOptions& options);
/// How call() would go about it.
[[gnu::cold]] WEFT_INTERNAL_API Explanation explain_call(Reduction op, const Output& out,
                                                         const TensorView& a, IntSpan axes,
                                                         const ReduceOptions& options);
ReduceCall prepare_norm(const Output& out, const TensorView& a, double p, IntSpan axes,
                        const ReduceOptions& options);
/// The kernel of a norm or a dot product, and the type of what it is rounded to.
struct KernelChoice {
  const ReductionKernel* kernel;
  ScalarType result;
};
/// Throws Error(dtype). `takes_p`: the kernel's context is to be p.
KernelChoice kernel_of_norm(double p, ScalarType from, std::optional<ScalarType> result,
                            bool& takes_p);
KernelChoice kernel_of_dot(ScalarType a, ScalarType b);
/// That of prod, mean, var, amax or amin of what is not NaN, of floating elements. That of var
/// takes the correction as its context.
KernelChoice kernel_of_numbers(Reduction op, ScalarType from, std::optional<ScalarType> result);
/// The kernel of argmax or argmin for elements of a type. Throws Error(dtype).
const ReductionKernel& kernel_of_place(Reduction op, ScalarType type);
/// The same of what is not NaN.
const ReductionKernel& kernel_of_number_place(Reduction op, ScalarType type);
ReduceCall prepare_dot(const Output& out, const TensorView& a, const TensorView& b);
/// Arg reductions, in row-major order where no axis is given.
WEFT_INTERNAL_API ReduceCall prepare_arg(Reduction op, const Output& out, const TensorView& a,
                                         std::optional<std::int64_t> axis, bool keepdim);

}  // namespace v0
}  // namespace weft
