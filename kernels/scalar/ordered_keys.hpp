// SPDX-License-Identifier: Apache-2.0
/// @file
/// Elements ordered as integers: the bits of floating ones are turned into integers of the
/// same order, above which NaN stands, so that a maximum is one instruction. For minima the order
/// is turned around.
#pragma once

#include "kernels/scalar/arithmetic.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

template <class T>
inline constexpr bool has_float_bits = is_half_type<T> || std::is_floating_point_v<T>;

/// Elements of T as integers of which the largest stands: the first element in the order, or the
/// last if `least`. Key is what they are, Bits what is read.
template <class T, bool least>
struct OrderedKeys {
  using Unsign = Unsigned<sizeof(T)>;
  using Key = std::conditional_t<has_float_bits<T> || std::is_signed_v<T>,
                                 std::make_signed_t<Unsign>, Unsign>;
  static constexpr Key most = std::numeric_limits<Key>::max();
  static constexpr Key lowest = std::numeric_limits<Key>::min();
  /// The bits of infinity: above them, the sign aside, NaN.
  static constexpr Key infinity = sizeof(T) == 8   ? static_cast<Key>(0x7ff0000000000000)
                                  : sizeof(T) == 4 ? static_cast<Key>(0x7f800000)
                                  : std::is_same_v<T, float16> ? static_cast<Key>(0x7c00)
                                                               : static_cast<Key>(0x7f80);

  /// Of one element, or of a register of them.
  template <class K>
  static WEFT_ALWAYS_INLINE K key(const K& bits) noexcept {
    if constexpr (std::is_same_v<T, bool>) {
      return turned<K>(bits != 0 ? K{} + Key{1} : K{});
    } else if constexpr (has_float_bits<T>) {
      const K ordered = turned<K>(ordered_bits<K>(bits));
      return (bits & most) > infinity ? K{} + most : ordered;
    } else {
      return turned<K>(bits);
    }
  }
  template <class K>
  static WEFT_ALWAYS_INLINE K bits(const K& key) noexcept {
    if constexpr (has_float_bits<T>) return ordered_bits<K>(turned<K>(key));
    return turned<K>(key);
  }

 private:
  template <class K>
  static WEFT_ALWAYS_INLINE K turned(const K& key) noexcept {
    return least ? static_cast<K>(~key) : key;
  }
  /// Between bits and keys, either way: below 0 the larger magnitude is the smaller number.
  template <class K>
  static WEFT_ALWAYS_INLINE K ordered_bits(const K& a) noexcept {
    return static_cast<K>(a ^ ((a >> (8 * static_cast<int>(sizeof(T)) - 1)) & most));
  }
};

template <class Key>
WEFT_ALWAYS_INLINE Key larger(Key a, Key b) noexcept {
  return a > b ? a : b;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
