// SPDX-License-Identifier: Apache-2.0
// The functions of the table that are not exact: every value of the 16-bit types, samples of f32
// and f64 against a wider type, values at the ends of their domains, independence of position.
#include <weft/core/tensor.hpp>

#include "support/dense.hpp"
#include "support/function_list.hpp"
#include "support/naive_functions.hpp"
#include "support/ulp.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace {

using test::Function;
using weft::ScalarType;
using weft::Tensor;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// f(x) for all x of a list.
template <class T>
std::vector<T> results(const Function& f, const std::vector<T>& x) {
  std::vector<T> y(x.size());
  const auto size = static_cast<std::int64_t>(x.size());
  const weft::TensorView in(std::span(const_cast<T*>(x.data()), x.size()), {size});
  f.write(weft::TensorView(std::span(y), {size}), {in});
  return y;
}

/// In ulp of a T; a zero of the other sign is infinitely wrong.
template <class T, class W>
W ulp_error(T got, W wanted) {
  const auto is = static_cast<W>(got);
  if (is == 0 && wanted == 0 && std::signbit(is) != std::signbit(wanted)) return W(inf);
  return test::ulp_error(is, wanted, test::format_of(weft::scalar_type_of<T>));
}

/// Checks f on all of x against the C library in a wider type.
template <class T>
void check_error(test::Tally& tally, const Function& f, const std::vector<T>& x, double most) {
  using W = test::Wider<T>;
  const auto op = static_cast<weft::UnaryOp>(f.info - weft::unary_functions);
  const std::vector<T> y = results(f, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const W want = *test::naive_math<W>(op, x[i]);
    const W error = ulp_error<T, W>(y[i], want);
    tally.check(error <= most, [&](auto& text) {
      text << std::hexfloat << f.name() << "(" << x[i] << ") is " << y[i] << ", should be "
           << static_cast<double>(want) << std::defaultfloat << ", off by "
           << static_cast<double>(error) << " ulp";
    });
  }
}

/// The functions of one operand that are not exact.
std::vector<Function> unary_math() {
  std::vector<Function> list;
  for (const Function& f : test::all_functions()) {
    if (f.inexact && f.info->inputs == 1) list.push_back(f);
  }
  return list;
}

}  // namespace

TEMPLATE_TEST_CASE("math: every value of the 16-bit types", "[ops]", weft::float16,
                   weft::bfloat16) {
  constexpr ScalarType type = weft::scalar_type_of<TestType>;
  test::Tally tally;
  std::vector<TestType> x;
  for (int bits = 0; bits < 1 << 16; ++bits)
    x.push_back(TestType::from_bits(static_cast<std::uint16_t>(bits)));
  for (const Function& f : unary_math()) {
    const auto op = static_cast<weft::UnaryOp>(f.info - weft::unary_functions);
    const std::vector<TestType> y = results(f, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double want = *test::naive_math(op, static_cast<double>(static_cast<float>(x[i])));
      const TestType nearest(static_cast<float>(want));
      const bool same = std::bit_cast<std::uint16_t>(nearest) == std::bit_cast<std::uint16_t>(y[i]);
      tally.check(same || test::ulps_between(type, &y[i], &nearest, type) <= 1, [&](auto& text) {
        text << f.name() << "(" << static_cast<float>(x[i]) << ") is " << static_cast<float>(y[i])
             << ", should be " << want;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("math: f32 within 1.5 ulp", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  std::vector<float> x;
  // All signs, exponents and, the step being prime, endings.
  const auto first = static_cast<std::uint64_t>(random.integer(0, 59'998));
  for (std::uint64_t bits = first; bits < std::uint64_t{1} << 32; bits += 59'999)
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (int i = 0; i < 20'000; ++i)
    x.push_back(static_cast<float>(random.integer(-1'000'000, 1'000'000)) / 65536.0F);
  for (const Function& f : unary_math())
    check_error(tally, f, x, 1.5);
  CHECK_TALLY(tally);
}

TEST_CASE("math: f64 within 2 ulp", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  std::vector<double> x;
  for (int i = 0; i < test::rounds(8'000); ++i) {
    const double unit = static_cast<double>(random.bits() >> 11) * 0x1p-53 - 0.5;
    x.push_back(std::bit_cast<double>(random.bits()));  // any
    x.push_back(unit * 1500);                           // exponents
    x.push_back(unit * 12);
    x.push_back(std::ldexp(unit, -static_cast<int>(random.integer(0, 60))));      // small
    x.push_back(1 + std::ldexp(unit, -static_cast<int>(random.integer(0, 50))));  // next to 1
    x.push_back(static_cast<double>(random.integer(-2'000'000, 2'000'000)) * 1.5707963267948966);
  }
  for (const Function& f : unary_math())
    check_error(tally, f, x, 2);
  CHECK_TALLY(tally);
}

TEST_CASE("math: what C99 Annex F says of one operand", "[ops]") {
  struct Case {
    const char* name;
    double x, y;
  };
  constexpr double half_turn = 3.14159265358979323846;
  const Case cases[] = {{"exp", 0, 1},
                        {"exp", -0.0, 1},
                        {"exp", -inf, 0},
                        {"exp", inf, inf},
                        {"exp2", 0, 1},
                        {"exp2", -inf, 0},
                        {"exp2", inf, inf},
                        {"exp2", 10, 1024},
                        {"expm1", 0, 0},
                        {"expm1", -0.0, -0.0},
                        {"expm1", -inf, -1},
                        {"expm1", inf, inf},
                        {"log", 1, 0},
                        {"log", 0, -inf},
                        {"log", -0.0, -inf},
                        {"log", -1, no_number},
                        {"log", inf, inf},
                        {"log", -inf, no_number},
                        {"log2", 1, 0},
                        {"log2", 0, -inf},
                        {"log2", -0.0, -inf},
                        {"log2", -1, no_number},
                        {"log2", inf, inf},
                        {"log2", 8, 3},
                        {"log10", 1, 0},
                        {"log10", 0, -inf},
                        {"log10", -0.0, -inf},
                        {"log10", -1, no_number},
                        {"log10", inf, inf},
                        {"log10", 1000, 3},
                        {"log1p", 0, 0},
                        {"log1p", -0.0, -0.0},
                        {"log1p", -1, -inf},
                        {"log1p", -2, no_number},
                        {"log1p", inf, inf},
                        {"log1p", -inf, no_number},
                        {"sin", 0, 0},
                        {"sin", -0.0, -0.0},
                        {"sin", inf, no_number},
                        {"sin", -inf, no_number},
                        {"cos", 0, 1},
                        {"cos", -0.0, 1},
                        {"cos", inf, no_number},
                        {"cos", -inf, no_number},
                        {"tan", 0, 0},
                        {"tan", -0.0, -0.0},
                        {"tan", inf, no_number},
                        {"tan", -inf, no_number},
                        {"asin", 0, 0},
                        {"asin", -0.0, -0.0},
                        {"asin", 1.5, no_number},
                        {"asin", -inf, no_number},
                        {"asin", 1, half_turn / 2},
                        {"acos", 1, 0},
                        {"acos", 1.5, no_number},
                        {"acos", inf, no_number},
                        {"acos", -1, half_turn},
                        {"atan", 0, 0},
                        {"atan", -0.0, -0.0},
                        {"atan", inf, half_turn / 2},
                        {"atan", -inf, -half_turn / 2},
                        {"sinh", 0, 0},
                        {"sinh", -0.0, -0.0},
                        {"sinh", inf, inf},
                        {"sinh", -inf, -inf},
                        {"cosh", 0, 1},
                        {"cosh", -0.0, 1},
                        {"cosh", inf, inf},
                        {"cosh", -inf, inf},
                        {"tanh", 0, 0},
                        {"tanh", -0.0, -0.0},
                        {"tanh", inf, 1},
                        {"tanh", -inf, -1},
                        {"asinh", 0, 0},
                        {"asinh", -0.0, -0.0},
                        {"asinh", inf, inf},
                        {"asinh", -inf, -inf},
                        {"acosh", 1, 0},
                        {"acosh", 0.5, no_number},
                        {"acosh", -inf, no_number},
                        {"acosh", inf, inf},
                        {"atanh", 0, 0},
                        {"atanh", -0.0, -0.0},
                        {"atanh", 1, inf},
                        {"atanh", -1, -inf},
                        {"atanh", 2, no_number},
                        {"atanh", -inf, no_number},
                        {"erf", 0, 0},
                        {"erf", -0.0, -0.0},
                        {"erf", inf, 1},
                        {"erf", -inf, -1},
                        {"erfc", 0, 1},
                        {"erfc", inf, 0},
                        {"erfc", -inf, 2},
                        {"lgamma", 1, 0},
                        {"lgamma", 2, 0},
                        {"lgamma", 0, inf},
                        {"lgamma", -3, inf},
                        {"lgamma", inf, inf},
                        {"lgamma", -inf, inf},
                        {"cbrt", 0, 0},
                        {"cbrt", -0.0, -0.0},
                        {"cbrt", inf, inf},
                        {"cbrt", -inf, -inf},
                        {"cbrt", 27, 3},
                        {"cbrt", -8, -2},
                        {"sigmoid", inf, 1},
                        {"sigmoid", -inf, 0},
                        {"sigmoid", 0, 0.5},
                        {"silu", 0, 0},
                        {"silu", -0.0, -0.0},
                        {"silu", inf, inf},
                        {"silu", -inf, -0.0},
                        {"gelu", 0, 0},
                        {"gelu", -0.0, -0.0},
                        {"gelu", inf, inf},
                        {"gelu", -inf, -0.0},
                        {"gelu_tanh", 0, 0},
                        {"gelu_tanh", -0.0, -0.0},
                        {"gelu_tanh", inf, inf},
                        {"gelu_tanh", -inf, -0.0},
                        {"selu", 0, 0},
                        {"selu", -0.0, -0.0},
                        {"selu", inf, inf},
                        {"softplus", inf, inf},
                        {"softplus", -inf, 0},
                        {"mish", 0, 0},
                        {"mish", -0.0, -0.0},
                        {"mish", inf, inf},
                        {"mish", -inf, -0.0},
                        {"softsign", -0.0, -0.0},
                        {"softsign", inf, 1},
                        {"softsign", -inf, -1},
                        {"angle", -inf, half_turn},
                        {"angle", 2, 0}};
  for (const Function& f : unary_math()) {
    for (const Case& c : cases) {
      if (f.name() != c.name) continue;
      INFO(f.name() << "(" << c.x << ")");
      const double y = results<double>(f, {c.x})[0];
      CHECK(test::same_element(ScalarType::f64, &y, &c.y));
      const float x32 = static_cast<float>(c.x), want32 = static_cast<float>(c.y);
      const float y32 = results<float>(f, {x32})[0];
      CHECK(test::same_element(ScalarType::f32, &y32, &want32));
    }
    CHECK(std::isnan(results<double>(f, {no_number})[0]));
    CHECK(std::isnan(results<float>(f, {static_cast<float>(no_number)})[0]));
  }
}

TEMPLATE_TEST_CASE("math: what C99 Annex F says of two operands", "[ops]", float, double) {
  using T = TestType;
  using Limits = std::numeric_limits<T>;
  test::Tally tally;
  const std::vector<T> values = {T(0),
                                 T(-0.0),
                                 Limits::infinity(),
                                 -Limits::infinity(),
                                 T(1),
                                 T(-1),
                                 T(2),
                                 T(-2),
                                 T(3),
                                 T(-3),
                                 T(0.5),
                                 T(-0.5),
                                 T(2.5),
                                 T(-2.5),
                                 Limits::max(),
                                 Limits::lowest(),
                                 Limits::min(),
                                 Limits::denorm_min(),
                                 -Limits::denorm_min(),
                                 Limits::quiet_NaN(),
                                 T(1e15),
                                 T(-1e15),
                                 T(4503599627370497.0)};
  for (const Function& f : test::all_functions()) {
    if (!f.inexact || f.info->inputs != 2) continue;
    const auto op = static_cast<weft::BinaryOp>(f.info - weft::binary_functions);
    for (const T a : values) {
      for (const T b : values) {
        std::vector<T> x = {a}, z = {b}, y = {0};
        const auto view = [](std::vector<T>& of) { return weft::TensorView(std::span(of), {1}); };
        f.write(view(y), {view(x), view(z)});
        const auto want = *test::naive_math<test::Wider<T>>(op, a, b);
        const auto error = ulp_error<T, test::Wider<T>>(y[0], want);
        tally.check(error <= (sizeof(T) == 4 ? 1.5L : 2.0L), [&](auto& text) {
          text << f.name() << "(" << a << ", " << b << ") is " << y[0] << ", should be "
               << static_cast<double>(want);
        });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("math: the same for an element wherever it stands", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const Function& f : unary_math()) {
    for (const ScalarType type : {ScalarType::f32, ScalarType::f64, ScalarType::bf16}) {
      const test::Memory a = test::random_memory(random, type, test::fit({{700}, {1}}));
      const test::Dense all = test::dense_copy(f.make({a.view()}));
      for (int round = 0; round < test::rounds(10); ++round) {
        const std::int64_t step = random.integer(1, 5);
        const std::int64_t begin = random.integer(0, 600);
        const std::int64_t end = random.integer(begin, 700);
        const Tensor got = f.make({a.view().slice(0, begin, end, step)});
        for (std::int64_t i = 0; i < got.numel(); ++i) {
          const auto* is = static_cast<const std::byte*>(got.data()) + i * weft::element_size(type);
          tally.check(test::same_element(type, is, all.at(begin + i * step)), [&](auto& text) {
            text << f.name() << " of " << weft::name(type) << ": " << begin << " + " << i << " * "
                 << step;
          });
        }
      }
    }
  }
  CHECK_TALLY(tally);
}
