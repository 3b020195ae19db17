// SPDX-License-Identifier: Apache-2.0
/// @file
/// Steps of a reduction whose accumulate takes Vectorized values.
#pragma once

#include <weft/kernel/detail/span_element.hpp>
#include <weft/kernel/vectorized.hpp>

#include <concepts>
#include <cstdint>
#include <tuple>
#include <utility>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The loops of ReductionLoops over whole vectors, in the order that those over single elements
/// have. Readers are a tuple of SpanReader.
template <class Op, class T>
struct VectorizedSteps {
  using V = Vectorized<T>;

  template <std::size_t nin>
  static constexpr bool accepts = []<std::size_t... I>(std::index_sequence<I...>) {
    return requires(const Op& op, V acc, Repeat<I, V>... x) {
      { op.accumulate(acc, x...) } -> std::convertible_to<V>;
    };
  }(std::make_index_sequence<nin>());

  /// Takes elements [i, end) into `lanes` accumulators, as far as there are as many; returns where
  /// the rest begins.
  template <int lanes, class Readers>
  static WEFT_ALWAYS_INLINE std::int64_t take_lanes(const Op& op, T* acc, const Readers& in,
                                                    std::int64_t i, std::int64_t end) {
    constexpr int count = lanes / V::lanes;
    V sums[static_cast<std::size_t>(count)];
    WEFT_UNROLLED
    for (int v = 0; v < count; ++v)
      sums[v] = V::load(acc + v * V::lanes);
    for (; i + lanes <= end; i += lanes) {
      WEFT_UNROLLED
      for (int v = 0; v < count; ++v)
        sums[v] = step(op, sums[v], in, i + v * V::lanes);
    }
    WEFT_UNROLLED
    for (int v = 0; v < count; ++v)
      sums[v].store(acc + v * V::lanes);
    return i;
  }

  /// Takes rows of `columns` elements into as many accumulators, which they begin if `first`;
  /// returns how many there were vectors for.
  template <bool first, class Rows>
  static WEFT_ALWAYS_INLINE std::int64_t take_columns(const Op& op, T* acc, const Rows& rows,
                                                      std::int64_t columns) {
    std::int64_t j = 0;
    for (; j + V::lanes <= columns; j += V::lanes) {
      V sum = first ? V(op.identity()) : V::load(acc + j);
      for (const auto& in : rows)
        sum = step(op, sum, in, j);
      sum.store(acc + j);
    }
    return j;
  }

  /// Takes all rows of columns, as far as there are vectors, and hands over each accumulator:
  /// take(accumulator, column).
  template <class Rows, class Take>
  static WEFT_ALWAYS_INLINE std::int64_t take_all_rows(const Op& op, const Rows& rows,
                                                       std::int64_t columns, const Take& take) {
    std::int64_t j = 0;
    for (; j + V::lanes <= columns; j += V::lanes) {
      V sum(op.identity());
      for (const auto& in : rows)
        sum = step(op, sum, in, j);
      alignas(64) T acc[static_cast<std::size_t>(V::lanes)];
      sum.store(acc);
      WEFT_INDEPENDENT_ITERATIONS
      for (int lane = 0; lane < V::lanes; ++lane)
        take(acc[lane], j + lane);
    }
    return j;
  }

 private:
  static WEFT_ALWAYS_INLINE V load(const SpanReader<T, false>& in, std::int64_t i) {
    return V::load(reinterpret_cast<const T*>(in.data) + i);
  }
  static WEFT_ALWAYS_INLINE V load(const SpanReader<T, true>& in, std::int64_t) {
    return V(in.value);
  }
  template <class Readers>
  static WEFT_ALWAYS_INLINE V step(const Op& op, const V& acc, const Readers& in, std::int64_t i) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) WEFT_INLINE_LAMBDA {
      return V(op.accumulate(acc, load(std::get<I>(in), i)...));
    }(std::make_index_sequence<std::tuple_size_v<Readers>>());
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
