// SPDX-License-Identifier: Apache-2.0
// amax, amin, aminmax, argmax, argmin.
#include "kernels/reduce/extremes/extremes.hpp"

#include "kernels/loops/by_type.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/scalar/ordered_keys.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// Extremes of elements of one and two bytes, halves among them, as integers of the same order.
template <class T, bool most>
struct NarrowExtremeRule {
  using Keys = OrderedKeys<T, !most>;
  using Key = typename Keys::Key;
  using Element = T;
  using Part = Key;
  using Acc = Key;
  using Out = T;
  static WEFT_ALWAYS_INLINE Key identity() noexcept { return Keys::lowest; }
  static WEFT_ALWAYS_INLINE Key part(T x) noexcept {
    return Keys::key(static_cast<Key>(bits_of(x)));
  }
  static WEFT_ALWAYS_INLINE Key join(Key a, Key b) noexcept { return larger(a, b); }
  static WEFT_ALWAYS_INLINE Key widen(Key a) noexcept { return a; }
  static WEFT_ALWAYS_INLINE Key combine(Key a, Key b) noexcept { return larger(a, b); }
  static WEFT_ALWAYS_INLINE T project(Key acc, const void*) noexcept {
    return from_bits<T>(static_cast<Unsigned<sizeof(T)>>(Keys::bits(acc)));
  }

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    auto* acc = static_cast<Key*>(accumulators);
    for (std::int64_t r = 0; r < rows; ++r)
      acc[r] = row(inputs[0] + r * row_bytes[0], n);
  }

 private:
  static WEFT_ALWAYS_INLINE Key row(const char* from, std::int64_t n) {
    constexpr int lanes = register_bytes / static_cast<int>(sizeof(Key));
    using V = typename VectorOf<Key, lanes>::Type;
    constexpr int side = 4;
    const SpanReader<T, false> in{from};
    Key best = identity();
    std::int64_t i = 0;
    if (n >= side * lanes) {
      V parts[side];
      WEFT_UNROLLED
      for (auto& p : parts)
        p = V{} + best;
      for (; i + side * lanes <= n; i += side * lanes) {
        WEFT_UNROLLED
        for (int k = 0; k < side; ++k) {
          const V x =
              Keys::key(load<V>(from + (i + k * lanes) * static_cast<std::int64_t>(sizeof(Key))));
          parts[k] = x > parts[k] ? x : parts[k];
        }
      }
      parts[0] = parts[1] > parts[0] ? parts[1] : parts[0];
      parts[2] = parts[3] > parts[2] ? parts[3] : parts[2];
      parts[0] = parts[2] > parts[0] ? parts[2] : parts[0];
      alignas(64) Key all[lanes];
      store(reinterpret_cast<char*>(all), parts[0]);
      for (const Key x : all)
        best = larger(best, x);
    }
    for (; i < n; ++i)
      best = larger(best, NarrowExtremeRule::part(in[i]));
    return best;
  }
};

template <class T>
struct Both {
  T least, largest;
};

/// Both ends at once.
template <class T>
struct EndsRule {
  using Element = T;
  using Part = Both<T>;
  using Acc = Both<T>;
  using Out = T;
  using Second = T;
  static constexpr std::int64_t span_elements = reread_span_elements;
  static WEFT_ALWAYS_INLINE Acc identity() noexcept {
    return {nothing_beyond<T, false>(), nothing_beyond<T, true>()};
  }
  static WEFT_ALWAYS_INLINE Part part(T x) noexcept { return {x, x}; }
  static WEFT_ALWAYS_INLINE Part join(Part a, Part b) noexcept {
    return {extreme<T, false>(a.least, b.least), extreme<T, true>(a.largest, b.largest)};
  }
  static WEFT_ALWAYS_INLINE Acc widen(Part a) noexcept { return a; }
  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept { return join(a, b); }
  static WEFT_ALWAYS_INLINE T first(Acc acc, const void*) noexcept { return acc.least; }
  static WEFT_ALWAYS_INLINE T second(Acc acc, const void*) noexcept { return acc.largest; }

  /// Twice over what is in cache by then.
  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    Acc* acc = static_cast<Acc*>(accumulators);
    T least[fold_rows], largest[fold_rows];
    for (std::int64_t r = 0; r < rows; r += fold_rows) {
      const std::int64_t count = rows - r < fold_rows ? rows - r : fold_rows;
      const char* from = inputs[0] + r * row_bytes[0];
      shared_extreme_rows<T, false>(least, from, row_bytes[0], count, n);
      shared_extreme_rows<T, true>(largest, from, row_bytes[0], count, n);
      for (std::int64_t i = 0; i < count; ++i)
        acc[r + i] = {least[i], largest[i]};
    }
  }
};

template <class T>
struct Indexed {
  T value;
  std::int64_t index;  // negative: nothing seen yet
  static_assert(sizeof(T) <= sizeof(PlaceAccumulator::element));
};
static_assert(sizeof(Indexed<char>) == sizeof(PlaceAccumulator) &&
              sizeof(Indexed<double>) == sizeof(PlaceAccumulator));

/// The first of the most extreme; the first NaN if there is one.
template <class T, bool largest>
struct ArgRule {
  using Element = T;
  using Acc = Indexed<T>;
  using Out = std::int64_t;
  static constexpr bool indexed = true;
  static constexpr std::int64_t span_elements = reread_span_elements;

  /// Lanes and blocks meet in any order, so equal values are distinguished by their index.
  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept {
    const bool a_nan = a.value != a.value;
    const bool b_nan = b.value != b.value;
    const bool b_beyond = beyond<largest>(b.value, a.value) & !a_nan;
    const bool equal = (a.value == b.value) | (a_nan & b_nan);
    const bool b_first = (b.index >= 0) & ((b.index < a.index) | (a.index < 0));
    return (b_beyond | (b_nan & !a_nan) | (equal & b_first)) ? b : a;
  }
  static WEFT_ALWAYS_INLINE Out project(Acc acc, const void*) noexcept { return acc.index; }

  /// The extreme of each row first, and then where it is: by then the row is in cache.
  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n,
                    std::int64_t index, std::int64_t index_step) {
    Acc* acc = static_cast<Acc*>(accumulators);
    // Few rows at a time: they have to stay in cache until they are searched.
    constexpr std::int64_t max_elements = 4096;
    T extremes[fold_rows];
    std::int64_t step = n == 0 ? rows : max_elements / n;
    step = step < 4 ? 4 : step > fold_rows ? fold_rows : step;
    for (std::int64_t r = 0; r < rows; r += step) {
      const std::int64_t count = rows - r < step ? rows - r : step;
      const char* from = inputs[0] + r * row_bytes[0];
      for (std::int64_t i = 0; n == 0 && i < count; ++i)
        acc[r + i] = {nothing_beyond<T, largest>(), -1};
      if (n == 0) continue;
      shared_extreme_rows<T, largest>(extremes, from, row_bytes[0], count, n);
      for (std::int64_t i = 0; i < count; ++i)
        acc[r + i] = {extremes[i], index + (r + i) * index_step +
                                       first_of(from + i * row_bytes[0], n, extremes[i])};
    }
  }

  /// Values and rows of a few columns side by side, an index being as wide as an element.
  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t index) {
    // Wide, as memory is read best; of bytes it is the search that takes the time.
    constexpr std::int64_t max_columns =
        sizeof(T) == 1 ? 256 : 4096 / static_cast<std::int64_t>(sizeof(T));
    constexpr std::int64_t max_rows = 64;  // so that they count in 8 bits
    Acc* acc = static_cast<Acc*>(accumulators);
    for (std::int64_t j = 0; rows == 0 && j < columns; ++j)
      acc[j] = {nothing_beyond<T, largest>(), -1};
    for (std::int64_t first = 0; first < columns; first += max_columns) {
      const std::int64_t count = columns - first < max_columns ? columns - first : max_columns;
      for (std::int64_t row = 0; row < rows; row += max_rows) {
        const char* from =
            inputs[0] + row * row_bytes[0] + first * static_cast<std::int64_t>(sizeof(T));
        T best[max_columns];
        Unsigned<sizeof(T)> at[max_columns];
        search_columns(best, at, from, row_bytes[0], rows - row < max_rows ? rows - row : max_rows,
                       count);
        for (std::int64_t j = 0; j < count; ++j) {
          const Acc found{best[j], index + row + static_cast<std::int64_t>(at[j])};
          acc[first + j] = row == 0 ? found : combine(acc[first + j], found);
        }
      }
    }
  }

 private:
  /// Where the first element equal to `value` is, or the first NaN: there is one.
  static WEFT_ALWAYS_INLINE std::int64_t first_of(const char* from, std::int64_t n, T value) {
    const SpanReader<T, false> in{from};
    const bool nan = value != value;
    constexpr std::int64_t chunk = 128;
    std::int64_t i = 0;
    for (; i + chunk <= n; i += chunk) {
      const SpanReader<T, false> part{from + i * static_cast<std::int64_t>(sizeof(T))};
      Unsigned<sizeof(T)> found = 0;
      if (nan) {
        WEFT_UNROLLED
        for (std::int64_t j = 0; j < chunk; ++j)
          found |= static_cast<Unsigned<sizeof(T)>>(part[j] != part[j]);
      } else {
        WEFT_UNROLLED
        for (std::int64_t j = 0; j < chunk; ++j)
          found |= static_cast<Unsigned<sizeof(T)>>(part[j] == value);
      }
      if (found != 0) break;
    }
    while (i + 1 < n && !(nan ? in[i] != in[i] : in[i] == value))
      ++i;
    return i;
  }

  static WEFT_ALWAYS_INLINE void search_columns(T* best, Unsigned<sizeof(T)>* at, const char* from,
                                                std::int64_t row_bytes, std::int64_t rows,
                                                std::int64_t count) {
    using Row = Unsigned<sizeof(T)>;
    {
      const SpanReader<T, false> in{from};
      for (std::int64_t j = 0; j < count; ++j) {
        best[j] = in[j];
        at[j] = 0;
      }
    }
    for (std::int64_t r = 1; r < rows; ++r) {
      const SpanReader<T, false> in{from + r * row_bytes};
      const Row number = static_cast<Row>(r);
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < count; ++j) {
        const T x = in[j];
        const T b = best[j];
        const bool better = beyond<largest>(x, b) | ((x != x) & (b == b));
        best[j] = better ? x : b;
        at[j] = better ? number : at[j];
      }
    }
  }
};

template <class T, bool largest>
using OneExtreme =
    std::conditional_t<sizeof(T) <= 2, NarrowExtremeRule<T, largest>, ExtremeRule<T, largest>>;

template <class T>
const ReductionKernel* choose(ReduceOp op) {
  if constexpr (!is_complex_type<T>) {
    switch (op) {
      case ReduceOp::amax: return &RuleKernel<OneExtreme<T, true>>::value;
      case ReduceOp::amin: return &RuleKernel<OneExtreme<T, false>>::value;
      default: break;
    }
  }
  if constexpr (!is_half_type<T> && !is_complex_type<T>) {
    switch (op) {
      case ReduceOp::aminmax: return &RuleKernel<EndsRule<T>>::value;
      case ReduceOp::argmax: return &RuleKernel<ArgRule<T, true>>::value;
      case ReduceOp::argmin: return &RuleKernel<ArgRule<T, false>>::value;
      default: break;
    }
  }
  return nullptr;
}

}  // namespace

const ReductionKernel* WEFT_KERNEL(extremes_kernel)(ReduceOp op, ScalarType type) {
  return by_type(type, [op]<class T>() { return choose<T>(op); });
}

}  // namespace v0
}  // namespace weft
