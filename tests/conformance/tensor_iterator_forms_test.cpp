// SPDX-License-Identifier: Apache-2.0
// What else PyTorch's tensor_iterator_test.cpp covers: kernels without output, with two outputs,
// comparisons; threads and types.
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>

#include "conformance/square.hpp"
#include "support/errors.hpp"
#include "support/threads.hpp"

#include <atomic>
#include <thread>

namespace {

using test::check_square;
using test::plus;
using test::random_square;
using test::times;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;

}  // namespace

TEMPLATE_TEST_CASE("TensorIterator: no output, a void lambda called 25 times", "[conformance]",
                   WEFT_ALL_ELEMENT_TYPES) {
  using T = TestType;
  WEFT_RANDOM(random);
  const Tensor a = random_square<T>(random);
  int calls = 0;
  weft::cpu_serial_kernel(TensorIteratorConfig().add_input(a).build(), [&](T) { ++calls; });
  CHECK(calls == 25);
  weft::cpu_serial_kernel(TensorIteratorConfig().add_input(a).add_input(a).build(),
                          [&](T, T) { ++calls; });
  CHECK(calls == 50);
  weft::cpu_serial_kernel(TensorIteratorConfig().add_input(a).add_input(a).add_input(a).build(),
                          [&](T, T, T) { ++calls; });
  CHECK(calls == 75);
}

TEMPLATE_TEST_CASE("TensorIterator: comparison into an empty bool tensor", "[conformance]", bool,
                   std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                   std::int32_t, std::uint64_t, std::int64_t, float, double) {
  using T = TestType;
  WEFT_RANDOM(random);
  const Tensor a = random_square<T>(random);
  const Tensor b = random_square<T>(random);
  Tensor out = Tensor::empty({0}, ScalarType::boolean);
  const auto less = [](T x, T y) { return x < y; };
  weft::cpu_serial_kernel(TensorIterator::comparison_op(out, a, b), less);
  CHECK(out.dtype() == ScalarType::boolean);
  check_square<T>(out, less, a, b);
}

TEMPLATE_TEST_CASE("TensorIterator: two empty outputs, sums and products", "[conformance]",
                   WEFT_ALL_ELEMENT_TYPES) {
  using T = TestType;
  WEFT_RANDOM(random);
  const Tensor a = random_square<T>(random);
  const Tensor b = random_square<T>(random);
  Tensor sums = Tensor::empty({0}, weft::scalar_type_of<T>);
  Tensor products = Tensor::empty({0}, weft::scalar_type_of<T>);
  const auto iter = TensorIteratorConfig()
                        .add_output(sums)
                        .add_output(products)
                        .add_input(a)
                        .add_input(b)
                        .build();
  weft::cpu_kernel_multiple_outputs(
      iter, [](T x, T y) { return std::tuple<T, T>(plus(x, y), times(x, y)); });
  check_square<T>(sums, plus<T>, a, b);
  check_square<T>(products, times<T>, a, b);
}

TEST_CASE("TensorIterator: a serial kernel stays on the calling thread", "[conformance]") {
  const Tensor a = Tensor::full({50'000}, ScalarType::i32, 1);
  const auto caller = std::this_thread::get_id();
  std::atomic<int> elsewhere = 0;
  Tensor out;
  test::in_arena(8, [&] {
    weft::cpu_serial_kernel(TensorIterator::unary_op(out, a), [&](std::int32_t x) {
      if (std::this_thread::get_id() != caller) ++elsewhere;
      return x + 1;
    });
  });
  CHECK(elsewhere == 0);
  CHECK(out.at<std::int32_t>({49'999}) == 2);
}

TEST_CASE("TensorIterator: types of inputs", "[conformance]") {
  const Tensor flags = Tensor::zeros({1, 1}, ScalarType::boolean);
  const Tensor f32 = Tensor::full({1, 1}, ScalarType::f32, 1);
  const Tensor f64 = Tensor::full({1, 1}, ScalarType::f64, 1);
  const Tensor i64 = Tensor::zeros({1, 1}, ScalarType::i64);
  const auto config = [&](const Tensor& out) {
    return TensorIteratorConfig().add_owned_output(out).add_owned_input(f32).add_owned_input(f64);
  };
  const auto as_given = config(flags).check_all_same_dtype(false).build();
  CHECK(as_given.input_dtype() == ScalarType::f32);
  CHECK(as_given.input_dtype(0) == ScalarType::f32);
  CHECK(as_given.input_dtype(1) == ScalarType::f64);

  const auto promoted =
      config(flags).check_all_same_dtype(false).promote_inputs_to_common_dtype(true).build();
  CHECK(promoted.dtype(0) == ScalarType::boolean);
  CHECK(promoted.dtype(1) == ScalarType::f64);
  CHECK(promoted.dtype(2) == ScalarType::f64);
  CHECK(promoted.common_dtype() == ScalarType::f64);

  const auto unchanged = config(i64).check_all_same_dtype(false).build();
  CHECK(unchanged.dtype(0) == ScalarType::i64);
  CHECK(unchanged.dtype(1) == ScalarType::f32);
  CHECK(unchanged.dtype(2) == ScalarType::f64);
}

TEST_CASE("TensorIterator: different types without promotion", "[conformance]") {
  Tensor out;
  const Tensor f64 = Tensor::full({5, 5}, ScalarType::f64, 1);
  const Tensor i32 = Tensor::full({5, 5}, ScalarType::i32, 1);
  CHECK_ERROR(dtype, ("input 1", "i32", "f64"),
              TensorIteratorConfig().add_output(out).add_input(f64).add_input(i32).build());
  CHECK(!out.defined());
}

TEST_CASE("TensorIterator: a raw loop over a const input", "[conformance]") {
  const Tensor out = Tensor::zeros({10}, ScalarType::f32);
  const Tensor in = Tensor::of<float>({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto iter = TensorIteratorConfig().add_output(out).add_const_input(in).build();
  iter.for_each([](char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto sum =
          test::load<float>(data[0] + i * strides[0]) + test::load<float>(data[1] + i * strides[1]);
      test::store(data[0] + i * strides[0], sum);
    }
  });
  CHECK(test::difference(out, test::dense_copy(in)) == "");
}
