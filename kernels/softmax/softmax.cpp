// SPDX-License-Identifier: Apache-2.0
#include "kernels/softmax/softmax.hpp"

#include <weft/kernel/detail/math/logarithm.hpp>
#include <weft/kernel/vectorized_math.hpp>

#include "kernels/loops/by_type.hpp"
#include "kernels/reduce/shared/folds.hpp"
#include "kernels/scalar/exp_below.hpp"
#include "kernels/stage/moves.hpp"

#include <limits>

// Lambdas over registers: called, they would pass them through memory.
namespace weft {
inline namespace v0 {
namespace {

/// What both operations do.
template <class T>
struct Shared {
  using V = Vectorized<T>;
  static constexpr std::int64_t lanes = V::lanes;
  static constexpr std::int64_t size = sizeof(T);
  static constexpr T lowest = -std::numeric_limits<T>::infinity();

  static const T* row(const char* data, std::int64_t step, std::int64_t r) {
    return reinterpret_cast<const T*>(data + r * step);
  }
  static T* row(char* data, std::int64_t step, std::int64_t r) {
    return reinterpret_cast<T*>(data + r * step);
  }

  /// The first `count` lanes in memory, the others being `fill`: without a way through memory where
  /// the level has masks.
  static WEFT_ALWAYS_INLINE V load_some(const T* from, std::int64_t count, T fill) {
#if defined(__AVX512F__)
    V v;
    if constexpr (std::is_same_v<T, float>) {
      v[0] = _mm512_mask_loadu_ps(_mm512_set1_ps(fill), first_lanes(count), from);
    } else {
      v[0] = _mm512_mask_loadu_pd(_mm512_set1_pd(fill), first_lanes(count), from);
    }
    return v;
#else
    return V::load(from, count, fill);
#endif
  }
  static WEFT_ALWAYS_INLINE void store_some(T* to, const V& v, std::int64_t count) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<T, float>) {
      _mm512_mask_storeu_ps(to, first_lanes(count), v[0]);
    } else {
      _mm512_mask_storeu_pd(to, first_lanes(count), v[0]);
    }
#else
    v.store(to, count);
#endif
  }
#if defined(__AVX512F__)
  using LaneMask = std::conditional_t<lanes == 16, __mmask16, __mmask8>;
  static WEFT_ALWAYS_INLINE LaneMask first_lanes(std::int64_t count) {
    return static_cast<LaneMask>((1U << count) - 1);
  }
#endif

  /// Calls f(j, load, store) for every register of columns, the last one in part: load(from) reads
  /// its lanes, store(to, value) writes them.
  template <class F>
  static WEFT_ALWAYS_INLINE void each_register(std::int64_t columns, T fill, F&& f) {
    std::int64_t j = 0;
    for (; j + lanes <= columns; j += lanes) {
      f(
          j, [](const T* from) WEFT_INLINE_LAMBDA { return V::load(from); },
          [](T* to, const V& value) WEFT_INLINE_LAMBDA { value.store(to); }, lanes);
    }
    const std::int64_t rest = columns - j;
    if (rest == 0) return;
    f(
        j, [=](const T* from) WEFT_INLINE_LAMBDA { return load_some(from, rest, fill); },
        [=](T* to, const V& value) WEFT_INLINE_LAMBDA { store_some(to, value, rest); }, rest);
  }

  /// The larger; b if a is NaN. One instruction.
  static WEFT_ALWAYS_INLINE V larger(const V& a, const V& b) {
    return V::zip(a, b, [](const auto& x, const auto& y) { return larger_or_second(x, y); });
  }

  static void find_largest(void* largest, const char* in, std::int64_t in_row, std::int64_t rows,
                           std::int64_t columns) {
    T* most = static_cast<T*>(largest);
    std::int64_t r = 0;
    // Several rows at a time, so that `most` is read and written less often.
    for (; r + 4 <= rows; r += 4) {
      each_register(columns, lowest,
                    [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINE_LAMBDA {
                      const V a = larger(load(row(in, in_row, r) + j), load(most + j));
                      const V b = larger(load(row(in, in_row, r + 1) + j), a);
                      const V c = larger(load(row(in, in_row, r + 2) + j), b);
                      store(most + j, larger(load(row(in, in_row, r + 3) + j), c));
                    });
    }
    for (; r < rows; ++r) {
      each_register(columns, lowest,
                    [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINE_LAMBDA {
                      store(most + j, larger(load(row(in, in_row, r) + j), load(most + j)));
                    });
    }
  }

  static void add_up(double* sums, const void* largest, char* out, std::int64_t out_row,
                     const char* in, std::int64_t in_row, std::int64_t rows, std::int64_t columns) {
    const T* most = static_cast<const T*>(largest);
    const bool keep = out != nullptr;  // asked once for many terms: a text of its own is no quicker
    // 16 rows are added up before they go to f64, four at a time.
    alignas(64) T part[max_softmax_columns];
    for (std::int64_t first = 0; first < rows; first += 16) {
      const std::int64_t end = rows - first < 16 ? rows : first + 16;
      for (std::int64_t j = 0; j < columns; ++j)
        part[j] = 0;
      std::int64_t r = first;
      for (; r + 4 <= end; r += 4) {
        each_register(columns, T(0),
                      [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINE_LAMBDA {
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
                      [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINE_LAMBDA {
                        const V terms = exp_below(load(row(in, in_row, r) + j) - load(most + j));
                        if (keep) store(row(out, out_row, r) + j, terms);
                        store(part + j, load(part + j) + terms);
                      });
      }
      for (std::int64_t j = 0; j < columns; ++j)
        sums[j] += static_cast<double>(part[j]);
    }
  }

  /// The largest element; 0 where it is -infinity: of nothing else, that would make NaN.
  static WEFT_ALWAYS_INLINE V taken_off(const V& most) {
    return select(most == V(lowest), V(T(0)), most);
  }

  /// sums = sums * by + terms.
  static WEFT_ALWAYS_INLINE void add_rescaled(double* sums, const V& by, const V& terms) {
    using W = Vectorized<double>;
    if constexpr (std::is_same_v<T, double>) {
      (W::load(sums) * by + terms).store(sums);
    } else {
      const WideLanes b = widen(by), t = widen(terms);
      (W::load(sums) * b.low + t.low).store(sums);
      (W::load(sums + W::lanes) * b.high + t.high).store(sums + W::lanes);
    }
  }

  static void take_in(double* sums, void* largest, char* out, std::int64_t out_row, const char* in,
                      std::int64_t in_row, std::int64_t rows, std::int64_t columns) {
    T* most = static_cast<T*>(largest);
    const bool keep = out != nullptr;
    each_register(columns, lowest,
                  [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINE_LAMBDA {
                    // Read from memory once: where rows are a power of two from each other, what is
                    // read and what is written would get into each other's way.
                    V x[softmax_block_rows];
                    const V before = load(most + j);
                    V now = before;
                    for (std::int64_t r = 0; r < rows; ++r)
                      now = larger(x[r] = load(row(in, in_row, r) + j), now);
                    store(most + j, now);
                    const V off = taken_off(now);
                    V part(T(0));
                    std::int64_t r = 0;
                    for (; r + 4 <= rows; r += 4) {
                      V terms[4];
                      WEFT_UNROLLED
                      for (int i = 0; i < 4; ++i) {
                        terms[i] = exp_below(x[r + i] - off);
                        if (keep) store(row(out, out_row, r + i) + j, terms[i]);
                      }
                      part += (terms[0] + terms[1]) + (terms[2] + terms[3]);
                    }
                    for (; r < rows; ++r) {
                      const V terms = exp_below(x[r] - off);
                      if (keep) store(row(out, out_row, r) + j, terms);
                      part += terms;
                    }
                    add_rescaled(sums + j, exp_below(before - off), part);
                  });
  }

  static WEFT_ALWAYS_INLINE V logarithm(V x) {
    for (int i = 0; i < V::registers; ++i)
      x[i] = weft::log(Register<T>(typename V::Batch(x[i]))).value;
    return x;
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
    each_register(n - i, lowest,
                  [&](std::int64_t j, auto load, auto, std::int64_t)
                      WEFT_INLINE_LAMBDA { part[0] = larger(load(from + i + j), part[0]); });
    const V all = larger(larger(part[0], part[1]), larger(part[2], part[3]));
    *most = reduce_lanes(all, [](T a, T b) { return a > b ? a : b; });
  }

  static void add_up_line(double* sum, const void* largest, char* out, const char* in,
                          std::int64_t n) {
    const T most = *static_cast<const T*>(largest);
    const bool keep = out != nullptr;
    T* const to = row(out, 0, 0);
    const T* const from = row(in, 0, 0);
    // 32 registers at most are added up before they go to f64, eight at a time one after the other.
    constexpr std::int64_t block = 32 * lanes;
    alignas(64) double sums[lanes] = {};
    for (std::int64_t first = 0; first < n; first += block) {
      const std::int64_t end = n - first < block ? n : first + block;
      V part[4] = {V(T(0)), V(T(0)), V(T(0)), V(T(0))};
      std::int64_t i = first;
      for (; i + 4 * lanes <= end; i += 4 * lanes) {
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
      each_register(end - i, lowest,
                    [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINE_LAMBDA {
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
  /// The largest of each lane of a line.
  static WEFT_ALWAYS_INLINE V largest_lanes(const T* x, std::int64_t n) {
    V part[4] = {V(lowest), V(lowest), V(lowest), V(lowest)};
    std::int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      WEFT_UNROLLED
      for (int k = 0; k < 4; ++k)
        part[k] = larger(V::load(x + i + k * lanes), part[k]);
    }
    for (; i < n; i += lanes)
      part[0] = larger(V::load(x + (i + lanes <= n ? i : n - lanes)), part[0]);
    return larger(larger(part[0], part[1]), larger(part[2], part[3]));
  }
};

template <class T, SoftmaxOp op>
struct Functions : Shared<T> {
  using typename Shared<T>::V;
  using Shared<T>::lanes, Shared<T>::size, Shared<T>::lowest, Shared<T>::row;
  using Shared<T>::load_some, Shared<T>::store_some, Shared<T>::each_register;
  using Shared<T>::larger, Shared<T>::largest_lanes, Shared<T>::logarithm;
  static constexpr bool log = op == SoftmaxOp::log_softmax;

  static void settle(void* factors, const double* sums, std::int64_t columns) {
    T* factor = static_cast<T*>(factors);
    if constexpr (!log) {
      for (std::int64_t j = 0; j < columns; ++j)
        factor[j] = static_cast<T>(1 / sums[j]);
    } else {
      for (std::int64_t first = 0; first < columns; first += lanes) {
        const std::int64_t count = columns - first < lanes ? columns - first : lanes;
        alignas(64) T sum[lanes];
        for (int j = 0; j < lanes; ++j)
          sum[j] = static_cast<T>(j < count ? sums[first + j] : 1.0);
        store_some(factor + first, logarithm(V::load(sum)), count);
      }
    }
  }

  static void scale(const void* then, const void* largest, const void* factors, char* out,
                    std::int64_t out_row, const char* in, std::int64_t in_row, std::int64_t rows,
                    std::int64_t columns) {
    const T* before = static_cast<const T*>(then);
    const T* most = static_cast<const T*>(largest);
    const T* factor = static_cast<const T*>(factors);
    alignas(64) T products[max_softmax_columns];
    const T* by = factor;
    if (before != nullptr) {
      by = products;
      each_register(columns, T(0),
                    [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINE_LAMBDA {
                      const V moved = exp_below(load(before + j) - load(most + j));
                      store(products + j, moved * load(factor + j));
                    });
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      const T* from = row(in, in_row, r);
      T* to = row(out, out_row, r);
      each_register(columns, T(0),
                    [=](std::int64_t j, auto load, auto store, std::int64_t)
                        WEFT_INLINE_LAMBDA { store(to + j, load(from + j) * load(by + j)); });
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
                    [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINE_LAMBDA {
                      store(row(out, out_row, r) + j,
                            result(load(row(in, in_row, r) + j), load(most + j), load(factor + j)));
                    });
    }
  }

  static void few_rows(char* out, std::int64_t out_row, const char* in, std::int64_t in_row,
                       std::int64_t rows, std::int64_t columns) {
    each_register(columns, T(0),
                  [&](std::int64_t j, auto load, auto store, std::int64_t) WEFT_INLINE_LAMBDA {
                    V x[few_softmax_rows];
                    V most = x[0] = load(row(in, in_row, 0) + j);
                    for (std::int64_t r = 1; r < rows; ++r)
                      most = larger(x[r] = load(row(in, in_row, r) + j), most);
                    V sum(T(0));
                    for (std::int64_t r = 0; r < rows; ++r) {
                      const V moved = x[r] - most;
                      const V term = exp_below(moved);
                      sum += term;
                      x[r] = log ? moved : term;
                    }
                    const V by = log ? logarithm(sum) : V(T(1)) / sum;
                    for (std::int64_t r = 0; r < rows; ++r)
                      store(row(out, out_row, r) + j, log ? x[r] - by : x[r] * by);
                  });
  }

  static void scale_line(const void* factor, char* out, std::int64_t n) {
    const V by(*static_cast<const T*>(factor));
    T* to = row(out, 0, 0);
    each_register(n, T(0),
                  [&](std::int64_t i, auto load, auto store, std::int64_t)
                      WEFT_INLINE_LAMBDA { store(to + i, load(to + i) * by); });
  }
  static void finish_line(const void* largest, const void* factor, char* out, const char* in,
                          std::int64_t n) {
    const V most(*static_cast<const T*>(largest)), by(*static_cast<const T*>(factor));
    each_register(n, T(0),
                  [&](std::int64_t i, auto load, auto store, std::int64_t) WEFT_INLINE_LAMBDA {
                    store(row(out, 0, 0) + i, result(load(row(in, 0, 0) + i), most, by));
                  });
  }

  /// The sum of the terms of a line, in lanes. Terms are kept in `to` unless this is the logarithm.
  /// What stands `ahead` of the line is fetched in the meantime: there is more to compute than to
  /// read.
  static WEFT_ALWAYS_INLINE Vectorized<double> summed_lanes(T* to, const T* x, std::int64_t n,
                                                            const V& most, const V& numbers,
                                                            const char* ahead) {
    constexpr std::int64_t block = 32 * lanes;  // added up before they go to f64
    Vectorized<double> sum(0.0);
    const auto take = [&](const V& part) WEFT_INLINE_LAMBDA {
      if constexpr (std::is_same_v<T, double>) {
        sum += part;
      } else {
        const WideLanes w = widen(part);
        sum += w.low + w.high;
      }
    };
    const V last = V::load(x + n - lanes);  // before its first elements are written over
    std::int64_t i = 0;
    while (i + lanes <= n) {
      const std::int64_t end = n - i < block ? n : i + block;
      V part[4] = {V(T(0)), V(T(0)), V(T(0)), V(T(0))};
      for (; i + 4 * lanes <= end; i += 4 * lanes) {
        WEFT_UNROLLED
        for (int k = 0; k < 4; ++k) {
          __builtin_prefetch(ahead + (i + k * lanes) * size);
          const V terms = exp_below(V::load(x + i + k * lanes) - most);
          if (!log) terms.store(to + i + k * lanes);
          part[k] += terms;
        }
      }
      for (; i + lanes <= end; i += lanes) {
        const V terms = exp_below(V::load(x + i) - most);
        if (!log) terms.store(to + i);
        part[0] += terms;
      }
      take((part[0] + part[1]) + (part[2] + part[3]));
    }
    if (i < n) {
      const V terms = exp_below(last - most);
      if (!log) terms.store(to + n - lanes);
      take(select(numbers >= V(static_cast<T>(lanes - (n - i))), terms, V(T(0))));
    }
    return sum;
  }

  static void lines(char* out, std::int64_t out_row, const char* in, std::int64_t in_row,
                    std::int64_t count, std::int64_t n) {
    T most[max_softmax_lines];
    double sums[max_softmax_lines] = {};
    fold_rows_of<T>(
        most, count, n,
        [&](std::int64_t r) WEFT_INLINE_LAMBDA { return largest_lanes(row(in, in_row, r), n); },
        [](auto a, auto b) WEFT_INLINE_LAMBDA {
          if constexpr (std::is_same_v<decltype(a), T>) {
            return a > b ? a : b;
          } else {
            return Shared<T>::larger(a, b);
          }
        });
    const V numbers = lane_numbers<T>();
    fold_rows_of<double>(
        sums, count, n,
        [&](std::int64_t r) WEFT_INLINE_LAMBDA {
          return summed_lanes(row(out, out_row, r), row(in, in_row, r), n, V(most[r]), numbers,
                              in + (r + count) * in_row);
        },
        [](auto a, auto b) WEFT_INLINE_LAMBDA { return a + b; });
    T factors[max_softmax_lines];
    settle(factors, sums, count);
    for (std::int64_t r = 0; r < count; ++r) {
      T* to = row(out, out_row, r);
      const T* from = log ? row(in, in_row, r) : to;
      const V by(factors[r]), m(most[r]);
      const auto finished = [&](const V& x) WEFT_INLINE_LAMBDA {
        if constexpr (log) return (x - m) - by;
        return x * by;
      };
      const V last = finished(V::load(from + n - lanes));
      for (std::int64_t i = 0; i + lanes <= n; i += lanes)
        finished(V::load(from + i)).store(to + i);
      last.store(to + n - lanes);
    }
  }

  static constexpr SoftmaxKernel kernel = {&Shared<T>::find_largest,
                                           &Shared<T>::add_up,
                                           &Shared<T>::take_in,
                                           &settle,
                                           log ? nullptr : &scale,
                                           &finish,
                                           &few_rows,
                                           &Shared<T>::find_largest_of_line,
                                           &Shared<T>::add_up_line,
                                           log ? nullptr : &scale_line,
                                           &finish_line,
                                           &lines,
                                           lanes,
                                           scalar_type_of<T>};
};

}  // namespace

const SoftmaxKernel* WEFT_KERNEL(softmax_kernel)(SoftmaxOp op, ScalarType type) {
  return by_type(type, [op]<class T>() -> const SoftmaxKernel* {
    if constexpr (std::is_floating_point_v<T>) {
      return op == SoftmaxOp::log_softmax ? &Functions<T, SoftmaxOp::log_softmax>::kernel
                                          : &Functions<T, SoftmaxOp::softmax>::kernel;
    } else {
      return nullptr;
    }
  });
}

}  // namespace v0
}  // namespace weft
