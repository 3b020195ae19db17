// SPDX-License-Identifier: Apache-2.0
// Dense from strided and back, by element size. Four ways: rows (dim 0 dense), columns (dim 1
// dense: a transpose), one value a row, and anything else. Rows and columns are plain loops over
// elements of fixed size, which the compiler vectorises.
#include "kernels/stage/stage.hpp"

namespace weft::inline v0 {
namespace {

struct Bytes16 {
  std::uint64_t low, high;
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

constexpr std::int64_t line_bytes = 64;

template <class T>
void pack(char* __restrict dense, const char* __restrict strided, std::int64_t s0, std::int64_t s1,
          std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  if (s0 == size) {
    for (std::int64_t j = 0; j < n1; ++j) {
      for (std::int64_t i = 0; i < n0; ++i)
        store(dense + (j * n0 + i) * size, load<T>(strided + j * s1 + i * size));
    }
  } else if (s1 == size) {
    // Reads follow memory for a cache line's worth of columns; the scattered writes stay in the
    // buffer.
    constexpr std::int64_t block = line_bytes / size;
    for (std::int64_t j = 0; j < n1; j += block) {
      const std::int64_t columns = n1 - j < block ? n1 - j : block;
      for (std::int64_t i = 0; i < n0; ++i) {
        const char* from = strided + j * size + i * s0;
        char* to = dense + (j * n0 + i) * size;
        if (columns == block) {
          for (std::int64_t c = 0; c < block; ++c)
            store(to + c * n0 * size, load<T>(from + c * size));
        } else {
          for (std::int64_t c = 0; c < columns; ++c)
            store(to + c * n0 * size, load<T>(from + c * size));
        }
      }
    }
  } else if (s0 == 0) {
    for (std::int64_t j = 0; j < n1; ++j) {
      const T value = load<T>(strided + j * s1);
      for (std::int64_t i = 0; i < n0; ++i)
        store(dense + (j * n0 + i) * size, value);
    }
  } else {
    for (std::int64_t j = 0; j < n1; ++j) {
      for (std::int64_t i = 0; i < n0; ++i)
        store(dense + (j * n0 + i) * size, load<T>(strided + j * s1 + i * s0));
    }
  }
}

template <class T>
void unpack(char* __restrict strided, const char* __restrict dense, std::int64_t s0,
            std::int64_t s1, std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  if (s0 == size) {
    for (std::int64_t j = 0; j < n1; ++j) {
      for (std::int64_t i = 0; i < n0; ++i)
        store(strided + j * s1 + i * size, load<T>(dense + (j * n0 + i) * size));
    }
  } else if (s1 == size) {
    constexpr std::int64_t block = line_bytes / size;
    for (std::int64_t j = 0; j < n1; j += block) {
      const std::int64_t columns = n1 - j < block ? n1 - j : block;
      for (std::int64_t i = 0; i < n0; ++i) {
        char* to = strided + j * size + i * s0;
        const char* from = dense + (j * n0 + i) * size;
        for (std::int64_t c = 0; c < columns; ++c)
          store(to + c * size, load<T>(from + c * n0 * size));
      }
    }
  } else {
    for (std::int64_t j = 0; j < n1; ++j) {
      for (std::int64_t i = 0; i < n0; ++i)
        store(strided + j * s1 + i * s0, load<T>(dense + (j * n0 + i) * size));
    }
  }
}

}  // namespace

PackFn WEFT_KERNEL(pack_kernel)(std::int64_t element_bytes) {
  switch (element_bytes) {
    case 1: return &pack<std::uint8_t>;
    case 2: return &pack<std::uint16_t>;
    case 4: return &pack<std::uint32_t>;
    case 8: return &pack<std::uint64_t>;
    default: return &pack<Bytes16>;
  }
}

UnpackFn WEFT_KERNEL(unpack_kernel)(std::int64_t element_bytes) {
  switch (element_bytes) {
    case 1: return &unpack<std::uint8_t>;
    case 2: return &unpack<std::uint16_t>;
    case 4: return &unpack<std::uint32_t>;
    case 8: return &unpack<std::uint64_t>;
    default: return &unpack<Bytes16>;
  }
}

}  // namespace weft::inline v0
