// SPDX-License-Identifier: Apache-2.0
#include "vector_reference.hpp"

#include <limits>

#if defined(__AVX2__) && defined(__x86_64__) && defined(__gnu_linux__)
#include <features.h>
#if __GLIBC_PREREQ(2, 35)
#define STUDY_HAS_VECTOR_LIBRARY 1
#endif
#endif

namespace study {
using Four = double __attribute__((vector_size(32)));
using FourBits = std::int64_t __attribute__((vector_size(32)));
}  // namespace study

#if defined(STUDY_HAS_VECTOR_LIBRARY)
// The names are those of the vector ABI: four lanes, AVX2.
#define STUDY_LIBRARY_FUNCTION(NAME)                                                    \
  extern "C" study::Four _ZGVdN4v_##NAME(study::Four); /* NOLINT(bugprone-reserved*) */ \
  namespace study {                                                                     \
  static Four vector_##NAME(Four x) { return _ZGVdN4v_##NAME(x); }                      \
  }
STUDY_LIBRARY_FUNCTION(exp)
STUDY_LIBRARY_FUNCTION(exp2)
STUDY_LIBRARY_FUNCTION(expm1)
STUDY_LIBRARY_FUNCTION(tanh)
STUDY_LIBRARY_FUNCTION(log)
STUDY_LIBRARY_FUNCTION(log2)
STUDY_LIBRARY_FUNCTION(log10)
STUDY_LIBRARY_FUNCTION(log1p)
STUDY_LIBRARY_FUNCTION(sin)
STUDY_LIBRARY_FUNCTION(cos)
STUDY_LIBRARY_FUNCTION(tan)
STUDY_LIBRARY_FUNCTION(asin)
STUDY_LIBRARY_FUNCTION(acos)
STUDY_LIBRARY_FUNCTION(atan)
STUDY_LIBRARY_FUNCTION(sinh)
STUDY_LIBRARY_FUNCTION(cosh)
STUDY_LIBRARY_FUNCTION(asinh)
STUDY_LIBRARY_FUNCTION(acosh)
STUDY_LIBRARY_FUNCTION(atanh)
STUDY_LIBRARY_FUNCTION(erf)
STUDY_LIBRARY_FUNCTION(erfc)
STUDY_LIBRARY_FUNCTION(cbrt)
#undef STUDY_LIBRARY_FUNCTION
#endif

namespace study {
namespace {

Four load(const double* from) {
  Four v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}
Four abs(Four v) { return Four(FourBits(v) & std::numeric_limits<std::int64_t>::max()); }
Four at_most(Four v, double most) { return v > most ? Four{} + most : v; }

#if defined(STUDY_HAS_VECTOR_LIBRARY)

template <class F>
bool each(const double* a, double* wanted, std::int64_t n, F f) {
  for (std::int64_t i = 0; i < n; i += 4) {
    const Four result = f(load(a + i));
    __builtin_memcpy(wanted + i, &result, sizeof(result));
  }
  return true;
}

Four sigmoid(Four x) { return 1 / (1 + vector_exp(-x)); }
Four mish(Four x) {
  const Four e = vector_exp(at_most(x, 100)), n = e * (e + 2);
  return x * (n / (n + 2));
}

#endif

}  // namespace

bool vector_reference(weft::UnaryOp op, const double* a, double* wanted, std::int64_t n) {
#if defined(STUDY_HAS_VECTOR_LIBRARY)
  using Op = weft::UnaryOp;
  constexpr double root_half = 0.7071067811865476, root_two_over_pi = 0.7978845608028654;
  constexpr double selu_scale = 1.0507009873554805, selu_alpha = 1.6732632423543772;
  switch (op) {
#define STUDY_CASE(NAME) \
  case Op::NAME: return each(a, wanted, n, vector_##NAME);
    STUDY_CASE(exp)
    STUDY_CASE(exp2)
    STUDY_CASE(expm1)
    STUDY_CASE(tanh)
    STUDY_CASE(log)
    STUDY_CASE(log2)
    STUDY_CASE(log10)
    STUDY_CASE(log1p)
    STUDY_CASE(sin)
    STUDY_CASE(cos)
    STUDY_CASE(tan)
    STUDY_CASE(asin)
    STUDY_CASE(acos)
    STUDY_CASE(atan)
    STUDY_CASE(sinh)
    STUDY_CASE(cosh)
    STUDY_CASE(asinh)
    STUDY_CASE(acosh)
    STUDY_CASE(atanh)
    STUDY_CASE(erf)
    STUDY_CASE(erfc)
    STUDY_CASE(cbrt)
#undef STUDY_CASE
    case Op::sigmoid: return each(a, wanted, n, sigmoid);
    case Op::silu: return each(a, wanted, n, [](Four x) { return x * sigmoid(x); });
    case Op::gelu:
      return each(a, wanted, n, [](Four x) { return x * vector_erfc(x * -root_half) / 2; });
    case Op::gelu_tanh:
      return each(a, wanted, n, [](Four x) {
        return x * sigmoid(2 * root_two_over_pi * (x + 0.044715 * x * x * x));
      });
    case Op::selu:
      return each(a, wanted, n, [](Four x) {
        return x > 0 ? selu_scale * x : selu_alpha * selu_scale * vector_expm1(at_most(x, 0));
      });
    case Op::softplus:
      return each(a, wanted, n,
                  [](Four x) { return vector_log1p(vector_exp(-abs(x))) + (x > 0 ? x : Four{}); });
    case Op::mish: return each(a, wanted, n, mish);
    case Op::softsign: return each(a, wanted, n, [](Four x) { return x / (1 + abs(x)); });
    case Op::rsqrt:
      return each(a, wanted, n, [](Four x) {
        for (int i = 0; i < 4; ++i)
          x[i] = 1 / __builtin_sqrt(x[i]);
        return x;
      });
    default: return false;
  }
#else
  (void)op, (void)a, (void)wanted, (void)n;
  return false;
#endif
}

double largest_error(const float* got, const double* wanted, std::int64_t n) {
  constexpr double beyond = 0x1p128;
  const Four none = Four{} + std::numeric_limits<double>::infinity();
  Four largest{};
  for (std::int64_t i = 0; i < n; i += 4) {
    const Four g{got[i], got[i + 1], got[i + 2], got[i + 3]}, w = load(wanted + i);
    const Four size = at_most(abs(w), beyond);
    const Four here = w < 0 ? -size : size;
    const Four there = abs(g) > beyond ? (g < 0 ? Four{} - beyond : Four{} + beyond) : g;
    // One ulp is 2^(exponent - 23), the exponent not below -126; its inverse as bits.
    const FourBits exponent = FourBits(size) >> 52;
    const FourBits normal = exponent < 1023 - 126 ? FourBits{} + (1023 - 126) : exponent;
    const Four inverse = Four((2046 + 23 - normal) << 52);
    const Four error = abs(there - here) * inverse;
    const FourBits no_number = w != w, nothing_got = g != g;
    const Four odd = (no_number & nothing_got) ? Four{} : none;
    const Four found = (no_number | nothing_got) ? odd : error;
    largest = found > largest ? found : largest;
  }
  double most = 0;
  for (int i = 0; i < 4; ++i)
    most = largest[i] > most ? largest[i] : most;
  return most;
}

}  // namespace study
