// SPDX-License-Identifier: Apache-2.0
#include "kernels/indexing/masked_store.hpp"

#include <weft/kernel/detail/span_element.hpp>

#include "kernels/stage/moves.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// Without a branch for each element: what is left out goes to a place of this function's own.
template <class Word>
void store_one_by_one(char* to, std::int64_t step, const char* from, const char* mask,
                      std::int64_t n) {
  constexpr std::int64_t size = sizeof(Word);
  alignas(Word) char aside[size];
  for (std::int64_t i = 0; i < n; ++i) {
    char* const at = mask[i] != 0 ? to + i * step : aside;
    store(at, load<Word>(from + i * size));
  }
}

#if defined(__AVX512BW__)

/// A register of words at a time, up to the number of elements that there are.
template <class Word>
void store_dense(char* to, const char* from, const char* mask, std::int64_t n) {
  constexpr std::int64_t size = sizeof(Word), bytes = 64;
  for (std::int64_t start = 0; start < n; start += bytes) {
    const std::int64_t left = n - start;
    const __mmask64 there = left < bytes ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
    const __m512i flags = _mm512_maskz_loadu_epi8(there, mask + start);
    std::uint64_t bits = _mm512_test_epi8_mask(flags, flags);
    for (std::int64_t i = start; bits != 0; i += bytes / size) {
      char* const out = to + i * size;
      const char* const in = from + i * size;
      if constexpr (size == 1) {
        _mm512_mask_storeu_epi8(out, bits, _mm512_maskz_loadu_epi8(bits, in));
        bits = 0;
      } else if constexpr (size == 2) {
        const auto part = static_cast<__mmask32>(bits);
        _mm512_mask_storeu_epi16(out, part, _mm512_maskz_loadu_epi16(part, in));
        bits >>= 32;
      } else if constexpr (size == 4) {
        const auto part = static_cast<__mmask16>(bits);
        _mm512_mask_storeu_epi32(out, part, _mm512_maskz_loadu_epi32(part, in));
        bits >>= 16;
      } else {
        const auto part = static_cast<__mmask8>(bits);
        _mm512_mask_storeu_epi64(out, part, _mm512_maskz_loadu_epi64(part, in));
        bits >>= 8;
      }
    }
  }
}
template <class Word>
constexpr bool has_masked_stores = sizeof(Word) <= 8;

#elif defined(__AVX2__)

/// The compiler makes masked stores of the condition.
template <class Word>
void store_dense(char* to, const char* from, const char* mask, std::int64_t n) {
  // Of any type, at any address.
  typedef Word Any __attribute__((may_alias, aligned(1)));
  auto* const out = reinterpret_cast<Any*>(to);
  const auto* const in = reinterpret_cast<const Any*>(from);
  WEFT_INDEPENDENT_ITERATIONS
  for (std::int64_t i = 0; i < n; ++i)
    if (mask[i] != 0) out[i] = in[i];
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
