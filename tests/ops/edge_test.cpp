// SPDX-License-Identifier: Apache-2.0
// Rules that docs/functions.md states, by single values.
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/scaled.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/unary.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"

#include <cmath>
#include <complex>
#include <limits>

namespace {

using weft::ScalarType;
using weft::Tensor;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

template <class T>
T first(const Tensor& t) {
  return t.data_as<T>()[0];
}
Tensor f64(double value) { return Tensor::of<double>({1}, {value}); }

}  // namespace

TEST_CASE("edges: NaN and zeros in maximum and minimum", "[ops]") {
  for (const double other : {1.0, -inf, inf, nan_value}) {
    for (const auto f : {weft::maximum, weft::minimum}) {
      CHECK(std::isnan(first<double>(f(f64(nan_value), f64(other)))));
      CHECK(std::isnan(first<double>(f(f64(other), f64(nan_value)))));
    }
    for (const auto f : {weft::fmax, weft::fmin}) {
      const double left = first<double>(f(f64(nan_value), f64(other)));
      const double right = first<double>(f(f64(other), f64(nan_value)));
      CHECK((left == other || (std::isnan(left) && std::isnan(other))));
      CHECK((right == other || (std::isnan(right) && std::isnan(other))));
    }
  }
  CHECK(!std::signbit(first<double>(weft::maximum(f64(-0.0), f64(0.0)))));
  CHECK(!std::signbit(first<double>(weft::maximum(f64(0.0), f64(-0.0)))));
  CHECK(std::signbit(first<double>(weft::minimum(f64(-0.0), f64(0.0)))));
  CHECK(std::signbit(first<double>(weft::fmin(f64(0.0), f64(-0.0)))));
  CHECK(first<bool>(weft::maximum(Tensor::of<bool>({1}, {true}), false)));
  CHECK(!first<bool>(weft::fmin(Tensor::of<bool>({1}, {true}), false)));
}

TEST_CASE("edges: rounding", "[ops]") {
  const auto round = [](double x) { return first<double>(weft::round(f64(x))); };
  CHECK(round(0.5) == 0);
  CHECK(round(1.5) == 2);
  CHECK(round(2.5) == 2);
  CHECK(round(-2.5) == -2);
  CHECK(std::signbit(round(-0.5)));
  CHECK(round(0.49999999999999994) == 0);
  CHECK(round(4503599627370497.5) == 4503599627370498);
  CHECK(std::signbit(first<double>(weft::ceil(f64(-0.5)))));
  CHECK(std::signbit(first<double>(weft::trunc(f64(-0.5)))));
  CHECK(std::signbit(first<double>(weft::floor(f64(-0.0)))));
  CHECK(first<double>(weft::frac(f64(-1.25))) == -0.25);
  CHECK(std::isnan(first<double>(weft::frac(f64(inf)))));
  CHECK(weft::floor(Tensor::of<std::int32_t>({1}, {-7})).dtype() == ScalarType::i32);
  CHECK_ERROR(dtype, ("frac: not defined for element type i32"),
              weft::frac(Tensor::of<std::int32_t>({1}, {-7})));
  CHECK_ERROR(dtype, ("floor: not defined for element type bool"), weft::floor(true));
}

TEST_CASE("edges: sign, predicates, parts", "[ops]") {
  CHECK(first<double>(weft::sign(f64(nan_value))) == 0);
  CHECK(!std::signbit(first<double>(weft::sign(f64(-0.0)))));
  CHECK(first<double>(weft::sign(f64(-inf))) == -1);
  CHECK(first<bool>(weft::signbit(f64(-nan_value))));
  CHECK(first<bool>(weft::signbit(f64(-0.0))));
  CHECK(first<bool>(weft::logical_not(f64(-0.0))));
  CHECK(!first<bool>(weft::logical_not(f64(nan_value))));
  using C = std::complex<float>;
  const auto c = [](float re, float im) { return Tensor::of<C>({1}, {{re, im}}); };
  const auto finf = std::numeric_limits<float>::infinity();
  CHECK(first<bool>(weft::isinf(c(0, -finf))));
  CHECK(!first<bool>(weft::isfinite(c(0, -finf))));
  CHECK(first<bool>(weft::isnan(c(std::nanf(""), 1))));
  CHECK(first<float>(weft::imag(c(1, 2))) == 2);
  CHECK(weft::real(c(1, 2)).dtype() == ScalarType::f32);
  CHECK(weft::real(f64(3)).dtype() == ScalarType::f64);
  CHECK_ERROR(dtype, ("imag: not defined for element type f64"), weft::imag(f64(3)));
  CHECK_ERROR(dtype, ("sign: not defined for element type c64"), weft::sign(c(1, 2)));
  CHECK_ERROR(cast, ("real: output 0: result type f32 can't be cast to the output's i32"),
              weft::real_out(Tensor::zeros({1}, ScalarType::i32), c(1, 2)));
}

TEST_CASE("edges: shifts past the width", "[ops]") {
  const auto a = Tensor::of<std::int8_t>({4}, {-128, -1, 1, 127});
  const auto left = [&](int by) { return weft::lshift(a, by); };
  const auto right = [&](int by) { return weft::rshift(a, by); };
  CHECK(left(7).at<std::int8_t>({2}) == -128);
  CHECK(left(1).at<std::int8_t>({3}) == -2);
  for (const int by : {8, 9, 31, 32, 64, 127, -1, -128}) {
    for (std::int64_t i = 0; i < 4; ++i) {
      CHECK(left(by).at<std::int8_t>({i}) == 0);
      CHECK(right(by).at<std::int8_t>({i}) == (i < 2 ? -1 : 0));
    }
  }
  CHECK(right(7).at<std::int8_t>({0}) == -1);
  CHECK(right(7).at<std::int8_t>({3}) == 0);
  const auto u = Tensor::of<std::uint32_t>({1}, {0x80000001u});
  CHECK(first<std::uint32_t>(weft::rshift(u, 31)) == 1);
  CHECK(first<std::uint32_t>(weft::rshift(u, 32)) == 0);
  CHECK(first<std::uint32_t>(weft::lshift(u, 31)) == 0x80000000u);
  CHECK_ERROR(dtype, ("lshift: not defined for element type bool"), weft::lshift(true, true));
  CHECK_ERROR(dtype, ("rshift: not defined for element type f32"), weft::rshift(a, 1.5));
}

TEST_CASE("edges: powers of integers", "[ops]") {
  const auto pow = [](std::int64_t a, std::int64_t b) {
    return first<std::int64_t>(weft::pow(Tensor::of<std::int64_t>({1}, {a}), b));
  };
  CHECK(pow(3, 39) == 4052555153018976267);  // in floating point it would end in zeros
  CHECK(pow(-3, 3) == -27);
  CHECK(pow(2, 62) == std::int64_t{1} << 62);
  CHECK(pow(2, 63) == std::numeric_limits<std::int64_t>::min());
  CHECK(pow(2, 64) == 0);
  CHECK(pow(0, 0) == 1);
  CHECK(pow(7, std::numeric_limits<std::int64_t>::max()) == 7905747460161236407);
  for (const std::int64_t a : {0, 2, -2, 100}) {
    CHECK(pow(a, -1) == 0);
    CHECK(pow(a, std::numeric_limits<std::int64_t>::min()) == 0);
  }
  CHECK(pow(1, -5) == 1);
  CHECK(pow(-1, -5) == -1);
  CHECK(pow(-1, -6) == 1);
  CHECK(pow(-1, std::numeric_limits<std::int64_t>::min()) == 1);
  const auto bytes = Tensor::of<std::uint8_t>({3}, {3, 255, 16});
  const Tensor squares = weft::pow(bytes, 2);
  REQUIRE(squares.dtype() == ScalarType::u8);
  CHECK(squares.at<std::uint8_t>({0}) == 9);
  CHECK(squares.at<std::uint8_t>({1}) == 1);
  CHECK(squares.at<std::uint8_t>({2}) == 0);
  CHECK(weft::pow(2, bytes).at<std::uint8_t>({0}) == 8);
  CHECK(weft::pow(bytes, 0.5).dtype() == ScalarType::f32);
  CHECK(weft::pow(bytes, true).dtype() == ScalarType::u8);
  CHECK_ERROR(dtype, ("pow: not defined for element type bool"), weft::pow(true, true));
}

TEST_CASE("edges: integers with a floating common type have no bits", "[ops]") {
  const Tensor a = Tensor::full({2}, ScalarType::u64, 1);
  const Tensor b = Tensor::full({2}, ScalarType::i64, 1);
  Tensor out;
  CHECK_ERROR(dtype, ("bitwise_and: not defined for element type f64"),
              weft::bitwise_and_out(out, a, b));
  CHECK(!out.defined());
  CHECK(weft::maximum(a, b).dtype() == ScalarType::f64);
  CHECK(weft::lerp(a, b, 0.5).dtype() == ScalarType::f64);
}

TEST_CASE("edges: clamp", "[ops]") {
  const auto clamp = [](double a, double low, double high) {
    return first<double>(weft::clamp(f64(a), low, high));
  };
  CHECK(clamp(3, 0, 1) == 1);
  CHECK(clamp(-3, 0, 1) == 0);
  CHECK(clamp(0.5, 2, 1) == 1);  // bounds that cross: the upper one
  CHECK(std::signbit(clamp(-0.0, 0.0, 1)));
  CHECK(std::isnan(clamp(nan_value, 0, 1)));
  CHECK(std::isnan(clamp(0.5, nan_value, 1)));
  CHECK(std::isnan(clamp(0.5, 0, nan_value)));
  CHECK(first<double>(weft::clamp_min(f64(-inf), 2)) == 2);
  CHECK(first<double>(weft::clamp_max(f64(inf), 2)) == 2);
  CHECK(std::isnan(first<double>(weft::clamp_max(f64(1), nan_value))));
  const auto whole = Tensor::of<std::int32_t>({1}, {7});
  CHECK(weft::clamp(whole, 0, 5).dtype() == ScalarType::i32);
  CHECK(first<float>(weft::clamp(whole, 0.5, 5.5)) == 5.5F);
  CHECK_ERROR(dtype, ("clamp: not defined for element type bool"), weft::clamp(true, false, true));
  CHECK_ERROR(dtype, ("clamp: not defined for element type c128"),
              weft::clamp(Tensor::zeros({1}, ScalarType::c128), 0, 1));
}

TEST_CASE("edges: relu and its kin", "[ops]") {
  CHECK(!std::signbit(first<double>(weft::relu(f64(-0.0)))));
  CHECK(std::isnan(first<double>(weft::relu(f64(nan_value)))));
  CHECK(std::isnan(first<double>(weft::hardsigmoid(f64(nan_value)))));
  CHECK(first<double>(weft::hardsigmoid(f64(-inf))) == 0);
  CHECK(first<double>(weft::hardsigmoid(f64(inf))) == 1);
  CHECK(first<double>(weft::hardswish(f64(4))) == 4);
  CHECK(first<double>(weft::leaky_relu(f64(-2), 0.5)) == -1);
  CHECK(weft::leaky_relu(Tensor::of<float>({1}, {-2}), 0.01).dtype() == ScalarType::f32);
}

TEST_CASE("edges: copysign of integers, logic of anything", "[ops]") {
  const auto a = Tensor::of<std::int32_t>({1}, {-3});
  CHECK(weft::copysign(a, 1).dtype() == ScalarType::f32);
  CHECK(first<float>(weft::copysign(a, 1)) == 3);
  CHECK(first<double>(weft::copysign(f64(2), -0.0)) == -2);
  CHECK(first<bool>(weft::logical_and(f64(nan_value), a)));
  CHECK(!first<bool>(weft::logical_xor(f64(1), a)));
  CHECK(!first<bool>(weft::logical_or(std::complex<double>(0, 0), false)));
  CHECK(first<bool>(weft::logical_or(std::complex<double>(0, 1), false)));
  const Tensor out = Tensor::zeros({1}, ScalarType::i16);
  weft::logical_and_out(out, a, a);
  CHECK(first<std::int16_t>(out) == 1);
}

TEST_CASE("edges: nextafter goes by the numbers of the result's type", "[ops]") {
  const auto a = Tensor::of<std::int32_t>({1}, {1});
  CHECK(first<float>(weft::nextafter(a, 2)) == std::nextafter(1.0F, 2.0F));
  const auto half = [](float x) { return Tensor::of<weft::float16>({1}, {weft::float16(x)}); };
  const auto brain = [](float x) { return Tensor::of<weft::bfloat16>({1}, {weft::bfloat16(x)}); };
  const auto value = [](const Tensor& t) {
    return first<float>(weft::contiguous(t, ScalarType::f32));
  };
  CHECK(value(weft::nextafter(half(1), half(2))) == 1.0009765625F);
  CHECK(value(weft::nextafter(half(65504), half(INFINITY))) == inf);
  CHECK(value(weft::nextafter(half(0), half(-1))) == -5.9604644775390625e-8F);
  CHECK(value(weft::nextafter(brain(1), brain(2))) == 1.0078125F);
  CHECK(value(weft::nextafter(brain(1), brain(0))) == 0.99609375F);
  CHECK(std::isnan(value(weft::nextafter(brain(NAN), brain(0)))));
  CHECK(std::signbit(first<double>(weft::nextafter(f64(0.0), f64(-0.0)))));
  CHECK(std::signbit(first<double>(weft::nextafter(f64(-4.9406564584124654e-324), f64(1)))));
}

TEST_CASE("edges: logaddexp of infinities, and where the terms cancel", "[ops]") {
  CHECK(first<double>(weft::logaddexp(f64(-inf), f64(-inf))) == -inf);
  CHECK(first<double>(weft::logaddexp(f64(inf), f64(inf))) == inf);
  CHECK(first<double>(weft::logaddexp(f64(inf), f64(-inf))) == inf);
  CHECK(first<double>(weft::logaddexp(f64(-inf), f64(3))) == 3);
  CHECK(std::isnan(first<double>(weft::logaddexp(f64(nan_value), f64(inf)))));
  CHECK(std::isnan(first<double>(weft::logaddexp(f64(-inf), f64(nan_value)))));
  CHECK(first<double>(weft::logaddexp(f64(1000), f64(1000))) == 1000.6931471805599);
  // log(2) - 0.6931471805599453, which has few digits left.
  const double rest =
      first<double>(weft::logaddexp(f64(-0.6931471805599453), f64(-0.6931471805599453)));
  CHECK(std::fabs(rest - 2.3190468138462996e-17) < 1e-19);
  const auto whole = Tensor::of<std::int32_t>({1}, {0});
  CHECK(weft::logaddexp(whole, 0).dtype() == ScalarType::f32);
}

TEST_CASE("edges: the number of addcmul and addcdiv", "[ops]") {
  const auto a = Tensor::of<std::int32_t>({1}, {10});
  CHECK(first<std::int32_t>(weft::addcmul(a, a, 2)) == 30);
  CHECK(first<std::int32_t>(weft::addcmul(a, a, 2, -1)) == -10);
  CHECK(first<std::int32_t>(weft::addcmul(a, a, 2, true)) == 30);
  CHECK(first<double>(weft::addcdiv(f64(1), f64(3), f64(2), 0.5)) == 1.75);
  CHECK_ERROR(cast,
              ("addcmul: value: f64 can't be cast to the inputs' common type, which is an integer"),
              weft::addcmul(a, a, a, 0.5));
  CHECK_ERROR(cast, ("addcmul: value: c128", "which is real"),
              weft::addcmul(f64(1), f64(1), f64(1), std::complex<double>(0, 1)));
  CHECK_ERROR(dtype, ("addcdiv: not defined for element type i32"), weft::addcdiv(a, a, a));
  CHECK_ERROR(dtype, ("addcmul: not defined for element type bool"),
              weft::addcmul(true, true, true));
  const auto z = Tensor::of<std::complex<float>>({1}, {{1, 1}});
  CHECK(first<std::complex<float>>(weft::addcmul(z, z, z, std::complex<float>(0, 1))) ==
        std::complex<float>(-1, 1));
}

TEST_CASE("edges: complex quotients and roots", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  using C = std::complex<double>;
  const auto draw = [&] {
    return C(static_cast<double>(random.integer(-900, 900)) / 64,
             static_cast<double>(random.integer(1, 900)) / 64);
  };
  for (int i = 0; i < 500; ++i) {
    const C x = draw(), y = draw(), z = draw();
    const auto near = [&](const char* what, const Tensor& got, C want) {
      tally.check(std::abs(first<C>(got) - want) <= 1e-14 * (1 + std::abs(want)), [&](auto& text) {
        text << what << " of " << x << y << z << " is " << first<C>(got) << ", expected " << want;
      });
    };
    const auto a = Tensor::of<C>({1}, {x}), b = Tensor::of<C>({1}, {y}),
               c = Tensor::of<C>({1}, {z});
    near("reciprocal", weft::reciprocal(a), 1.0 / x);
    near("rsqrt", weft::rsqrt(a), 1.0 / std::sqrt(x));
    near("addcdiv", weft::addcdiv(a, b, c, 0.5), x + 0.5 * y / z);
  }
  CHECK_TALLY(tally);
}
