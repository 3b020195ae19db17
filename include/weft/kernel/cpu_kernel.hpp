// SPDX-License-Identifier: Apache-2.0
/// @file
/// Elementwise kernels from one lambda.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/dispatch_types.hpp>
#include <weft/core/scalar_type.hpp>
#include <weft/iter/tensor_iterator.hpp>
#include <weft/kernel/detail/span_loop.hpp>
#include <weft/kernel/masked_op.hpp>
#include <weft/kernel/scalar_math.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/level.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {

inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Whether a callable of one fixed signature can be a kernel; if not, one line says why.
/// `one_output`: whether what it returns is one element.
template <class F, bool one_output>
constexpr bool is_kernel() {
  using Params = typename Signature<F>::Params;
  using Result = typename Signature<F>::Result;
  constexpr bool takes_elements = are_elements<Params>;
  static_assert(takes_elements,
                "a kernel's parameters are elements: bool, std::int8_t to std::int64_t, "
                "std::uint8_t to std::uint64_t (char is none of them, nor is long long where "
                "std::int64_t is long), float16, bfloat16, float, double or a complex number");
  constexpr bool takes_values = []<class... T>(std::tuple<T...>*) {
    return std::is_invocable_v<F&, T...>;
  }(static_cast<Params*>(nullptr));
  static_assert(takes_values,
                "a kernel takes elements by value or const reference; what it returns is written");
  constexpr bool is_void = std::is_void_v<Result>;
  static_assert(!one_output || !is_void, "a kernel returns the element of its output");
  constexpr bool is_element = is_void || Element<Result>;
  static_assert(!takes_elements || !one_output || is_element,
                "cpu_kernel's kernel returns one element; cpu_kernel_multiple_outputs takes a "
                "std::tuple of several");
  constexpr bool returns_elements = are_elements<typename Outputs<Result>::Types>;
  static_assert(!takes_elements || one_output || returns_elements,
                "what a kernel of several outputs returns is a std::tuple of elements (no "
                "std::pair, no std::array), one element, or void");
  return takes_elements && takes_values && (one_output ? !is_void && is_element : returns_elements);
}

/// Whether a kernel can be called on several threads at once; if not, one line says why.
template <class F>
constexpr bool is_shared_kernel() {
  constexpr bool is_const = []<class... T>(std::tuple<T...>*) {
    return std::is_invocable_v<const F&, T...>;
  }(static_cast<typename Signature<F>::Params*>(nullptr));
  static_assert(is_const,
                "threads share a kernel, so it is no mutable lambda, and its operator() is const; "
                "cpu_serial_kernel takes one that changes as it goes");
  return is_const;
}

/// A kernel that says what an element costs.
template <class F>
struct CostedKernel : F {
  float cost = 1;
  constexpr float kernel_cost() const noexcept { return cost; }
};

/// The same kernel, a lambda or a function object, and how long it takes for an element: in units
/// of an addition in cache, about 0.1 ns. Kernels that do not say are taken for additions; of one
/// that is costly, a few thousand elements are worth a second thread.
///
///     weft::cpu_kernel(iter, weft::with_cost(100, [](float x) { return std::lgamma(x); }));
template <class F>
constexpr CostedKernel<std::remove_cvref_t<F>> with_cost(float cost, F&& op) {
  static_assert(!is_masked<std::remove_cvref_t<F>>, "with_cost() goes inside of masked()");
  return {std::forward<F>(op), cost};
}

/// The kernel of masked(op), which refers to that, for run_spans and explain_run.
template <class F>
constexpr MaskedSpanKernel typed_span_kernel(const Masked<F>& op) {
  return {typed_span_kernel(op.op)};
}

/// Runs a callable of fixed types, or a generic one for one of Types.
template <bool one_output, class Kernel, class... Types, class F>
void run_callable(const TensorIterator& iter, F& op, const RunOptions& options) {
  if constexpr (TypedCallable<std::remove_cvref_t<F>>) {
    using Callable = std::remove_cvref_t<F>;
    if constexpr (is_kernel<Callable, one_output>()) {
      if constexpr (is_shared_kernel<Callable>()) {
        auto&& object = as_object(op);
        run_spans(iter, Kernel{typed_span_kernel(object)}, options);
      }
    }
  } else if constexpr (sizeof...(Types) == 0) {
    run_generic<Kernel, one_output, float, double>(iter, op, options);
  } else {
    run_generic<Kernel, one_output, Types...>(iter, op, options);
  }
}
template <bool one_output, class... Types, class F>
void run_kernel(const TensorIterator& iter, F& op, const RunOptions& options) {
  if constexpr (is_masked<std::remove_cvref_t<F>>) {
    run_callable<one_output, MaskedSpanKernel, Types...>(iter, op.op, options);
  } else {
    run_callable<one_output, SpanKernel, Types...>(iter, op, options);
  }
}

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
/// type, so all its parameters, nine at most, are `auto`. cpu_kernel<int, float>(iter, ...) names
/// other types. If <weft/kernel/vectorized.hpp> is included before and op accepts Vectorized<T>, it
/// is called with those.
///
/// Of masked(op), the iterator's last input is a mask: what it leaves out is not stored to.
///
/// @param grain  least elements a thread gets; 0 leaves it to the engine
template <class... Types, class F>
void cpu_kernel(const TensorIterator& iter, F&& op, std::int64_t grain = 0) {
  run_kernel<true, Types...>(iter, op, {.grain = grain});
}

/// As cpu_kernel for an op that returns std::tuple of one value per output, or void for an iterator
/// without outputs. A generic lambda returns a std::tuple of the type of its parameters.
template <class... Types, class F>
void cpu_kernel_multiple_outputs(const TensorIterator& iter, F&& op, std::int64_t grain = 0) {
  run_kernel<false, Types...>(iter, op, {.grain = grain});
}

/// As cpu_kernel, on the calling thread only and in the plan's order, which is that of
/// serial_for_each: dim 0 fastest. With enforce_linear_iteration() that is C order. op sees every
/// element exactly once, converted ones too, and may return void for an iterator without outputs.
template <class F>
void cpu_serial_kernel(const TensorIterator& iter, F&& op) {
  constexpr bool is_typed = TypedCallable<std::remove_cvref_t<F>>;
  static_assert(is_typed, "cpu_serial_kernel's kernel is one function of fixed types, no template");
  if constexpr (!is_typed) {
    return;
  } else if constexpr (is_kernel<std::remove_cvref_t<F>, false>()) {
    auto&& object = as_object(op);
    run_spans_in_order(iter, typed_span_kernel<Calls::in_order>(object));
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
