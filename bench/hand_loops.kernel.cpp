// SPDX-License-Identifier: Apache-2.0
#include "hand_loops.hpp"

#include <weft/base/export.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bench {
namespace {

#if defined(__AVX512F__)
constexpr std::int64_t width = 64;
#elif defined(__AVX2__)
constexpr std::int64_t width = 32;
#else
constexpr std::int64_t width = 16;
#endif

template <class T>
struct VectorOf {
  // The compilers' own vectors: arithmetic on one is one instruction.
  using Type [[gnu::vector_size(width)]] = T;
};
template <class T>
using Vector = typename VectorOf<T>::Type;
template <class T>
constexpr std::int64_t lanes = width / static_cast<std::int64_t>(sizeof(T));

template <class T>
WEFT_ALWAYS_INLINE Vector<T> load(const T* from) {
  Vector<T> v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

/// `to` is aligned to the vector's width where Stream.
template <bool Stream, class T>
WEFT_ALWAYS_INLINE void store(T* to, Vector<T> v) {
  if constexpr (Stream) {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i>(v));
    return;
#elif defined(__AVX2__)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(v));
    return;
#elif defined(__x86_64__)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to), reinterpret_cast<__m128i>(v));
    return;
#endif
  }
  __builtin_memcpy(to, &v, sizeof v);
}

WEFT_ALWAYS_INLINE void end_of_stream() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

struct Add {
  template <class V>
  WEFT_ALWAYS_INLINE V operator()(V a, V b) const {
    return a + b;
  }
};
struct Mul {
  template <class V>
  WEFT_ALWAYS_INLINE V operator()(V a, V b) const {
    return a * b;
  }
};
struct First {
  template <class V>
  WEFT_ALWAYS_INLINE V operator()(V a, V) const {
    return a;
  }
};

/// Scalars up to the first aligned vector of the output, then four vectors a turn. Where Op does
/// not look at b, b is a, and the compiler drops the second load.
template <class T, class Op, bool Stream>
void loop(T* out, const T* a, const T* b, std::int64_t n) {
  const Op op;
  std::int64_t i = 0;
  for (; i < n && reinterpret_cast<std::uintptr_t>(out + i) % width != 0; ++i)
    out[i] = op(a[i], b[i]);
  for (; i + 4 * lanes<T> <= n; i += 4 * lanes<T>) {
    const Vector<T> v0 = op(load(a + i), load(b + i));
    const Vector<T> v1 = op(load(a + i + lanes<T>), load(b + i + lanes<T>));
    const Vector<T> v2 = op(load(a + i + 2 * lanes<T>), load(b + i + 2 * lanes<T>));
    const Vector<T> v3 = op(load(a + i + 3 * lanes<T>), load(b + i + 3 * lanes<T>));
    store<Stream>(out + i, v0);
    store<Stream>(out + i + lanes<T>, v1);
    store<Stream>(out + i + 2 * lanes<T>, v2);
    store<Stream>(out + i + 3 * lanes<T>, v3);
  }
  for (; i < n; ++i)
    out[i] = op(a[i], b[i]);
  if constexpr (Stream) end_of_stream();
}

template <class T, class Op>
void choose(bool stream, void* out, const void* a, const void* b, std::int64_t n) {
  auto* to = static_cast<T*>(out);
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  stream ? loop<T, Op, true>(to, x, y, n) : loop<T, Op, false>(to, x, y, n);
}

}  // namespace

void WEFT_KERNEL(hand_loop)(HandOp op, bool stream, void* out, const void* a, const void* b,
                            std::int64_t n) {
  switch (op) {
    case HandOp::add_f32: return choose<float, Add>(stream, out, a, b, n);
    case HandOp::add_f64: return choose<double, Add>(stream, out, a, b, n);
    // Unsigned, so that overflow wraps.
    case HandOp::mul_i32: return choose<std::uint32_t, Mul>(stream, out, a, b, n);
    case HandOp::copy_f32: return choose<float, First>(stream, out, a, a, n);
  }
}

}  // namespace bench
