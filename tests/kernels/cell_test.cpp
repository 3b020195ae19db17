// SPDX-License-Identifier: Apache-2.0
// The functions of gates: how far off they are, and that all levels with FMA agree.
#include "kernels/cell/cell.hpp"

#include "support/catch.hpp"
#include "support/levels.hpp"
#include "support/tally.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace {

using weft::GateFunction;
using weft::Level;
using weft::ScalarType;

template <class T>
std::vector<T> gate(Level level, GateFunction function, std::vector<T> x) {
  std::vector<T> out(x.size());
  weft::RnnGate call{};
  call.rows = 1;
  call.units = static_cast<std::int64_t>(x.size());
  call.sums.data = reinterpret_cast<char*>(x.data());
  call.out.data = reinterpret_cast<char*>(out.data());
  call.activation.function = function;
  weft::cell_kernels.at(level)(weft::scalar_type_of<T>)->rnn(call);
  return out;
}

double exact(GateFunction function, double x) {
  return function == GateFunction::tanh ? std::tanh(x) : 1 / (1 + std::exp(-x));
}

/// Every 4099th f32 bit pattern: all exponents, both signs, infinities and NaN.
std::vector<float> samples() {
  std::vector<float> list;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4099) {
    const auto pattern = static_cast<std::uint32_t>(bits);
    float value;
    std::memcpy(&value, &pattern, sizeof(value));
    list.push_back(value);
  }
  const float infinity = std::numeric_limits<float>::infinity();
  list.insert(list.end(), {0.0F, -0.0F, infinity, -infinity, std::nanf("")});
  return list;
}

TEST_CASE("sigmoid and tanh of gates are within 3 ulp") {
  const std::vector<float> x = samples();
  for (const GateFunction function : {GateFunction::sigmoid, GateFunction::tanh}) {
    std::vector<float> with_fma;
    for (const Level level : test::levels()) {
      const std::vector<float> got = gate(level, function, x);
      test::Tally tally;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(x[i])) {
          tally.check(std::isnan(got[i]), [&](auto& text) { text << "NaN gives " << got[i]; });
          continue;
        }
        const double wanted = exact(function, static_cast<double>(x[i]));
        const double scale = std::max(std::fabs(wanted), 1.2e-38);
        const double ulp = std::ldexp(1.0, std::ilogb(static_cast<float>(scale)) - 23);
        const double bound = function == GateFunction::sigmoid ? 3 * ulp + 4.6e-38 : 3 * ulp;
        tally.check(std::fabs(static_cast<double>(got[i]) - wanted) <= bound, [&](auto& text) {
          text << weft::name(level) << " function " << static_cast<int>(function) << " of " << x[i]
               << " gives " << got[i] << ", not " << wanted;
        });
      }
      CHECK_TALLY(tally);
      if (level == Level::baseline) continue;
      if (with_fma.empty()) with_fma = got;
      CHECK(std::memcmp(with_fma.data(), got.data(), got.size() * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("sigmoid and tanh of gates in double precision") {
  std::vector<double> x{0.0, -0.0, 1e-300, -1e-20, 3e-9, 700, -700, 1e300, -1e300};
  for (int i = -4000; i < 4000; ++i)
    x.push_back(i * 0.0101);
  for (const GateFunction function : {GateFunction::sigmoid, GateFunction::tanh}) {
    for (const Level level : test::levels()) {
      const std::vector<double> got = gate(level, function, x);
      test::Tally tally;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double wanted = exact(function, x[i]);
        tally.check(std::fabs(got[i] - wanted) <= 4 * std::fabs(wanted) * 2.3e-16 + 1e-299,
                    [&](auto& text) { text << x[i] << " gives " << got[i] << ", not " << wanted; });
      }
      CHECK_TALLY(tally);
    }
  }
}

}  // namespace
