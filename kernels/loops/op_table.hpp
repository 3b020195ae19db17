// SPDX-License-Identifier: Apache-2.0
/// @file
/// From a formula, a template of function objects without state, to constant SpanKernels by element
/// type.
#pragma once

#include <weft/kernel/detail/span_loop.hpp>
#include <weft/ops/function_table.hpp>

#include "core/compiled_types.hpp"
#include "kernels/half/half_spans.hpp"
#include "kernels/loops/register_spans.hpp"
#include "kernels/loops/shared_loops.hpp"
#include "kernels/loops/strided_kernel.hpp"

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The SpanKernel of a function object, as a constant: the one of another object, if it names one
/// as its `Loops` or, operands in the other order, as its `SwappedLoops`; the one that the object
/// itself makes, if it has a function `kernel`; that of a formula on registers; else plain loops.
template <class F>
struct OpKernel {
  static constexpr F op{};
  static constexpr SpanKernel value = [] {
    if constexpr (HasOthersLoops<F>) {
      return with_types_of<F>(OpKernel<typename F::Loops>::value);
    } else if constexpr (HasSwappedLoops<F>) {
      return swapped_kernel<OpKernel<typename F::SwappedLoops>::value>();
    } else if constexpr (requires { F::kernel(op); }) {
      return F::kernel(op);
    } else if constexpr (RegisterFormula<F>) {
      return RegisterKernel<F>::value;
    } else {
      return strided_span_kernel(op);
    }
  }();
};

/// True for formulas that are a function of floats, one by one or in registers, which then is one
/// of halves, too.
template <class F>
concept FloatFormula = std::is_same_v<typename Signature<F>::Result, float> || RegisterFormula<F>;

/// True for formulas that are one of halves as they are, because they look at bits only, if at
/// anything.
template <template <class> class Formula>
concept BitFormula = requires { Formula<float>::by_bits; };

/// What halves are computed with in f32: Formula<float>, unless that has a form for them.
template <class F>
struct HalfForm {
  using Type = F;
};
template <class F>
  requires requires { typename F::OfHalves; }
struct HalfForm<F> {
  using Type = typename F::OfHalves;
};

/// Whether halves are converted in registers. Without an instruction it takes some hundred, which
/// each formula would hold several times.
#if defined(__x86_64__) && !defined(__F16C__)
inline constexpr bool converts_halves = false;
#else
inline constexpr bool converts_halves = true;
#endif

/// The kernel of a formula for one element type that functions are compiled for, or null. The
/// 16-bit floating types are computed in f32: by a kernel that converts in registers where the
/// level can and the formula is a plain one, else by none of their own, so that the engine converts
/// for the one of f32. Where nothing is computed, they are types like any other.
template <template <class> class Formula, Kinds accepted, ResultRule result, class T>
constexpr const SpanKernel* formula_kernel() {
  constexpr ScalarType type = scalar_type_of<T>;
  if constexpr (!is_compiled(type) || (accepted & kinds::of(type)) == 0) {
    return nullptr;
  } else if constexpr (!is_half_type<T> || result == ResultRule::chosen || BitFormula<Formula>) {
    return &OpKernel<Formula<T>>::value;
  } else if constexpr (converts_halves && FloatFormula<Formula<float>>) {
    constexpr std::size_t nin = std::tuple_size_v<typename Signature<Formula<float>>::Params>;
    return &HalfKernel<typename HalfForm<Formula<float>>::Type, T, nin>::value;
  } else {
    return nullptr;
  }
}

/// The kernels of a formula by element type; null where there is none.
template <template <class> class Formula, Kinds accepted, ResultRule result>
struct KernelRow {
  static constexpr const SpanKernel* kernels[scalar_type_count] = {
#define WEFT_KERNEL_OF(NAME, TYPE) formula_kernel<Formula, accepted, result, TYPE>(),
      WEFT_FOR_EACH_SCALAR_TYPE(WEFT_KERNEL_OF)
#undef WEFT_KERNEL_OF
  };
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft

/// A line of a function list as the definition of its entry (kernels/loops/kernel_of.hpp).
#define WEFT_DEFINE_KERNEL_OF(NAME, FORMULA, KINDS, RESULT, TEXT)                                 \
  const SpanKernel* WEFT_KERNEL(NAME##_kernel)(ScalarType type) {                                 \
    return KernelRow<FORMULA, kinds::KINDS, ResultRule::RESULT>::kernels[static_cast<int>(type)]; \
  }
