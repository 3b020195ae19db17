// SPDX-License-Identifier: Apache-2.0
#include "plain_loops.hpp"

#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/vectorized.hpp>

namespace bench {
namespace {

struct Bytes16 {
  std::uint64_t low, high;
};
struct Complex {
  double re, im;
};
WEFT_ALWAYS_INLINE Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }

template <class T>
void copy_elements(void* to, std::int64_t to_stride, const void* from, std::int64_t from_stride,
                   std::int64_t n) {
  auto* __restrict out = static_cast<T*>(to);
  const auto* __restrict in = static_cast<const T*>(from);
  if (to_stride == 1 && from_stride == 1) {
    for (std::int64_t i = 0; i < n; ++i)
      out[i] = in[i];
  } else {
    for (std::int64_t i = 0; i < n; ++i)
      out[i * to_stride] = in[i * from_stride];
  }
}

template <class T>
void add_elements(void* to, const void* x, const void* y, std::int64_t stride, std::int64_t n) {
  auto* __restrict out = static_cast<T*>(to);
  const auto* __restrict a = static_cast<const T*>(x);
  const auto* __restrict b = static_cast<const T*>(y);
  if (stride == 1) {
    for (std::int64_t i = 0; i < n; ++i)
      out[i] = static_cast<T>(a[i] + b[i]);
  } else {
    for (std::int64_t i = 0; i < n; ++i)
      out[i] = static_cast<T>(a[i * stride] + b[i * stride]);
  }
}

template <class T>
void transpose_elements(void* to, const void* from, std::int64_t n) {
  auto* __restrict out = static_cast<T*>(to);
  const auto* __restrict in = static_cast<const T*>(from);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j)
      out[i * n + j] = in[j * n + i];
  }
}

WEFT_ALWAYS_INLINE float& at(char* base, std::int64_t stride_bytes, std::int64_t i) {
  return *reinterpret_cast<float*>(base + i * stride_bytes);
}

}  // namespace

void WEFT_KERNEL(add_rows)(float* out, const float* a, const float* b, std::int64_t rows,
                           std::int64_t n, std::int64_t pitch) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < n; ++i)
      out[row * pitch + i] = a[row * pitch + i] + b[row * pitch + i];
  }
}

void WEFT_KERNEL(copy_strided)(std::int64_t element_bytes, void* to, std::int64_t to_stride,
                               const void* from, std::int64_t from_stride, std::int64_t n) {
  switch (element_bytes) {
    case 1: return copy_elements<std::uint8_t>(to, to_stride, from, from_stride, n);
    case 2: return copy_elements<std::uint16_t>(to, to_stride, from, from_stride, n);
    case 4: return copy_elements<std::uint32_t>(to, to_stride, from, from_stride, n);
    case 8: return copy_elements<std::uint64_t>(to, to_stride, from, from_stride, n);
    default: return copy_elements<Bytes16>(to, to_stride, from, from_stride, n);
  }
}

void WEFT_KERNEL(add_strided)(std::int64_t element_bytes, void* out, const void* a, const void* b,
                              std::int64_t stride, std::int64_t n) {
  switch (element_bytes) {
    case 1: return add_elements<std::uint8_t>(out, a, b, stride, n);
    case 2: return add_elements<std::int16_t>(out, a, b, stride, n);
    case 4: return add_elements<float>(out, a, b, stride, n);
    case 8: return add_elements<double>(out, a, b, stride, n);
    default: return add_elements<Complex>(out, a, b, stride, n);
  }
}

void WEFT_KERNEL(transpose_square)(std::int64_t element_bytes, void* to, const void* from,
                                   std::int64_t n) {
  switch (element_bytes) {
    case 1: return transpose_elements<std::uint8_t>(to, from, n);
    case 2: return transpose_elements<std::uint16_t>(to, from, n);
    case 4: return transpose_elements<std::uint32_t>(to, from, n);
    case 8: return transpose_elements<std::uint64_t>(to, from, n);
    default: return transpose_elements<Bytes16>(to, from, n);
  }
}

void WEFT_KERNEL(add_loop)(char** data, const std::int64_t* strides_bytes, std::int64_t n) {
  if (strides_bytes[0] == 4 && strides_bytes[1] == 4 && strides_bytes[2] == 4) {
    auto* __restrict out = reinterpret_cast<float*>(data[0]);
    const auto* a = reinterpret_cast<const float*>(data[1]);
    const auto* b = reinterpret_cast<const float*>(data[2]);
    for (std::int64_t i = 0; i < n; ++i)
      out[i] = a[i] + b[i];
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      at(data[0], strides_bytes[0], i) =
          at(data[1], strides_bytes[1], i) + at(data[2], strides_bytes[2], i);
    }
  }
}

void WEFT_KERNEL(add3_loop)(char** data, const std::int64_t* strides_bytes, std::int64_t n) {
  if (strides_bytes[0] == 4 && strides_bytes[1] == 4 && strides_bytes[2] == 4 &&
      strides_bytes[3] == 4) {
    auto* __restrict out = reinterpret_cast<float*>(data[0]);
    const auto* a = reinterpret_cast<const float*>(data[1]);
    const auto* b = reinterpret_cast<const float*>(data[2]);
    const auto* c = reinterpret_cast<const float*>(data[3]);
    for (std::int64_t i = 0; i < n; ++i)
      out[i] = a[i] + b[i] + c[i];
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      at(data[0], strides_bytes[0], i) = at(data[1], strides_bytes[1], i) +
                                         at(data[2], strides_bytes[2], i) +
                                         at(data[3], strides_bytes[3], i);
    }
  }
}

void WEFT_KERNEL(add_kernel)(const weft::TensorIterator& iter) {
  weft::cpu_kernel(iter, [](float a, float b) -> float { return a + b; });
}

void WEFT_KERNEL(add3_kernel)(const weft::TensorIterator& iter) {
  weft::cpu_kernel(iter, [](float a, float b, float c) -> float { return a + b + c; });
}

float WEFT_KERNEL(plain_sum)(const float* from, std::int64_t n) {
  using V = weft::Vectorized<float>;
  constexpr std::int64_t lanes = V::lanes;
  V a(0.0F), b(0.0F), c(0.0F), d(0.0F), e(0.0F), f(0.0F), g(0.0F), h(0.0F);
  std::int64_t i = 0;
  for (; i + 8 * lanes <= n; i += 8 * lanes) {
    a += V::load(from + i);
    b += V::load(from + i + lanes);
    c += V::load(from + i + 2 * lanes);
    d += V::load(from + i + 3 * lanes);
    e += V::load(from + i + 4 * lanes);
    f += V::load(from + i + 5 * lanes);
    g += V::load(from + i + 6 * lanes);
    h += V::load(from + i + 7 * lanes);
  }
  float sum = weft::reduce_lanes(((a + b) + (c + d)) + ((e + f) + (g + h)),
                                 [](float x, float y) { return x + y; });
  for (; i < n; ++i)
    sum += from[i];
  return sum;
}

}  // namespace bench
