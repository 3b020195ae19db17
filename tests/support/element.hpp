// SPDX-License-Identifier: Apache-2.0
/// @file
/// Single elements whose type is known only at run time: drawing, comparing and printing them.
#pragma once

#include <weft/core/cast.hpp>
#include <weft/core/dispatch_types.hpp>

#include "support/seed.hpp"

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ostream>
#include <type_traits>
#include <vector>

namespace test {

/// The fifteen element types.
const std::vector<weft::ScalarType>& all_types();

/// What values may be drawn.
enum class Values {
  any,    ///< all over the range, with infinities, NaN, both zeros and the extremes
  small,  ///< integers from -9 to 9 (0 to 9, false and true): sums of them are exact
};

template <class T>
T random_element(Random& random, Values values) {
  if constexpr (weft::is_complex_type<T>) {
    using Part = typename T::value_type;
    const Part real = random_element<Part>(random, values);
    return T(real, random_element<Part>(random, values));
  } else if constexpr (std::is_same_v<T, bool>) {
    return random.chance(50);
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    if (values == Values::small) {
      return static_cast<T>(random.integer(std::is_signed_v<T> ? -9 : 0, 9));
    }
    const T special[] = {0, 1, Limits::max(), Limits::min(), static_cast<T>(Limits::max() - 1)};
    if (random.chance(30)) return special[random.integer(0, 4)];
    if (random.chance(50)) return static_cast<T>(random.integer(-100, 100));
    return static_cast<T>(random.bits());
  } else if constexpr (weft::is_half_type<T>) {
    if (values == Values::small) return T(static_cast<float>(random.integer(-9, 9)));
    if (random.chance(50)) return T(static_cast<float>(random.integer(-400, 400)) / 16);
    return T::from_bits(static_cast<std::uint16_t>(random.bits()));
  } else {
    using Limits = std::numeric_limits<T>;
    if (values == Values::small) return static_cast<T>(random.integer(-9, 9));
    const T special[] = {T(0),
                         -T(0),
                         Limits::infinity(),
                         -Limits::infinity(),
                         Limits::max(),
                         Limits::lowest(),
                         Limits::quiet_NaN(),
                         Limits::denorm_min(),
                         T(1),
                         T(-1)};
    if (random.chance(20)) return special[random.integer(0, 9)];
    if (random.chance(60)) return static_cast<T>(random.integer(-30000, 30000)) / T(16);
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    return std::bit_cast<T>(static_cast<Bits>(random.bits()));
  }
}

/// Draws `count` elements into dense memory. A bool is any byte: all but 0 are true.
void fill(weft::ScalarType type, void* memory, std::int64_t count, Random& random,
          Values values = Values::any);

template <class T>
T load(const void* from) {
  if constexpr (std::is_same_v<T, bool>) {
    return *static_cast<const unsigned char*>(from) != 0;
  } else {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }
}

template <class T>
void store(void* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

template <class T>
bool is_nan(T value) {
  if constexpr (std::is_floating_point_v<T>) return value != value;
  if constexpr (weft::is_half_type<T>) return std::isnan(static_cast<float>(value));
  return false;
}

/// Equal bits, or both NaN; complex numbers part by part. A bool has to be 0 or 1 to the bit.
bool same_element(weft::ScalarType type, const void* a, const void* b);

/// Writes an element as text, floating ones exactly.
void print_element(std::ostream& out, weft::ScalarType type, const void* element);

/// cast() between types known at run time.
void convert_element(weft::ScalarType to_type, void* to, weft::ScalarType from_type,
                     const void* from);

}  // namespace test
