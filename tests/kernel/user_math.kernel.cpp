// SPDX-License-Identifier: Apache-2.0
#include "kernel/user_math.hpp"

#include <weft/kernel/vectorized_math.hpp>

namespace test {
namespace {

/// A function of its own for each: all of them in one take compilers four times as long.
template <class T, class F>
[[gnu::noinline]] void loop(const F& f, bool vectors, void* out, const void* a, const void* b,
                            std::int64_t n) {
  auto* to = static_cast<T*>(out);
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  using V = weft::Vectorized<T>;
  if (vectors) {
    for (std::int64_t i = 0; i < n; i += V::lanes)
      f(V::load(x + i), V::load(y + i)).store(to + i);
  } else {
    for (std::int64_t i = 0; i < n; ++i)
      to[i] = f(x[i], y[i]);
  }
}

template <class F>
WEFT_ALWAYS_INLINE void loop_of(const F& f, weft::ScalarType type, bool vectors, void* out,
                                const void* a, const void* b, std::int64_t n) {
  type == weft::ScalarType::f32 ? loop<float>(f, vectors, out, a, b, n)
                                : loop<double>(f, vectors, out, a, b, n);
}

}  // namespace

void WEFT_KERNEL(user_math)(const char* name, weft::ScalarType type, bool vectors, void* out,
                            const void* a, const void* b, std::int64_t n) {
#define WEFT_TEST_ONE(NAME)                                                                       \
  if (__builtin_strcmp(name, #NAME) == 0) {                                                       \
    loop_of([](auto x, auto) WEFT_INLINE_LAMBDA { return weft::NAME(x); }, type, vectors, out, a, \
            b, n);                                                                                \
  }
#define WEFT_TEST_TWO(NAME)                                                                    \
  if (__builtin_strcmp(name, #NAME) == 0) {                                                    \
    loop_of([](auto x, auto y) WEFT_INLINE_LAMBDA { return weft::NAME(x, y); }, type, vectors, \
            out, a, b, n);                                                                     \
  }
  WEFT_FOR_EACH_MATH_FUNCTION(WEFT_TEST_ONE, WEFT_TEST_TWO)
  WEFT_TEST_ONE(floor)
  WEFT_TEST_ONE(ceil)
  WEFT_TEST_ONE(trunc)
  WEFT_TEST_ONE(round)
  WEFT_TEST_ONE(sqrt)
  WEFT_TEST_ONE(abs)
  WEFT_TEST_TWO(copysign)
#undef WEFT_TEST_ONE
#undef WEFT_TEST_TWO
}

}  // namespace test
