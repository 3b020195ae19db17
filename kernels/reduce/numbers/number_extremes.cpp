// SPDX-License-Identifier: Apache-2.0
// Least and largest of what is not NaN, and where they are.
#include "kernels/loops/by_type.hpp"
#include "kernels/reduce/extremes/places.hpp"
#include "kernels/reduce/numbers/numbers.hpp"
#include "kernels/reduce/reduce.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// NaN stands for nothing.
template <class T, bool largest>
struct NumberExtreme {
  using Element = T;
  using Acc = T;
  using Out = T;

  static WEFT_ALWAYS_INLINE T combine(T a, T b) noexcept {
    return (beyond<largest>(a, b) | (b != b)) ? a : b;
  }
  static WEFT_ALWAYS_INLINE T project(T acc, const void*) noexcept { return acc; }

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    T* const acc = static_cast<T*>(accumulators);
    for (std::int64_t r = 0; r < rows; ++r) {
      const char* const from = inputs[0] + r * row_bytes[0];
      acc[r] = settled(row(from, n), from, size, n);
    }
  }
  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    T* const acc = static_cast<T*>(accumulators);
    for (std::int64_t j = 0; j < columns; ++j)
      acc[j] = nothing;
    const std::int64_t chunk = columns <= narrow_columns ? rows : few_rows / 2;
    for (std::int64_t r = 0; r < rows; r += chunk) {
      const std::int64_t some = rows - r < chunk ? rows - r : chunk;
      take_rows(acc, inputs[0] + r * row_bytes[0], row_bytes[0], some, columns);
    }
    for (std::int64_t j = 0; j < columns; ++j)
      acc[j] = settled(acc[j], inputs[0] + j * size, row_bytes[0], rows);
  }

 private:
  using V = Vectorized<T>;
  static constexpr std::int64_t size = sizeof(T), lanes = V::lanes;
  static constexpr T nothing = nothing_beyond<T, largest>();

  /// `best` where the element is NaN.
  static WEFT_ALWAYS_INLINE V better(const V& best, const char* from) noexcept {
    return extreme_number<largest>(in_order(load_vector<T>(from)), best);
  }
  static WEFT_ALWAYS_INLINE T better(T best, T x) noexcept {
    return beyond<largest>(x, best) ? x : best;
  }
  static WEFT_ALWAYS_INLINE V both(const V& a, const V& b) noexcept {
    return extreme_number<largest>(a, b);
  }

  static WEFT_ALWAYS_INLINE T row(const char* from, std::int64_t n) noexcept {
    V best[4] = {V(nothing), V(nothing), V(nothing), V(nothing)};
    std::int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      WEFT_UNROLLED
      for (int k = 0; k < 4; ++k)
        best[k] = better(best[k], from + (i + k * lanes) * size);
    }
    for (; i + lanes <= n; i += lanes)
      best[0] = better(best[0], from + i * size);
    if (i < n) best[1] = both(load_first<T>(from + i * size, n - i), best[1]);
    V all = both(best[0], best[1]);
    if (n >= 4 * lanes) all = both(all, both(best[2], best[3]));
    return reduce_lanes(all, [](auto a, auto b) WEFT_INLINE_LAMBDA {
      if constexpr (std::is_same_v<decltype(a), T>) {
        return better(a, b);
      } else {
        return extreme_number<largest>(a, b);
      }
    });
  }

  static WEFT_ALWAYS_INLINE void take_rows(T* acc, const char* from, std::int64_t row_bytes,
                                           std::int64_t rows, std::int64_t columns) noexcept {
    std::int64_t j = 0;
    for (; j + 2 * strip_vectors * lanes <= columns; j += 2 * strip_vectors * lanes) {
      const char* here = from + j * size;
      V best[2 * strip_vectors];
      WEFT_UNROLLED
      for (int v = 0; v < 2 * strip_vectors; ++v)
        best[v] = V::load(acc + j + v * lanes);
      std::int64_t r = 0;
      for (; r + 2 <= rows; r += 2, here += 2 * row_bytes) {
        WEFT_UNROLLED
        for (int v = 0; v < 2 * strip_vectors; ++v) {
          const char* const at = here + v * lanes * size;
          best[v] = better(better(best[v], at), at + row_bytes);
        }
      }
      WEFT_UNROLLED
      for (int v = 0; r < rows && v < 2 * strip_vectors; ++v)
        best[v] = better(best[v], here + v * lanes * size);
      WEFT_UNROLLED
      for (int v = 0; v < 2 * strip_vectors; ++v)
        best[v].store(acc + j + v * lanes);
    }
    if constexpr (takes_first_columns<T>) {
      for (; j < columns; j += lanes) {
        const std::int64_t count = columns - j < lanes ? columns - j : lanes;
        V best = V::load(acc + j, count, nothing);
        for (std::int64_t r = 0; r < rows; ++r)
          best = both(load_first<T>(from + r * row_bytes + j * size, count), best);
        best.store(acc + j, count);
      }
    } else {
      for (; j < columns; ++j) {
        for (std::int64_t r = 0; r < rows; ++r)
          acc[j] = better(acc[j], SpanReader<T, false>{from + r * row_bytes}[j]);
      }
    }
  }

  /// What is beyond nothing is either an element or that there was none.
  static WEFT_ALWAYS_INLINE T settled(T best, const char* from, std::int64_t step,
                                      std::int64_t n) noexcept {
    if (best != nothing) return best;
    for (std::int64_t i = 0; i < n; ++i) {
      const T x = SpanReader<T, false>{from + i * step}[0];
      if (x == x) return best;
    }
    return std::numeric_limits<T>::quiet_NaN();
  }
};

/// The extremes that nanmax and nanmin have, by their loops.
struct Numbers {
  static constexpr bool skips_nan = true;
  template <class T, bool largest>
  static WEFT_ALWAYS_INLINE void extremes(T* to, const char* from, std::int64_t row_bytes,
                                          std::int64_t rows, std::int64_t n) {
    char* in = const_cast<char*>(from);  // NOLINT(cppcoreguidelines-pro-type-const-cast): is read
    constexpr auto spans = &NumberExtreme<T, largest>::spans;
    unknown(spans)(nullptr, to, &in, &row_bytes, rows, n, 0, 0);
  }
};

}  // namespace

const ReductionKernel* WEFT_KERNEL(number_extremes_kernel)(ReduceOp op, ScalarType type) {
  return by_type(type, [op]<class T>() -> const ReductionKernel* {
    if constexpr (std::is_floating_point_v<T>) {
      switch (op) {
        case ReduceOp::nanmax: return &RuleKernel<NumberExtreme<T, true>>::value;
        case ReduceOp::nanmin: return &RuleKernel<NumberExtreme<T, false>>::value;
        case ReduceOp::nanargmax: return &RuleKernel<PlaceRule<T, true, Numbers>>::value;
        case ReduceOp::nanargmin: return &RuleKernel<PlaceRule<T, false, Numbers>>::value;
        default: break;
      }
    }
    return nullptr;
  });
}

}  // namespace v0
}  // namespace weft
