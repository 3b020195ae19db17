// SPDX-License-Identifier: Apache-2.0
// Division of complex numbers, which has more than one right way to round.
#include <weft/ops/binary.hpp>

#include "support/dense.hpp"
#include "support/naive_ops.hpp"

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;

/// Distance of a quotient from the one in long double, in units of `epsilon` of its magnitude.
long double error(std::complex<long double> got, std::complex<long double> a,
                  std::complex<long double> b, long double epsilon) {
  const std::complex<long double> want = a / b;
  return std::abs(got - want) / (std::abs(want) * epsilon);
}

}  // namespace

TEMPLATE_TEST_CASE("complex division: within a few units", "[ops]", float, double) {
  using Part = TestType;
  using T = std::complex<Part>;
  constexpr ScalarType type = weft::scalar_type_of<T>;
  constexpr long double epsilon = std::numeric_limits<Part>::epsilon();
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(2000); ++round) {
    const Dims shape = test::random_shape(random, 3, 9);
    const Memory a = test::random_memory(random, type, test::random_layout(random, shape));
    const Memory b = test::random_memory(random, type, test::random_layout(random, shape));
    // Magnitudes all over a range whose squares would overflow and underflow.
    const auto refill = [&](const Memory& memory) {
      for (std::int64_t i = 0; i < 2 * memory.layout().size; ++i) {
        const auto part = static_cast<Part>(random.integer(-1000, 1000)) / Part(7);
        const int scale = sizeof(Part) == 4 ? 30 : 250;
        test::store(memory.data() + i * static_cast<std::int64_t>(sizeof(Part)),
                    std::ldexp(part, static_cast<int>(random.integer(-scale, scale))));
      }
    };
    refill(a);
    refill(b);
    const Tensor out = weft::div(a.view(), b.view());
    test::for_each_index(shape, [&](const Dims& index) {
      const T x = test::load<T>(test::element_at(a.view(), index));
      const T y = test::load<T>(test::element_at(b.view(), index));
      if (y == T(0) || x == T(0)) return;
      const T q = test::load<T>(test::element_at(out, index));
      const long double off = error(q, x, y, epsilon);
      tally.check(off <= 8, [&](auto& text) {
        text << x << " / " << y << " is " << q << ", off by " << static_cast<double>(off);
      });
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("complex division: no intermediate overflows or vanishes", "[ops]") {
  using T = std::complex<double>;
  const auto quotient = [](T a, T b) {
    return weft::div(Tensor::of<T>({1}, {a}), Tensor::of<T>({1}, {b})).at<T>({0});
  };
  CHECK(std::abs(quotient({1e300, 1e300}, {1e300, 1e300}) - 1.0) < 1e-15);
  CHECK(std::abs(quotient({1e-300, 1e-300}, {1e-300, 1e-300}) - 1.0) < 1e-15);
  CHECK(quotient({6, 8}, {0, 2}) == T(4, -3));
  CHECK(quotient({6, 8}, {-2, 0}) == T(-3, -4));
  CHECK(quotient({0, 0}, {3, 4}) == T(0, 0));
  const T by_zero = quotient({1, 1}, {0, 0});
  CHECK(!std::isfinite(by_zero.real()));
  CHECK(!std::isfinite(by_zero.imag()));
}

TEST_CASE("complex division: of other types", "[ops]") {
  const auto i = Tensor::of<std::complex<float>>({1}, {{0, 1}});
  const Tensor a = weft::div(Tensor::of<std::int32_t>({1}, {6}), i);
  REQUIRE(a.dtype() == ScalarType::c64);
  CHECK(a.at<std::complex<float>>({0}) == std::complex<float>(0, -6));
  const Tensor b = weft::div(i, Tensor::of<double>({1}, {4}));
  REQUIRE(b.dtype() == ScalarType::c128);
  CHECK(b.at<std::complex<double>>({0}) == std::complex<double>(0, 0.25));
}
