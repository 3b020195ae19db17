// SPDX-License-Identifier: Apache-2.0
// Blocks of elements from one pair of strides to another, by element size. Three ways: rows that both
// sides hold densely, transposes (each side dense along another dim), and anything else element by
// element.
#include "kernels/stage/stage.hpp"

namespace weft::inline v0 {
namespace {

struct Bytes16 {
  std::uint64_t words[2];
};
struct Bytes32 {
  std::uint64_t words[4];
};

template <class T>
WEFT_ALWAYS_INLINE T load(const char* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
WEFT_ALWAYS_INLINE void store(char* to, T value) {
  __builtin_memcpy(to, &value, sizeof(T));
}

#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX2__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif
constexpr std::int64_t line_bytes = 64;

/// Lanes of the vectors that transpose T: a square of as many registers as each has lanes.
template <class T>
constexpr int lanes = register_bytes / sizeof(T) < 16 ? register_bytes / sizeof(T) : 16;

template <class T, int N>
struct VectorOf {
  typedef T Type __attribute__((vector_size(N * sizeof(T))));
};

/// a0 b0 a1 b1 ... of the lower (or upper) halves of a and b.
template <bool upper, class V, std::size_t... I>
WEFT_ALWAYS_INLINE V interleave(V a, V b, std::index_sequence<I...>) {
  constexpr std::size_t n = sizeof...(I);
  return __builtin_shufflevector(a, b, ((I & 1) * n + I / 2 + (upper ? n / 2 : 0))...);
}

/// Transposes N x N elements. Interleaving row i with row i + N/2, for all i, moves one bit of the row
/// number into the column number; after log2(N) rounds they have changed places.
template <class T>
WEFT_ALWAYS_INLINE void transpose_square(char* to, std::int64_t to_step, const char* from,
                                         std::int64_t from_step) {
  constexpr int n = lanes<T>;
  using V = typename VectorOf<T, n>::Type;
  V rows[n], next[n];
  for (int i = 0; i < n; ++i)
    rows[i] = load<V>(from + i * from_step);
  for (int round = 1; round < n; round *= 2) {
    for (int i = 0; i < n / 2; ++i) {
      next[2 * i] = interleave<false>(rows[i], rows[i + n / 2], std::make_index_sequence<n>());
      next[2 * i + 1] = interleave<true>(rows[i], rows[i + n / 2], std::make_index_sequence<n>());
    }
    for (int i = 0; i < n; ++i)
      rows[i] = next[i];
  }
  for (int i = 0; i < n; ++i)
    store(to + i * to_step, rows[i]);
}

/// One element at a time. Not vectorised: gathering lanes one by one gains nothing over plain moves, and
/// blocks are often too small to pay for setting it up.
template <class T>
#if !defined(__clang__)
__attribute__((optimize("no-tree-vectorize")))
#endif
void copy_elements(char* to, std::int64_t t0, std::int64_t t1, const char* from, std::int64_t f0,
                   std::int64_t f1, std::int64_t n0, std::int64_t n1) {
  for (std::int64_t j = 0; j < n1; ++j) {
    for (std::int64_t i = 0; i < n0; ++i)
      store(to + j * t1 + i * t0, load<T>(from + j * f1 + i * f0));
  }
}

/// `to` dense along i, `from` dense along j. Squares of a cache line by a cache line: every line of
/// either side is used up before it is left, whatever the leading dimensions are.
template <class T>
void transpose(char* __restrict to, std::int64_t t1, const char* __restrict from, std::int64_t f0,
               std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  if constexpr (size == 16) {
    copy_elements<T>(to, size, t1, from, f0, size, n0, n1);
  } else {
    constexpr std::int64_t n = lanes<T>;
    constexpr std::int64_t line = line_bytes / size;
    const std::int64_t whole0 = n0 / n * n;
    const std::int64_t whole1 = n1 / n * n;
    for (std::int64_t j = 0; j < whole1; j += line) {
      const std::int64_t j_end = j + line < whole1 ? j + line : whole1;
      for (std::int64_t i = 0; i < whole0; i += line) {
        const std::int64_t i_end = i + line < whole0 ? i + line : whole0;
        for (std::int64_t ii = i; ii < i_end; ii += n) {
          for (std::int64_t jj = j; jj < j_end; jj += n)
            transpose_square<T>(to + jj * t1 + ii * size, t1, from + ii * f0 + jj * size, f0);
        }
      }
    }
    if (whole0 < n0)
      copy_elements<T>(to + whole0 * size, size, t1, from + whole0 * f0, f0, size, n0 - whole0,
                       whole1);
    if (whole1 < n1)
      copy_elements<T>(to + whole1 * t1, size, t1, from + whole1 * size, f0, size, n0, n1 - whole1);
  }
}

/// Every Step-th element of a row. With the step known, the compiler loads whole vectors and picks
/// lanes out of them.
template <class T, int Step>
void copy_spaced(char* __restrict to, std::int64_t t1, const char* __restrict from, std::int64_t f1,
                 std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  for (std::int64_t j = 0; j < n1; ++j) {
    for (std::int64_t i = 0; i < n0; ++i)
      store(to + j * t1 + i * size, load<T>(from + j * f1 + i * Step * size));
  }
}

/// Rows of `bytes` bytes, from sizeof(V) to twice that: two moves a row, which overlap in the middle.
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

/// Rows that both sides hold densely.
void copy_rows(char* __restrict to, std::int64_t t1, const char* __restrict from, std::int64_t f1,
               std::int64_t bytes, std::int64_t n1) {
  if (bytes > 64) {
    for (std::int64_t j = 0; j < n1; ++j)
      __builtin_memcpy(to + j * t1, from + j * f1, static_cast<std::size_t>(bytes));
  } else if (bytes >= 32) {
    copy_short_rows<Bytes32>(to, t1, from, f1, bytes, n1);
  } else if (bytes >= 16) {
    copy_short_rows<Bytes16>(to, t1, from, f1, bytes, n1);
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

template <class T>
void copy_block(char* __restrict to, std::int64_t t0, std::int64_t t1, const char* __restrict from,
                std::int64_t f0, std::int64_t f1, std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  if (t0 == size && f0 == size) {
    copy_rows(to, t1, from, f1, n0 * size, n1);
  } else if (t0 == size && f1 == size && n0 >= lanes<T> && n1 >= lanes<T>) {
    transpose<T>(to, t1, from, f0, n0, n1);
  } else if (t1 == size && f0 == size && n0 >= lanes<T> && n1 >= lanes<T>) {
    transpose<T>(to, t0, from, f1, n1, n0);
  } else if (t0 == size && f0 == 2 * size) {
    copy_spaced<T, 2>(to, t1, from, f1, n0, n1);
  } else if (t0 == size && f0 == 3 * size) {
    copy_spaced<T, 3>(to, t1, from, f1, n0, n1);
  } else if (t0 == size && f0 == 4 * size) {
    copy_spaced<T, 4>(to, t1, from, f1, n0, n1);
  } else if (t0 == size) {
    copy_elements<T>(to, size, t1, from, f0, f1, n0, n1);
  } else {
    copy_elements<T>(to, t0, t1, from, f0, f1, n0, n1);
  }
}

}  // namespace

CopyBlockFn WEFT_KERNEL(copy_block_kernel)(std::int64_t element_bytes) {
  switch (element_bytes) {
    case 1: return &copy_block<std::uint8_t>;
    case 2: return &copy_block<std::uint16_t>;
    case 4: return &copy_block<std::uint32_t>;
    case 8: return &copy_block<std::uint64_t>;
    default: return &copy_block<Bytes16>;
  }
}

}  // namespace weft::inline v0
