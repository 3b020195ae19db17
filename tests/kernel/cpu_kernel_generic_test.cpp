// SPDX-License-Identifier: Apache-2.0
// Generic lambdas: one text for several types, and for vectors where the header for them is there.
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/vectorized_math.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/mix.hpp"

#include <cmath>

namespace {

using test::Dims;
using test::iterator;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::Vectorized;

/// How a callable was called, told by what it adds.
template <class V>
constexpr int scalar_or_vector = std::is_arithmetic_v<V> ? 1 : 2;

constexpr auto mark = [](auto a, auto b) {
  using V = decltype(a);
  return a * b + V(scalar_or_vector<V>);
};

}  // namespace

TEST_CASE("generic cpu_kernel: vectors for every element, tails and broadcasts too", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (std::int64_t n = 0; n < 70; ++n) {
    for (const bool repeat_a : {false, true}) {
      for (const bool repeat_b : {false, true}) {
        const auto a =
            test::random_memory(random, ScalarType::f32, test::fit({{n}, {repeat_a ? 0 : 1}}));
        const auto b =
            test::random_memory(random, ScalarType::f32, test::fit({{n}, {repeat_b ? 0 : -1}}));
        const Memory out = test::random_output(random, ScalarType::f32, {n});
        weft::cpu_kernel(iterator(out.view(), {a.view(), b.view()}), mark);
        const auto want = test::naive_map(
            ScalarType::f32, {n}, {a.view(), b.view()}, [&](const auto* in, void* to) {
              test::store(to, test::load<float>(in[0]) * test::load<float>(in[1]) + 2.0f);
            });
        const std::string wrong = test::difference(out.view(), want);
        tally.check(wrong.empty(), [&](auto& text) { text << n << ": " << wrong; });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("generic cpu_kernel: f16 and bf16 are computed in f32 and rounded once", "[kernel]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(300); ++round) {
    const ScalarType type = round % 2 == 0 ? ScalarType::f16 : ScalarType::bf16;
    const Dims shape = test::random_shape(random, 3, 9);
    const Memory a = test::random_input(random, type, shape);
    const Memory b = test::random_input(random, type, shape);
    const Memory out = test::random_output(random, type, shape);
    weft::cpu_kernel(iterator(out.view(), {a.view(), b.view()}), mark);
    const auto want =
        test::naive_map(type, shape, {a.view(), b.view()}, [&](const auto* in, void* to) {
          float x = 0, y = 0;
          test::convert_element(ScalarType::f32, &x, type, in[0]);
          test::convert_element(ScalarType::f32, &y, type, in[1]);
          const float value = x * y + 2.0f;
          test::convert_element(type, to, ScalarType::f32, &value);
        });
    CHECK(test::difference(out.view(), want) == "");
  }
}

TEST_CASE("generic cpu_kernel: f32 and f64 unless types are named", "[kernel]") {
  const auto square = [](auto x) { return x * x; };
  const auto of = [&](const Tensor& a) {
    Tensor out;
    weft::cpu_kernel(TensorIterator::unary_op(out, a), square);
    return out;
  };
  CHECK(of(Tensor::of<float>({1}, {3})).at<float>({0}) == 9);
  CHECK(of(Tensor::of<double>({1}, {1e200})).at<double>({0}) == HUGE_VAL);
  CHECK_ERROR(dtype, ("i32", "f32, f64", "cpu_kernel<T"), of(Tensor::of<std::int32_t>({1}, {3})));

  const auto named = [&](const Tensor& a) {
    Tensor out;
    weft::cpu_kernel<std::int32_t, std::complex<double>>(TensorIterator::unary_op(out, a), square);
    return out;
  };
  CHECK(named(Tensor::of<std::int32_t>({1}, {3})).at<std::int32_t>({0}) == 9);
  CHECK(named(Tensor::of<std::complex<double>>({1}, {{0, 2}})).at<std::complex<double>>({0}) ==
        -4.0);
  CHECK_ERROR(dtype, ("f32"), named(Tensor::of<float>({1}, {3})));
}

TEST_CASE("generic cpu_kernel: up to six inputs, of other types in memory", "[kernel]") {
  WEFT_RANDOM(random);
  const Dims shape = {5, 33};
  std::vector<Memory> memories;
  std::vector<weft::TensorView> views;
  for (const ScalarType type : {ScalarType::f32, ScalarType::i16, ScalarType::f16, ScalarType::u8,
                                ScalarType::f64, ScalarType::boolean}) {
    memories.push_back(test::random_input(random, type, shape, test::Values::small));
    views.push_back(memories.back().view());
  }
  const Memory out = test::random_output(random, ScalarType::f32, shape);
  weft::cpu_kernel(iterator(out.view(), views), [](auto a, auto b, auto c, auto d, auto e, auto f) {
    return a + b * decltype(a)(2) + c * decltype(a)(3) + d * decltype(a)(5) + e * decltype(a)(7) +
           f * decltype(a)(11);
  });
  const auto want = test::naive_map(ScalarType::f32, shape, views, [&](const auto* in, void* to) {
    constexpr float factors[] = {1, 2, 3, 5, 7, 11};
    float sum = 0;
    for (std::size_t k = 0; k < 6; ++k) {
      float x = 0;
      test::convert_element(ScalarType::f32, &x, views[k].dtype(), in[k]);
      sum += x * factors[k];
    }
    test::store(to, sum);
  });
  CHECK(test::difference(out.view(), want) == "");
}

TEST_CASE("generic cpu_kernel: a result does not depend on where an element stands", "[kernel]") {
  // The functions of vectorized_math.hpp, called by name for either kind of argument.
  constexpr auto op = [](auto x) {
    if constexpr (std::is_arithmetic_v<decltype(x)>) {
      return std::exp(x);
    } else {
      return exp(x);
    }
  };
  WEFT_RANDOM(random);
  std::vector<float> values(1000);
  for (float& x : values)
    x = static_cast<float>(random.integer(-90'000, 90'000)) / 1000;
  const auto run = [&](std::int64_t begin, std::int64_t end, std::int64_t step) {
    const auto in =
        weft::TensorView(std::span<const float>(values), {(end - begin) / step}, {step}, begin);
    Tensor out;
    weft::cpu_kernel(TensorIterator::unary_op(out, in), op);
    return out;
  };
  const Tensor all = run(0, 1000, 1);
  test::Tally tally;
  for (std::int64_t begin = 0; begin < 40; ++begin) {
    for (const std::int64_t step : {1, 2, 3}) {
      const Tensor part = run(begin, begin + 60 * step, step);
      for (std::int64_t i = 0; i < 60; ++i) {
        tally.check(part.at<float>({i}) == all.at<float>({begin + i * step}), [&](auto& out) {
          out << "begin " << begin << " step " << step << " at " << i;
        });
      }
    }
  }
  CHECK_TALLY(tally);
}
