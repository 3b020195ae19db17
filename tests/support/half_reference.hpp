// SPDX-License-Identifier: Apache-2.0
/// @file
/// The two 16-bit floating types by their definition, slowly: decoding by powers of two, encoding
/// by looking for the nearest of all values.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace test {

/// A format of one sign bit, then exponent bits, then fraction bits; 16 in all.
class HalfReference {
 public:
  HalfReference(int exponent_bits, int fraction_bits)
      : fraction_bits_(fraction_bits), bias_((1 << (exponent_bits - 1)) - 1) {
    infinity_ = static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << fraction_bits);
    for (int bits = 0; bits < infinity_; ++bits)
      finite_.push_back(magnitude(bits));
  }

  static const HalfReference& f16() {
    static const HalfReference format(5, 10);
    return format;
  }
  static const HalfReference& bf16() {
    static const HalfReference format(8, 7);
    return format;
  }

  std::uint16_t infinity() const { return infinity_; }
  bool is_nan(std::uint16_t bits) const { return (bits & 0x7fff) > infinity_; }
  /// Of the bits of a NaN: the highest of the fraction is set.
  bool is_quiet(std::uint16_t bits) const { return (bits >> (fraction_bits_ - 1) & 1) != 0; }
  /// All finite values that are not negative, in ascending order; the index is the bit pattern.
  const std::vector<double>& finite() const { return finite_; }

  /// Exact; NaN gives NaN.
  double decode(std::uint16_t bits) const {
    if (is_nan(bits)) return std::nan("");
    const int rest = bits & 0x7fff;
    const double value = rest == infinity_ ? HUGE_VAL : magnitude(rest);
    return bits >> 15 != 0 ? -value : value;
  }

  /// The nearest value, the even one of two equally near; not for NaN.
  std::uint16_t encode(double value) const {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const double wanted = std::fabs(value);
    const auto above = std::lower_bound(finite_.begin(), finite_.end(), wanted);
    if (above == finite_.begin()) return sign;
    const auto high = static_cast<std::uint16_t>(above - finite_.begin());
    const auto low = static_cast<std::uint16_t>(high - 1);
    // Past the largest finite value counts the value that would come next.
    const double next = high == infinity_ ? magnitude(infinity_) : *above;
    const double to_low = wanted - finite_[low];
    const double to_high = next - wanted;
    const bool up = to_high < to_low || (to_high == to_low && high % 2 == 0);
    return static_cast<std::uint16_t>(sign | (up ? high : low));
  }

 private:
  double magnitude(int bits) const {
    const int exponent = bits >> fraction_bits_;
    const int fraction = bits & ((1 << fraction_bits_) - 1);
    if (exponent == 0) return std::ldexp(fraction, 1 - bias_ - fraction_bits_);
    return std::ldexp(fraction + (1 << fraction_bits_), exponent - bias_ - fraction_bits_);
  }

  int fraction_bits_;
  int bias_;
  std::uint16_t infinity_;
  std::vector<double> finite_;
};

}  // namespace test
