// SPDX-License-Identifier: Apache-2.0
#include "cli/fill.hpp"

#include <weft/core/cast.hpp>
#include <weft/core/dispatch_types.hpp>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

namespace weft::cli {
namespace {

std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// `value` as a float, rounded to odd: whatever does not fit leaves its trace in the last bit. A
/// second rounding to a type at least two bits narrower is then as good as one rounding of `value`.
/// (x + 0.5 may have 25 significant bits, one more than a float, so rounding to nearest on the way
/// to a half would be rounding twice.)
float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (static_cast<double>(nearest) == value || (bits & 1) != 0) return nearest;
  // The magnitude grows with the bits. Of the two floats around the value the other one is odd.
  const bool rounded_up = std::abs(static_cast<double>(nearest)) > std::abs(value);
  return std::bit_cast<float>(rounded_up ? bits - 1 : bits + 1);
}

template <class T>
T floating(std::uint64_t u, Fill fill) {
  const double x = static_cast<double>(u >> 40) * 0x1p-24;
  const double value = fill == Fill::sym ? 2 * x - 1 : x + 0.5;
  if constexpr (is_half_type<T>) {
    return T(round_to_odd(value));
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
T integer(std::uint64_t u, Fill fill) {
  const auto r = static_cast<std::int64_t>(u >> 33);
  if (fill == Fill::nz) return static_cast<T>(1 + r % 7);
  return static_cast<T>(fill == Fill::pos || std::is_unsigned_v<T> ? r % 17 : r % 17 - 8);
}

}  // namespace

void fill_buffer(const TensorView& buffer, Fill fill, int input) {
  const std::uint64_t start = (static_cast<std::uint64_t>(input) + 1) * 0xD1B54A32D192ED03u;
  const auto u = [&](std::uint64_t position) { return splitmix64(position + start); };
  const auto count = static_cast<std::uint64_t>(buffer.numel());
  dispatch_all_types(buffer.dtype(), [&]<class T>() {
    T* to = buffer.data_as<T>();
    for (std::uint64_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<T, bool>) {
        to[i] = (u(i) >> 63) != 0;
      } else if constexpr (std::is_integral_v<T>) {
        to[i] = integer<T>(u(i), fill);
      } else if constexpr (is_complex_type<T>) {
        using Part = typename T::value_type;
        to[i] = T(floating<Part>(u(2 * i), fill), floating<Part>(u(2 * i + 1), fill));
      } else {
        to[i] = floating<T>(u(i), fill);
      }
    }
  });
}

}  // namespace weft::cli
