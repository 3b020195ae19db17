// SPDX-License-Identifier: Apache-2.0
// Generic lambdas: one text for several types, and for vectors where the header for them is there.
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/vectorized_math.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/mix.hpp"

#include <cmath>
#include <tuple>

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

TEST_CASE("generic cpu_kernel: up to nine inputs, of other types in memory", "[kernel]") {
  WEFT_RANDOM(random);
  const Dims shape = {5, 33};
  std::vector<Memory> memories;
  std::vector<weft::TensorView> views;
  for (const ScalarType type :
       {ScalarType::f32, ScalarType::i16, ScalarType::f16, ScalarType::u8, ScalarType::f64,
        ScalarType::boolean, ScalarType::i8, ScalarType::f32, ScalarType::bf16}) {
    memories.push_back(test::random_input(random, type, shape, test::Values::small));
    views.push_back(memories.back().view());
  }
  const Memory out = test::random_output(random, ScalarType::f32, shape);
  weft::cpu_kernel(iterator(out.view(), views),
                   [](auto a, auto b, auto c, auto d, auto e, auto f, auto g, auto h, auto i) {
                     using T = decltype(a);
                     return a + b * T(2) + c * T(3) + d * T(5) + e * T(7) + f * T(11) + g * T(13) +
                            h * T(17) + i * T(19);
                   });
  const auto want = test::naive_map(ScalarType::f32, shape, views, [&](const auto* in, void* to) {
    constexpr float factors[] = {1, 2, 3, 5, 7, 11, 13, 17, 19};
    float sum = 0;
    for (std::size_t k = 0; k < 9; ++k) {
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

TEST_CASE("generic cpu_kernel_multiple_outputs: vectors and tails of several outputs", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  constexpr auto both = [](auto a, auto b) {
    using V = decltype(a);
    return std::tuple(a + V(scalar_or_vector<V>), a * b);
  };
  for (std::int64_t n = 0; n < 70; ++n) {
    const bool is_double = random.chance(50), is_half = !is_double && random.chance(30);
    const ScalarType type = is_double ? ScalarType::f64
                            : is_half ? ScalarType::f16
                                      : ScalarType::f32;
    const auto layout = [&] { return test::fit({{n}, {random.integer(-1, 2)}}); };
    const Memory a = test::random_memory(random, type, layout());
    const Memory b = test::random_memory(random, type, layout());
    const Memory sum = test::random_output(random, type, {n});
    const Memory product = test::random_output(random, type, {n});
    weft::TensorIteratorConfig config;
    const weft::TensorView views[] = {sum.view(), product.view(), a.view(), b.view()};
    config.add_output(views[0]).add_output(views[1]).add_input(views[2]).add_input(views[3]);
    weft::cpu_kernel_multiple_outputs(config.resize_outputs(false).build(), both);
    for (const int k : {0, 1}) {
      const auto want =
          test::naive_map(type, {n}, {a.view(), b.view()}, [&](const auto* in, void* to) {
            double x = 0, y = 0;
            test::convert_element(ScalarType::f64, &x, type, in[0]);
            test::convert_element(ScalarType::f64, &y, type, in[1]);
            const double exact = k == 0 ? x + 2 : x * y;
            const float rounded = k == 0 ? static_cast<float>(x) + 2.0F
                                         : static_cast<float>(x) * static_cast<float>(y);
            if (is_double) return test::convert_element(type, to, ScalarType::f64, &exact);
            test::convert_element(type, to, ScalarType::f32, &rounded);
          });
      const std::string wrong = test::difference(views[k], want);
      tally.check(wrong.empty(), [&](auto& text) { text << n << ", " << k << ": " << wrong; });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("generic cpu_kernel_multiple_outputs: types that are named", "[kernel]") {
  const Tensor a = Tensor::of<std::int64_t>({3}, {7, -8, 9});
  const Tensor square = Tensor::empty({3}, ScalarType::i64), less = square.clone();
  weft::TensorIteratorConfig config;
  config.add_output(square).add_output(less).add_input(a).resize_outputs(false);
  weft::cpu_kernel_multiple_outputs<std::int64_t, float>(
      config.build(), [](auto x) { return std::tuple(x * x, x - decltype(x)(5)); });
  CHECK(square.at<std::int64_t>(1) == 64);
  CHECK(less.at<std::int64_t>(2) == 4);
}

TEST_CASE("cpu_kernel: the cost that a kernel names", "[kernel]") {
  const Tensor a = Tensor::full({40'000}, ScalarType::f32, 2), out = a.clone();
  const TensorIterator iter = iterator(out, {a});
  const auto twice = [](float x) { return x * 2; };
  const auto costly = weft::with_cost(1000, twice);
  CHECK(weft::typed_span_kernel(twice).cost == 1);
  CHECK(weft::typed_span_kernel(costly).cost == 1000);
  test::in_arena(4, [&] {
    weft::set_num_threads(4);
    CHECK(weft::explain_run(iter, weft::typed_span_kernel(twice)).run.threads == 1);
    CHECK(weft::explain_run(iter, weft::typed_span_kernel(costly)).run.threads == 4);
    weft::cpu_kernel(iter, costly);
    weft::set_num_threads(0);
  });
  CHECK(out.at<float>(39'999) == 4);
  weft::cpu_kernel(iter, weft::with_cost(50, [](auto x) { return x + decltype(x)(1); }));
  CHECK(out.at<float>(39'999) == 3);
}
