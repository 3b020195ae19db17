// SPDX-License-Identifier: Apache-2.0
/// @file
/// Mean and squared deviations from it, as accumulators.
#pragma once

#include <weft/base/export.hpp>

#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// What is kept of `count` elements.
struct Moments {
  double mean;
  double squares;  // sum of squared deviations from the mean
  double count;
};

/// Of sums over n elements: of their deviations from a number near the mean, and of the squares of
/// these. The second term corrects for what the number is off.
WEFT_ALWAYS_INLINE Moments moments_about(double near, double deviations, double squares, double n) {
  return {near + deviations / n, squares - deviations * deviations / n, n};
}

/// Squares of floats are added as floats, which is right while they are neither huge nor tiny.
template <class T>
WEFT_ALWAYS_INLINE bool in_range(double squares) noexcept {
  return std::is_same_v<T, double> || (squares >= 1e-30 && squares <= 1e37);
}

/// Of both, after Chan, Golub and LeVeque (Updating formulae and a pairwise algorithm for computing
/// sample variances, 1979).
WEFT_ALWAYS_INLINE Moments joined(const Moments& a, const Moments& b) noexcept {
  const double n = a.count + b.count;
  const double delta = b.mean - a.mean;
  const double share = b.count / (n == 0 ? 1 : n);
  const Moments both{a.mean + delta * share,
                     a.squares + b.squares + delta * delta * a.count * share, n};
  return a.count == 0 ? b : b.count == 0 ? a : both;
}

/// The context is what is taken off the number of elements, a double.
WEFT_ALWAYS_INLINE double variance(const Moments& m, const void* context) noexcept {
  const double n = m.count - *static_cast<const double*>(context);
  return m.squares / (n > 0 ? n : 0.0);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
