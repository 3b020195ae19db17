// SPDX-License-Identifier: Apache-2.0
#include <weft/core/half.hpp>

#include "support/half_reference.hpp"
#include "support/seed.hpp"
#include "support/tally.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace {

using test::HalfReference;

template <class Half>
void check_widening(const HalfReference& reference) {
  test::Tally tally;
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float got = Half::from_bits(bits);
    const double wanted = reference.decode(bits);
    const bool sign = std::signbit(got) == (bits >> 15 != 0);
    tally.check(reference.is_nan(bits) ? std::isnan(got) && sign : got == wanted && sign,
                [&](auto& out) { out << "bits " << bits << " read as " << got; });
    // Every value that is no NaN survives the way to float and back.
    if (!reference.is_nan(bits)) {
      tally.check(Half(got).bits == bits, [&](auto& out) { out << "bits " << bits << " back"; });
    }
  }
  CHECK_TALLY(tally);
}

template <class Half>
void check_one(test::Tally& tally, const HalfReference& reference, float value) {
  const std::uint16_t got = Half(value).bits;
  if (std::isnan(value)) {
    tally.check(
        reference.is_nan(got) && reference.is_quiet(got) && (got >> 15 != 0) == std::signbit(value),
        [&](auto& out) { out << "NaN became bits " << got; });
    return;
  }
  const std::uint16_t wanted = reference.encode(value);
  tally.check(got == wanted, [&](auto& out) {
    out.precision(10);
    out << value << " became bits " << got << ", expected " << wanted;
  });
}

/// Both neighbours of, and the point between, any two neighbouring values: all places where
/// rounding changes its mind, overflow to infinity among them.
template <class Half>
void check_boundaries(const HalfReference& reference) {
  test::Tally tally;
  std::vector<double> values = reference.finite();
  const double step = values.back() - values[values.size() - 2];
  values.push_back(values.back() + step);
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const auto middle = static_cast<float>((values[i] + values[i + 1]) / 2);
    tally.check(middle == (values[i] + values[i + 1]) / 2, [](auto& out) { out << "inexact"; });
    const float inf = std::numeric_limits<float>::infinity();
    for (const float near : {std::nextafter(middle, -inf), middle, std::nextafter(middle, inf)}) {
      check_one<Half>(tally, reference, near);
      check_one<Half>(tally, reference, -near);
    }
  }
  CHECK_TALLY(tally);
}

template <class Half>
void check_narrowing(const HalfReference& reference) {
  WEFT_RANDOM(random);
  test::Tally tally;
  using Limits = std::numeric_limits<float>;
  for (const float value : {0.0f, Limits::infinity(), Limits::max(), Limits::min(),
                            Limits::denorm_min(), Limits::quiet_NaN(), Limits::signaling_NaN()}) {
    check_one<Half>(tally, reference, value);
    check_one<Half>(tally, reference, -value);
  }
  // Every NaN pattern of one payload bit, quiet or not, of both signs.
  for (int bit = 0; bit < 23; ++bit) {
    for (const std::uint32_t head : {0x7f800000u, 0xff800000u}) {
      check_one<Half>(tally, reference, std::bit_cast<float>(head | 1u << bit));
    }
  }
  // Any bit pattern, and again with exponents around those that the type has.
  for (int i = 0; i < test::rounds(500'000); ++i) {
    const auto bits = static_cast<std::uint32_t>(random.bits());
    check_one<Half>(tally, reference, std::bit_cast<float>(bits));
    const auto exponent = static_cast<std::uint32_t>(random.integer(127 - 26, 127 + 17));
    check_one<Half>(tally, reference, std::bit_cast<float>((bits & 0x807fffffu) | exponent << 23));
  }
  CHECK_TALLY(tally);
}

}  // namespace

TEST_CASE("half: every 16-bit pattern widens to its value", "[core]") {
  SECTION("f16") { check_widening<weft::float16>(HalfReference::f16()); }
  SECTION("bf16") { check_widening<weft::bfloat16>(HalfReference::bf16()); }
}

TEST_CASE("half: rounding changes exactly half-way between neighbours", "[core]") {
  SECTION("f16") { check_boundaries<weft::float16>(HalfReference::f16()); }
  SECTION("bf16") { check_boundaries<weft::bfloat16>(HalfReference::bf16()); }
}

TEST_CASE("half: narrowing gives the nearest value", "[core]") {
  SECTION("f16") { check_narrowing<weft::float16>(HalfReference::f16()); }
  SECTION("bf16") { check_narrowing<weft::bfloat16>(HalfReference::bf16()); }
}

TEST_CASE("half: a signalling NaN of f16 widens to a quiet one", "[core]") {
  const float widened = weft::float16::from_bits(0x7c01);
  CHECK((std::bit_cast<std::uint32_t>(widened) & 0x00400000u) != 0);
}

TEST_CASE("half: known values, as constant expressions", "[core]") {
  STATIC_REQUIRE(weft::float16(1.0f).bits == 0x3c00);
  STATIC_REQUIRE(weft::float16(-2.0f).bits == 0xc000);
  STATIC_REQUIRE(weft::float16(65504.0f).bits == 0x7bff);
  STATIC_REQUIRE(weft::float16(65520.0f).bits == 0x7c00);
  STATIC_REQUIRE(weft::float16(5.9604645e-8f).bits == 0x0001);
  STATIC_REQUIRE(weft::bfloat16(1.0f).bits == 0x3f80);
  STATIC_REQUIRE(weft::bfloat16(3.3895314e38f).bits == 0x7f7f);
  STATIC_REQUIRE(static_cast<float>(weft::float16::from_bits(0x3555)) == 0.333251953125f);
  STATIC_REQUIRE(static_cast<float>(weft::bfloat16::from_bits(0x4049)) == 3.140625f);
  STATIC_REQUIRE(weft::float16().bits == 0);
  STATIC_REQUIRE(sizeof(weft::float16) == 2);
  STATIC_REQUIRE(sizeof(weft::bfloat16) == 2);
}
