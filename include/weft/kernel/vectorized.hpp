// SPDX-License-Identifier: Apache-2.0
/// @file
/// SIMD values for kernels, 64 bytes wide at every level. No public header but this and its like
/// needs xsimd.
#pragma once

#include <weft/base/export.hpp>
#include <weft/kernel/detail/held.hpp>
#include <weft/kernel/detail/span_loop.hpp>
#include <weft/kernel/detail/vectorized_tail.hpp>
#include <weft/kernel/scalar_math.hpp>
#include <weft/machine/level.hpp>

#include <xsimd/xsimd.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

template <class T>
class Mask;

/// The bits of a batch as elements of another type of the same size. xsimd::bitwise_cast names the
/// batch in 8.1, and its element type in newer versions.
template <class To, class From>
WEFT_ALWAYS_INLINE xsimd::batch<To> bits_as(const xsimd::batch<From>& x) noexcept {
  if constexpr (requires {
                  { xsimd::bitwise_cast<To>(x) } -> std::same_as<xsimd::batch<To>>;
                }) {
    return xsimd::bitwise_cast<To>(x);
  } else {
    return xsimd::bitwise_cast<xsimd::batch<To>>(x);
  }
}

/// a / b and the square root of a, rounded once. What xsimd has for f32 on AArch64 are estimates
/// and two steps of Newton's.
template <class T>
WEFT_ALWAYS_INLINE xsimd::batch<T> quotient_of(const xsimd::batch<T>& a,
                                               const xsimd::batch<T>& b) noexcept {
#if defined(__aarch64__)
  if constexpr (std::is_same_v<T, float>) return vdivq_f32(a, b);
#endif
  return a / b;
}
template <class T>
WEFT_ALWAYS_INLINE xsimd::batch<T> root_of(const xsimd::batch<T>& a) noexcept {
#if defined(__aarch64__)
  if constexpr (std::is_same_v<T, float>) return vsqrtq_f32(a);
#endif
  return xsimd::sqrt(a);
}

/// 64 bytes of T: 16 floats, 8 doubles, 64 bytes. At every level the same number of lanes, in one,
/// two or four registers, so that what is computed by lanes (a reduction) does not depend on the
/// level. Lanes never influence each other.
///
/// A thin layer over xsimd::batch that also mends what old versions get wrong: `!=` is true for
/// NaN, -x keeps the sign of zero, fma() is fused wherever the level has FMA, min() and max()
/// propagate NaN.
template <class T>
class Vectorized {
 public:
  static_assert(VectorElement<T>);
  using Batch = xsimd::batch<T>;
  static constexpr int lanes = static_cast<int>(64 / sizeof(T));
  static constexpr int width = static_cast<int>(Batch::size);
  static constexpr int registers = lanes / width;

  Vectorized() = default;
  WEFT_ALWAYS_INLINE Vectorized(
      T value) noexcept {  // NOLINT(google-explicit-constructor): 2 * x reads as with scalars
    WEFT_UNROLLED
    for (Batch& r : registers_)
      r = Batch(value);
  }

  /// Reads `lanes` elements; no alignment needed.
  WEFT_ALWAYS_INLINE static Vectorized load(const T* from) noexcept {
    Vectorized v;
    WEFT_UNROLLED
    for (int i = 0; i < registers; ++i)
      v.registers_[i] = Batch::load_unaligned(from + i * width);
    return v;
  }
  /// Reads the first `count` elements (0 <= count <= lanes); the other lanes are `fill`.
  WEFT_ALWAYS_INLINE static Vectorized load(const T* from, std::int64_t count, T fill) noexcept {
    if constexpr (FirstLanes<T>::by_mask) {
      Vectorized v;
      WEFT_UNROLLED
      for (int i = 0; i < registers; ++i)
        v.registers_[i] = FirstLanes<T>::load(from + i * width, count - i * width, Batch(fill));
      return v;
    } else {
      alignas(64) T all[std::size_t{lanes}];
      for (T& lane : all)
        lane = fill;
      for (std::int64_t i = 0; i < count; ++i)
        __builtin_memcpy(&all[i], from + i, sizeof(T));
      return load(all);
    }
  }
  WEFT_ALWAYS_INLINE void store(T* to) const noexcept {
    WEFT_UNROLLED
    for (int i = 0; i < registers; ++i)
      registers_[i].store_unaligned(to + i * width);
  }
  /// Writes the first `count` lanes.
  WEFT_ALWAYS_INLINE void store(T* to, std::int64_t count) const noexcept {
    if constexpr (FirstLanes<T>::by_mask) {
      WEFT_UNROLLED
      for (int i = 0; i < registers; ++i)
        FirstLanes<T>::store(to + i * width, count - i * width, registers_[i]);
    } else {
      alignas(64) T all[std::size_t{lanes}];
      store(all);
      for (std::int64_t i = 0; i < count; ++i)
        __builtin_memcpy(to + i, &all[i], sizeof(T));
    }
  }

  Batch& operator[](int i) noexcept { return registers_[i]; }
  const Batch& operator[](int i) const noexcept { return registers_[i]; }

  friend WEFT_ALWAYS_INLINE Vectorized operator+(const Vectorized& a,
                                                 const Vectorized& b) noexcept {
    return zip(a, b, [](const Batch& x, const Batch& y) { return x + y; });
  }
  friend WEFT_ALWAYS_INLINE Vectorized operator-(const Vectorized& a,
                                                 const Vectorized& b) noexcept {
    return zip(a, b, [](const Batch& x, const Batch& y) { return x - y; });
  }
  friend WEFT_ALWAYS_INLINE Vectorized operator*(const Vectorized& a,
                                                 const Vectorized& b) noexcept {
    return zip(a, b, [](const Batch& x, const Batch& y) { return times(x, y); });
  }
  friend WEFT_ALWAYS_INLINE Vectorized operator/(const Vectorized& a, const Vectorized& b) noexcept
    requires std::is_floating_point_v<T>
  {
    return zip(a, b, [](const Batch& x, const Batch& y) { return quotient_of(x, y); });
  }
  friend WEFT_ALWAYS_INLINE Vectorized operator-(const Vectorized& a) noexcept {
    if constexpr (std::is_floating_point_v<T>) {
      // xsimd 8's - is 0 - x with AVX-512, which loses the sign of zero.
      return map(a, [](const Batch& x) { return x ^ Batch(T(-0.0)); });
    } else {
      return map(a, [](const Batch& x) { return -x; });
    }
  }
  WEFT_ALWAYS_INLINE Vectorized& operator+=(const Vectorized& b) noexcept {
    return *this = *this + b;
  }
  WEFT_ALWAYS_INLINE Vectorized& operator-=(const Vectorized& b) noexcept {
    return *this = *this - b;
  }
  WEFT_ALWAYS_INLINE Vectorized& operator*=(const Vectorized& b) noexcept {
    return *this = *this * b;
  }
  WEFT_ALWAYS_INLINE Vectorized& operator/=(const Vectorized& b) noexcept
    requires std::is_floating_point_v<T>
  {
    return *this = *this / b;
  }

  friend WEFT_ALWAYS_INLINE Mask<T> operator==(const Vectorized& a, const Vectorized& b) noexcept {
    return compare(a, b, [](const Batch& x, const Batch& y) { return x == y; });
  }
  friend WEFT_ALWAYS_INLINE Mask<T> operator!=(const Vectorized& a, const Vectorized& b) noexcept {
    return compare(a, b, [](const Batch& x, const Batch& y) {
      return !(x == y);
    });  // xsimd 8's != is false for NaN
  }
  friend WEFT_ALWAYS_INLINE Mask<T> operator<(const Vectorized& a, const Vectorized& b) noexcept {
    return compare(a, b, [](const Batch& x, const Batch& y) { return x < y; });
  }
  friend WEFT_ALWAYS_INLINE Mask<T> operator<=(const Vectorized& a, const Vectorized& b) noexcept {
    return compare(a, b, [](const Batch& x, const Batch& y) { return x <= y; });
  }
  friend WEFT_ALWAYS_INLINE Mask<T> operator>(const Vectorized& a, const Vectorized& b) noexcept {
    return b < a;
  }
  friend WEFT_ALWAYS_INLINE Mask<T> operator>=(const Vectorized& a, const Vectorized& b) noexcept {
    return b <= a;
  }

  /// f(register) for each.
  template <class F>
  static WEFT_ALWAYS_INLINE Vectorized map(const Vectorized& a, F f) noexcept {
    Vectorized v;
    WEFT_UNROLLED
    for (int i = 0; i < registers; ++i)
      v.registers_[i] = f(a.registers_[i]);
    return v;
  }
  template <class F>
  static WEFT_ALWAYS_INLINE Vectorized zip(const Vectorized& a, const Vectorized& b, F f) noexcept {
    Vectorized v;
    WEFT_UNROLLED
    for (int i = 0; i < registers; ++i)
      v.registers_[i] = f(a.registers_[i], b.registers_[i]);
    return v;
  }
  template <class F>
  static WEFT_ALWAYS_INLINE Mask<T> compare(const Vectorized& a, const Vectorized& b,
                                            F f) noexcept {
    Mask<T> m;
    WEFT_UNROLLED
    for (int i = 0; i < registers; ++i)
      m[i] = f(a.registers_[i], b.registers_[i]);
    return m;
  }

 private:
  static WEFT_ALWAYS_INLINE Batch times(const Batch& x, const Batch& y) noexcept {
    if constexpr (std::is_floating_point_v<T>) {
      return x * y;
    } else {
      // Modulo 2^bits. Where there is no instruction, xsimd 8 multiplies lanes as signed integers,
      // whose overflow is undefined.
      using Modular = std::conditional_t<sizeof(T) < 4, std::uint32_t, std::make_unsigned_t<T>>;
      alignas(64) T a[std::size_t{width}], b[std::size_t{width}];
      x.store_aligned(a);
      y.store_aligned(b);
      for (int i = 0; i < width; ++i)
        a[i] = static_cast<T>(static_cast<Modular>(a[i]) * static_cast<Modular>(b[i]));
      return Batch::load_aligned(a);
    }
  }

  Batch registers_[std::size_t{registers}];
};

/// One truth value per lane of a Vectorized<T>.
template <class T>
class Mask {
 public:
  using Batch = typename xsimd::batch<T>::batch_bool_type;
  static constexpr int registers = Vectorized<T>::registers;

  Batch& operator[](int i) noexcept { return registers_[i]; }
  const Batch& operator[](int i) const noexcept { return registers_[i]; }

  friend WEFT_ALWAYS_INLINE Mask operator&(const Mask& a, const Mask& b) noexcept {
    Mask m;
    WEFT_UNROLLED
    for (int i = 0; i < registers; ++i)
      m[i] = a[i] & b[i];
    return m;
  }
  friend WEFT_ALWAYS_INLINE Mask operator|(const Mask& a, const Mask& b) noexcept {
    Mask m;
    WEFT_UNROLLED
    for (int i = 0; i < registers; ++i)
      m[i] = a[i] | b[i];
    return m;
  }
  friend WEFT_ALWAYS_INLINE Mask operator!(const Mask& a) noexcept {
    Mask m;
    WEFT_UNROLLED
    for (int i = 0; i < registers; ++i)
      m[i] = !a[i];
    return m;
  }

 private:
  Batch registers_[std::size_t{registers}];
};

/// mask ? a : b, lane by lane.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> select(const Mask<T>& mask, const Vectorized<T>& a,
                                        const Vectorized<T>& b) noexcept {
  Vectorized<T> v;
  WEFT_UNROLLED
  for (int i = 0; i < Vectorized<T>::registers; ++i)
    v[i] = xsimd::select(mask[i], a[i], b[i]);
  return v;
}

// One side may be a number.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> select(const Mask<T>& mask, const Vectorized<T>& a,
                                        std::type_identity_t<T> b) noexcept {
  return select(mask, a, Vectorized<T>(b));
}
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> select(const Mask<T>& mask, std::type_identity_t<T> a,
                                        const Vectorized<T>& b) noexcept {
  return select(mask, Vectorized<T>(a), b);
}

/// The larger; NaN if either is.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> max(const Vectorized<T>& a, const Vectorized<T>& b) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    // a > b ? a : b gives b where either is NaN, so only a NaN in a is lost.
    return select(a != a, a, select(a > b, a, b));
  } else {
    return select(a > b, a, b);
  }
}
/// The smaller; NaN if either is.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> min(const Vectorized<T>& a, const Vectorized<T>& b) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    return select(a != a, a, select(a < b, a, b));
  } else {
    return select(a < b, a, b);
  }
}

// Of a number and a vector.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> max(const Vectorized<T>& a, std::type_identity_t<T> b) noexcept {
  return max(a, Vectorized<T>(b));
}
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> max(std::type_identity_t<T> a, const Vectorized<T>& b) noexcept {
  return max(Vectorized<T>(a), b);
}
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> min(const Vectorized<T>& a, std::type_identity_t<T> b) noexcept {
  return min(a, Vectorized<T>(b));
}
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> min(std::type_identity_t<T> a, const Vectorized<T>& b) noexcept {
  return min(Vectorized<T>(a), b);
}

template <class T>
  requires std::is_floating_point_v<T>
WEFT_ALWAYS_INLINE Vectorized<T> sqrt(const Vectorized<T>& a) noexcept {
  return Vectorized<T>::map(a, [](const xsimd::batch<T>& x) { return root_of(x); });
}
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> abs(const Vectorized<T>& a) noexcept {
  return Vectorized<T>::map(a, [](const xsimd::batch<T>& x) { return xsimd::abs(x); });
}

/// a * b + c, rounded once where the level has FMA (all but baseline), else twice.
WEFT_ALWAYS_INLINE Vectorized<float> fma(const Vectorized<float>& a, const Vectorized<float>& b,
                                         const Vectorized<float>& c) noexcept {
  Vectorized<float> v;
  WEFT_UNROLLED
  for (int i = 0; i < Vectorized<float>::registers; ++i) {
#if defined(__AVX512F__)
    v[i] = _mm512_fmadd_ps(a[i], b[i], c[i]);  // xsimd 8's fma is not fused here
#elif defined(__FMA__)
    v[i] = _mm256_fmadd_ps(a[i], b[i], c[i]);
#elif defined(__aarch64__)
    v[i] = vfmaq_f32(c[i], a[i], b[i]);
#else
    v[i] = a[i] * b[i] + c[i];
#endif
  }
  return v;
}
WEFT_ALWAYS_INLINE Vectorized<double> fma(const Vectorized<double>& a, const Vectorized<double>& b,
                                          const Vectorized<double>& c) noexcept {
  Vectorized<double> v;
  WEFT_UNROLLED
  for (int i = 0; i < Vectorized<double>::registers; ++i) {
#if defined(__AVX512F__)
    v[i] = _mm512_fmadd_pd(a[i], b[i], c[i]);
#elif defined(__FMA__)
    v[i] = _mm256_fmadd_pd(a[i], b[i], c[i]);
#elif defined(__aarch64__)
    v[i] = vfmaq_f64(c[i], a[i], b[i]);
#else
    v[i] = a[i] * b[i] + c[i];
#endif
  }
  return v;
}

/// Combines all lanes by op, as a tree: lane i with lane i + half, for halves of 32 down to 1 lanes
/// (f32: from 8 down).
template <class T, class Op>
WEFT_ALWAYS_INLINE T reduce_lanes(const Vectorized<T>& v, Op op) noexcept {
  alignas(64) T all[std::size_t{Vectorized<T>::lanes}];
  v.store(all);
  for (int half = Vectorized<T>::lanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i)
      all[i] = op(all[i], all[i + half]);
  }
  return all[0];
}

/// Spans of a callable that takes Vectorized<T>: whole vectors, and a last one whose missing lanes
/// repeat an element that is there, so that they cannot trap or change anything. A broadcast
/// operand is a vector read over and over.
template <class F, class T>
struct VectorizedSpans {
  /// Whether it gives one vector, or a std::tuple of them, for Nin vectors.
  template <std::size_t Nin, std::size_t Nout = 1>
  static constexpr bool accepts = []<std::size_t... I>(std::index_sequence<I...>) {
    if constexpr (!VectorElement<T>) {
      return false;
    } else if constexpr (std::is_invocable_v<const F&, Repeat<I, Vectorized<T>>...>) {
      using Result = std::invoke_result_t<const F&, Repeat<I, Vectorized<T>>...>;
      return []<class... R>(std::tuple<R...>*) {
        return sizeof...(R) == Nout && (std::is_convertible_v<R, Vectorized<T>> && ...);
      }(static_cast<typename Outputs<std::remove_cvref_t<Result>>::Types*>(nullptr));
    } else {
      return false;
    }
  }(std::make_index_sequence<Nin>());

  template <std::size_t Nin, std::size_t Nout = 1>
  WEFT_SPAN_LOOP static void run(const void* context, char* const* data,
                                 const std::int64_t* row_bytes, std::int64_t n, std::int64_t rows,
                                 std::uint32_t broadcast) {
    const Held<F> op = *static_cast<const F*>(context);
    for_each_row<Nout + Nin>(data, row_bytes, rows, [&](char* const* row) WEFT_INLINE_LAMBDA {
      run_indexed(op, row, n, broadcast >> Nout, std::make_index_sequence<Nout>(),
                  std::make_index_sequence<Nin>());
    });
  }

 private:
  template <std::size_t... O, std::size_t... I>
  static WEFT_ALWAYS_INLINE void run_indexed(const F& op, char* const* data, std::int64_t n,
                                             std::uint32_t broadcast, std::index_sequence<O...>,
                                             std::index_sequence<I...>) {
    constexpr std::int64_t lanes = Vectorized<T>::lanes;
    alignas(64) T repeated[sizeof...(I)][std::size_t{lanes}];
    const T* in[] = {reinterpret_cast<const T*>(data[sizeof...(O) + I])...};
    std::int64_t step[sizeof...(I)];
    for (std::size_t k = 0; k < sizeof...(I); ++k) {
      step[k] = (broadcast >> k & 1) != 0 ? 0 : 1;
      if (step[k] != 0) continue;
      T value;
      __builtin_memcpy(&value, in[k], sizeof(T));
      Vectorized<T>(value).store(repeated[k]);
      in[k] = repeated[k];
    }
    T* const out[] = {reinterpret_cast<T*>(data[O])...};
    const auto put = [&](const auto& values, std::int64_t i, auto... count) WEFT_INLINE_LAMBDA {
      using Values = std::remove_cvref_t<decltype(values)>;
      if constexpr (sizeof...(O) == 1 && !Outputs<Values>::is_tuple) {
        const Vectorized<T> value = values;
        value.store(out[0] + i, count...);
      } else {
        (Vectorized<T>(std::get<O>(values)).store(out[O] + i, count...), ...);
      }
    };
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
      put(op(Vectorized<T>::load(in[I] + i * step[I])...), i);
    if (i == n) return;
    put(op(load_tail(in[I] + i * step[I], step[I] == 0 ? lanes : n - i)...), i, n - i);
  }

  static WEFT_ALWAYS_INLINE Vectorized<T> load_tail(const T* from, std::int64_t count) {
    T first;
    __builtin_memcpy(&first, from, sizeof(T));
    return Vectorized<T>::load(from, count, first);
  }
};

/// As cpu_kernel for an op and the same op on vectors: `T op(T...)`, `Vectorized<T> vector_op(
/// Vectorized<T>...)`, one type T throughout. Only vector_op is called, the last elements of a span
/// included, so a result never depends on where its element stands; op says how many inputs there
/// are and of what type.
template <class F, class V>
void cpu_kernel_vec(const TensorIterator& iter, const F& op, const V& vector_op,
                    std::int64_t grain = 0) {
  using T = typename Signature<F>::Result;
  constexpr std::size_t nin = std::tuple_size_v<typename Signature<F>::Params>;
  static_assert(VectorizedSpans<V, T>::template accepts<nin>,
                "vector_op takes and returns Vectorized of op's result type");
  SpanKernel kernel = typed_span_kernel(op);
  kernel.replace_loops(&VectorizedSpans<V, T>::template run<nin>);
  kernel.context = &vector_op;
  kernel.broadcastable = ((1u << nin) - 1) << 1;
  run_spans(iter, kernel, {.grain = grain});
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
