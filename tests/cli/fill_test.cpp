// SPDX-License-Identifier: Apache-2.0
#include "cli/fill.hpp"

#include <weft/core/tensor.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

using namespace weft;
using namespace weft::cli;

namespace {

/// The text of the format once more, as plainly as it can be written.
std::uint64_t naive_u(std::uint64_t i, int k) {
  std::uint64_t x = i;
  for (int n = 0; n <= k; ++n)
    x += 0xD1B54A32D192ED03u;
  x = x + 0x9E3779B97F4A7C15u;
  x = (x ^ (x / (std::uint64_t{1} << 30))) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x / (std::uint64_t{1} << 27))) * 0x94D049BB133111EBu;
  return x ^ (x / (std::uint64_t{1} << 31));
}

double naive_floating(std::uint64_t i, int k, Fill fill) {
  const double x = static_cast<double>(naive_u(i, k) / (std::uint64_t{1} << 40)) / 16777216.0;
  return fill == Fill::sym ? 2 * x - 1 : x + 0.5;
}

std::int64_t naive_integer(std::uint64_t i, int k, Fill fill, bool is_unsigned) {
  const auto r = static_cast<std::int64_t>(naive_u(i, k) / (std::uint64_t{1} << 33));
  if (fill == Fill::nz) return 1 + r % 7;
  if (fill == Fill::pos || is_unsigned) return r % 17;
  return r % 17 - 8;
}

/// `value` rounded to `digits` significant bits, ties to even, in f64 arithmetic alone; without
/// under- and overflow.
double rounded(double value, int digits) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, digits)), exponent - digits);
}

Tensor filled(ScalarType type, Fill fill, int k, std::int64_t count = 2000) {
  Tensor t = Tensor::empty({count}, type);
  fill_buffer(t, fill, k);
  return t;
}

constexpr Fill fills[] = {Fill::sym, Fill::pos, Fill::nz};

template <class T>
void check_integers() {
  for (const Fill fill : fills) {
    for (const int k : {0, 1, 5}) {
      const Tensor t = filled(scalar_type_of<T>, fill, k);
      bool equal = true;
      for (std::int64_t i = 0; i < t.numel(); ++i) {
        equal = equal &&
                static_cast<std::int64_t>(t.data_as<T>()[i]) ==
                    naive_integer(static_cast<std::uint64_t>(i), k, fill, std::is_unsigned_v<T>);
      }
      CHECK(equal);
    }
  }
}

template <class T>
void check_floating(int digits, std::int64_t count) {
  for (const Fill fill : fills) {
    for (const int k : {0, 1, 5}) {
      const Tensor t = filled(scalar_type_of<T>, fill, k, count);
      std::int64_t different = 0;
      for (std::int64_t i = 0; i < t.numel(); ++i) {
        const double wanted =
            rounded(naive_floating(static_cast<std::uint64_t>(i), k, fill), digits);
        double got = 0;
        if constexpr (std::is_same_v<T, double>) {
          got = t.data_as<T>()[i];
        } else {
          got = static_cast<double>(static_cast<float>(t.data_as<T>()[i]));
        }
        different += got != wanted;
      }
      CHECK(different == 0);
    }
  }
}

template <class Part>
void check_complex() {
  for (const Fill fill : fills) {
    const Tensor pairs = filled(scalar_type_of<std::complex<Part>>, fill, 2, 500);
    const Tensor parts = filled(scalar_type_of<Part>, fill, 2, 1000);
    bool equal = true;
    for (std::int64_t i = 0; i < 500; ++i) {
      const std::complex<Part> value = pairs.data_as<std::complex<Part>>()[i];
      equal = equal && value.real() == parts.data_as<Part>()[2 * i] &&
              value.imag() == parts.data_as<Part>()[2 * i + 1];
    }
    CHECK(equal);
  }
}

}  // namespace

TEST_CASE("fill: integers", "[fill]") {
  check_integers<std::uint8_t>();
  check_integers<std::int8_t>();
  check_integers<std::uint16_t>();
  check_integers<std::int16_t>();
  check_integers<std::uint32_t>();
  check_integers<std::int32_t>();
  check_integers<std::uint64_t>();
  check_integers<std::int64_t>();
}

TEST_CASE("fill: bools are the top bit", "[fill]") {
  for (const Fill fill : fills) {
    const Tensor t = filled(ScalarType::boolean, fill, 3);
    bool equal = true;
    for (std::int64_t i = 0; i < t.numel(); ++i) {
      equal = equal && t.data_as<bool>()[i] ==
                           (naive_u(static_cast<std::uint64_t>(i), 3) >= (std::uint64_t{1} << 63));
    }
    CHECK(equal);
  }
}

TEST_CASE("fill: floating types are rounded once", "[fill]") {
  check_floating<double>(53, 2000);
  check_floating<float>(24, 20000);
  check_floating<float16>(11, 300000);
  check_floating<bfloat16>(8, 300000);
}

TEST_CASE("fill: parts of complex numbers", "[fill]") {
  check_complex<float>();
  check_complex<double>();
}

TEST_CASE("fill: pinned values", "[fill]") {
  const Tensor i32 = filled(ScalarType::i32, Fill::sym, 0, 8);
  const auto* n = i32.data_as<std::int32_t>();
  CHECK(std::vector<int>(n, n + 8) == std::vector<int>{5, -5, 3, -5, 0, 8, -6, 3});
  const Tensor f64 = filled(ScalarType::f64, Fill::sym, 1, 3);
  CHECK(f64.data_as<double>()[0] == -0x1.0e92680000000p-1);
  CHECK(f64.data_as<double>()[2] == 0x1.b26bd80000000p-2);
  const Tensor bools = filled(ScalarType::boolean, Fill::sym, 0, 8);
  const auto* b = bools.data_as<bool>();
  CHECK(std::vector<int>(b, b + 8) == std::vector<int>{0, 0, 1, 0, 0, 1, 1, 0});
}

TEST_CASE("fill: values that two roundings would get wrong", "[fill]") {
  // x + 0.5 has 25 significant bits here and lies just beside the middle between two halves: a
  // float would be that middle.
  const Tensor half = filled(ScalarType::f16, Fill::pos, 0, 30507);
  const double value = naive_floating(30506, 0, Fill::pos);
  CHECK(half.data_as<float16>()[30506].bits == 15461);
  CHECK(float16(static_cast<float>(value)).bits != 15461);
  const Tensor brain = filled(ScalarType::bf16, Fill::pos, 0, 269543);
  const double other = naive_floating(269542, 0, Fill::pos);
  CHECK(brain.data_as<bfloat16>()[269542].bits != bfloat16(static_cast<float>(other)).bits);
}
