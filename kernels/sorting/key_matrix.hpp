// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sorting as many keys as some registers hold, by a network of minima and maxima.
#pragma once

#include <weft/base/export.hpp>
#include <weft/machine/level.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

#if defined(__AVX512VL__)
inline constexpr int key_register_bytes = 64;
#else
inline constexpr int key_register_bytes = 32;
#endif

/// Key is std::int32_t or std::int64_t.
template <class Key>
inline constexpr int key_lanes = key_register_bytes / static_cast<int>(sizeof(Key));

template <class Key>
struct KeyRegister {
  typedef Key Type __attribute__((vector_size(key_register_bytes)));
  typedef Key Unaligned
      __attribute__((vector_size(key_register_bytes), aligned(sizeof(Key)), may_alias));
};

/// Lanes of two registers a and b, `lanes` of each, as one list: which of them the result has.
template <int distance>
struct SwappedLanes {
  static constexpr int from(int lane) { return lane ^ distance; }
};
template <int lanes, int distance>
struct ChosenLanes {  // those of b where the lane has the bit `distance`
  static constexpr int from(int lane) { return (lane & distance) != 0 ? lane + lanes : lane; }
};
template <int lanes, int half>
struct ZippedLanes {
  static constexpr int from(int lane) { return (lane & 1) * lanes + (half * lanes + lane) / 2; }
};

/// Batcher's odd-even merge sort of so many places: pairs that are put in order, one after another.
template <int places>
struct SortingNetwork {
  constexpr SortingNetwork() {
    for (int p = 1; p < places; p *= 2) {
      for (int k = p; k >= 1; k /= 2) {
        for (int j = k % p; j + k < places; j += 2 * k) {
          for (int i = j; i < j + k && i + k < places; ++i) {
            if (i / (2 * p) != (i + k) / (2 * p)) continue;
            lower[count] = i;
            upper[count++] = i + k;
          }
        }
      }
    }
  }

  int lower[4 * places] = {}, upper[4 * places] = {};
  int count = 0;
};

/// Registers as the rows of a matrix. Its columns are sorted. Then pairs of groups of columns are
/// merged, each of them sorted if read column by column, until there is one group. Then its columns
/// are turned into rows.
template <class Key, int rows>
class KeyMatrix {
  using Register = typename KeyRegister<Key>::Type;
  using Unaligned = typename KeyRegister<Key>::Unaligned;
  static constexpr int lanes = key_lanes<Key>;
  static constexpr SortingNetwork<rows> network{};

 public:
  static constexpr int size = rows * lanes;

  /// Sorts `size` keys.
  [[gnu::noinline]] static void sort_all(Key* keys) {
    Register m[rows];
    WEFT_UNROLLED
    for (int r = 0; r < rows; ++r)
      m[r] = load(keys + r * lanes);
    sort_columns(m, std::make_integer_sequence<int, network.count>());
    merge_groups(m);
    columns_to_rows(m);
    WEFT_UNROLLED
    for (int r = 0; r < rows; ++r)
      store(keys + r * lanes, m[r]);
  }

  /// Sorts n keys, at most `size`. Not inlined: the caller's frame is on the stack many times.
  [[gnu::noinline]] static void sort(Key* keys, std::int64_t n) {
    if (n == size) return sort_all(keys);
    alignas(key_register_bytes) Key all[size];
    const Register most = Register{} + std::numeric_limits<Key>::max();
    for (std::int64_t i = n / lanes * lanes; i < size; i += lanes)
      store(all + i, most);
    copy(keys, all, n);
    sort_all(all);
    copy(all, keys, n);
  }

 private:
  static WEFT_ALWAYS_INLINE Register load(const Key* from) {
    return *reinterpret_cast<const Unaligned*>(from);
  }
  static WEFT_ALWAYS_INLINE void store(Key* to, const Register& x) {
    *reinterpret_cast<Unaligned*>(to) = x;
  }
  static WEFT_ALWAYS_INLINE void copy(const Key* keys, Key* to, std::int64_t n) {
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
      store(to + i, load(keys + i));
    for (; i < n; ++i)
      to[i] = keys[i];
  }
  static WEFT_ALWAYS_INLINE void put_in_order(Register& a, Register& b) {
    const Register lower = a < b ? a : b;
    b = a < b ? b : a;
    a = lower;
  }

  template <class Lanes, int... lane>
  static WEFT_ALWAYS_INLINE Register shuffle(const Register& a, const Register& b,
                                             std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(a, b, Lanes::from(lane)...);
  }
  template <class Lanes>
  static WEFT_ALWAYS_INLINE Register shuffle(const Register& a, const Register& b) {
    return shuffle<Lanes>(a, b, std::make_integer_sequence<int, lanes>());
  }

  template <int... i>
  static WEFT_ALWAYS_INLINE void sort_columns(Register* m, std::integer_sequence<int, i...>) {
    (put_in_order(m[network.lower[i]], m[network.upper[i]]), ...);
  }

  /// Rows at this distance, then at half of it, and so on.
  template <int distance>
  static WEFT_ALWAYS_INLINE void merge_rows(Register* m) {
    if constexpr (distance >= 1) {
      WEFT_UNROLLED
      for (int r = 0; r < rows; ++r)
        if ((r & distance) == 0) put_in_order(m[r], m[r + distance]);
      merge_rows<distance / 2>(m);
    }
  }
  /// The same of lanes, at one distance.
  template <int distance>
  static WEFT_ALWAYS_INLINE void merge_lanes(Register* m) {
    if constexpr (distance < lanes) {
      WEFT_UNROLLED
      for (int r = 0; r < rows; ++r) {
        Register lower = m[r], upper = shuffle<SwappedLanes<distance>>(m[r], m[r]);
        put_in_order(lower, upper);
        m[r] = shuffle<ChosenLanes<lanes, distance>>(lower, upper);
      }
    }
  }
  /// Two sorted groups of columns, which are `width` together: the second one turned round, both
  /// together are bitonic.
  template <int width>
  static WEFT_ALWAYS_INLINE void turn_second_half(Register* m) {
    if constexpr (width <= lanes) {
      using Turned = SwappedLanes<width - 1>;
      using SecondHalf = ChosenLanes<lanes, width / 2>;
      WEFT_UNROLLED
      for (int r = 0; r < rows / 2; ++r) {
        Register& other = m[rows - 1 - r];
        Register lower = m[r], upper = shuffle<Turned>(other, other);
        put_in_order(lower, upper);
        m[r] = shuffle<SecondHalf>(lower, upper);
        const Register turned = shuffle<SecondHalf>(upper, lower);
        other = shuffle<Turned>(turned, turned);
      }
    }
  }
  /// Makes one sorted group of all columns. A loop that stays one: its steps have most of their
  /// text in common.
  static WEFT_ALWAYS_INLINE void merge_groups(Register* m) {
    WEFT_NOT_UNROLLED
    for (int width = 2; width <= lanes; width *= 2) {
      if (width == 2) turn_second_half<2>(m);
      if (width == 4) turn_second_half<4>(m);
      if (width == 8) turn_second_half<8>(m);
      if (width == 16) turn_second_half<16>(m);
      if (width > 8) merge_lanes<4>(m);
      if (width > 4) merge_lanes<2>(m);
      if (width > 2) merge_lanes<1>(m);
      merge_rows<rows / 2>(m);
    }
  }
  /// Each step rotates the bits of a key's place by one.
  static WEFT_ALWAYS_INLINE void columns_to_rows(Register* m) {
    WEFT_NOT_UNROLLED
    for (int steps = rows; steps > 1; steps /= 2) {
      Register to[rows];
      WEFT_UNROLLED
      for (int r = 0; r < rows / 2; ++r) {
        to[2 * r] = shuffle<ZippedLanes<lanes, 0>>(m[r], m[r + rows / 2]);
        to[2 * r + 1] = shuffle<ZippedLanes<lanes, 1>>(m[r], m[r + rows / 2]);
      }
      WEFT_UNROLLED
      for (int r = 0; r < rows; ++r)
        m[r] = to[r];
    }
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
