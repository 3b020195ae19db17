// SPDX-License-Identifier: Apache-2.0
#include "kernels/stage/masked_store.hpp"

#include <weft/kernel/detail/span_element.hpp>

#include "kernels/stage/moves.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// Without a branch for each element: what is left out goes to a place of this function's own.
/// Several at a time: else half of it would be counting.
template <class Word>
void store_one_by_one(char* to, std::int64_t step, const char* from, const char* mask,
                      std::int64_t n) {
  constexpr std::int64_t size = sizeof(Word), together = 8;
  alignas(Word) char aside[size];
  std::int64_t i = 0;
  for (; i + together <= n; i += together) {
    WEFT_UNROLLED
    for (std::int64_t k = 0; k < together; ++k) {
      store(mask[k] != 0 ? to : aside, load<Word>(from + k * size));
      to += step;
    }
    mask += together;
    from += together * size;
  }
  for (; i < n; ++i) {
    store(*mask != 0 ? to : aside, load<Word>(from));
    to += step;
    from += size;
    ++mask;
  }
}

#if defined(__AVX512BW__)

/// Of the elements in a register, those whose flags are set: as many flags as it has words, of
/// which the first `count` are there.
template <int size>
__mmask64 selected(const char* mask, std::int64_t count) {
  constexpr std::int64_t words = 64 / size;
  if (count >= words) {
    if constexpr (size == 1) {
      const __m512i flags = _mm512_loadu_si512(mask);
      return _mm512_test_epi8_mask(flags, flags);
    } else if constexpr (size == 2) {
      const __m256i flags = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask));
      return _mm256_test_epi8_mask(flags, flags);
    } else if constexpr (size == 4) {
      const __m128i flags = _mm_loadu_si128(reinterpret_cast<const __m128i*>(mask));
      return _mm_test_epi8_mask(flags, flags);
    } else {
      const __m128i flags = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(mask));
      return _mm_test_epi8_mask(flags, flags);
    }
  }
  const __mmask64 there = (std::uint64_t{1} << count) - 1;
  const __m512i flags = _mm512_maskz_loadu_epi8(there, mask);
  return _mm512_test_epi8_mask(flags, flags);
}

/// A register of words, at `in` and `out`.
template <int size>
void store_words(char* out, const char* in, __mmask64 words) {
  if constexpr (size == 1) {
    _mm512_mask_storeu_epi8(out, words, _mm512_maskz_loadu_epi8(words, in));
  } else if constexpr (size == 2) {
    const auto some = static_cast<__mmask32>(words);
    _mm512_mask_storeu_epi16(out, some, _mm512_maskz_loadu_epi16(some, in));
  } else if constexpr (size == 4) {
    const auto some = static_cast<__mmask16>(words);
    _mm512_mask_storeu_epi32(out, some, _mm512_maskz_loadu_epi32(some, in));
  } else {
    const auto some = static_cast<__mmask8>(words);
    _mm512_mask_storeu_epi64(out, some, _mm512_maskz_loadu_epi64(some, in));
  }
}

/// Without a branch for those that have nothing to store: of random masks it would be mispredicted.
template <class Word>
void store_dense(char* to, const char* from, const char* mask, std::int64_t n) {
  constexpr int size = sizeof(Word);
  constexpr std::int64_t words = 64 / size;
  std::int64_t i = 0;
  for (; i + words <= n; i += words)
    store_words<size>(to + i * size, from + i * size, selected<size>(mask + i, words));
  if (i < n) store_words<size>(to + i * size, from + i * size, selected<size>(mask + i, n - i));
}
template <class Word>
constexpr bool has_masked_stores = sizeof(Word) <= 8;

#elif defined(__AVX2__)

/// A register of words at a time; what is left is stored one by one.
template <class Word>
void store_dense(char* to, const char* from, const char* mask, std::int64_t n) {
  constexpr std::int64_t size = sizeof(Word), words = 32 / size;
  std::int64_t i = 0;
  for (; i + words <= n; i += words) {
    // The highest bit of a word is what counts: that of 0 less the flag.
    const char* const in = from + i * size;
    if constexpr (size == 4) {
      const __m128i flags = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(mask + i));
      const __m256i selected =
          _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_cvtepu8_epi32(flags));
      _mm256_maskstore_epi32(reinterpret_cast<int*>(to + i * size), selected,
                             _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in)));
    } else {
      const __m128i flags = _mm_cvtsi32_si128(load<std::int32_t>(mask + i));
      const __m256i selected =
          _mm256_sub_epi64(_mm256_setzero_si256(), _mm256_cvtepu8_epi64(flags));
      _mm256_maskstore_epi64(reinterpret_cast<long long*>(to + i * size), selected,
                             _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in)));
    }
  }
  store_one_by_one<Word>(to + i * size, size, from + i * size, mask + i, n - i);
}
template <class Word>
constexpr bool has_masked_stores = sizeof(Word) == 4 || sizeof(Word) == 8;

#else

template <class Word>
constexpr bool has_masked_stores = false;

#endif

template <class Word>
void masked_store(char* to, std::int64_t step, const char* from, const char* mask, std::int64_t n) {
  if constexpr (has_masked_stores<Word>) {
    if (step == static_cast<std::int64_t>(sizeof(Word)))
      return store_dense<Word>(to, from, mask, n);
  }
  store_one_by_one<Word>(to, step, from, mask, n);
}

}  // namespace

MaskedStoreFn WEFT_KERNEL(masked_store_kernel)(std::int64_t element_bytes) {
  switch (element_bytes) {
    case 1: return &masked_store<std::uint8_t>;
    case 2: return &masked_store<std::uint16_t>;
    case 4: return &masked_store<std::uint32_t>;
    case 8: return &masked_store<std::uint64_t>;
    default: return &masked_store<Pair>;
  }
}

bool WEFT_KERNEL(selects_any)(const char* mask, std::int64_t n) {
  constexpr std::int64_t chunk = 1024;
  for (std::int64_t start = 0; start < n; start += chunk) {
    const std::int64_t end = n - start < chunk ? n : start + chunk;
    unsigned char any = 0;
    for (std::int64_t i = start; i < end; ++i)
      any |= static_cast<unsigned char>(mask[i]);
    if (any != 0) return true;
  }
  return false;
}

}  // namespace v0
}  // namespace weft
