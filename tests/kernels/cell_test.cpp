// SPDX-License-Identifier: Apache-2.0
// The functions of gates: how far off they are, and that all levels with FMA agree.
#include "kernels/cell/cell.hpp"

#include "support/catch.hpp"
#include "support/levels.hpp"
#include "support/seed.hpp"
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

TEST_CASE("the usual LSTM for any number of units") {
  WEFT_RANDOM(random);
  for (const std::int64_t units : {1, 4, 15, 16, 17, 127, 128, 129, 300}) {
    constexpr std::int64_t rows = 3;
    const std::int64_t width = 4 * units + 16;
    std::vector<float> gates(static_cast<std::size_t>(rows * width)), cell(gates.size());
    for (std::size_t i = 0; i < gates.size(); ++i) {
      gates[i] = static_cast<float>(random.integer(-800, 800)) / 100;
      cell[i] = static_cast<float>(random.integer(-300, 300)) / 100;
    }
    for (const Level level : test::levels()) {
      // In place, as loops have it, and with a gap between rows that stays as it is.
      std::vector<float> state = cell, hidden(gates.size(), 9.0F);
      const auto row_step = static_cast<std::int64_t>(sizeof(float)) * width;
      const auto at = [&](std::vector<float>& of, std::int64_t block) {
        return weft::GateRows{reinterpret_cast<char*>(of.data() + block * units), row_step};
      };
      weft::LstmGates call{};
      call.rows = rows;
      call.units = units;
      call.forget = at(gates, 0);
      call.input = at(gates, 1);
      call.candidate = at(gates, 2);
      call.output = at(gates, 3);
      call.cell = call.cell_out = at(state, 0);
      call.hidden_out = at(hidden, 0);
      call.activations[1].function = call.activations[2].function = GateFunction::tanh;
      weft::cell_kernels.at(level)(ScalarType::f32)->lstm(call);
      test::Tally tally;
      for (std::int64_t i = 0; i < rows * width; ++i) {
        const auto n = static_cast<std::size_t>(i), count = static_cast<std::size_t>(units);
        double next = static_cast<double>(cell[n]), out = 9.0;
        if (i % width < units) {
          const auto gate = [&](GateFunction function, std::size_t block) {
            return exact(function, static_cast<double>(gates[n + block * count]));
          };
          next = gate(GateFunction::sigmoid, 0) * next +
                 gate(GateFunction::sigmoid, 1) * gate(GateFunction::tanh, 2);
          out = gate(GateFunction::sigmoid, 3) * std::tanh(next);
        }
        const bool right = std::fabs(static_cast<double>(state[n]) - next) <= 2e-6 &&
                           std::fabs(static_cast<double>(hidden[n]) - out) <= 2e-6;
        tally.check(right, [&](auto& text) {
          text << weft::name(level) << ", " << units << " units, element " << i << ": " << state[n]
               << " and " << hidden[n] << ", not " << next << " and " << out;
        });
      }
      CHECK_TALLY(tally);
    }
  }
}

}  // namespace
