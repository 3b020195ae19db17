// SPDX-License-Identifier: Apache-2.0
/// @file
/// The SpanKernel of a formula that has a loop for strided elements.
#pragma once

#include <weft/kernel/detail/span_loop.hpp>

#include <tuple>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// True for formulas that say so: single elements are one instruction, worth a loop of their own. A
/// choice between two values would be a jump, mispredicted for every other element (`maximum` of
/// f64: 4.3 ns instead of 0.6).
template <class F>
concept SteppingFormula = F::steps;

/// The SpanKernel of a formula, with a strided loop if it has several inputs. Of a single input,
/// packing its elements is as quick, but for wide ones, of which a register holds few.
template <class F>
constexpr SpanKernel strided_span_kernel(const F& op) {
  using Result = typename Signature<F>::Result;
  using Params = typename Signature<F>::Params;
  SpanKernel kernel = typed_span_kernel<Calls::formula>(op);
  constexpr bool steps = SteppingFormula<F>;
  if constexpr (std::tuple_size_v<Params> > 1 || (steps && sizeof(Result) >= 8)) {
    kernel.run_strided = &StridedLoop<F, std::tuple<Result>, Params, steps>::run;
    kernel.strides_outputs = steps;
  }
  return kernel;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
