// SPDX-License-Identifier: Apache-2.0
// The mathematical functions for users' kernels, of numbers and of vectors: the bits of the
// functions of tensors.
#include "kernel/user_math.hpp"

#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/vectorized_math.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/unary.hpp>

#include "support/dense.hpp"
#include "support/levels.hpp"
#include "support/tally.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace {

using weft::ScalarType;
using weft::Tensor;

constexpr std::int64_t count = 4096;

/// Arguments where functions are easy and where they are hard: about 1, any exponent, any bits,
/// special values.
template <class T>
Tensor arguments(test::Random& random) {
  using Limits = std::numeric_limits<T>;
  const T special[] = {T(0),
                       T(-0.0),
                       T(1),
                       T(-1),
                       T(0.5),
                       T(2),
                       T(-2),
                       T(3),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::min(),
                       Limits::denorm_min(),
                       Limits::max(),
                       Limits::lowest()};
  const Tensor values = Tensor::empty({count}, weft::scalar_type_of<T>);
  for (std::int64_t i = 0; i < count; ++i) {
    T& x = values.data_as<T>()[i];
    const std::int64_t kind = random.integer(0, 9);
    const auto unit = static_cast<T>(random.integer(-1000000, 1000000)) / T(1000000);
    if (kind == 0) {
      x = special[random.integer(0, std::ssize(special) - 1)];
    } else if (kind < 3) {
      x = std::ldexp(unit, static_cast<int>(random.integer(-140, 120)));
    } else {
      x = unit * (kind < 6 ? T(2) : kind < 8 ? T(90) : T(5000));
    }
  }
  return values;
}

/// Whether all elements have the same bits, NaN being NaN.
template <class T>
std::int64_t first_difference(const T* got, const T* want) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::isnan(got[i]) && std::isnan(want[i])) continue;
    if (std::memcmp(got + i, want + i, sizeof(T)) != 0) return i;
  }
  return -1;
}

template <class T>
void check_function(test::Tally& tally, const char* name, const Tensor& x, const Tensor& y,
                    const Tensor& want) {
  const Tensor got = Tensor::empty({count}, weft::scalar_type_of<T>);
  for (const bool vectors : {false, true}) {
    test::user_math.at(weft::current_level())(name, got.dtype(), vectors, got.data(), x.data(),
                                              y.data(), count);
    const std::int64_t at = first_difference(got.data_as<T>(), want.data_as<T>());
    tally.check(at < 0, [&](auto& text) {
      text << name << (vectors ? " of vectors" : " of numbers") << ", " << sizeof(T)
           << " bytes, at " << x.data_as<T>()[at] << ", " << y.data_as<T>()[at] << ": "
           << got.data_as<T>()[at] << ", expected " << want.data_as<T>()[at];
    });
  }
}

template <class T>
void check_all(test::Tally& tally, test::Random& random) {
  const Tensor x = arguments<T>(random), y = arguments<T>(random);
#define WEFT_TEST_ONE(NAME) check_function<T>(tally, #NAME, x, y, weft::NAME(x));
#define WEFT_TEST_TWO(NAME) check_function<T>(tally, #NAME, x, y, weft::NAME(x, y));
  WEFT_FOR_EACH_MATH_FUNCTION(WEFT_TEST_ONE, WEFT_TEST_TWO)
  WEFT_TEST_ONE(floor)
  WEFT_TEST_ONE(ceil)
  WEFT_TEST_ONE(trunc)
  WEFT_TEST_ONE(round)
  WEFT_TEST_ONE(sqrt)
  WEFT_TEST_ONE(abs)
  WEFT_TEST_TWO(copysign)
#undef WEFT_TEST_ONE
#undef WEFT_TEST_TWO
}

}  // namespace

TEST_CASE("user math: functions of numbers and vectors have the bits of those of tensors",
          "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  check_all<float>(tally, random);
  check_all<double>(tally, random);
  CHECK_TALLY(tally);
}

TEST_CASE("user math: a lambda of an ordinary file has the bits of the baseline", "[kernel]") {
  WEFT_RANDOM(random);
  const Tensor x = arguments<float>(random), y = arguments<float>(random);
  const Tensor got = Tensor::empty({count}, ScalarType::f32);
  const Tensor want = Tensor::empty({count}, ScalarType::f32);
  const auto check = [&](const char* name, auto function) {
    const auto iter =
        weft::TensorIteratorConfig().add_output(got).add_input(x).add_input(y).build();
    weft::cpu_kernel(iter, function);
    test::user_math.at(weft::lowest_level)(name, want.dtype(), false, want.data(), x.data(),
                                           y.data(), count);
    INFO(name);
    CHECK(first_difference(got.data_as<float>(), want.data_as<float>()) == -1);
  };
  check("exp", [](float a, float) { return weft::exp(a); });
  check("log", [](float a, float) { return weft::log(a); });
  check("tanh", [](float a, float) { return weft::tanh(a); });
  check("sin", [](float a, float) { return weft::sin(a); });
  check("pow", [](float a, float b) { return weft::pow(a, b); });
}

TEST_CASE("user math: one generic lambda is for numbers and for vectors", "[kernel]") {
  WEFT_RANDOM(random);
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64}) {
    const Tensor x = type == ScalarType::f32 ? arguments<float>(random) : arguments<double>(random);
    const Tensor got = Tensor::empty({count}, type);
    const auto iter = weft::TensorIteratorConfig().add_output(got).add_input(x).build();
    const auto op = [](auto a) { return weft::select(a > 0, weft::log(weft::abs(a)) * 2, a); };
    weft::cpu_kernel(iter, op);
    const auto is_right = [&]<class T>(const T* a, const T* b) {
      for (std::int64_t i = 0; i < count; ++i) {
        const T want = op(a[i]);
        if (std::isnan(want) ? !std::isnan(b[i]) : want != b[i]) return false;
      }
      return true;
    };
    CHECK((type == ScalarType::f32 ? is_right(x.data_as<float>(), got.data_as<float>())
                                   : is_right(x.data_as<double>(), got.data_as<double>())));
  }
}

TEST_CASE("user math: the larger of two types is of their common one", "[kernel]") {
  CHECK(weft::max(0, 0.7F) == 0.7F);
  CHECK(weft::min(3.5, 3) == 3.0);
  CHECK(weft::select(false, 0, 0.7F) == 0.7F);
  CHECK(weft::max(1, 2) == 2);
  using V = weft::Vectorized<float>;
  float lanes[V::lanes];
  V x = weft::max(weft::min(V(5.5F), 4), 0.5);
  x /= 2;
  weft::select(x > 1, weft::max(0, x), 9).store(lanes);
  CHECK(lanes[V::lanes - 1] == 2.0F);
  weft::select(x > 3, 7, x).store(lanes);
  CHECK(lanes[0] == 2.0F);
}

TEST_CASE("user math: predicates", "[kernel]") {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  CHECK(weft::isnan(nan));
  CHECK_FALSE(weft::isnan(1.0F));
  CHECK(weft::isfinite(1.0));
  CHECK_FALSE(weft::isfinite(inf));
  CHECK_FALSE(weft::isfinite(nan));
  using V = weft::Vectorized<float>;
  float lanes[V::lanes];
  weft::select(weft::isnan(V(nan)) & !weft::isfinite(V(inf)) & weft::isfinite(V(1.0F)), V(2.0F),
               V(3.0F))
      .store(lanes);
  CHECK(lanes[0] == 2.0F);
}
