// SPDX-License-Identifier: Apache-2.0
// exp against long double, at every level: error in units in the last place, special values, and
// that a result depends on nothing but its own argument.
#include "kernel/vector_probe.hpp"
#include "support/element.hpp"
#include "support/levels.hpp"
#include "support/tally.hpp"
#include "support/ulp.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace {

using weft::Level;

template <class T>
std::vector<T> exp_at(Level level, const std::vector<T>& x, double fill = 0) {
  std::vector<T> y(x.size());
  test::vector_exp.at(level)(weft::scalar_type_of<T>, y.data(), x.data(),
                             static_cast<std::int64_t>(x.size()), fill);
  return y;
}

/// The largest error over all x, at each level of this machine.
template <class T>
void check_accuracy(const std::vector<T>& x) {
  const test::Format format = test::format_of(weft::scalar_type_of<T>);
  std::vector<long double> truth;
  for (const T value : x)
    truth.push_back(std::exp(static_cast<long double>(value)));
  for (const Level level : test::levels()) {
    const std::vector<T> y = exp_at(level, x);
    long double worst = 0;
    T at = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const long double error = test::ulp_error<long double>(y[k], truth[k], format);
      if (error > worst) {
        worst = error;
        at = x[k];
      }
    }
    INFO(weft::name(level) << ": " << static_cast<double>(worst) << " ulp at " << at);
    CHECK(worst <= 1.0L);
  }
}

template <class T>
void check_special_values() {
  using Limits = std::numeric_limits<T>;
  struct Case {
    T x, y;
  };
  const Case cases[] = {{T(0), T(1)},
                        {T(-0.0), T(1)},
                        {Limits::infinity(), Limits::infinity()},
                        {-Limits::infinity(), T(0)},
                        {Limits::max(), Limits::infinity()},
                        {Limits::lowest(), T(0)},
                        {Limits::denorm_min(), T(1)},
                        {-Limits::denorm_min(), T(1)},
                        {Limits::quiet_NaN(), Limits::quiet_NaN()}};
  for (const Level level : test::levels()) {
    for (const Case& c : cases) {
      INFO(weft::name(level) << ", exp(" << c.x << ")");
      const T y = exp_at<T>(level, {c.x})[0];
      CHECK(test::same_element(weft::scalar_type_of<T>, &y, &c.y));
    }
  }
}

}  // namespace

TEST_CASE("exp: f32 is within 1 ulp over the whole range", "[kernel]") {
  std::vector<float> x;
  // Every 997th of all floats: all signs, exponents and, 997 being prime, all endings.
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 997) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    // Beyond these exp is 0 or infinity; a few of them are enough.
    const bool plain = value > -110 && value < 95;
    if (plain || (!std::isnan(value) && bits % (1 << 10) == 0)) x.push_back(value);
  }
  REQUIRE(x.size() > 2'000'000);
  check_accuracy(x);
}

TEST_CASE("exp: f32 is within 1 ulp wherever it is neither 0, 1 nor infinity", "[kernel]") {
  std::vector<float> x;
  for (double value = -104.5; value < 89.5; value += 1.9e-4)
    x.push_back(static_cast<float>(value));
  check_accuracy(x);
}

TEST_CASE("exp: f32 at the ends of the range", "[kernel]") {
  // Around the largest result, the least normal and the least subnormal one.
  for (const float edge : {88.7228394f, -87.3365479f, -103.278931f, -103.972084f}) {
    std::vector<float> x;
    const auto middle = std::bit_cast<std::uint32_t>(edge);
    for (std::uint32_t bits = middle - 20'000; bits < middle + 20'000; ++bits) {
      x.push_back(std::bit_cast<float>(bits));
    }
    check_accuracy(x);
  }
}

TEST_CASE("exp: f64 is within 1 ulp", "[kernel]") {
  WEFT_RANDOM(random);
  std::vector<double> x;
  for (double value = -746.0; value < 710.5; value += 2.9e-3)
    x.push_back(value);
  for (int i = 0; i < test::rounds(300'000); ++i) {
    const double unit = static_cast<double>(random.bits() >> 11) * 0x1p-53;
    // Close to zero, and all over the range; around it results are subnormal.
    x.push_back(i % 3 == 0   ? std::ldexp(unit - 0.5, -static_cast<int>(random.integer(0, 60)))
                : i % 3 == 1 ? unit * 1456.0 - 746.0
                             : -708.0 - unit * 38.0);
  }
  check_accuracy(x);
}

TEST_CASE("exp: special values", "[kernel]") {
  check_special_values<float>();
  check_special_values<double>();
}

TEMPLATE_TEST_CASE("exp: a result does not depend on its lane or its neighbours", "[kernel]", float,
                   double) {
  using T = TestType;
  constexpr std::size_t lanes = 64 / sizeof(T);
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const Level level : test::levels()) {
    std::vector<T> x(301);
    test::fill(weft::scalar_type_of<T>, x.data(), static_cast<std::int64_t>(x.size()), random);
    const std::vector<T> y = exp_at(level, x);
    for (std::size_t shift = 1; shift <= lanes; ++shift) {
      const std::vector<T> part(x.begin() + static_cast<std::ptrdiff_t>(shift), x.end());
      for (const double fill : {0.0, -1e300, std::numeric_limits<double>::quiet_NaN()}) {
        const std::vector<T> moved = exp_at(level, part, fill);
        for (std::size_t k = 0; k < moved.size(); ++k) {
          tally.check(test::same_element(weft::scalar_type_of<T>, &moved[k], &y[k + shift]),
                      [&](auto& out) {
                        out << weft::name(level) << ": exp(" << part[k] << ") is " << moved[k]
                            << " or " << y[k + shift];
                      });
        }
      }
    }
  }
  CHECK_TALLY(tally);
}
