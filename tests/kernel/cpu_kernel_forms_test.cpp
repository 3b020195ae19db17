// SPDX-License-Identifier: Apache-2.0
// cpu_kernel and its kin: several outputs, generic lambdas, kinds of callables, in-place use.
#include <weft/kernel/cpu_kernel.hpp>

#include "support/dense.hpp"
#include "support/mix.hpp"

#include <atomic>
#include <functional>

namespace {

using test::Dims;
using test::iterator;
using test::Memory;
using test::mix;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;

}  // namespace

TEST_CASE("cpu_kernel: values pass through the iterator's dtype on their way", "[kernel]") {
  // i32 with f16 promotes to f16: 100000 becomes infinity before the lambda sees it as a float.
  const auto a = Tensor::of<std::int32_t>({2}, {100'000, 2049});
  const auto b = Tensor::full({2}, ScalarType::f16, 0);
  Tensor out;
  const TensorIterator iter = TensorIterator::binary_op(out, a, b);
  REQUIRE(out.dtype() == ScalarType::f16);
  std::atomic<float> seen[2] = {};
  weft::cpu_kernel(iter, [&](float x, float y) {
    seen[x > 60000 ? 0 : 1] = x;
    return x + y;
  });
  CHECK(seen[0] == std::numeric_limits<float>::infinity());
  CHECK(seen[1] == 2048.0f);
}

TEST_CASE("cpu_kernel: several outputs of several types", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(500); ++round) {
    const Dims shape = test::random_shape(random, 3, round % 10 == 0 ? 70 : 6);
    const Memory a = test::random_input(random, ScalarType::i32, shape);
    const Memory sum = test::random_output(random, ScalarType::i32, shape);
    const Memory half = test::random_output(random, ScalarType::f16, shape);  // converted from f32
    const Memory flag = test::random_output(random, ScalarType::boolean, shape);
    const auto iter = TensorIteratorConfig()
                          .add_owned_output(Tensor::share(nullptr, sum.view()))
                          .add_owned_output(Tensor::share(nullptr, half.view()))
                          .add_owned_output(Tensor::share(nullptr, flag.view()))
                          .add_owned_input(Tensor::share(nullptr, a.view()))
                          .check_all_same_dtype(false)
                          .resize_outputs(false)
                          .build();
    weft::cpu_kernel_multiple_outputs(iter, [](std::int32_t x) {
      return std::tuple<std::int32_t, float, bool>(mix(x, 1), static_cast<float>(x), x < 0);
    });
    const auto check = [&](const Memory& out, auto f) {
      const auto want = test::naive_map(
          out.view().dtype(), shape, {a.view()},
          [&](const auto* in, void* to) { test::store(to, f(test::load<std::int32_t>(in[0]))); });
      const std::string wrong = test::difference(out.view(), want);
      tally.check(wrong.empty(), [&](auto& text) { text << wrong; });
    };
    check(sum, [](std::int32_t x) { return mix(x, 1); });
    check(half, [](std::int32_t x) { return weft::float16(static_cast<float>(x)); });
    check(flag, [](std::int32_t x) { return x < 0; });
  }
  CHECK_TALLY(tally);
}

namespace {

float plain_function(float a, float b) { return mix(a, b); }
float noexcept_function(float a, float b) noexcept { return mix(a, b); }
struct FunctionObject {
  float operator()(float a, float b) const noexcept { return mix(a, b); }
};

}  // namespace

TEST_CASE("cpu_kernel: any kind of callable", "[kernel]") {
  const auto a = Tensor::of<float>({3}, {1, 2, 3});
  const auto b = Tensor::of<float>({3}, {5, 6, 7});
  const auto check = [&](auto&& op) {
    Tensor out;
    weft::cpu_kernel(TensorIterator::binary_op(out, a, b), op);
    CHECK(test::difference(out, test::dense_copy(Tensor::of<float>({3}, {8, 12, 16}))) == "");
  };
  check(plain_function);
  check(&plain_function);
  check(noexcept_function);
  check(&noexcept_function);
  check(FunctionObject{});
  check(std::function<float(float, float)>(plain_function));
  check([](const float& x, float y) { return mix(x, y); });
}

TEST_CASE("cpu_kernel: writing in place", "[kernel]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(300); ++round) {
    const Dims shape = test::random_shape(random, 3, round % 10 == 0 ? 70 : 6);
    // f16 in memory, f32 in the lambda: both ways through a buffer.
    const Memory a = test::random_output(random, ScalarType::f16, shape);
    const Memory b = test::random_input(random, ScalarType::f16, shape);
    const test::Dense want =
        test::naive_map(ScalarType::f16, shape, {a.view(), b.view()}, [](const auto* in, void* to) {
          const float x = test::load<weft::float16>(in[0]);
          test::store(to, weft::float16(mix<float>(x, test::load<weft::float16>(in[1]))));
        });
    weft::cpu_kernel(iterator(a.view(), {a.view(), b.view()}),
                     [](float x, float y) { return mix(x, y); });
    CHECK(test::difference(a.view(), want) == "");
  }
}
