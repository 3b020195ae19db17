// SPDX-License-Identifier: Apache-2.0
/// @file
/// Elementwise kernels from one lambda.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/dispatch_types.hpp>
#include <weft/iter/tensor_iterator.hpp>
#include <weft/kernel/detail/span_loop.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/level.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {

inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Calls op once per element: `R op(T0, T1, ...)`, one parameter per input, the result to the one
/// output.
///
///     weft::cpu_kernel(iter, [](float a, float b) -> float { return a + b; });
///
/// The lambda is inlined into loops over contiguous spans, which the compiler vectorises, GCC at
/// -O2 as well; strides, other element types and threads are the engine's business (run_spans,
/// which also tells what is thrown). op is called on several threads at once and in no particular
/// order.
///
/// A generic lambda is one text for several types: it is compiled for f32 and f64 (f16 and bf16 are
/// computed in f32) and the iterator's dtype of the output chooses; all its operands have that
/// type. cpu_kernel<int, float>(iter, ...) names other types. If <weft/kernel/vectorized.hpp> is
/// included before and op accepts Vectorized<T>, it is called with those.
///
/// @param grain  least elements a thread gets; 0 leaves it to the engine
template <class... Types, class F>
void cpu_kernel(const TensorIterator& iter, F&& op, std::int64_t grain = 0) {
  const RunOptions options{.grain = grain};
  if constexpr (TypedCallable<std::remove_cvref_t<F>>) {
    auto&& object = as_object(op);
    run_spans(iter, typed_span_kernel(object), options);
  } else if constexpr (sizeof...(Types) == 0) {
    run_generic<float, double>(iter, op, options);
  } else {
    run_generic<Types...>(iter, op, options);
  }
}

/// As cpu_kernel for an op that returns std::tuple of one value per output.
template <class F>
void cpu_kernel_multiple_outputs(const TensorIterator& iter, F&& op, std::int64_t grain = 0) {
  auto&& object = as_object(op);
  run_spans(iter, typed_span_kernel(object), {.grain = grain});
}

/// As cpu_kernel, on the calling thread only and in the plan's order. op may return void for an
/// iterator without outputs. In blocks of converted operands op still sees every element exactly
/// once.
template <class F>
void cpu_serial_kernel(const TensorIterator& iter, F&& op) {
  auto&& object = as_object(op);
  run_spans(iter, typed_span_kernel(object), {.serial = true});
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
