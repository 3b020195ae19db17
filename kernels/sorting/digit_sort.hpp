// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sorting keys byte by byte, in time that their order does not change.
#pragma once

#include <weft/base/export.hpp>
#include <weft/machine/level.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Sorts few keys.
template <class Key>
WEFT_ALWAYS_INLINE void insertion_sort(Key* keys, std::int64_t n) {
  for (std::int64_t i = 1; i < n; ++i) {
    const Key key = keys[i];
    std::int64_t place = i;
    for (; place > 0 && keys[place - 1] > key; --place)
      keys[place] = keys[place - 1];
    keys[place] = key;
  }
}

/// Sorts n keys by their lowest byte, then by the next, and so on. Bytes that all keys share are
/// left out. `room` is for n keys.
template <class Key>
[[gnu::noinline]] void digit_sort(Key* keys, Key* room, std::int64_t n) {
  using Bits = std::make_unsigned_t<Key>;
  constexpr int key_bits = 8 * static_cast<int>(sizeof(Key));
  constexpr Bits sign = Bits{1} << (key_bits - 1);
  Key *from = keys, *to = room;
  for (int shift = 0; shift < key_bits; shift += 8) {
    const auto digit = [shift](Key key) {
      return static_cast<int>((static_cast<Bits>(key) ^ sign) >> shift & 0xff);
    };
    std::int64_t places[256];
    for (std::int64_t& place : places)
      place = 0;
    for (std::int64_t i = 0; i < n; ++i)
      ++places[digit(from[i])];
    if (places[digit(from[0])] == n) continue;
    std::int64_t sum = 0;
    for (std::int64_t& place : places) {
      const std::int64_t count = place;
      place = sum;
      sum += count;
    }
    for (std::int64_t i = 0; i < n; ++i)
      to[places[digit(from[i])]++] = from[i];
    Key* const sorted = to;
    to = from;
    from = sorted;
  }
  if (from != keys) __builtin_memcpy(keys, from, static_cast<std::size_t>(n) * sizeof(Key));
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
