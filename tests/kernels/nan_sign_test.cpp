// SPDX-License-Identifier: Apache-2.0
// Functions that make a NaN of what they are not defined for make the same one at every level.
#include <weft/core/cast.hpp>

#include "ops/any_function.hpp"
#include "support/catch.hpp"
#include "support/levels.hpp"
#include "support/tally.hpp"

#include <array>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

namespace {

using weft::ScalarType;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Where functions have their limits, and beyond.
constexpr std::array<double, 16> samples = {-infinity, -1e4, -100, -3,  -1.5, -1,  -0.5, -0.0,
                                            0,         0.5,  1,    1.5, 3,    1e4, 6e4,  infinity};

std::vector<std::byte> results(weft::Level level, weft::UnaryOp op, ScalarType type) {
  const std::int64_t size = weft::element_size(type);
  const auto count = static_cast<std::int64_t>(samples.size());
  std::vector<std::byte> in(static_cast<std::size_t>(size * count)), out(in.size());
  weft::cast_elements(in.data(), type, size, samples.data(), ScalarType::f64, 8, count);
  const weft::SpanKernel* kernel = weft::any_function(op).kernel(type, level);
  if (kernel == nullptr || kernel->types[0] != type) return {};
  char* data[] = {reinterpret_cast<char*>(out.data()), reinterpret_cast<char*>(in.data())};
  kernel->run(kernel->context, data, nullptr, count, 1, 0);
  return out;
}

/// Bit i: element i is a NaN with a sign.
std::vector<bool> negative_nans(const std::vector<std::byte>& values, ScalarType type) {
  const auto size = static_cast<std::size_t>(weft::element_size(type));
  std::vector<bool> list;
  for (std::size_t i = 0; i < values.size(); i += size) {
    double value = 0;
    weft::cast_elements(&value, ScalarType::f64, 8, values.data() + i, type, 0, 1);
    const bool has_sign = (values[i + size - 1] & std::byte{0x80}) != std::byte{0};
    list.push_back(value != value && has_sign);
  }
  return list;
}

TEST_CASE("functions: NaN has the same sign at every level") {
  test::Tally tally;
  for (std::size_t op = 0; op < std::size(weft::unary_functions); ++op) {
    for (const ScalarType type :
         {ScalarType::f16, ScalarType::bf16, ScalarType::f32, ScalarType::f64}) {
      const auto function = static_cast<weft::UnaryOp>(op);
      const auto wanted = negative_nans(results(weft::lowest_level, function, type), type);
      for (const weft::Level level : test::levels()) {
        const auto got = negative_nans(results(level, function, type), type);
        for (std::size_t i = 0; i < wanted.size() && i < got.size(); ++i) {
          tally.check(got[i] == wanted[i], [&](auto& text) {
            text << weft::unary_functions[op].name << " of " << samples[i] << ", "
                 << weft::name(type) << ", " << weft::name(level);
          });
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

}  // namespace
