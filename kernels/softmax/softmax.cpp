// SPDX-License-Identifier: Apache-2.0
#include "kernels/softmax/softmax.hpp"

#include <weft/kernel/vectorized_math.hpp>

#include "kernels/stage/moves.hpp"

#include <cmath>
#include <limits>

// Lambdas over registers: called, they would pass them through memory.
#define WEFT_INLINED __attribute__((always_inline))

namespace weft::inline v0 {
namespace {

/// e^x for x <= 0 or NaN, 0 below -126 log 2. Shorter than exp(): there is no overflow, and what would be
/// subnormal need not be rounded. 2^(x log2 e) = 2^k 2^r with |r| <= 1/2; r is rounded once, from a
/// log2 e that is 1.3e-8 off, so the result is within 1.5e-7 + 2e-8 |x|. 2^r by the polynomial of
/// degree 6 through the Chebyshev nodes (relative error 2.5e-9); k is added to the exponent.
WEFT_ALWAYS_INLINE Vectorized<float> exp_below(const Vectorized<float>& x) noexcept {
  using C = ExpConstants<float>;
  using Format = FloatFormat<float>;
  using V = Vectorized<float>;
  const V shifted = fma(x, V(C::log2e), V(Format::rounder));
  const V r = fma(x, V(C::log2e), V(Format::rounder) - shifted);
  V p(0.0001546144469856913F);
  p = fma(p, r, V(0.0013400428177615838F));
  p = fma(p, r, V(0.009618056678524637F));
  p = fma(p, r, V(0.05550327226670302F));
  p = fma(p, r, V(0.24022650922288757F));
  p = fma(p, r, V(0.6931472067028326F));
  p = fma(p, r, V(1.0F));
  V result;
  for (int i = 0; i < V::registers; ++i) {
    using Bits = xsimd::batch<std::int32_t>;
    // The low bits of `shifted` are k; its others are shifted out.
    const Bits exponent = xsimd::bitwise_cast<Bits>(shifted[i]) << Format::fraction_bits;
    result[i] = xsimd::bitwise_cast<V::Batch>(xsimd::bitwise_cast<Bits>(p[i]) + exponent);
  }
  // Of 0 and NaN, NaN.
  const V none = V::map(x, [](const auto& a) { return xsimd::max(V::Batch(0.0F), a); });
  return select(x >= V(-87.33654F), result, none);
}
WEFT_ALWAYS_INLINE Vectorized<double> exp_below(const Vectorized<double>& x) noexcept {
  return exp(x);
}

template <class T, SoftmaxOp op>
struct Functions {
  using V = Vectorized<T>;
  static constexpr std::int64_t lanes = V::lanes;
  static constexpr bool log = op == SoftmaxOp::log_softmax;
  static constexpr T lowest = -std::numeric_limits<T>::infinity();

  static const T* row(const char* data, std::int64_t step, std::int64_t r) {
    return reinterpret_cast<const T*>(data + r * step);
  }
  static T* row(char* data, std::int64_t step, std::int64_t r) {
    return reinterpret_cast<T*>(data + r * step);
  }

  /// Calls f(j, load, store) for every register of columns, the last one in part: load(from) reads its
  /// lanes, store(to, value) writes them.
  template <class F>
  static WEFT_ALWAYS_INLINE void each_register(std::int64_t columns, T fill, F&& f) {
    std::int64_t j = 0;
    for (; j + lanes <= columns; j += lanes) {
      f(
          j, [](const T* from) WEFT_INLINED { return V::load(from); },
          [](T* to, const V& value) WEFT_INLINED { value.store(to); }, lanes);
    }
    const std::int64_t rest = columns - j;
    if (rest == 0) return;
    f(
        j, [=](const T* from) WEFT_INLINED { return V::load(from, rest, fill); },
        [=](T* to, const V& value) WEFT_INLINED { value.store(to, rest); }, rest);
  }

  /// The larger; b if a is NaN. One instruction.
  static WEFT_ALWAYS_INLINE V larger(const V& a, const V& b) {
    return V::zip(a, b, [](const auto& x, const auto& y) { return xsimd::max(x, y); });
  }

  static void find_largest(void* largest, const char* in, std::int64_t in_row, std::int64_t rows,
                           std::int64_t columns) {
    T* most = static_cast<T*>(largest);
    std::int64_t r = 0;
    // Several rows at a time, so that `most` is read and written less often.
    for (; r + 4 <= rows; r += 4) {
      each_register(columns, lowest,
                    [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINED {
                      const V a = larger(load(row(in, in_row, r) + j), load(most + j));
                      const V b = larger(load(row(in, in_row, r + 1) + j), a);
                      const V c = larger(load(row(in, in_row, r + 2) + j), b);
                      store(most + j, larger(load(row(in, in_row, r + 3) + j), c));
                    });
    }
    for (; r < rows; ++r) {
      each_register(columns, lowest,
                    [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINED {
                      store(most + j, larger(load(row(in, in_row, r) + j), load(most + j)));
                    });
    }
  }

  template <bool keep>
  static void add_up_rows(double* sums, const T* most, char* out, std::int64_t out_row,
                          const char* in, std::int64_t in_row, std::int64_t rows,
                          std::int64_t columns) {
    // 16 rows are added up before they go to f64, four at a time.
    alignas(64) T part[most_softmax_columns];
    for (std::int64_t first = 0; first < rows; first += 16) {
      const std::int64_t end = rows - first < 16 ? rows : first + 16;
      for (std::int64_t j = 0; j < columns; ++j)
        part[j] = 0;
      std::int64_t r = first;
      for (; r + 4 <= end; r += 4) {
        each_register(columns, T(0),
                      [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINED {
                        const V m = load(most + j);
                        V terms[4];
                        WEFT_UNROLLED
                        for (int i = 0; i < 4; ++i) {
                          terms[i] = exp_below(load(row(in, in_row, r + i) + j) - m);
                          if (keep) store(row(out, out_row, r + i) + j, terms[i]);
                        }
                        const V four = (terms[0] + terms[1]) + (terms[2] + terms[3]);
                        store(part + j, load(part + j) + four);
                      });
      }
      for (; r < end; ++r) {
        each_register(columns, T(0),
                      [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINED {
                        const V terms = exp_below(load(row(in, in_row, r) + j) - load(most + j));
                        if (keep) store(row(out, out_row, r) + j, terms);
                        store(part + j, load(part + j) + terms);
                      });
      }
      for (std::int64_t j = 0; j < columns; ++j)
        sums[j] += static_cast<double>(part[j]);
    }
  }
  static void add_up(double* sums, const void* largest, char* out, std::int64_t out_row,
                     const char* in, std::int64_t in_row, std::int64_t rows, std::int64_t columns) {
    const T* most = static_cast<const T*>(largest);
    if (out != nullptr) {
      add_up_rows<true>(sums, most, out, out_row, in, in_row, rows, columns);
    } else {
      add_up_rows<false>(sums, most, out, out_row, in, in_row, rows, columns);
    }
  }

  static void settle(void* factors, const double* sums, std::int64_t columns) {
    T* factor = static_cast<T*>(factors);
    for (std::int64_t j = 0; j < columns; ++j)
      factor[j] = static_cast<T>(log ? std::log(sums[j]) : 1 / sums[j]);
  }

  static void scale(const void* factors, char* out, std::int64_t out_row, std::int64_t rows,
                    std::int64_t columns) {
    const T* factor = static_cast<const T*>(factors);
    for (std::int64_t r = 0; r < rows; ++r) {
      T* to = row(out, out_row, r);
      each_register(columns, T(0),
                    [&](std::int64_t j, auto load, auto store, std::int64_t)
                        WEFT_INLINED { store(to + j, load(to + j) * load(factor + j)); });
    }
  }

  static WEFT_ALWAYS_INLINE V result(const V& x, const V& most, const V& factor) {
    if constexpr (log) return (x - most) - factor;
    return exp_below(x - most) * factor;
  }

  static void finish(const void* largest, const void* factors, char* out, std::int64_t out_row,
                     const char* in, std::int64_t in_row, std::int64_t rows, std::int64_t columns) {
    const T* most = static_cast<const T*>(largest);
    const T* factor = static_cast<const T*>(factors);
    for (std::int64_t r = 0; r < rows; ++r) {
      each_register(columns, T(0),
                    [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINED {
                      store(row(out, out_row, r) + j,
                            result(load(row(in, in_row, r) + j), load(most + j), load(factor + j)));
                    });
    }
  }

  static void find_largest_of_line(void* largest, const char* in, std::int64_t n) {
    T* most = static_cast<T*>(largest);
    const T* from = row(in, 0, 0);
    V part[4] = {V(*most), V(*most), V(*most), V(*most)};
    std::int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      for (int k = 0; k < 4; ++k)
        part[k] = larger(V::load(from + i + k * lanes), part[k]);
    }
    each_register(n - i, lowest, [&](std::int64_t j, auto load, auto, std::int64_t) WEFT_INLINED {
      part[0] = larger(load(from + i + j), part[0]);
    });
    const V all = larger(larger(part[0], part[1]), larger(part[2], part[3]));
    *most = reduce_lanes(all, [](T a, T b) { return a > b ? a : b; });
  }

  template <bool keep>
  static void add_up_elements(double* sum, T most, T* to, const T* from, std::int64_t n) {
    // 32 registers at most are added up before they go to f64, eight at a time one after the other.
    constexpr std::int64_t block = 32 * lanes;
    alignas(64) double sums[lanes] = {};
    for (std::int64_t first = 0; first < n; first += block) {
      const std::int64_t size = n - first < block ? n - first : block;
      V part[4] = {V(T(0)), V(T(0)), V(T(0)), V(T(0))};
      std::int64_t i = first;
      for (; i + 4 * lanes <= first + size; i += 4 * lanes) {
        WEFT_UNROLLED
        for (int k = 0; k < 4; ++k) {
          // The line after this one, most likely.
          __builtin_prefetch(from + i + k * lanes + n);
          if (keep) __builtin_prefetch(to + i + k * lanes + n, 1);
          const V terms = exp_below(V::load(from + i + k * lanes) - V(most));
          if (keep) terms.store(to + i + k * lanes);
          part[k] += terms;
        }
      }
      // What fills up the last register adds nothing.
      each_register(first + size - i, lowest,
                    [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINED {
                      const V terms = exp_below(load(from + i + j) - V(most));
                      if (keep) store(to + i + j, terms);
                      part[0] += terms;
                    });
      alignas(64) T all[lanes];
      ((part[0] + part[1]) + (part[2] + part[3])).store(all);
      for (int k = 0; k < lanes; ++k)
        sums[k] += static_cast<double>(all[k]);
    }
    for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
      for (std::int64_t i = 0; i < half; ++i)
        sums[i] += sums[i + half];
    }
    *sum += sums[0];
  }
  static void add_up_line(double* sum, const void* largest, char* out, const char* in,
                          std::int64_t n) {
    const T most = *static_cast<const T*>(largest);
    if (out != nullptr) {
      add_up_elements<true>(sum, most, row(out, 0, 0), row(in, 0, 0), n);
    } else {
      add_up_elements<false>(sum, most, nullptr, row(in, 0, 0), n);
    }
  }

  static void scale_line(const void* factor, char* out, std::int64_t n) {
    const V by(*static_cast<const T*>(factor));
    T* to = row(out, 0, 0);
    each_register(n, T(0), [&](std::int64_t i, auto load, auto store, std::int64_t) WEFT_INLINED {
      store(to + i, load(to + i) * by);
    });
  }
  static void finish_line(const void* largest, const void* factor, char* out, const char* in,
                          std::int64_t n) {
    const V most(*static_cast<const T*>(largest)), by(*static_cast<const T*>(factor));
    each_register(n, T(0), [&](std::int64_t i, auto load, auto store, std::int64_t) WEFT_INLINED {
      store(row(out, 0, 0) + i, result(load(row(in, 0, 0) + i), most, by));
    });
  }

  static constexpr SoftmaxKernel kernel = {&find_largest, &add_up,
                                           &settle,       log ? nullptr : &scale,
                                           &finish,       &find_largest_of_line,
                                           &add_up_line,  log ? nullptr : &scale_line,
                                           &finish_line,  scalar_type_of<T>};
};

}  // namespace

const SoftmaxKernel* WEFT_KERNEL(softmax_kernel)(SoftmaxOp op, ScalarType type) {
  const bool log = op == SoftmaxOp::log_softmax;
  if (type == ScalarType::f32) {
    return log ? &Functions<float, SoftmaxOp::log_softmax>::kernel
               : &Functions<float, SoftmaxOp::softmax>::kernel;
  }
  if (type == ScalarType::f64) {
    return log ? &Functions<double, SoftmaxOp::log_softmax>::kernel
               : &Functions<double, SoftmaxOp::softmax>::kernel;
  }
  return nullptr;
}

}  // namespace weft::inline v0
