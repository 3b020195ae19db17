// SPDX-License-Identifier: Apache-2.0
/// @file
/// Errors in units in the last place.
#pragma once

#include <weft/core/scalar_type.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace test {

/// Binary digits and exponents of a real floating type, as std::numeric_limits has them.
struct Format {
  int digits, least, most;
};
inline Format format_of(weft::ScalarType type) {
  switch (type) {
    case weft::ScalarType::f16: return {11, -13, 16};
    case weft::ScalarType::bf16: return {8, -125, 128};
    case weft::ScalarType::f32: return {24, -125, 128};
    default: return {53, -1021, 1024};
  }
}

/// |got - wanted| in units in the last place that a number of that format has at `wanted`. Infinity
/// counts as the number after the largest; NaN where there should be none, and the other way round,
/// is infinitely wrong.
template <class W>
W ulp_error(W got, W wanted, const Format& format) {
  if (std::isnan(wanted) || std::isnan(got)) {
    return std::isnan(wanted) == std::isnan(got) ? W(0) : std::numeric_limits<W>::infinity();
  }
  const W beyond = std::ldexp(W(1), format.most);
  if (std::isinf(got)) got = std::copysign(beyond, got);
  if (std::fabs(wanted) > beyond) wanted = std::copysign(beyond, wanted);
  if (got == wanted) return 0;
  const int exponent = wanted == 0 ? format.least : std::ilogb(wanted) + 1;
  return std::fabs(got - wanted) /
         std::ldexp(W(1), std::max(exponent, format.least) - format.digits);
}

}  // namespace test
