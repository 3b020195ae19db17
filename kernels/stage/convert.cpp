// SPDX-License-Identifier: Apache-2.0
// Every pair of element types over dense spans, by the rules of cast(): plain loops that the
// compiler vectorises, except where the level has an instruction that C++ has no words for.
#include <weft/core/cast.hpp>
#include <weft/kernel/detail/span_loop.hpp>

#include "kernels/half/half_blocks.hpp"
#include "kernels/stage/stage.hpp"

#include <limits>

namespace weft {
inline namespace v0 {
namespace {

/// Elements that go through a buffer together. More than a register: short loops of known length
/// are unrolled before they are vectorised, and then are not.
constexpr int half_blocks = 4 * half_block;

/// Whether a conversion is one from floating numbers that has to be kept within an integer type's
/// range, by steps that are vector instructions at this level.
template <class To, class From>
constexpr bool keeps_in_range = [] {
  if constexpr (!std::is_floating_point_v<From> || !std::is_integral_v<To> ||
                std::is_same_v<To, bool>) {
    return false;
  } else {
#if defined(__AVX512DQ__)
    return true;
#else
    return std::numeric_limits<To>::digits <= std::numeric_limits<From>::digits;
#endif
  }
}();

/// A block of floating numbers to integers, as cast() does it. Step by step through a buffer: where
/// all is one expression, compilers follow each bound through the conversion, and compute masks.
template <class To, class From>
WEFT_ALWAYS_INLINE void convert_in_range(char* to, const char* from) {
  constexpr bool exact = std::numeric_limits<To>::digits <= std::numeric_limits<From>::digits;
  constexpr From least = static_cast<From>(std::numeric_limits<To>::min());
  // The least value too large for To, exact in every floating type, and the one before it.
  constexpr From too_large =
      static_cast<From>(std::uint64_t{1} << (std::numeric_limits<To>::digits - 1)) * 2;
  constexpr From before = too_large - too_large / 2 * std::numeric_limits<From>::epsilon();
  constexpr From most = exact ? static_cast<From>(std::numeric_limits<To>::max()) : before;
  const SpanReader<From, false> values{from};
  alignas(64) From kept[half_blocks];
  for (int i = 0; i < half_blocks; ++i)
    kept[i] = values[i] > least ? values[i] : least;
  for (int i = 0; i < half_blocks; ++i)
    kept[i] = kept[i] < most ? kept[i] : most;
  for (int i = 0; i < half_blocks; ++i)
    kept[i] = values[i] == values[i] ? kept[i] : From{};
  using Via = std::conditional_t<sizeof(To) < 4, std::int32_t, To>;
  if constexpr (exact) {
    WEFT_INDEPENDENT_ITERATIONS
    for (int i = 0; i < half_blocks; ++i)
      store_element<To>(to, i, static_cast<To>(static_cast<Via>(kept[i])));
  } else {
    alignas(64) To whole[half_blocks];
    for (int i = 0; i < half_blocks; ++i)
      whole[i] = static_cast<To>(kept[i]);
    WEFT_INDEPENDENT_ITERATIONS
    for (int i = 0; i < half_blocks; ++i) {
      store_element<To>(to, i, values[i] >= too_large ? std::numeric_limits<To>::max() : whole[i]);
    }
  }
}

#if defined(__AVX512VL__)
/// Whether numbers can be kept within an integer type's range as floating ones, and are then 32
/// bits at most.
template <class To, class From>
constexpr bool narrows_in_registers =
    keeps_in_range<To, From> && (std::is_same_v<To, std::int32_t> || sizeof(To) < 4) &&
    std::numeric_limits<To>::digits <= std::numeric_limits<From>::digits;

/// 32-bit numbers to a narrower type, kept within its range.
template <class To>
WEFT_ALWAYS_INLINE void store_narrow(char* to, __m512i whole) {
  if constexpr (sizeof(To) == 2) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), std::is_signed_v<To>
                                                            ? _mm512_cvtsepi32_epi16(whole)
                                                            : _mm512_cvtusepi32_epi16(whole));
  } else {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), std::is_signed_v<To>
                                                         ? _mm512_cvtsepi32_epi8(whole)
                                                         : _mm512_cvtusepi32_epi8(whole));
  }
}
template <class To>
WEFT_ALWAYS_INLINE void store_narrow(char* to, __m256i whole) {
  if constexpr (sizeof(To) == 4) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), whole);
  } else if constexpr (sizeof(To) == 2) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), std::is_signed_v<To>
                                                         ? _mm256_cvtsepi32_epi16(whole)
                                                         : _mm256_cvtusepi32_epi16(whole));
  } else {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), std::is_signed_v<To>
                                                         ? _mm256_cvtsepi32_epi8(whole)
                                                         : _mm256_cvtusepi32_epi8(whole));
  }
}

/// A register of floating numbers to integers, as cast() does it. What does not fit 32 bits becomes
/// the least of them: as an unsigned number it is large, as a signed one right for all that lies
/// below.
template <class To, class From>
WEFT_ALWAYS_INLINE void narrow_register(char* to, const char* from) {
  constexpr From most = std::numeric_limits<To>::max();
  if constexpr (std::is_same_v<From, float>) {
    const __m512 values = _mm512_loadu_ps(from);
    if constexpr (std::is_signed_v<To>) {
      const __mmask16 number = _mm512_cmp_ps_mask(values, values, _CMP_ORD_Q);
      const __m512 kept = _mm512_min_ps(values, _mm512_set1_ps(most));
      store_narrow<To>(to, _mm512_maskz_cvttps_epi32(number, kept));
    } else {  // the maximum of NaN and 0 is 0
      store_narrow<To>(to, _mm512_cvttps_epi32(_mm512_max_ps(values, _mm512_setzero_ps())));
    }
  } else {
    const __m512d values = _mm512_loadu_pd(from);
    if constexpr (std::is_signed_v<To>) {
      const __mmask8 number = _mm512_cmp_pd_mask(values, values, _CMP_ORD_Q);
      const __m512d kept = _mm512_min_pd(values, _mm512_set1_pd(most));
      store_narrow<To>(to, _mm512_maskz_cvttpd_epi32(number, kept));
    } else {
      store_narrow<To>(to, _mm512_cvttpd_epi32(_mm512_max_pd(values, _mm512_setzero_pd())));
    }
  }
}
#else
template <class To, class From>
constexpr bool narrows_in_registers = false;
#endif

#if defined(__AVX512VL__)
/// Elements of f32 that become i32 together. The instruction gives the least integer for all that
/// it cannot convert, which is right below the range.
constexpr std::int64_t f32_i32_block = 16;
WEFT_ALWAYS_INLINE void convert_f32_i32_block(char* to, const char* from) {
  const __m512 values = _mm512_loadu_ps(from);
  const __mmask16 number = _mm512_cmp_ps_mask(values, values, _CMP_ORD_Q);
  const __mmask16 too_large = _mm512_cmp_ps_mask(values, _mm512_set1_ps(0x1p31F), _CMP_GE_OQ);
  const __m512i whole = _mm512_maskz_cvttps_epi32(number, values);
  const __m512i most = _mm512_set1_epi32(std::numeric_limits<std::int32_t>::max());
  _mm512_storeu_si512(to, _mm512_mask_mov_epi32(whole, too_large, most));
}
#elif defined(__AVX2__)
/// Elements of f32 that become i32 together. The instruction gives the least integer for all that
/// it cannot convert, which is right below the range; above it all bits change, and for NaN they
/// are cleared.
constexpr std::int64_t f32_i32_block = 8;
WEFT_ALWAYS_INLINE void convert_f32_i32_block(char* to, const char* from) {
  const __m256 values = _mm256_loadu_ps(reinterpret_cast<const float*>(from));
  const __m256 number = _mm256_cmp_ps(values, values, _CMP_ORD_Q);
  const __m256 too_large = _mm256_cmp_ps(values, _mm256_set1_ps(0x1p31F), _CMP_GE_OQ);
  const __m256i whole =
      _mm256_xor_si256(_mm256_cvttps_epi32(values), _mm256_castps_si256(too_large));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm256_and_si256(whole, _mm256_castps_si256(number)));
}
#endif

/// Elements of blocks of halves in wide loops or in others.
template <bool wide>
constexpr int block_length = wide ? wide_half_block : half_block;

/// The intermediate type of a conversion where one step is not enough, or From: halves are widened
/// or narrowed in a step of its own, and integers are made of the real parts of complex numbers.
template <class To, class From>
constexpr auto intermediate() {
  if constexpr (is_half_type<To> || is_half_type<From>) {
    return float{};
  } else if constexpr (is_complex_type<From> && std::is_integral_v<To> &&
                       !std::is_same_v<To, bool>) {
    return typename From::value_type{};
  } else {
    return From{};
  }
}
template <class To, class From>
using Intermediate = decltype(intermediate<To, From>());

/// A block of numbers to another type.
template <class To, class Number, bool wide>
WEFT_ALWAYS_INLINE void convert_numbers(char* to, const Number* values) {
  const char* const from = reinterpret_cast<const char*>(values);
  if constexpr (is_half_type<To>) {
    constexpr int length = block_length<wide>;
    for (int i = 0; i < half_blocks; i += length)
      narrow_block<To, length>(to + 2 * i, values + i);
  } else if constexpr (narrows_in_registers<To, Number>) {
    constexpr int lanes = 64 / static_cast<int>(sizeof(Number));
    for (int i = 0; i < half_blocks; i += lanes) {
      narrow_register<To, Number>(to + i * static_cast<int>(sizeof(To)),
                                  from + i * static_cast<int>(sizeof(Number)));
    }
#if defined(__AVX2__)
  } else if constexpr (std::is_same_v<To, std::int32_t> && std::is_same_v<Number, float>) {
    for (std::int64_t i = 0; i < half_blocks; i += f32_i32_block)
      convert_f32_i32_block(to + 4 * i, from + 4 * i);
#endif
  } else if constexpr (keeps_in_range<To, Number>) {
    convert_in_range<To, Number>(to, from);
  } else {
    WEFT_INDEPENDENT_ITERATIONS
    for (int i = 0; i < half_blocks; ++i)
      store_element<To>(to, i, cast<To>(values[i]));
  }
}

/// A block by its intermediate type, in a buffer.
template <class To, class From, bool wide>
WEFT_ALWAYS_INLINE void convert_by_intermediate(char* to, const char* from) {
  alignas(64) Intermediate<To, From> values[half_blocks];
  if constexpr (is_half_type<From>) {
    constexpr int length = block_length<wide>;
    for (int i = 0; i < half_blocks; i += length)
      widen_block<From, length>(values + i, from + 2 * i);
  } else {
    const SpanReader<From, false> in{from};
    WEFT_INDEPENDENT_ITERATIONS
    for (int i = 0; i < half_blocks; ++i)
      values[i] = cast<Intermediate<To, From>>(in[i]);
  }
  convert_numbers<To, Intermediate<To, From>, wide>(to, values);
}

template <class To, class From, bool wide>
WEFT_ALWAYS_INLINE void convert_span(char* to, const char* from, std::int64_t n) {
  std::int64_t i = 0;
  constexpr auto to_size = static_cast<std::int64_t>(sizeof(To));
  constexpr auto from_size = static_cast<std::int64_t>(sizeof(From));
  using By = Intermediate<To, From>;
  if constexpr (!std::is_same_v<To, From> && !std::is_same_v<To, By> && !std::is_same_v<From, By>) {
    for (; i + half_blocks <= n; i += half_blocks)
      convert_by_intermediate<To, From, wide>(to + i * to_size, from + i * from_size);
  }
  constexpr int length = block_length<wide>;
  if constexpr (is_half_type<To> && std::is_same_v<From, float>) {
    for (; i + length <= n; i += length)
      narrow_block<To, length>(to + 2 * i, reinterpret_cast<const float*>(from) + i);
  }
  if constexpr (is_half_type<From> && std::is_same_v<To, float>) {
    for (; i + length <= n; i += length)
      widen_block<From, length>(reinterpret_cast<float*>(to) + i, from + 2 * i);
  }
#if defined(__AVX2__)
  if constexpr (std::is_same_v<To, std::int32_t> && std::is_same_v<From, float>) {
    for (; i + f32_i32_block <= n; i += f32_i32_block)
      convert_f32_i32_block(to + 4 * i, from + 4 * i);
  }
#endif
#if defined(__AVX512VL__)
  if constexpr (narrows_in_registers<To, From>) {
    constexpr std::int64_t lanes = 64 / from_size;
    for (; i + lanes <= n; i += lanes)
      narrow_register<To, From>(to + i * to_size, from + i * from_size);
  }
#endif
  if constexpr (keeps_in_range<To, From>) {
    for (; i + half_blocks <= n; i += half_blocks)
      convert_in_range<To, From>(to + i * to_size, from + i * from_size);
  }
  const SpanReader<From, false> in{from};
  WEFT_INDEPENDENT_ITERATIONS
  for (; i < n; ++i)
    store_element<To>(to, i, cast<To>(in[i]));
}

#if defined(WEFT_WIDE_LOOPS)
template <class To, class From>
WEFT_WIDE_LOOPS void convert_wide(char* to, const char* from, std::int64_t n) {
  convert_span<To, From, true>(to, from, n);
}
#endif

template <class To, class From>
void convert(char* to, const char* from, std::int64_t n) {
#if defined(WEFT_WIDE_LOOPS)
  if (takes_wide_loops(n, 1)) return convert_wide<To, From>(to, from, n);
#endif
  convert_span<To, From, false>(to, from, n);
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

}  // namespace v0
}  // namespace weft
