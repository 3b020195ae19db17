// SPDX-License-Identifier: Apache-2.0
// Keys and their order. Where registers can be split, keys are brought to both sides of one of them
// (quicksort) until some registers hold what is left; elsewhere they are sorted byte by byte.
#include "kernels/sorting/sorting.hpp"

#include "kernels/sorting/digit_sort.hpp"
#include "kernels/sorting/key_matrix.hpp"
#include "kernels/sorting/split_keys.hpp"

#include <cstddef>
#include <limits>
#include <type_traits>

namespace weft {
inline namespace v0 {
namespace {

template <class Key>
Key* keys_at(char* data) {
  return reinterpret_cast<Key*>(data);
}
template <class Key>
const Key* keys_at(const char* data) {
  return reinterpret_cast<const Key*>(data);
}

// ---- Keys ---------------------------------------------------------------------------------------

/// Between the bits of floating types and integers of the same order, either way: below 0 the
/// larger magnitude is the smaller number.
template <class Key>
WEFT_ALWAYS_INLINE Key ordered_bits(Key bits) {
  constexpr int sign = 8 * static_cast<int>(sizeof(Key)) - 1;
  return bits ^ ((bits >> sign) & std::numeric_limits<Key>::max());
}

/// The steps between elements and keys. One loop does them all: those that a type or an order does
/// without are masked.
template <class Key>
struct KeySteps {
  static constexpr Key most = std::numeric_limits<Key>::max();
  static constexpr Key least = std::numeric_limits<Key>::min();

  explicit KeySteps(KeyOrder order)
      : ordered(order.floating ? most : Key{0}),
        flipped((!order.floating && order.unsigned_type ? least : Key{0}) ^
                (order.descending ? Key{-1} : Key{0})) {}

  /// Between the bits of floating types and integers of the same order, either way: below 0 the
  /// larger magnitude is the smaller number.
  WEFT_ALWAYS_INLINE Key turned(Key bits) const {
    constexpr int sign = 8 * static_cast<int>(sizeof(Key)) - 1;
    return bits ^ ((bits >> sign) & ordered);
  }

  /// Whether keys are the elements.
  bool are_none() const { return ordered == 0 && flipped == 0; }

  Key ordered, flipped;
};

template <class Key>
KeyCounts to_keys(char* to, const char* from, std::int64_t n, KeyOrder order) {
  using Steps = KeySteps<Key>;
  const Steps steps(order);
  constexpr auto infinity = static_cast<Key>(sizeof(Key) == 4 ? 0x7f800000 : 0x7ff0000000000000);
  constexpr std::int64_t block = std::int64_t{1} << 30;  // counts fit in a key
  const Key largest = order.floating ? infinity : Steps::most;
  const Key floating = order.floating ? Key{-1} : Key{0};
  Key* keys = keys_at<Key>(to);
  const Key* elements = keys_at<Key>(from);
  KeyCounts counts;
  if (steps.are_none()) {
    if (to != from) __builtin_memcpy(to, from, static_cast<std::size_t>(n) * sizeof(Key));
    return counts;
  }
  for (; n > 0; n -= block, keys += block, elements += block) {
    const std::int64_t count = n < block ? n : block;
    Key nans = 0, negative_zeros = 0;
#pragma omp simd reduction(+ : nans, negative_zeros)  // in place as well
    for (std::int64_t i = 0; i < count; ++i) {
      const Key bits = elements[i];
      const Key is_nan = (bits & Steps::most) > largest ? Key{-1} : Key{0};
      const Key is_negative_zero = (bits == Steps::least ? Key{-1} : Key{0}) & floating;
      const Key key = (steps.turned(bits) & ~is_negative_zero) ^ steps.flipped;
      keys[i] = is_nan != 0 ? Steps::most : key;
      nans -= is_nan;
      negative_zeros -= is_negative_zero;
    }
    counts.nans += nans;
    counts.negative_zeros += negative_zeros;
  }
  return counts;
}

template <class Key>
void from_keys(char* to, const char* from, std::int64_t n, KeyOrder order) {
  const KeySteps<Key> steps(order);
  if (steps.are_none() && to == from) return;
  Key* elements = keys_at<Key>(to);
  const Key* keys = keys_at<Key>(from);
#pragma omp simd  // in place as well
  for (std::int64_t i = 0; i < n; ++i)
    elements[i] = steps.turned(keys[i] ^ steps.flipped);
}

// ---- Their order --------------------------------------------------------------------------------

#if defined(WEFT_SPLITS_REGISTERS)

/// A key which about `below` of the n keys are not above. Four parts of the keys have a run of
/// neighbours each, in their middle, from which it is taken.
template <class Few, class Key>
[[gnu::noinline]] Key key_above(const Key* keys, std::int64_t n, std::int64_t below) {
  constexpr std::int64_t run = key_lanes<Key>, runs = Few::size / run;
  alignas(key_register_bytes) Key some[Few::size];
  const std::int64_t step = n / runs;
  for (std::int64_t k = 0; k < runs; ++k)
    __builtin_memcpy(some + k * run, keys + k * step + (step - run) / 2, run * sizeof(Key));
  Few::sort_all(some);
  return some[below * Few::size / n];
}

/// Parts are halved at best; one that is still long after so many splits is sorted by bytes.
template <class Key>
void split_sort(Key* keys, Key* room, std::int64_t n, std::int64_t from, std::int64_t to,
                int splits) {
  using Few = KeyMatrix<Key, 4>;
  using Some = KeyMatrix<Key, 8>;
  using Many = KeyMatrix<Key, 16>;
  while (from < to) {
    if (n <= Few::size) return Few::sort(keys, n);
    if (n <= Some::size) return Some::sort(keys, n);
    if (n <= Many::size) return Many::sort(keys, n);
    if (splits-- == 0) return digit_sort(keys, room, n);
    // Halves; or nearly as many as are sorted together, and a few.
    const Key bound = key_above<Few>(keys, n, n < Many::size * 3 / 2 ? Many::size * 7 / 8 : n / 2);
    const std::int64_t below = split_keys(keys, n, bound);
    if (below == n) {
      // It is the largest, as often as it is there.
      if (bound == std::numeric_limits<Key>::min()) return;
      n = split_keys(keys, n, static_cast<Key>(bound - 1));
      to = to < n ? to : n;
      continue;
    }
    // The shorter part first: this goes log2(n) deep.
    const bool first_is_shorter = below <= n - below;
    const std::int64_t to_below = to < below ? to : below, from_above = from < below ? below : from;
    if (first_is_shorter) {
      split_sort(keys, room, below, from, to_below, splits);
      keys += below;
      n -= below;
      from = from_above - below;
      to -= below;
    } else {
      split_sort(keys + below, room, n - below, from_above - below, to - below, splits);
      n = below;
      to = to_below;
    }
  }
}

#endif

template <class Key>
void sort(char* data, char* room, std::int64_t n, std::int64_t from, std::int64_t to) {
  Key* const keys = keys_at<Key>(data);
#if defined(WEFT_SPLITS_REGISTERS)
  // A matrix takes as long for one key as for all that it has room for.
  constexpr std::int64_t few = 5;
  if (n <= few) return insertion_sort(keys, n);
  const int bits = 64 - __builtin_clzll(static_cast<unsigned long long>(n) | 1);
  split_sort(keys, keys_at<Key>(room), n, from, to, 3 * bits);
#else
  static_cast<void>(from);
  static_cast<void>(to);
  constexpr std::int64_t few = 32 / static_cast<int>(sizeof(Key)) * 8;
  n <= few ? insertion_sort(keys, n) : digit_sort(keys, keys_at<Key>(room), n);
#endif
}

template <class Key>
constexpr SortingKernel kernel{&to_keys<Key>, &from_keys<Key>, &sort<Key>};

}  // namespace

const SortingKernel* WEFT_KERNEL(sorting_kernel)(std::int64_t key_bytes) {
  return key_bytes == 4 ? &kernel<std::int32_t> : key_bytes == 8 ? &kernel<std::int64_t> : nullptr;
}

}  // namespace v0
}  // namespace weft
