// SPDX-License-Identifier: Apache-2.0
// Every pair of element types over dense spans, by the rules of cast(): plain loops that the
// compiler vectorises, except where the level converts f16 in hardware.
#include <weft/core/cast.hpp>
#include <weft/kernel/span_loop.hpp>

#include "kernels/stage/stage.hpp"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace weft::inline v0 {
namespace {

template <class To, class From>
void convert(char* to, const char* from, std::int64_t n) {
  const SpanReader<From, false> in{from};
  std::int64_t i = 0;
#if defined(__F16C__)
  if constexpr (std::is_same_v<To, float16> && std::is_same_v<From, float>) {
    for (; i + 8 <= n; i += 8) {
      const __m256 values = _mm256_loadu_ps(reinterpret_cast<const float*>(from) + i);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 2 * i),
                       _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
    }
  }
  if constexpr (std::is_same_v<To, float> && std::is_same_v<From, float16>) {
    for (; i + 8 <= n; i += 8) {
      const __m128i values = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 2 * i));
      _mm256_storeu_ps(reinterpret_cast<float*>(to) + i, _mm256_cvtph_ps(values));
    }
  }
#endif
  WEFT_INDEPENDENT_ITERATIONS
  for (; i < n; ++i)
    store_element<To>(to, i, cast<To>(in[i]));
}

template <ScalarType To>
constexpr ConvertFn from_any(ScalarType from) {
  switch (from) {
#define WEFT_CASE(NAME, TYPE) \
  case ScalarType::NAME: return &convert<cpp_type<To>, TYPE>;
    WEFT_FOR_EACH_SCALAR_TYPE(WEFT_CASE)
#undef WEFT_CASE
  }
  return nullptr;
}

}  // namespace

ConvertFn WEFT_KERNEL(convert_kernel)(ScalarType to, ScalarType from) {
  switch (to) {
#define WEFT_CASE(NAME, TYPE) \
  case ScalarType::NAME: return from_any<ScalarType::NAME>(from);
    WEFT_FOR_EACH_SCALAR_TYPE(WEFT_CASE)
#undef WEFT_CASE
  }
  return nullptr;
}

}  // namespace weft::inline v0
