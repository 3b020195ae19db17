// SPDX-License-Identifier: Apache-2.0
/// @file
/// The loop of a formula over strided elements.
#pragma once

#include <weft/kernel/detail/span_loop.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

// For a loop that is to be made of vectors whatever the compiler reckons: GCC 12 takes single
// elements, and jumps where one of two is chosen, for cheaper than putting elements together.
#if defined(__GNUC__) && !defined(__clang__)
#define WEFT_VECTOR_LOOP _Pragma("omp simd")
#define WEFT_VECTOR_LOOP_OF_BYTES _Pragma("omp simd simdlen(16)")
#else
#define WEFT_VECTOR_LOOP WEFT_INDEPENDENT_ITERATIONS
#define WEFT_VECTOR_LOOP_OF_BYTES WEFT_INDEPENDENT_ITERATIONS
#endif

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// True for formulas that say so: single elements are one instruction, worth a loop of their own. A
/// choice between two values would be a jump, mispredicted for every other element (`maximum` of
/// f64: 4.3 ns instead of 0.6).
template <class F>
concept SteppingFormula = F::steps;

/// SpanKernel::RunStrided of a function object of one result. Where operands are so wide, or their
/// strides so large, that bringing them together costs more than it saves, one loop over all of
/// them asks memory for all at once.
template <class F>
class StridedLoop {
  using Result = typename Signature<F>::Result;
  using Params = typename Signature<F>::Params;
  static constexpr std::size_t nin = std::tuple_size_v<Params>;
  static constexpr auto size = static_cast<std::int64_t>(sizeof(Result));

  /// Elements of one size are put together in registers; of several, compilers had better choose.
  template <std::size_t... I>
  static constexpr bool is_even =
      ((sizeof(std::tuple_element_t<I, Params>) == sizeof(Result)) && ...);
#if defined(__SSE4_1__) || !defined(__SSE2__)
  static constexpr bool can_insert = true;
#else
  static constexpr bool can_insert = size > 1;  // no instruction puts a byte into a register
#endif

  /// Results next to each other.
  template <std::size_t... I>
  static WEFT_ALWAYS_INLINE void dense(const F& op, char* out, const char* const* in,
                                       const std::int64_t* steps, std::int64_t n,
                                       std::index_sequence<I...>) {
    const auto compute = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      store_element<Result>(
          out, i,
          op(SpanReader<std::tuple_element_t<I, Params>, false>{in[I] + i * steps[I]}[0]...));
    };
    if constexpr (is_even<I...> && can_insert && size == 1) {
      WEFT_VECTOR_LOOP_OF_BYTES
      for (std::int64_t i = 0; i < n; ++i)
        compute(i);
    } else if constexpr (is_even<I...> && can_insert) {
      WEFT_VECTOR_LOOP
      for (std::int64_t i = 0; i < n; ++i)
        compute(i);
    } else {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t i = 0; i < n; ++i)
        compute(i);
    }
  }

  template <std::size_t... I>
  static WEFT_ALWAYS_INLINE void one_by_one(const F& op, char* out, std::int64_t step,
                                            const char** in, const std::int64_t* steps,
                                            std::int64_t n, std::index_sequence<I...>) {
    for (std::int64_t i = 0; i < n; ++i) {
      store_element<Result>(out, 0,
                            op(SpanReader<std::tuple_element_t<I, Params>, false>{in[I]}[0]...));
      out += step;
      ((in[I] += steps[I]), ...);
    }
  }

  template <std::size_t... I>
  static void loop(const F& op, char* const* data, const std::int64_t* strides_bytes,
                   std::int64_t n, std::index_sequence<I...> inputs) {
    char* out = data[0];
    const char* in[] = {data[1 + I]...};
    const std::int64_t step = strides_bytes[0];
    const std::int64_t steps[] = {strides_bytes[1 + I]...};
    if (step == size) return dense(op, out, in, steps, n, inputs);
    one_by_one(op, out, step, in, steps, n, inputs);
  }

 public:
  static void run(const void* context, char* const* data, const std::int64_t* strides_bytes,
                  std::int64_t n) {
    loop(*static_cast<const F*>(context), data, strides_bytes, n, std::make_index_sequence<nin>());
  }
};

/// The SpanKernel of a formula, with a strided loop if it has several inputs. Of a single input,
/// packing its elements is as quick, but for wide ones, of which a register holds few.
template <class F>
constexpr SpanKernel strided_span_kernel(const F& op) {
  SpanKernel kernel = typed_span_kernel<Calls::formula>(op);
  constexpr bool is_wide = sizeof(typename Signature<F>::Result) >= 8;
  if constexpr (std::tuple_size_v<typename Signature<F>::Params> > 1 ||
                (SteppingFormula<F> && is_wide)) {
    kernel.run_strided = &StridedLoop<F>::run;
    kernel.strides_outputs = SteppingFormula<F>;
  }
  return kernel;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
