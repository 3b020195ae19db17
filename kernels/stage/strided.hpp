// SPDX-License-Identifier: Apache-2.0
/// @file
/// Strided elements, from or to consecutive places.
#pragma once

#include "kernels/stage/rows.hpp"

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// n elements at a stride of `step` bytes to consecutive places. Of elements of 4 and 8 bytes a
/// lane is put together in a register: one store for 16 bytes, which is where moving them one by
/// one ends.
template <class T>
void gather_strided(char* __restrict to, const char* __restrict from, std::int64_t step,
                    std::int64_t n) {
  constexpr std::int64_t size = sizeof(T);
  std::int64_t i = 0;
  if constexpr (size == 8) {
    using V = typename VectorOf<T, 2>::Type;
    for (; i + 4 <= n; i += 4) {
      const V low = {load<T>(from), load<T>(from + step)};
      const V high = {load<T>(from + 2 * step), load<T>(from + 3 * step)};
      store(to + i * size, low);
      store(to + i * size + 16, high);
      from += 4 * step;
    }
  } else if constexpr (size == 4) {
    using V = typename VectorOf<T, 4>::Type;
    for (; i + 4 <= n; i += 4) {
      const V lane = {load<T>(from), load<T>(from + step), load<T>(from + 2 * step),
                      load<T>(from + 3 * step)};
      store(to + i * size, lane);
      from += 4 * step;
    }
  } else {
    for (; i + 4 <= n; i += 4) {
      WEFT_UNROLLED
      for (int u = 0; u < 4; ++u)
        store(to + (i + u) * size, load<T>(from + u * step));
      from += 4 * step;
    }
  }
  for (; i < n; ++i) {
    store(to + i * size, load<T>(from));
    from += step;
  }
}

/// n elements from consecutive places to places at a stride of `step` bytes.
template <class T>
void scatter_strided(char* __restrict to, std::int64_t step, const char* __restrict from,
                     std::int64_t n) {
  constexpr std::int64_t size = sizeof(T);
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    WEFT_UNROLLED
    for (int u = 0; u < 4; ++u)
      store(to + u * step, load<T>(from + (i + u) * size));
    to += 4 * step;
  }
  for (; i < n; ++i) {
    store(to, load<T>(from + i * size));
    to += step;
  }
}

#if defined(__AVX512BW__)
/// Strided bytes, several to a register. There is no permutation of bytes at this level, only
/// of 16-bit words: elements of even and of odd index are moved by one each, within the words that
/// hold them, and then shifted to the half where they belong.
class BytesInRegister {
 public:
  explicit BytesInRegister(std::int64_t step) : count_((63 / step + 1) / 2 * 2) {
    for (std::int64_t i = 0; i < count_; ++i) {
      const std::int64_t byte = i * step;
      gather_[i % 2][i / 2] = static_cast<std::uint16_t>(byte / 2);
      scatter_[i % 2][byte / 2] = static_cast<std::uint16_t>(i / 2);
      mask_ |= std::uint64_t{1} << byte;
      odd_ |= i % 2 == 0 ? 0 : std::uint32_t{1} << (byte / 2);
    }
  }
  /// Whether a register holds enough of them, and a row enough registers.
  static bool fits(std::int64_t step, std::int64_t n) { return step > 1 && step <= 12 && n >= 64; }

  /// Elements of a register: an even number.
  std::int64_t count() const { return count_; }

  /// 64 bytes from `from` on to count() consecutive ones at the start of the result.
  template <bool odd_step>
  WEFT_ALWAYS_INLINE __m512i gather(const char* from) const {
    const __m512i strided = _mm512_loadu_si512(from);
    const __m512i even = pick(gather_[0], strided);
    __m512i odd = pick(gather_[1], strided);
    if constexpr (!odd_step) odd = _mm512_slli_epi16(odd, 8);
    return _mm512_mask_blend_epi8(0xaaaa'aaaa'aaaa'aaaa, even, odd);
  }
  /// The first count() of the 64 bytes from `from` on to every step-th byte from `to` on.
  template <bool odd_step>
  WEFT_ALWAYS_INLINE void scatter(char* to, const char* from) const {
    const __m512i dense = _mm512_loadu_si512(from);
    const __m512i even = pick(scatter_[0], dense);
    __m512i odd = pick(scatter_[1], dense);
    if constexpr (!odd_step) odd = _mm512_srli_epi16(odd, 8);
    _mm512_mask_storeu_epi8(to, mask_,
                            odd_step ? _mm512_mask_blend_epi8(0xaaaa'aaaa'aaaa'aaaa, even, odd)
                                     : _mm512_mask_blend_epi16(odd_, even, odd));
  }

 private:
  static WEFT_ALWAYS_INLINE __m512i pick(const std::uint16_t (&index)[32], __m512i words) {
    // The masked form: GCC 12 warns of its own undefined operand in the plain one.
    return _mm512_maskz_permutexvar_epi16(~0u, _mm512_load_si512(index), words);
  }

  std::int64_t count_;
  std::uint64_t mask_ = 0;  // bytes at a step
  std::uint32_t odd_ = 0;   // words that hold an element of odd index
  alignas(64) std::uint16_t gather_[2][32] = {};
  alignas(64) std::uint16_t scatter_[2][32] = {};
};

/// As gather_strided, of bytes. Returns how many elements it has done.
template <bool odd_step>
std::int64_t gather_bytes(char* __restrict to, const char* __restrict from, std::int64_t step,
                          std::int64_t n) {
  const BytesInRegister bytes(step);
  std::int64_t i = 0;
  for (; i + 64 <= n; i += bytes.count())
    store(to + i, bytes.gather<odd_step>(from + i * step));
  return i;
}

/// As scatter_strided, of bytes. Returns how many elements it has done.
template <bool odd_step>
std::int64_t scatter_bytes(char* __restrict to, std::int64_t step, const char* __restrict from,
                           std::int64_t n) {
  const BytesInRegister bytes(step);
  std::int64_t i = 0;
  for (; i + 64 <= n; i += bytes.count()) {
    _mm_prefetch(to + i * step + masked_store_ahead, _MM_HINT_T0);
    bytes.scatter<odd_step>(to + i * step, from + i);
  }
  return i;
}

/// Rows of few elements of T at a stride of `step` bytes, all within two registers: each row is two
/// loads, one permutation and one store.
template <class T>
struct ShortRows {
  static constexpr std::int64_t size = sizeof(T);
  static constexpr std::int64_t lanes = 64 / size;

  static bool fits(std::int64_t step, std::int64_t n) {
    constexpr std::int64_t least = 5;  // fewer are moved one by one as fast
    constexpr std::int64_t most = lanes < 16 ? lanes : 16;
    if constexpr (size == 1 || size > 8) return false;
    if (step == -size) return false;  // there are quicker ways
    const std::int64_t stride = step < 0 ? -step : step;
    return stride > 0 && stride % size == 0 && n >= least && n <= most &&
           (n - 1) * (stride / size) < 2 * lanes;
  }

  static void gather(char* __restrict to, std::int64_t t1, const char* __restrict from,
                     std::int64_t f1, std::int64_t step, std::int64_t n, std::int64_t rows) {
    if constexpr (size > 1 && size <= 8) {
      // Masked: nothing beyond the outermost elements may be touched.
      const std::int64_t last = (n - 1) * (step < 0 ? -step : step) / size;
      const std::uint32_t low = first(last + 1);
      const std::uint32_t high = first(last + 1 - lanes);
      const __m512i places = multiples(step / size, step < 0 ? last : 0);
      if (step < 0) from += (n - 1) * step;
      for (std::int64_t j = 0; j < rows; ++j) {
        store(to + j * t1, first(n),
              pick(load(from + j * f1, low), places, load(from + j * f1 + 64, high)));
      }
    }
  }

 private:
  /// A mask of the first `count` lanes of a register.
  static std::uint32_t first(std::int64_t count) {
    if (count <= 0) return 0;
    return count >= lanes ? static_cast<std::uint32_t>((std::uint64_t{1} << lanes) - 1)
                          : (std::uint32_t{1} << count) - 1;
  }
  /// start, start + step, start + 2 * step ... modulo two registers' lanes: the first n of them are
  /// within.
  static __m512i multiples(std::int64_t step, std::int64_t start) {
    if constexpr (size == 8) {
      return _mm512_add_epi64(
          _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(step)),
          _mm512_set1_epi64(start));
    } else if constexpr (size == 4) {
      return _mm512_add_epi32(_mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                                                   11, 12, 13, 14, 15),
                                                 _mm512_set1_epi32(static_cast<int>(step))),
                              _mm512_set1_epi32(static_cast<int>(start)));
    } else {
      const __m512i numbers = _mm512_cvtepu8_epi16(
          _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                           21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31));
      return _mm512_add_epi16(
          _mm512_mullo_epi16(numbers, _mm512_set1_epi16(static_cast<short>(step))),
          _mm512_set1_epi16(static_cast<short>(start)));
    }
  }
  static __m512i load(const char* from, std::uint32_t mask) {
    if constexpr (size == 8) return _mm512_maskz_loadu_epi64(static_cast<__mmask8>(mask), from);
    if constexpr (size == 4) return _mm512_maskz_loadu_epi32(static_cast<__mmask16>(mask), from);
    return _mm512_maskz_loadu_epi16(mask, from);
  }
  static void store(char* to, std::uint32_t mask, __m512i row) {
    if constexpr (size == 8) {
      _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(mask), row);
    } else if constexpr (size == 4) {
      _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(mask), row);
    } else {
      _mm512_mask_storeu_epi16(to, mask, row);
    }
  }
  static __m512i pick(__m512i low, __m512i places, __m512i high) {
    if constexpr (size == 8) return _mm512_permutex2var_epi64(low, places, high);
    if constexpr (size == 4) return _mm512_permutex2var_epi32(low, places, high);
    return _mm512_permutex2var_epi16(low, places, high);
  }
};
#else
template <class T>
struct ShortRows {
  static constexpr bool fits(std::int64_t, std::int64_t) { return false; }
  static void gather(char*, std::int64_t, const char*, std::int64_t, std::int64_t, std::int64_t,
                     std::int64_t) {}
};
#endif

/// gather_strided, or scatter_strided, by the quickest way for this step.
template <class T>
void gather_row(char* __restrict to, const char* __restrict from, std::int64_t step,
                std::int64_t n) {
  std::int64_t done = 0;
#if defined(__AVX512BW__)
  if constexpr (sizeof(T) == 1) {
    if (BytesInRegister::fits(step, n)) {
      done = step % 2 != 0 ? gather_bytes<true>(to, from, step, n)
                           : gather_bytes<false>(to, from, step, n);
    }
  } else if constexpr (sizeof(T) == 2) {
    if (RowsInRegister::fits(sizeof(T), step, n)) done = gather_rows(to, from, step, sizeof(T), n);
  }
#endif
  gather_strided<T>(to + done * static_cast<std::int64_t>(sizeof(T)), from + done * step, step,
                    n - done);
}
template <class T>
void scatter_row(char* __restrict to, std::int64_t step, const char* __restrict from,
                 std::int64_t n) {
  std::int64_t done = 0;
#if defined(__AVX512BW__)
  if constexpr (sizeof(T) == 1) {
    if (BytesInRegister::fits(step, n)) {
      done = step % 2 != 0 ? scatter_bytes<true>(to, step, from, n)
                           : scatter_bytes<false>(to, step, from, n);
    }
  } else if constexpr (sizeof(T) <= 4) {
    if (RowsInRegister::fits(sizeof(T), step, n)) done = scatter_rows(to, step, from, sizeof(T), n);
  }
#endif
  scatter_strided<T>(to + done * step, step, from + done * static_cast<std::int64_t>(sizeof(T)),
                     n - done);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
