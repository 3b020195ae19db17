// SPDX-License-Identifier: Apache-2.0
/// @file
/// From a function of single elements to a loop over elements wherever they lie.
#pragma once

#include <weft/kernel/detail/held.hpp>
#include <weft/kernel/detail/span_element.hpp>
#include <weft/kernel/detail/wide_loops.hpp>
#include <weft/machine/level.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

// For a loop that is to be made of vectors whatever the compiler reckons: GCC takes single
// elements, and jumps where one of two is chosen, for cheaper than putting elements together. It is
// told so by OpenMP's pragma in the library, and of users' functions, which may throw where that
// pragma lets nothing out, by an option of the function.
#if defined(__GNUC__) && !defined(__clang__) && defined(WEFT_BUILDING) && defined(WEFT_KERNEL_FILE)
#define WEFT_VECTOR_LOOP _Pragma("omp simd")
#define WEFT_VECTOR_LOOP_OF_BYTES _Pragma("omp simd simdlen(16)")
#else
#define WEFT_VECTOR_LOOP WEFT_INDEPENDENT_ITERATIONS
#define WEFT_VECTOR_LOOP_OF_BYTES WEFT_INDEPENDENT_ITERATIONS
#endif
#if defined(__GNUC__) && !defined(__clang__) && !defined(WEFT_BUILDING)
#define WEFT_ALL_VECTORS "tree-vectorize", "vect-cost-model=unlimited", "align-loops=32"
#define WEFT_STRIDED_LOOP __attribute__((noinline, flatten, optimize(WEFT_ALL_VECTORS)))
#else
#define WEFT_STRIDED_LOOP
#endif
#if defined(WEFT_WIDE_LOOPS_ARE_AVX2) && defined(WEFT_ALL_VECTORS)
#define WEFT_WIDE_STRIDED_LOOP                          \
  __attribute__((noinline, flatten, target("avx2,fma"), \
                 optimize(WEFT_ALL_VECTORS, "fp-contract=off")))
#elif defined(WEFT_WIDE_LOOPS_ARE_AVX2)
#define WEFT_WIDE_STRIDED_LOOP WEFT_WIDE_LOOPS
#endif

WEFT_REQUESTED_LOOPS_BEGIN
namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// SpanKernel::RunStrided of a function object. Where operands are so wide, or their strides so
/// large, that bringing them together costs more than it saves, one loop over all of them asks
/// memory for all at once. `spreads`: whether results, too, may lie anywhere.
template <class F, class Outs, class Ins, bool spreads>
class StridedLoop;
template <class F, class... Out, class... In, bool spreads>
class StridedLoop<F, std::tuple<Out...>, std::tuple<In...>, spreads> {
  static constexpr std::size_t nout = sizeof...(Out), nin = sizeof...(In);
  static constexpr std::int64_t widest = [] {
    std::size_t most = 1;
    ((most = sizeof(Out) > most ? sizeof(Out) : most), ...);
    ((most = sizeof(In) > most ? sizeof(In) : most), ...);
    return static_cast<std::int64_t>(most);
  }();

  /// Elements of one size are put together in registers; of several, compilers had better choose.
  static constexpr bool is_even =
      ((sizeof(Out) == widest) && ...) && ((sizeof(In) == widest) && ...);
#if defined(__SSE4_1__) || !defined(__SSE2__)
  static constexpr bool can_insert = true;
#else
  static constexpr bool can_insert = widest > 1;  // no instruction puts a byte into a register
#endif

  template <class Compute>
  static WEFT_ALWAYS_INLINE void for_each(std::int64_t n, const Compute& compute) {
    if constexpr (is_even && can_insert && widest == 1) {
      WEFT_VECTOR_LOOP_OF_BYTES
      for (std::int64_t i = 0; i < n; ++i)
        compute(i);
    } else if constexpr (is_even && can_insert) {
      WEFT_VECTOR_LOOP
      for (std::int64_t i = 0; i < n; ++i)
        compute(i);
    } else {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t i = 0; i < n; ++i)
        compute(i);
    }
  }

  /// A stride that may be any. Of one that is a variable and nothing else, Clang guesses that it is
  /// a single byte, and makes vectors for that alone.
  static WEFT_ALWAYS_INLINE std::int64_t any_step(std::int64_t step) noexcept {
#if defined(__clang__)
    std::int64_t less = step - widest;
    __asm__("" : "+r"(less));
    return less + widest;
#else
    return step;
#endif
  }

  template <std::size_t... O, std::size_t... I>
  static WEFT_ALWAYS_INLINE void elements(F& object, char* const* data,
                                          const std::int64_t* strides_bytes, std::int64_t n,
                                          std::index_sequence<O...>, std::index_sequence<I...>) {
    Called<F, std::tuple<In...>> op = object;
    char* const out[] = {data[O]...};
    const char* const in[] = {data[nout + I]...};
    const std::int64_t out_steps[] = {any_step(strides_bytes[O])...};
    const std::int64_t in_steps[] = {any_step(strides_bytes[nout + I])...};
    const auto results = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      return std::tuple<Out...>(op(SpanReader<In, false>{in[I] + i * in_steps[I]}[0]...));
    };
    if (!spreads || ((out_steps[O] == static_cast<std::int64_t>(sizeof(Out))) && ...)) {
      for_each(n, [&](std::int64_t i) WEFT_INLINE_LAMBDA {
        const std::tuple<Out...> values = results(i);
        (store_element<Out>(out[O], i, std::get<O>(values)), ...);
      });
    } else if constexpr (spreads) {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t i = 0; i < n; ++i) {
        const std::tuple<Out...> values = results(i);
        (store_element<Out>(out[O] + i * out_steps[O], 0, std::get<O>(values)), ...);
      }
    }
  }

  WEFT_STRIDED_LOOP static void loop(F& op, char* const* data, const std::int64_t* strides_bytes,
                                     std::int64_t n) {
    elements(op, data, strides_bytes, n, std::make_index_sequence<nout>(),
             std::make_index_sequence<nin>());
  }
#if defined(WEFT_WIDE_STRIDED_LOOP)
  WEFT_WIDE_STRIDED_LOOP static void wide_loop(F& op, char* const* data,
                                               const std::int64_t* strides_bytes, std::int64_t n) {
    elements(op, data, strides_bytes, n, std::make_index_sequence<nout>(),
             std::make_index_sequence<nin>());
  }
#endif

 public:
  static void run(const void* context, char* const* data, const std::int64_t* strides_bytes,
                  std::int64_t n) {
    F& op = *const_cast<F*>(static_cast<const F*>(context));
#if defined(WEFT_WIDE_STRIDED_LOOP)
    if (takes_wide_loops(n, 1, widest)) return wide_loop(op, data, strides_bytes, n);
#endif
    loop(op, data, strides_bytes, n);
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
WEFT_REQUESTED_LOOPS_END
