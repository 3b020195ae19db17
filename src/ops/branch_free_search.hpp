// SPDX-License-Identifier: Apache-2.0
/// @file
/// Binary search for several values at a time, without branches that depend on what is found.
///
///     SearchGroup<double> group;                  // values and tables of each
///     find_places<float>(group, step, n, false);  // and places
#pragma once

#include <weft/core/cast.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace weft {
inline namespace v0 {

/// What elements of T are compared as: exact, and few types.
template <class T>
using SearchKey = std::conditional_t<
    std::is_integral_v<T>,
    std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>, double>;

/// The element at an address, which needs no alignment.
template <class T>
SearchKey<T> search_key(const char* at) {
  if constexpr (std::is_same_v<T, bool>) {
    return *at != 0 ? 1 : 0;
  } else {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return cast<SearchKey<T>>(value);
  }
}

/// Values that are looked for together, so that what one waits for memory the others use: eight
/// lines on their way at a time.
template <class Key>
struct SearchGroup {
  static constexpr int size = 8;

  Key values[size];
  const char* tables[size];
  std::int64_t places[size];
};

/// places[k] = how many of n elements of T, from tables[k] on at steps of so many bytes, are below
/// values[k], or equal to it if `or_equal`; comparisons are false for NaN.
template <class T>
void find_places(SearchGroup<SearchKey<T>>& group, std::int64_t step, std::int64_t n,
                 bool or_equal) {
  for (std::int64_t& place : group.places)
    place = 0;
  for (auto rest = static_cast<std::uint64_t>(n); rest > 0; rest >>= 1) {
    const auto half = static_cast<std::int64_t>(rest - (rest >> 1));
    for (int k = 0; k < group.size; ++k) {
      const std::int64_t place = group.places[k];
      const SearchKey<T> element = search_key<T>(group.tables[k] + (place + half - 1) * step);
      const SearchKey<T> value = group.values[k];
      // Of a condition, compilers make a branch, and every other one would be guessed wrong.
      const int before = static_cast<int>(element < value) |
                         (static_cast<int>(element <= value) & static_cast<int>(or_equal));
      group.places[k] = place + (half & -static_cast<std::int64_t>(before));
    }
  }
}

}  // namespace v0
}  // namespace weft
