// SPDX-License-Identifier: Apache-2.0
// Division of complex numbers, which has more than one right way to round.
#include <weft/ops/binary.hpp>
#include <weft/ops/unary.hpp>

#include "support/dense.hpp"
#include "support/naive_ops.hpp"

#include <tuple>

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
}

TEMPLATE_TEST_CASE("complex division: by 0 and by infinity", "[ops]", float, double) {
  using T = std::complex<TestType>;
  constexpr TestType inf = std::numeric_limits<TestType>::infinity();
  constexpr TestType nan_value = std::numeric_limits<TestType>::quiet_NaN();
  const auto same = [](TestType a, TestType b) {
    return std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b);
  };
  // In a whole block, and alone.
  const auto quotient = [&](T a, T b) {
    const Tensor blocks = Tensor::empty({2, 77}, weft::scalar_type_of<T>);
    std::fill_n(blocks.data_as<T>(), 77, a);
    std::fill_n(blocks.data_as<T>() + 77, 77, b);
    const T alone = weft::div(Tensor::of<T>({1}, {a}), Tensor::of<T>({1}, {b})).template at<T>({0});
    const Tensor all = weft::div(blocks.select(0, 0), blocks.select(0, 1));
    INFO(a << " / " << b << " is " << alone);
    for (std::int64_t i = 0; i < 77; ++i) {
      CHECK(same(all.data_as<T>()[i].real(), alone.real()));
      CHECK(same(all.data_as<T>()[i].imag(), alone.imag()));
    }
    return alone;
  };
  // C99 Annex G.5.1: the sign of the divisor's real part, times the parts.
  for (const TestType zero : {TestType(0), -TestType(0)}) {
    for (const TestType sign : {TestType(1), TestType(-1)}) {
      for (const auto& [a, re, im] :
           {std::tuple(T(1, 2), inf, inf), std::tuple(T(-1, 0), -inf, nan_value),
            std::tuple(T(0, 3), nan_value, inf), std::tuple(T(0, 0), nan_value, nan_value)}) {
        const T q = quotient(a, T(sign * 0, zero));
        CHECK(same(q.real(), sign * re));
        CHECK(same(q.imag(), sign * im));
      }
    }
  }
  for (const T& endless :
       {T(inf, 0), T(-inf, 5), T(0, inf), T(1, -inf), T(inf, -inf), T(-inf, inf)}) {
    for (const T& a : {T(1, 2), T(0, 0), T(-3, 0), T(0, 4)})
      CHECK(quotient(a, endless) == T(0, 0));
    const T q = quotient(T(inf, 1), endless);
    CHECK((std::isnan(q.real()) || std::isnan(q.imag())));
  }
  // Reciprocals are formulas of their own.
  for (const T& z : {T(0, 0), T(-TestType(0), 0), T(0, -TestType(0)), T(inf, 0), T(-inf, 5),
                     T(3, -inf), T(-inf, inf), T(inf, nan_value), T(nan_value, -inf), T(2, -4)}) {
    const Tensor row = Tensor::empty({7}, weft::scalar_type_of<T>);
    std::fill_n(row.data_as<T>(), 7, z);
    const T want = quotient(T(1, 0), z);
    const Tensor got = weft::reciprocal(row);
    for (std::int64_t i = 0; i < 7; ++i) {
      const T q = got.data_as<T>()[i];
      INFO("1 / " << z << " is " << q << " and " << want);
      CHECK(same(q.real(), want.real()));
      CHECK(same(q.imag(), want.imag()));
    }
  }
  CHECK(quotient(T(inf, 1), T(2, 0)).real() == inf);
  CHECK(std::isnan(quotient(T(1, 1), T(nan_value, 1)).real()));
  CHECK(std::isnan(quotient(T(1, 1), T(1, nan_value)).imag()));
  CHECK(std::isnan(quotient(T(1, 1), T(0, nan_value)).real()));
  CHECK(weft::reciprocal(Tensor::of<T>({1}, {T(0, -inf)})).template at<T>({0}) == T(0, 0));
  CHECK(weft::rsqrt(Tensor::of<T>({1}, {T(inf, 0)})).template at<T>({0}) == T(0, 0));
  CHECK(weft::rsqrt(Tensor::of<T>({1}, {T(0, 0)})).template at<T>({0}).real() == inf);
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
