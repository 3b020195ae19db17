// SPDX-License-Identifier: Apache-2.0
/// @file
/// What reductions of all that is not NaN share. Their loops are short: memory is what they wait
/// for.
#pragma once

#include <weft/kernel/vectorized.hpp>

#include "kernels/reduce/sums/row_sums.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Columns that are worked on together, and rows of wider ones, so that memory is read in long
/// stretches.
inline constexpr std::int64_t number_columns = 1024, narrow_columns = 128, few_rows = 8;
/// Vectors of columns that are in registers.
#if defined(__AVX512F__)
inline constexpr int strip_vectors = 2;
#else
inline constexpr int strip_vectors = 1;  // of twice as many registers, and half as many are there
#endif

/// Elements in memory, and a number in place of NaN.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> load_numbers(const char* from, T number) noexcept {
  const Vectorized<T> x = in_order(load_vector<T>(from));
  return select(x == x, x, Vectorized<T>(number));
}

/// The first `count` elements, and NaN, which stands for nothing.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> load_first(const char* from, std::int64_t count) noexcept {
  return in_order(Vectorized<T>::load(reinterpret_cast<const T*>(from), count,
                                      std::numeric_limits<T>::quiet_NaN()));
}

/// Elements of a row of columns: as many as there are lanes, or the first of them.
template <class T>
struct WholeColumns {
  WEFT_ALWAYS_INLINE Vectorized<T> operator()(const char* from) const noexcept {
    return in_order(load_vector<T>(from));
  }
};
template <class T>
struct FirstColumns {
  std::int64_t count;
  WEFT_ALWAYS_INLINE Vectorized<T> operator()(const char* from) const noexcept {
    return load_first<T>(from, count);
  }
};
/// Whether columns that fill no register are taken so. Without instructions for a part of one, they
/// would go by way of memory.
template <class T>
inline constexpr bool takes_first_columns = FirstLanes<T>::by_mask;

/// How many lanes of some masks are set: by their bits where instructions give these, and count.
template <class T>
class LaneCount {
 public:
  WEFT_ALWAYS_INLINE void add(const Mask<T>& mask) noexcept {
    if constexpr (counts_bits) {
      WEFT_UNROLLED
      for (int i = 0; i < Mask<T>::registers; ++i)
        bits_ += std::popcount(bits_of(mask[i].data));
    } else {
      lanes_ = select(mask, lanes_ + Vectorized<T>(T(1)), lanes_);
    }
  }
  WEFT_ALWAYS_INLINE double total() const noexcept {
    if constexpr (counts_bits) return bits_;
    const auto add = [](auto a, auto b) WEFT_INLINE_LAMBDA { return a + b; };
    return static_cast<double>(reduce_lanes(lanes_, add));
  }

 private:
#if defined(__AVX2__)
  static constexpr bool counts_bits = true;
  static WEFT_ALWAYS_INLINE unsigned bits_of(unsigned bits) noexcept { return bits; }
  static WEFT_ALWAYS_INLINE unsigned bits_of(__m256 mask) noexcept {
    return static_cast<unsigned>(_mm256_movemask_ps(mask));
  }
  static WEFT_ALWAYS_INLINE unsigned bits_of(__m256d mask) noexcept {
    return static_cast<unsigned>(_mm256_movemask_pd(mask));
  }
#else
  static constexpr bool counts_bits = false;
#endif

  int bits_ = 0;
  Vectorized<T> lanes_{T(0)};
};

/// A number in f64 for each lane.
template <class T>
struct WideVector {
  Vectorized<double> low, high;  ///< in `high` nothing is changed where there are no more lanes

  WideVector() = default;
  explicit WEFT_ALWAYS_INLINE WideVector(double x) noexcept : low(x), high(x) {}

  static WEFT_ALWAYS_INLINE WideVector load(const double* from) noexcept {
    WideVector w(0);
    w.low = Vectorized<double>::load(from);
    if constexpr (has_halves) w.high = Vectorized<double>::load(from + half);
    return w;
  }
  WEFT_ALWAYS_INLINE void store(double* to) const noexcept {
    low.store(to);
    if constexpr (has_halves) high.store(to + half);
  }
  /// f(lanes, x's lanes) for each part of it.
  template <class F>
  WEFT_ALWAYS_INLINE void join(const Vectorized<T>& x, const F& f) noexcept {
    if constexpr (std::is_same_v<T, double>) {
      low = f(low, x);
    } else {
      const WideLanes w = widen(x);
      low = f(low, w.low);
      high = f(high, w.high);
    }
  }
  WEFT_ALWAYS_INLINE void add(const Vectorized<T>& x) noexcept {
    join(x, [](const auto& a, const auto& b) WEFT_INLINE_LAMBDA { return a + b; });
  }
  /// Of all lanes; 0 in `high` where there is nothing else.
  WEFT_ALWAYS_INLINE double sum() const noexcept {
    return reduce_lanes(low + high, [](auto a, auto b) WEFT_INLINE_LAMBDA { return a + b; });
  }

 private:
  static constexpr std::int64_t half = Vectorized<double>::lanes;
  static constexpr bool has_halves = Vectorized<T>::lanes > half;
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
