// SPDX-License-Identifier: Apache-2.0
#include "kernels/stage/masked_store.hpp"

#include <weft/kernel/detail/span_element.hpp>

#include "base/set_bits.hpp"
#include "kernels/stage/moves.hpp"

#include <cstddef>

namespace weft {
inline namespace v0 {
namespace {

/// The last few, without a branch for each: what is left out goes to a place of the function's own.
template <class Word>
void store_one_by_one(char* to, std::int64_t step, const char* from, const char* mask,
                      std::int64_t n) {
  alignas(Word) char aside[sizeof(Word)];
  for (std::int64_t i = 0; i < n; ++i)
    store(mask[i] != 0 ? to + i * step : aside, load<Word>(from + i * std::int64_t{sizeof(Word)}));
}

constexpr std::uint64_t each_byte = 0x0101'0101'0101'0101;

/// Flags that are looked at together.
constexpr std::int64_t flags_together = 32;

/// A bit for each of them, the lowest for the first.
std::uint32_t bits_of_flags(const char* mask) {
#if defined(__SSE2__)
  const auto left_out = [&](std::int64_t i) {
    const __m128i flags = _mm_loadu_si128(reinterpret_cast<const __m128i*>(mask + i));
    return static_cast<std::uint32_t>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(flags, _mm_setzero_si128())));
  };
  return ~(left_out(0) | left_out(16) << 16);
#else
  std::uint32_t bits = 0;
  for (int i = 0; i < flags_together; i += 8) {
    // The highest bit of each byte that has any; one product brings them together.
    const auto flags = load<std::uint64_t>(mask + i);
    constexpr std::uint64_t low = each_byte * 0x7f;
    const std::uint64_t selected = (((flags & low) + low) | flags) >> 7 & each_byte;
    bits |= static_cast<std::uint32_t>(selected * 0x0102'0408'1020'4080 >> 56) << i;
  }
  return bits;
#endif
}

/// Elements whose places are found at a time, each a byte; the last ones are written by eights.
constexpr std::int64_t max_places = 256;

/// What is selected of up to so many elements.
struct Places {
  std::int64_t count = 0;
  std::uint32_t whole = 0;  ///< a bit for flags_together that are all set, which `at` leaves out
  std::uint8_t at[max_places + 8];

  /// `takes_whole`: if there may be such bits.
  [[gnu::noinline]] void find(const char* mask, std::int64_t n, bool takes_whole) noexcept {
    // Not the members: each addition would wait for the store of the last.
    char* end = reinterpret_cast<char*>(at);
    std::uint32_t alike = 0;
    std::uint64_t first = 0;
    const std::int64_t all = n / flags_together * flags_together;
    for (std::int64_t i = 0; i < all; i += flags_together, first += flags_together * each_byte) {
      const std::uint32_t bits = bits_of_flags(mask + i);
      if (bits == ~std::uint32_t{0} && takes_whole)
        alike |= 1U << i / flags_together;
      else if (bits != 0)
        end = add(end, bits, first);
    }
    if (all < n) {
      char rest[flags_together] = {};
      __builtin_memcpy(rest, mask + all, static_cast<std::size_t>(n - all));
      end = add(end, bits_of_flags(rest), first);
    }
    count = end - reinterpret_cast<char*>(at);
    whole = alike;
  }

 private:
  /// The places of bits, from a first one on.
  static WEFT_ALWAYS_INLINE char* add(char* end, std::uint32_t bits, std::uint64_t first) noexcept {
    WEFT_UNROLLED
    for (int part = 0; part < flags_together; part += 8) {
      const unsigned eight = bits & 0xff;
      store(end, set_bits.places[eight] + first);
      end += set_bits.counts[eight];
      first += 8 * each_byte;
      bits >>= 8;
    }
    return end;
  }
};

/// Finds the places of what is selected first, and stores to them then, so that there are no more
/// stores than that, and one branch for all flags that are looked at together: whether they are
/// alike. A few elements are not worth that.
template <class Word>
void store_by_places(char* to, std::int64_t step, const char* from, const char* mask,
                     std::int64_t n) {
  constexpr std::int64_t size = sizeof(Word), few = 8;
  if (n < few) return store_one_by_one<Word>(to, step, from, mask, n);
  Places places;
  for (std::int64_t start = 0; start < n; start += max_places) {
    char* const out = to + start * step;
    const char* const in = from + start * size;
    places.find(mask + start, n - start < max_places ? n - start : max_places, step == size);
    for (std::uint32_t left = places.whole; left != 0; left &= left - 1) {
      const std::int64_t first = __builtin_ctz(left) * flags_together * size;
      __builtin_memcpy(out + first, in + first, flags_together * size);
    }
    if (places.count == 0) continue;
    // A known step: a product for each address makes the loads behind it wait.
    if (step != size) {
      for (std::int64_t i = 0; i < places.count; ++i)
        store(out + places.at[i] * step, load<Word>(in + places.at[i] * size));
      continue;
    }
    // The last one is stored several times rather than counted.
    constexpr std::int64_t together = 8;
    store(reinterpret_cast<char*>(places.at) + places.count,
          places.at[places.count - 1] * each_byte);
    for (std::int64_t i = 0; i < places.count; i += together) {
      WEFT_UNROLLED
      for (std::int64_t k = 0; k < together; ++k) {
        const std::int64_t at = places.at[i + k] * size;
        store(out + at, load<Word>(in + at));
      }
    }
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

/// A register of words at a time.
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

/// The same where there are instructions for what is dense.
template <class Word>
void store_by_instruction(char* to, std::int64_t step, const char* from, const char* mask,
                          std::int64_t n) {
  if (step == std::int64_t{sizeof(Word)}) return store_dense<Word>(to, from, mask, n);
  store_by_places<Word>(to, step, from, mask, n);
}

template <class Word>
MaskedStoreFn function_for([[maybe_unused]] bool by_instruction) {
  if constexpr (has_masked_stores<Word>)
    if (by_instruction) return &store_by_instruction<Word>;
  return &store_by_places<Word>;
}

}  // namespace

MaskedStoreFn WEFT_KERNEL(masked_store_kernel)(std::int64_t element_bytes, bool by_instruction) {
  switch (element_bytes) {
    case 1: return function_for<std::uint8_t>(by_instruction);
    case 2: return function_for<std::uint16_t>(by_instruction);
    case 4: return function_for<std::uint32_t>(by_instruction);
    case 8: return function_for<std::uint64_t>(by_instruction);
    default: return function_for<Pair>(by_instruction);
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
