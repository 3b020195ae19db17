// SPDX-License-Identifier: Apache-2.0
/// @file
/// Loads and stores of one value or one register, for the staging kernels.
#pragma once

#include <weft/base/export.hpp>
#include <weft/machine/level.hpp>

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

#if defined(__AVX512BW__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif
inline constexpr std::int64_t line_bytes = 64;

/// A register of N elements of T.
template <class T, int N>
struct VectorOf {
  typedef T Type __attribute__((vector_size(N * sizeof(T))));
};
/// N bytes that are moved as one, in as few registers as the level needs.
template <int N>
struct Bytes {
  static constexpr int part = N < register_bytes ? N : register_bytes;
  static constexpr int count = N / part;
  using Part = typename VectorOf<std::uint8_t, part>::Type;
  Part parts[count];
};
template <class T>
inline constexpr bool is_bytes = false;
template <int N>
inline constexpr bool is_bytes<Bytes<N>> = true;

/// An element of 16 bytes.
struct Pair {
  std::uint64_t words[2];
};

/// From any address. Register by register: of a structure, compilers make moves of 16 bytes.
template <class T>
WEFT_ALWAYS_INLINE T load(const char* from) {
  if constexpr (is_bytes<T>) {
    T value;
    WEFT_UNROLLED
    for (int i = 0; i < T::count; ++i)
      value.parts[i] = load<typename T::Part>(from + i * T::part);
    return value;
  } else {
    T value;
    __builtin_memcpy(&value, from, sizeof(T));
    return value;
  }
}
/// To any address.
template <class T>
WEFT_ALWAYS_INLINE void store(char* to, const T& value) {
  if constexpr (is_bytes<T>) {
    WEFT_UNROLLED
    for (int i = 0; i < T::count; ++i)
      store(to + i * T::part, value.parts[i]);
  } else {
    __builtin_memcpy(to, &value, sizeof(T));
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
