// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers that are not exact: ordinary numbers against the C library in a
// wider type, all pairs of special parts against the C library in their own.
#include <weft/core/tensor.hpp>

#include "support/dense.hpp"
#include "support/function_list.hpp"
#include "support/naive_complex.hpp"
#include "support/seed.hpp"
#include "support/tally.hpp"
#include "support/ulp.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <vector>

namespace {

using test::Function;

template <class T>
std::vector<std::complex<T>> results(const Function& f, const std::vector<std::complex<T>>& z) {
  // Where the result is real, the imaginary part stays 0.
  std::vector<std::complex<T>> w(z.size());
  const auto size = static_cast<std::int64_t>(z.size());
  using Z = std::complex<T>;
  const weft::TensorView in(std::span(const_cast<Z*>(z.data()), z.size()), {size});
  f.write(weft::TensorView(std::span(w), {size}), {in});
  return w;
}

/// The functions that are not exact, and what the C library gives.
template <class W, class Check>
void for_each_function(Check&& check) {
  for (const Function& f : test::all_functions()) {
    if (f.info < weft::unary_functions || f.info >= std::end(weft::unary_functions)) continue;
    const auto op = static_cast<weft::UnaryOp>(f.info - weft::unary_functions);
    if (!test::naive_complex<W>(op, {})) continue;
    check(f, [op](std::complex<W> z) { return *test::naive_complex<W>(op, z); });
  }
}

/// In units in the last place of a T at `wanted`.
template <class T, class W>
double ulps(T got, W wanted) {
  const test::Format format = test::format_of(weft::scalar_type_of<T>);
  return static_cast<double>(test::ulp_error(static_cast<W>(got), wanted, format));
}

}  // namespace

TEST_CASE("complex math: c64, each part within 1 ulp", "[ops]") {
  WEFT_RANDOM(random);
  std::vector<std::complex<float>> z;
  for (int i = 0; i < 4000; ++i) {
    const auto part = [&] {
      const float unit = static_cast<float>(random.bits() >> 40) * 0x1p-24F - 0.5F;
      return std::ldexp(unit, static_cast<int>(random.integer(-24, 5)));
    };
    z.emplace_back(part(), part());
  }
  // Next to the unit circle, where logarithms vanish.
  for (int i = 0; i < 500; ++i) {
    const double angle = static_cast<double>(random.bits() >> 11) * 0x1p-50;
    z.emplace_back(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
  }
  test::Tally tally;
  for_each_function<long double>([&](const Function& f, const auto& library) {
    const auto w = results(f, z);
    for (std::size_t i = 0; i < z.size(); ++i) {
      // The library's own error counts in long double no more.
      const auto wide = std::complex<long double>(z[i].real(), z[i].imag());
      const std::complex<long double> want = library(wide);
      const double re = ulps(w[i].real(), want.real()), im = ulps(w[i].imag(), want.imag());
      tally.check(re <= 1 && im <= 1, [&](auto& text) {
        text << std::hexfloat << f.name() << z[i] << " is " << w[i] << ", should be " << want;
      });
    }
  });
  CHECK_TALLY(tally);
}

TEST_CASE("complex math: c128, the difference within 8 ulp of the result", "[ops]") {
  WEFT_RANDOM(random);
  std::vector<std::complex<double>> z;
  for (int i = 0; i < 2000; ++i) {
    const auto part = [&] {
      const double unit = static_cast<double>(random.bits() >> 11) * 0x1p-53 - 0.5;
      return std::ldexp(unit, static_cast<int>(random.integer(-24, 5)));
    };
    z.emplace_back(part(), part());
  }
  for (int i = 0; i < 500; ++i) {
    const double angle = static_cast<double>(random.bits() >> 11) * 0x1p-50;
    z.emplace_back(std::cos(angle), std::sin(angle));
    z.emplace_back(z[i].real(), 3.141592653589793 + z[i].imag());  // poles of the sigmoid
  }
  test::Tally tally;
  for_each_function<long double>([&](const Function& f, const auto& library) {
    const auto w = results(f, z);
    for (std::size_t i = 0; i < z.size(); ++i) {
      const auto wide = std::complex<long double>(z[i].real(), z[i].imag());
      const std::complex<long double> want = library(wide);
      const std::complex<long double> got(w[i].real(), w[i].imag());
      tally.check(std::abs(got - want) <= std::abs(want) * 0x8p-53L, [&](auto& text) {
        text << std::hexfloat << f.name() << z[i] << " is " << w[i] << ", should be " << want;
      });
    }
  });
  CHECK_TALLY(tally);
}

TEMPLATE_TEST_CASE("complex math: special parts as the C library has them", "[ops]", float,
                   double) {
  using T = TestType;
  using Limits = std::numeric_limits<T>;
  std::vector<T> parts = {T(0),
                          T(1),
                          T(0.5),
                          T(3),
                          T(1e-30),
                          T(1e30),
                          Limits::infinity(),
                          Limits::max(),
                          Limits::denorm_min()};
  for (std::size_t i = 0, n = parts.size(); i < n; ++i)
    parts.push_back(-parts[i]);
  parts.push_back(Limits::quiet_NaN());
  std::vector<std::complex<T>> z;
  for (const T re : parts) {
    for (const T im : parts)
      z.emplace_back(re, im);
  }
  test::Tally tally;
  for_each_function<T>([&](const Function& f, const auto& library) {
    // Not the library's: quotients of infinities are another matter.
    if (f.name() == "rsqrt" || f.name() == "sigmoid") return;
    const auto w = results(f, z);
    for (std::size_t i = 0; i < z.size(); ++i) {
      const std::complex<T> want = library(z[i]);
      const auto same = [&](T a, T b) {
        if (std::isnan(b) || std::isnan(a)) return std::isnan(a) && std::isnan(b);
        if (a == b) return std::signbit(a) == std::signbit(b);
        const T length = std::abs(want), size = std::isfinite(length) ? length : std::fabs(b);
        return std::isfinite(a) && std::isfinite(b) &&
               std::fabs(a - b) <= size * 64 * Limits::epsilon();
      };
      tally.check(
          same(w[i].real(), want.real()) && same(w[i].imag(), want.imag()),
          [&](auto& text) { text << f.name() << z[i] << " is " << w[i] << ", not " << want; });
    }
  });
  CHECK_TALLY(tally);
}
