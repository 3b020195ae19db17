// SPDX-License-Identifier: Apache-2.0
// Every pair of element types over dense spans, by the rules of cast(). About a third of the pairs
// have a loop: plain ones that the compiler vectorises, except where the level has an instruction
// that C++ has no words for. Integers of one size share them, and all other pairs are two of these
// one after the other.
#include <weft/core/cast.hpp>
#include <weft/kernel/detail/span_loop.hpp>

#include "kernels/half/half_blocks.hpp"
#include "kernels/scalar/arithmetic.hpp"
#include "kernels/stage/stage.hpp"

#include <limits>

namespace weft {
inline namespace v0 {
namespace {

/// Elements that are kept within a range together. More than a register: short loops of known
/// length are unrolled before they are vectorised, and then are not.
constexpr int block = 64;

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
  alignas(64) From kept[block];
  for (int i = 0; i < block; ++i)
    kept[i] = values[i] > least ? values[i] : least;
  for (int i = 0; i < block; ++i)
    kept[i] = kept[i] < most ? kept[i] : most;
  for (int i = 0; i < block; ++i)
    kept[i] = values[i] == values[i] ? kept[i] : From{};
  using Via = std::conditional_t<sizeof(To) < 4, std::int32_t, To>;
  if constexpr (exact) {
    WEFT_INDEPENDENT_ITERATIONS
    for (int i = 0; i < block; ++i)
      store_element<To>(to, i, static_cast<To>(static_cast<Via>(kept[i])));
  } else {
    alignas(64) To whole[block];
    for (int i = 0; i < block; ++i)
      whole[i] = static_cast<To>(kept[i]);
    WEFT_INDEPENDENT_ITERATIONS
    for (int i = 0; i < block; ++i) {
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
/// Elements of a register of numbers.
template <class To, class From>
constexpr std::int64_t narrow_lanes = 64 / sizeof(From);

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
#elif defined(__aarch64__)
/// Floating numbers to integers: the instructions keep to what cast() does, for all of 32 and 64
/// bits.
template <class To, class From>
constexpr bool narrows_in_registers =
    std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>;
template <class To, class From>
constexpr std::int64_t narrow_lanes = 64 / sizeof(From);

// A register of integers as half of one of narrower ones, kept within their range.
WEFT_ALWAYS_INLINE int32x2_t half_of(int64x2_t a) { return vqmovn_s64(a); }
WEFT_ALWAYS_INLINE uint32x2_t half_of(uint64x2_t a) { return vqmovn_u64(a); }
WEFT_ALWAYS_INLINE int16x4_t half_of(int32x4_t a) { return vqmovn_s32(a); }
WEFT_ALWAYS_INLINE uint16x4_t half_of(uint32x4_t a) { return vqmovn_u32(a); }
WEFT_ALWAYS_INLINE int8x8_t half_of(int16x8_t a) { return vqmovn_s16(a); }
WEFT_ALWAYS_INLINE uint8x8_t half_of(uint16x8_t a) { return vqmovn_u16(a); }
WEFT_ALWAYS_INLINE int32x4_t joined(int32x2_t a, int32x2_t b) { return vcombine_s32(a, b); }
WEFT_ALWAYS_INLINE uint32x4_t joined(uint32x2_t a, uint32x2_t b) { return vcombine_u32(a, b); }
WEFT_ALWAYS_INLINE int16x8_t joined(int16x4_t a, int16x4_t b) { return vcombine_s16(a, b); }
WEFT_ALWAYS_INLINE uint16x8_t joined(uint16x4_t a, uint16x4_t b) { return vcombine_u16(a, b); }
WEFT_ALWAYS_INLINE int8x16_t joined(int8x8_t a, int8x8_t b) { return vcombine_s8(a, b); }
WEFT_ALWAYS_INLINE uint8x16_t joined(uint8x8_t a, uint8x8_t b) { return vcombine_u8(a, b); }

/// Registers of integers as elements of To, which is no wider.
template <class To, class R, int count>
WEFT_ALWAYS_INLINE void store_narrow(char* to, const R (&all)[count]) {
  if constexpr (sizeof(To) == sizeof(all[0][0])) {
    __builtin_memcpy(to, all, sizeof(all));
  } else if constexpr (count == 1) {
    const auto elements = half_of(all[0]);
    __builtin_memcpy(to, &elements, sizeof(elements));
  } else {
    decltype(joined(half_of(all[0]), half_of(all[1]))) narrower[count / 2];
    WEFT_UNROLLED
    for (int i = 0; i < count / 2; ++i)
      narrower[i] = joined(half_of(all[2 * i]), half_of(all[2 * i + 1]));
    store_narrow<To>(to, narrower);
  }
}

template <class To>
WEFT_ALWAYS_INLINE auto truncated(float32x4_t values) {
  if constexpr (std::is_signed_v<To>) return vcvtq_s32_f32(values);
  if constexpr (!std::is_signed_v<To>) return vcvtq_u32_f32(values);
}
template <class To>
WEFT_ALWAYS_INLINE auto truncated(float64x2_t values) {
  if constexpr (std::is_signed_v<To>) return vcvtq_s64_f64(values);
  if constexpr (!std::is_signed_v<To>) return vcvtq_u64_f64(values);
}

/// 64 bytes of floating numbers to integers.
template <class To, class From>
WEFT_ALWAYS_INLINE void narrow_register(char* to, const char* from) {
  using Values = std::conditional_t<std::is_same_v<From, float>, float32x4_t, float64x2_t>;
  Values values[4];
  __builtin_memcpy(values, from, sizeof(values));
  if constexpr (sizeof(To) > sizeof(From)) {
    decltype(truncated<To>(float64x2_t{})) whole[8];
    WEFT_UNROLLED
    for (int i = 0; i < 4; ++i) {
      whole[2 * i] = truncated<To>(vcvt_f64_f32(vget_low_f32(values[i])));
      whole[2 * i + 1] = truncated<To>(vcvt_high_f64_f32(values[i]));
    }
    __builtin_memcpy(to, whole, sizeof(whole));
  } else {
    decltype(truncated<To>(Values{})) whole[4];
    WEFT_UNROLLED
    for (int i = 0; i < 4; ++i)
      whole[i] = truncated<To>(values[i]);
    store_narrow<To>(to, whole);
  }
}
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

#if defined(__AVX2__) && !defined(__AVX512VL__)
/// Pairs of floating numbers and integers that are converted four at a time: to 64 bits, for which
/// the level has no instruction, and f64 to i32.
template <class To, class From>
constexpr bool converts_four =
    std::is_floating_point_v<From> && std::is_integral_v<To> &&
    (sizeof(To) == 8 || (std::is_same_v<To, std::int32_t> && sizeof(From) == 8));
/// Those that become 32 bits, and then the low ones of these, kept within a range by instructions.
template <class To, class From>
constexpr bool narrows_in_registers = std::is_floating_point_v<From> && std::is_integral_v<To> &&
                                      sizeof(To) < 4 && !std::is_same_v<To, bool>;
/// Elements of a register of results.
template <class To, class From>
constexpr std::int64_t narrow_lanes = 32 / sizeof(To);

/// Eight numbers to 32 bits: NaN as 0, and what is too large as a number beyond 16 bits. What is
/// too small becomes the least integer.
template <class From>
WEFT_ALWAYS_INLINE __m256i whole_eight(const char* from) {
  constexpr From large = 1 << 30;
  if constexpr (std::is_same_v<From, float>) {
    __m256 values = _mm256_loadu_ps(reinterpret_cast<const float*>(from));
    values = _mm256_and_ps(values, _mm256_cmp_ps(values, values, _CMP_ORD_Q));
    return _mm256_cvttps_epi32(_mm256_min_ps(values, _mm256_set1_ps(large)));
  } else {
    const auto four = [](const char* at) WEFT_INLINE_LAMBDA {
      __m256d values = _mm256_loadu_pd(reinterpret_cast<const double*>(at));
      values = _mm256_and_pd(values, _mm256_cmp_pd(values, values, _CMP_ORD_Q));
      return _mm256_cvttpd_epi32(_mm256_min_pd(values, _mm256_set1_pd(large)));
    };
    return _mm256_set_m128i(four(from + 32), four(from));
  }
}
/// A register of results. Instructions that narrow take the halves of both registers in turn.
template <class To, class From>
WEFT_ALWAYS_INLINE void narrow_register(char* to, const char* from) {
  constexpr auto eight = 8 * static_cast<std::int64_t>(sizeof(From));
  const __m256i a = whole_eight<From>(from), b = whole_eight<From>(from + eight);
  __m256i all;
  if constexpr (sizeof(To) == 2) {
    const __m256i both =
        std::is_signed_v<To> ? _mm256_packs_epi32(a, b) : _mm256_packus_epi32(a, b);
    all = _mm256_permute4x64_epi64(both, _MM_SHUFFLE(3, 1, 2, 0));
  } else {
    const __m256i c = whole_eight<From>(from + 2 * eight), d = whole_eight<From>(from + 3 * eight);
    const __m256i first = _mm256_packs_epi32(a, b), second = _mm256_packs_epi32(c, d);
    const __m256i both = std::is_signed_v<To> ? _mm256_packs_epi16(first, second)
                                              : _mm256_packus_epi16(first, second);
    all = _mm256_permutevar8x32_epi32(both, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), all);
}

/// To 64 bits where all are less than 2^51: without the fraction, and added to 1.5 * 2^52, the
/// lowest bits are the integer. Others one by one.
template <class To, class From>
WEFT_ALWAYS_INLINE void store_wide(char* to, const char* from, __m256d values) {
  const __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), values);
  if (_mm256_movemask_pd(_mm256_cmp_pd(size, _mm256_set1_pd(0x1p51), _CMP_LT_OQ)) != 15) {
    const SpanReader<From, false> in{from};
    for (int i = 0; i < 4; ++i)
      store_element<To>(to, i, cast<To>(in[i]));
    return;
  }
  __m256d whole = _mm256_round_pd(values, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  if constexpr (std::is_unsigned_v<To>) whole = _mm256_max_pd(whole, _mm256_setzero_pd());
  const __m256d base = _mm256_set1_pd(0x1.8p52);
  _mm256_storeu_si256(
      reinterpret_cast<__m256i*>(to),
      _mm256_sub_epi64(_mm256_castpd_si256(_mm256_add_pd(whole, base)), _mm256_castpd_si256(base)));
}
/// The instruction gives the least integer for all that it cannot convert, which is right below the
/// range; NaN is cleared.
WEFT_ALWAYS_INLINE void store_i32(char* to, __m256d values) {
  const __m256d most = _mm256_set1_pd(std::numeric_limits<std::int32_t>::max());
  const __m256i number = _mm256_castpd_si256(_mm256_cmp_pd(values, values, _CMP_ORD_Q));
  const __m256i low_halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  const __m128i whole = _mm256_cvttpd_epi32(_mm256_min_pd(values, most));
  const __m128i kept = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(number, low_halves));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_and_si128(whole, kept));
}
template <class To, class From>
WEFT_ALWAYS_INLINE void convert_four(char* to, const char* from) {
  __m256d values;
  if constexpr (std::is_same_v<From, float>) {
    values = _mm256_cvtps_pd(_mm_loadu_ps(reinterpret_cast<const float*>(from)));
  } else {
    values = _mm256_loadu_pd(reinterpret_cast<const double*>(from));
  }
  if constexpr (sizeof(To) == 8) {
    store_wide<To, From>(to, from, values);
  } else {
    store_i32(to, values);
  }
}
#elif !defined(__AVX512VL__) && !defined(__aarch64__)
template <class To, class From>
constexpr bool narrows_in_registers = false;
template <class To, class From>
[[maybe_unused]] constexpr std::int64_t narrow_lanes = 1;
template <class To, class From>
void narrow_register(char* to, const char* from);
#endif

/// A block of halves to or from floats.
template <class To, class From, int length>
WEFT_ALWAYS_INLINE void convert_halves(char* to, const char* from) {
  if constexpr (is_half_type<To>) {
    narrow_block<To, length>(to, reinterpret_cast<const float*>(from));
  } else {
    widen_block<From, length>(reinterpret_cast<float*>(to), from);
  }
}

// At AVX-512 all conversions are made of registers of 64 bytes: by shorter ones, 7 to 1000 elements
// take 1.06 of the time, and they would be as much text again.
#if defined(WEFT_WIDE_LOOPS)
#define WEFT_CONVERSION WEFT_WIDE_LOOPS
#else
#define WEFT_CONVERSION
#endif

/// A conversion by a loop of its own.
template <class To, class From>
WEFT_CONVERSION void convert(char* to, const char* from, std::int64_t n) {
  std::int64_t i = 0;
  constexpr auto to_size = static_cast<std::int64_t>(sizeof(To));
  constexpr auto from_size = static_cast<std::int64_t>(sizeof(From));
  constexpr bool is_half = (is_half_type<To> && std::is_same_v<From, float>) ||
                           (is_half_type<From> && std::is_same_v<To, float>);
#if defined(WEFT_WIDE_LOOPS)
  if constexpr (is_half) {
    for (; i + wide_half_block <= n; i += wide_half_block)
      convert_halves<To, From, wide_half_block>(to + i * to_size, from + i * from_size);
  }
#endif
  if constexpr (is_half) {
    for (; i + half_block <= n; i += half_block)
      convert_halves<To, From, half_block>(to + i * to_size, from + i * from_size);
  }
#if defined(__AVX2__)
  if constexpr (std::is_same_v<To, std::int32_t> && std::is_same_v<From, float>) {
    for (; i + f32_i32_block <= n; i += f32_i32_block)
      convert_f32_i32_block(to + 4 * i, from + 4 * i);
  }
#endif
#if defined(__AVX2__) && !defined(__AVX512VL__)
  if constexpr (converts_four<To, From>) {
    for (; i + 4 <= n; i += 4)
      convert_four<To, From>(to + i * to_size, from + i * from_size);
  }
#endif
  if constexpr (narrows_in_registers<To, From>) {
    constexpr std::int64_t lanes = narrow_lanes<To, From>;
    for (; i + lanes <= n; i += lanes)
      narrow_register<To, From>(to + i * to_size, from + i * from_size);
  } else if constexpr (keeps_in_range<To, From>) {
    for (; i + block <= n; i += block)
      convert_in_range<To, From>(to + i * to_size, from + i * from_size);
  }
  const SpanReader<From, false> in{from};
  WEFT_INDEPENDENT_ITERATIONS
  for (; i < n; ++i)
    store_element<To>(to, i, cast<To>(in[i]));
}

// ---- Pairs without a loop of their own ---------------------------------------------------------

template <class To, class From>
constexpr ConvertFn conversion();

/// Two conversions and the sizes of elements.
struct TwoSteps {
  ConvertFn first, second;
  std::int64_t to_bytes, from_bytes;
};
/// One after the other, through a buffer in the first level. Out of line: one for all pairs.
[[gnu::noinline]] void convert_by(const TwoSteps& steps, char* to, const char* from,
                                  std::int64_t n) {
  constexpr std::int64_t buffered = 256;
  alignas(64) char values[buffered * sizeof(double)];
  for (std::int64_t i = 0; i < n; i += buffered) {
    const std::int64_t count = n - i < buffered ? n - i : buffered;
    steps.first(values, from + i * steps.from_bytes, count);
    steps.second(to + i * steps.to_bytes, values, count);
  }
}
template <class To, class Middle, class From>
void convert_by_way_of(char* to, const char* from, std::int64_t n) {
  static_assert(sizeof(Middle) <= sizeof(double));
  static constexpr TwoSteps steps{conversion<Middle, From>(), conversion<To, Middle>(), sizeof(To),
                                  sizeof(From)};
  convert_by(steps, to, from, n);
}
/// Of complex numbers both parts, as twice as many real ones.
template <class To, class From>
void convert_parts(char* to, const char* from, std::int64_t n) {
  conversion<typename To::value_type, typename From::value_type>()(to, from, 2 * n);
}

template <class T>
constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
/// The type between two whose conversion has no loop of its own, or void. Halves are converted to
/// and from f32, complex numbers to and from their parts.
template <class To, class From>
constexpr auto middle() {
  if constexpr (is_half_type<To> || is_half_type<From>) {
    if constexpr (!std::is_same_v<To, float> && !std::is_same_v<From, float>) return float{};
  } else if constexpr (is_complex_type<From> && !std::is_same_v<To, bool>) {
    using Part = typename From::value_type;
    if constexpr (!std::is_same_v<To, Part>) return Part{};
  } else if constexpr (is_complex_type<To>) {
    using Part = typename To::value_type;
    if constexpr (!std::is_same_v<From, Part>) return Part{};
  }
}

/// The loop of a pair, or the steps. Integers of a size are made alike of whatever has no more bits
/// than they, or of others' lowest bits.
template <class To, class From>
constexpr ConvertFn conversion() {
  using Middle = decltype(middle<To, From>());
  if constexpr (is_complex_type<To> && is_complex_type<From>) {
    return &convert_parts<To, From>;
  } else if constexpr (std::is_same_v<To, From> && !std::is_same_v<To, bool>) {
    return &convert<Unsigned<sizeof(To)>, Unsigned<sizeof(To)>>;
  } else if constexpr (!std::is_void_v<Middle>) {
    return &convert_by_way_of<To, Middle, From>;
  } else if constexpr (std::is_same_v<From, bool> && std::is_integral_v<To>) {
    return &convert<Unsigned<sizeof(To)>, bool>;
  } else if constexpr (std::is_same_v<To, bool> && is_integer<From>) {
    return &convert<bool, Unsigned<sizeof(From)>>;
  } else if constexpr (is_integer<To> && is_integer<From>) {
    using Read = std::conditional_t<sizeof(To) <= sizeof(From), Unsigned<sizeof(From)>, From>;
    return &convert<Unsigned<sizeof(To)>, Read>;
  } else {
    return &convert<To, From>;
  }
}

template <ScalarType To>
constexpr ConvertFn from_any(ScalarType from) {
  switch (from) {
#define WEFT_CASE(NAME, TYPE) \
  case ScalarType::NAME: return conversion<cpp_type<To>, TYPE>();
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
