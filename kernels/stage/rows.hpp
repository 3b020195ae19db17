// SPDX-License-Identifier: Apache-2.0
/// @file
/// Copying rows that are dense on both sides: long, short, repeated, or with few bytes between
/// them.
#pragma once

#include <weft/kernel/detail/stream_store.hpp>

#include "kernels/stage/moves.hpp"

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Rows of sizeof(V) to 2 * sizeof(V) bytes: two moves a row, which overlap in the middle.
template <class V>
void copy_short_rows(char* __restrict to, std::int64_t t1, const char* __restrict from,
                     std::int64_t f1, std::int64_t bytes, std::int64_t n1) {
  const std::int64_t second = bytes - static_cast<std::int64_t>(sizeof(V));
  for (std::int64_t j = 0; j < n1; ++j) {
    const V head = load<V>(from + j * f1);
    const V tail = load<V>(from + j * f1 + second);
    store(to + j * t1, head);
    store(to + j * t1 + second, tail);
  }
}

/// Rows of more than 64 bytes: whole registers, the last one overlapping. Not the C library's
/// memcpy: a call costs as much as a short row, and of 256 KiB this loop copies 1.4 times as many
/// in a time.
inline void copy_medium_rows(char* __restrict to, std::int64_t t1, const char* __restrict from,
                             std::int64_t f1, std::int64_t bytes, std::int64_t n1) {
  using V = Bytes<64>;
  for (std::int64_t j = 0; j < n1; ++j) {
    char* t = to + j * t1;
    const char* f = from + j * f1;
    std::int64_t i = 0;
    for (; i + 256 < bytes; i += 256) {
      WEFT_UNROLLED
      for (int part = 0; part < 256; part += 64)
        store(t + i + part, load<V>(f + i + part));
    }
    for (; i + 64 < bytes; i += 64)
      store(t + i, load<V>(f + i));
    store(t + bytes - 64, load<V>(f + bytes - 64));
  }
}

/// Rows, of at most sizeof(V) bytes, to be written one after the other: one move a row, of which
/// the surplus is overwritten by the next. Never touches anything outside the first and the last
/// row. Returns how many rows it has done.
template <class V>
std::int64_t pack_short_rows(char* __restrict to, const char* __restrict from, std::int64_t f1,
                             std::int64_t bytes, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(V);
  // Row j may be moved whole if the rows after it reach as far on both sides.
  const std::int64_t least = f1 < bytes ? f1 : bytes;
  const std::int64_t behind = (size - bytes + least - 1) / least;
  const std::int64_t safe = n1 - behind;
  for (std::int64_t j = 0; j < safe; ++j)
    store(to + j * bytes, load<V>(from + j * f1));
  return safe > 0 ? safe : 0;
}

/// Copies up to 64 bytes, by at most two moves that overlap.
inline void copy_few_bytes(char* __restrict to, const char* __restrict from, std::int64_t bytes) {
  if (bytes >= 32) {
    copy_short_rows<Bytes<32>>(to, 0, from, 0, bytes, 1);
  } else if (bytes >= 16) {
    copy_short_rows<Bytes<16>>(to, 0, from, 0, bytes, 1);
  } else if (bytes >= 8) {
    copy_short_rows<std::uint64_t>(to, 0, from, 0, bytes, 1);
  } else if (bytes >= 4) {
    copy_short_rows<std::uint32_t>(to, 0, from, 0, bytes, 1);
  } else if (bytes >= 2) {
    copy_short_rows<std::uint16_t>(to, 0, from, 0, bytes, 1);
  } else if (bytes == 1) {
    *to = *from;
  }
}

/// One row of at most sizeof(V) bytes, over and over, to consecutive places: one store a row, of
/// which the surplus is overwritten by the next.
template <class V>
void repeat_short_row(char* __restrict to, const char* __restrict from, std::int64_t bytes,
                      std::int64_t n1) {
  char padded[sizeof(V)] = {};
  copy_few_bytes(padded, from, bytes);
  const V row = load<V>(padded);
  const std::int64_t size = sizeof(V);
  const std::int64_t total = bytes * n1;
  std::int64_t i = 0;
  for (; i + size <= total; i += bytes)
    store(to + i, row);
  for (; i < total; i += bytes)
    copy_few_bytes(to + i, padded, bytes);
}

/// One row of less than 16 bytes, over and over, to consecutive places: whole registers, each read
/// from the phase of the pattern that it begins in.
inline void repeat_pattern(char* __restrict to, const char* __restrict from, std::int64_t bytes,
                           std::int64_t n1) {
  using V = Bytes<64>;
  using Part = Bytes<16>;
  char part[16];
  copy_few_bytes(part, from, bytes);
  for (std::int64_t i = bytes; i < 16; ++i)
    part[i] = part[i - bytes];
  char pattern[128 + sizeof(Part)];
  const std::int64_t whole = 16 / bytes * bytes;
  for (std::int64_t i = 0; i < 128; i += whole)
    store(pattern + i, load<Part>(part));
  const std::int64_t total = bytes * n1;
  const std::int64_t advance = 64 % bytes;
  std::int64_t phase = 0;
  std::int64_t i = 0;
  for (; i + 64 <= total; i += 64) {
    store(to + i, load<V>(pattern + phase));
    phase += advance;
    phase -= phase >= bytes ? bytes : 0;
  }
  copy_few_bytes(to + i, pattern + phase, total - i);
}

/// One row of `bytes` bytes, over and over, to consecutive places.
inline void repeat_row(char* __restrict to, const char* __restrict from, std::int64_t bytes,
                       std::int64_t n1) {
  if (bytes < 16 && n1 >= 32) {
    repeat_pattern(to, from, bytes, n1);
  } else if (bytes <= 16) {
    repeat_short_row<Bytes<16>>(to, from, bytes, n1);
  } else if (bytes <= 32) {
    repeat_short_row<Bytes<32>>(to, from, bytes, n1);
  } else if (bytes <= 64) {
    repeat_short_row<Bytes<64>>(to, from, bytes, n1);
  } else {
    copy_medium_rows(to, bytes, from, 0, bytes, n1);
  }
}

#if defined(__AVX512BW__)
/// Rows of an even number of bytes, several to a register: which 16-bit words of 64 bytes at a
/// pitch of `step` belong to the rows.
struct RowsInRegister {
  RowsInRegister(std::int64_t bytes, std::int64_t step) : count((64 - bytes) / step + 1) {
    for (std::int64_t row = 0; row < count; ++row) {
      for (std::int64_t word = 0; word < bytes / 2; ++word) {
        const std::int64_t dense = row * (bytes / 2) + word;
        const std::int64_t strided = row * (step / 2) + word;
        gather[dense] = static_cast<std::uint16_t>(strided);
        scatter[strided] = static_cast<std::uint16_t>(dense);
        mask |= std::uint32_t{1} << strided;
      }
    }
  }
  static bool fits(std::int64_t bytes, std::int64_t step, std::int64_t n1) {
    return step > bytes && step <= 32 && bytes + step <= 64 && (bytes | step) % 2 == 0 && n1 >= 32;
  }

  std::int64_t count;  // rows
  std::uint32_t mask = 0;
  alignas(64) std::uint16_t gather[32] = {};
  alignas(64) std::uint16_t scatter[32] = {};
};

/// From a pitch of `step` bytes to consecutive places. Returns how many rows it has done.
inline std::int64_t gather_rows(char* __restrict to, const char* __restrict from, std::int64_t step,
                                std::int64_t bytes, std::int64_t n1) {
  const RowsInRegister rows(bytes, step);
  const __m512i index = _mm512_load_si512(rows.gather);
  // 64 bytes from and to row j on must lie within the rows.
  const std::int64_t last_from = n1 - 1 - (64 - bytes + step - 1) / step;
  const std::int64_t last_to = n1 - (64 + bytes - 1) / bytes;
  const std::int64_t last = last_from < last_to ? last_from : last_to;
  std::int64_t j = 0;
  for (; j <= last; j += rows.count) {
    const __m512i strided = _mm512_loadu_si512(from + j * step);
    _mm512_storeu_si512(to + j * bytes, _mm512_maskz_permutexvar_epi16(~0u, index, strided));
  }
  return j;
}

/// Bytes ahead of masked stores that lines are asked for: those of which a part is written are
/// fetched when the store is due, and no sooner.
inline constexpr std::int64_t masked_store_ahead = 1024;

/// From consecutive places to a pitch of `step` bytes; what lies between the rows is not written.
inline std::int64_t scatter_rows(char* __restrict to, std::int64_t step,
                                 const char* __restrict from, std::int64_t bytes, std::int64_t n1) {
  const RowsInRegister rows(bytes, step);
  const __m512i index = _mm512_load_si512(rows.scatter);
  const std::int64_t last_from = n1 - (64 + bytes - 1) / bytes;
  const std::int64_t last_to = n1 - rows.count;
  const std::int64_t last = last_from < last_to ? last_from : last_to;
  std::int64_t j = 0;
  for (; j <= last; j += rows.count) {
    const __m512i dense = _mm512_loadu_si512(from + j * bytes);
    _mm_prefetch(to + j * step + masked_store_ahead, _MM_HINT_T0);
    _mm512_mask_storeu_epi16(to + j * step, rows.mask,
                             _mm512_maskz_permutexvar_epi16(~0u, index, dense));
  }
  return j;
}
#endif

/// Rows of `bytes` bytes, t1 and f1 bytes from each other.
inline void copy_rows(char* __restrict to, std::int64_t t1, const char* __restrict from,
                      std::int64_t f1, std::int64_t bytes, std::int64_t n1) {
  std::int64_t done = 0;
  if (t1 == bytes && f1 == 0) {
    repeat_row(to, from, bytes, n1);
    return;
  }
#if defined(__AVX512BW__)
  if (t1 == bytes && RowsInRegister::fits(bytes, f1, n1)) {
    done = gather_rows(to, from, f1, bytes, n1);
  } else if (f1 == bytes && RowsInRegister::fits(bytes, t1, n1)) {
    done = scatter_rows(to, t1, from, bytes, n1);
  } else
#endif
      if (t1 == bytes && f1 > 0 && bytes >= 4 && bytes <= 64) {
    done = bytes <= 8    ? pack_short_rows<std::uint64_t>(to, from, f1, bytes, n1)
           : bytes <= 16 ? pack_short_rows<Bytes<16>>(to, from, f1, bytes, n1)
           : bytes <= 32 ? pack_short_rows<Bytes<32>>(to, from, f1, bytes, n1)
                         : pack_short_rows<Bytes<64>>(to, from, f1, bytes, n1);
  }
  to += done * t1;
  from += done * f1;
  n1 -= done;
  if (bytes > 64) {
    copy_medium_rows(to, t1, from, f1, bytes, n1);
  } else if (n1 == 1) {
    copy_few_bytes(to, from, bytes);
  } else if (bytes >= 32) {
    copy_short_rows<Bytes<32>>(to, t1, from, f1, bytes, n1);
  } else if (bytes >= 16) {
    copy_short_rows<Bytes<16>>(to, t1, from, f1, bytes, n1);
  } else if (bytes >= 8) {
    copy_short_rows<std::uint64_t>(to, t1, from, f1, bytes, n1);
  } else if (bytes >= 4) {
    copy_short_rows<std::uint32_t>(to, t1, from, f1, bytes, n1);
  } else if (bytes >= 2) {
    copy_short_rows<std::uint16_t>(to, t1, from, f1, bytes, n1);
  } else {
    copy_short_rows<std::uint8_t>(to, t1, from, f1, bytes, n1);
  }
}

/// Rows of `bytes` bytes by non-temporal stores: whole lines of `to`, whatever surrounds them as
/// usual.
inline void stream_rows(char* __restrict to, std::int64_t t1, const char* __restrict from,
                        std::int64_t f1, std::int64_t bytes, std::int64_t n1) {
  using V = Bytes<register_bytes>::Part;
  for (std::int64_t j = 0; j < n1; ++j) {
    char* t = to + j * t1;
    const char* f = from + j * f1;
    const auto misaligned =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(t) % line_bytes);
    std::int64_t i = misaligned == 0 ? 0 : line_bytes - misaligned;
    i = i < bytes ? i : bytes;
    copy_few_bytes(t, f, i);
    for (; i + line_bytes <= bytes; i += line_bytes) {
      for (std::int64_t r = 0; r < line_bytes; r += register_bytes)
        stream(t + i + r, load<V>(f + i + r));
    }
    copy_few_bytes(t + i, f + i, bytes - i);
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
