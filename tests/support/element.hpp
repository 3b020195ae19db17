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
inline const std::vector<weft::ScalarType>& all_types() {
  static const std::vector<weft::ScalarType> types = [] {
    std::vector<weft::ScalarType> list;
    for (int i = 0; i < weft::scalar_type_count; ++i) {
      list.push_back(static_cast<weft::ScalarType>(i));
    }
    return list;
  }();
  return types;
}

/// What values may be drawn.
enum class Values {
  any,    ///< all over the range, with infinities, NaN, both zeros and the extremes
  small,  ///< whole numbers from -9 to 9 (0 to 9, false and true): sums of them are exact
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
inline void fill(weft::ScalarType type, void* memory, std::int64_t count, Random& random,
                 Values values = Values::any) {
  auto* to = static_cast<unsigned char*>(memory);
  weft::dispatch_all_types(type, [&]<class T>() {
    for (std::int64_t i = 0; i < count; ++i, to += sizeof(T)) {
      if (std::is_same_v<T, bool> && values == Values::any) {
        constexpr unsigned char bytes[] = {0, 0, 1, 2, 0x80, 0xff};
        *to = bytes[random.integer(0, 5)];
      } else {
        const T value = random_element<T>(random, values);
        std::memcpy(to, &value, sizeof(T));
      }
    }
  });
}

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
inline bool same_element(weft::ScalarType type, const void* a, const void* b) {
  const auto size = static_cast<std::size_t>(weft::element_size(type));
  if (std::memcmp(a, b, size) == 0) return true;
  return weft::dispatch_all_types(type, [&]<class T>() {
    if constexpr (weft::is_complex_type<T>) {
      const auto* x = static_cast<const char*>(a);
      const auto* y = static_cast<const char*>(b);
      constexpr auto part = weft::scalar_type_of<typename T::value_type>;
      return same_element(part, x, y) && same_element(part, x + size / 2, y + size / 2);
    } else {
      return is_nan(load<T>(a)) && is_nan(load<T>(b));
    }
  });
}

/// Writes an element as text, floating ones exactly.
inline void print_element(std::ostream& out, weft::ScalarType type, const void* element) {
  weft::dispatch_all_types(type, [&]<class T>() {
    if constexpr (std::is_same_v<T, bool>) {
      out << "byte " << static_cast<int>(*static_cast<const unsigned char*>(element));
    } else if constexpr (sizeof(T) == 1) {
      out << static_cast<int>(load<T>(element));
    } else if constexpr (weft::is_half_type<T>) {
      out << std::hexfloat << static_cast<float>(load<T>(element)) << std::defaultfloat;
    } else {
      out << std::hexfloat << load<T>(element) << std::defaultfloat;
    }
  });
}

/// cast() between types known at run time.
inline void convert_element(weft::ScalarType to_type, void* to, weft::ScalarType from_type,
                            const void* from) {
  weft::cast_elements(to, to_type, 0, from, from_type, 0, 1);
}

}  // namespace test
