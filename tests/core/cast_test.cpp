// SPDX-License-Identifier: Apache-2.0
#include <weft/core/cast.hpp>

#include "support/errors.hpp"
#include "support/half_reference.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace {

using test::Dims;
using test::HalfReference;
using weft::ScalarType;

// Holds every value of every integer type.
__extension__ typedef __int128 Wide;

/// Any value of any element type: an integer, or one or two floating numbers. A double holds every
/// value of every real floating type here.
struct Value {
  bool is_integer = false;
  Wide integer = 0;
  double real = 0;
  double imag = 0;
};

template <class T>
Value value_of(T from) {
  if constexpr (std::is_integral_v<T>) {
    return {true, static_cast<Wide>(from)};
  } else if constexpr (weft::is_complex_type<T>) {
    return {false, 0, from.real(), from.imag()};
  } else if constexpr (std::is_same_v<T, weft::float16>) {
    return {false, 0, HalfReference::f16().decode(from.bits)};
  } else if constexpr (std::is_same_v<T, weft::bfloat16>) {
    return {false, 0, HalfReference::bf16().decode(from.bits)};
  } else {
    return {false, 0, from};
  }
}

template <class T>
T to_integer(const Value& from) {
  if (from.is_integer) {
    // Modulo 2^bits.
    Wide modulus = Wide{1} << (8 * sizeof(T));
    Wide rest = ((from.integer % modulus) + modulus) % modulus;
    if (rest > static_cast<Wide>(std::numeric_limits<T>::max())) rest -= modulus;
    return static_cast<T>(rest);
  }
  if (std::isnan(from.real)) return 0;
  const Wide low = std::numeric_limits<T>::min();
  const Wide high = std::numeric_limits<T>::max();
  const double whole = std::trunc(from.real);
  if (whole < -1e30) return static_cast<T>(low);
  if (whole > 1e30) return static_cast<T>(high);
  return static_cast<T>(std::min(high, std::max(low, static_cast<Wide>(whole))));
}

/// The nearest float or double.
template <class T>
T to_floating(const Value& from) {
  return from.is_integer ? static_cast<T>(from.integer) : static_cast<T>(from.real);
}

/// The rules of cast.hpp, by way of the widest types.
template <class To>
To reference(const Value& from) {
  if constexpr (std::is_same_v<To, bool>) {
    return from.is_integer ? from.integer != 0 : !(from.real == 0 && from.imag == 0);
  } else if constexpr (std::is_integral_v<To>) {
    return to_integer<To>(from);
  } else if constexpr (std::is_same_v<To, weft::float16>) {
    const float by_way_of = to_floating<float>(from);
    if (std::isnan(by_way_of)) return To::from_bits(0x7e00);
    return To::from_bits(HalfReference::f16().encode(by_way_of));
  } else if constexpr (std::is_same_v<To, weft::bfloat16>) {
    const float by_way_of = to_floating<float>(from);
    if (std::isnan(by_way_of)) return To::from_bits(0x7fc0);
    return To::from_bits(HalfReference::bf16().encode(by_way_of));
  } else if constexpr (weft::is_complex_type<To>) {
    using Part = typename To::value_type;
    return To(to_floating<Part>(from), static_cast<Part>(from.imag));
  } else {
    return to_floating<To>(from);
  }
}

bool same_bits_or_nan(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class T>
bool same(T a, T b) {
  const Value x = value_of(a);
  const Value y = value_of(b);
  return x.integer == y.integer && same_bits_or_nan(x.real, y.real) &&
         same_bits_or_nan(x.imag, y.imag);
}

/// Values at which some conversion changes its mind, of one type.
template <class T>
std::vector<T> samples(test::Random& random) {
  std::vector<T> values;
  if constexpr (std::is_same_v<T, bool>) {
    values = {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    values = {0, 1, static_cast<T>(-1), Limits::min(), Limits::max(), 2, 127, 100};
    for (std::size_t bit = 0; bit < 8 * sizeof(T); ++bit) {
      const std::uint64_t power = std::uint64_t{1} << bit;
      for (const std::uint64_t near : {power - 1, power, power + 1, 0 - power, 1 - power}) {
        values.push_back(static_cast<T>(near));
      }
    }
    for (int i = 0; i < 50; ++i)
      values.push_back(static_cast<T>(random.bits()));
  } else if constexpr (weft::is_complex_type<T>) {
    using Part = typename T::value_type;
    const std::vector<Part> parts = samples<Part>(random);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      values.push_back(T(parts[i], parts[(i * 7 + 3) % parts.size()]));
      values.push_back(T(parts[i], 0));
      values.push_back(T(0, parts[i]));
    }
  } else if constexpr (weft::is_half_type<T>) {
    for (std::uint32_t bits = 0; bits < 0x10000; bits += 37) {
      values.push_back(T::from_bits(static_cast<std::uint16_t>(bits)));
    }
    for (const std::uint16_t bits : {0x7c00, 0xfc00, 0x7e00, 0x7f80, 0xff80, 0x7fc0, 0x8000}) {
      values.push_back(T::from_bits(bits));
    }
  } else {
    using Limits = std::numeric_limits<T>;
    for (const T value : {T(0), T(0.5), T(1), T(1.5), T(0.999), T(2.5), T(1e-30), T(1e30), T(65504),
                          T(65519), T(65520), T(70000), Limits::infinity(), Limits::max(),
                          Limits::min(), Limits::denorm_min(), Limits::quiet_NaN()}) {
      values.insert(values.end(), {value, -value});
    }
    for (int bit = 6; bit <= 65; ++bit) {
      const T power = std::ldexp(T(1), bit);
      for (const T near : {power, std::nextafter(power, T(0)), power + T(1), power - T(1)}) {
        values.insert(values.end(), {near, -near, -near - T(0.5)});
      }
    }
    for (int i = 0; i < 50; ++i) {
      values.push_back(std::ldexp(static_cast<T>(random.integer(-1000000, 1000000)),
                                  static_cast<int>(random.integer(-40, 40))));
    }
  }
  return values;
}

}  // namespace

TEST_CASE("cast: every pair of types, every kind of value", "[core]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  int pairs = 0;
  const auto from_type = [&]<class From>() {
    const std::vector<From> values = samples<From>(random);
    const auto to_type = [&]<class To>() {
      ++pairs;
      for (const From from : values) {
        const To got = weft::cast<To>(from);
        To by_loop;
        weft::cast_elements(&by_loop, weft::scalar_type_of<To>, 0, &from,
                            weft::scalar_type_of<From>, 0, 1);
        // Between equal types nothing is changed, so that a NaN keeps its bits there.
        const To wanted = reference<To>(value_of(from));
        tally.check(same(got, wanted) && same(by_loop, got), [&](auto& out) {
          out << weft::name(weft::scalar_type_of<From>) << " to "
              << weft::name(weft::scalar_type_of<To>) << ": " << value_of(from).real << ' '
              << static_cast<double>(value_of(from).integer) << " gave " << value_of(got).real
              << ' ' << static_cast<double>(value_of(got).integer);
        });
      }
    };
#define WEFT_TEST_TYPE(NAME, TYPE) to_type.template operator()<TYPE>();
    WEFT_FOR_EACH_SCALAR_TYPE(WEFT_TEST_TYPE)
#undef WEFT_TEST_TYPE
  };
#define WEFT_TEST_TYPE(NAME, TYPE) from_type.template operator()<TYPE>();
  WEFT_FOR_EACH_SCALAR_TYPE(WEFT_TEST_TYPE)
#undef WEFT_TEST_TYPE
  CHECK(pairs == 15 * 15);
  CHECK_TALLY(tally);
}

TEST_CASE("cast: the named rules", "[core]") {
  using weft::cast;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(cast<std::uint8_t>(300) == 44);
  CHECK(cast<std::int8_t>(std::int64_t{-129}) == 127);
  CHECK(cast<std::uint64_t>(std::int8_t{-1}) == ~std::uint64_t{0});
  CHECK(cast<std::int32_t>(-2.9f) == -2);
  CHECK(cast<std::int32_t>(nan) == 0);
  CHECK(cast<std::int32_t>(inf) == 2147483647);
  CHECK(cast<std::uint8_t>(-inf) == 0);
  CHECK(cast<std::uint8_t>(-0.9f) == 0);
  CHECK(cast<std::uint64_t>(1e20) == ~std::uint64_t{0});
  CHECK(cast<std::int64_t>(9223372036854775808.0) == std::numeric_limits<std::int64_t>::max());
  CHECK(cast<bool>(nan));
  CHECK(cast<bool>(0.1f));
  CHECK_FALSE(cast<bool>(-0.0f));
  CHECK(cast<bool>(std::complex<float>(0, 1)));
  CHECK(cast<float>(std::complex<double>(1.5, 2)) == 1.5f);
  CHECK(cast<std::complex<double>>(2) == std::complex<double>(2, 0));
  // 1 + 2^-11 + 2^-40 is nearer to the upper half; by way of float it becomes a tie.
  CHECK(cast<weft::float16>(1 + std::ldexp(1, -11) + std::ldexp(1, -40)).bits == 0x3c00);
  STATIC_REQUIRE(cast<std::int8_t>(1000.0) == 127);
}
