// SPDX-License-Identifier: Apache-2.0
// amax, amin, aminmax, argmax, argmin.
#include "kernels/reduce/extremes/extremes.hpp"

#include "kernels/loops/by_type.hpp"
#include "kernels/reduce/extremes/places.hpp"
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

template <class T, bool largest>
using OneExtreme =
    std::conditional_t<sizeof(T) <= 2, NarrowExtremeRule<T, largest>, ExtremeRule<T, largest>>;

/// The extremes that amax and amin have, by their loops.
struct EveryElement {
  static constexpr bool skips_nan = false;
  template <class T, bool largest>
  static WEFT_ALWAYS_INLINE void extremes(T* to, const char* from, std::int64_t row_bytes,
                                          std::int64_t rows, std::int64_t n) {
    shared_extreme_rows<T, largest>(to, from, row_bytes, rows, n);
  }
};

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
      case ReduceOp::argmax: return &RuleKernel<PlaceRule<T, true, EveryElement>>::value;
      case ReduceOp::argmin: return &RuleKernel<PlaceRule<T, false, EveryElement>>::value;
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
