// SPDX-License-Identifier: Apache-2.0
// What PyTorch's tensor_iterator_test.cpp covers, over all element types and with the values
// checked: lambdas of one to three parameters into an undefined output.
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>

#include "conformance/square.hpp"

namespace {

using test::check_square;
using test::one;
using test::plus;
using test::random_square;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;

}  // namespace

TEMPLATE_TEST_CASE("TensorIterator: serial and parallel kernels into an undefined output",
                   "[conformance]", WEFT_ALL_ELEMENT_TYPES) {
  using T = TestType;
  WEFT_RANDOM(random);
  const Tensor a = random_square<T>(random);
  const Tensor b = random_square<T>(random);
  const Tensor c = random_square<T>(random);
  const auto add_one = [](T x) { return plus(x, one<T>()); };
  const auto add = [](T x, T y) { return plus(x, y); };
  const auto add_three = [](T x, T y, T z) { return plus(plus(x, y), z); };
  for (const bool serial : {true, false}) {
    const auto run = [&](TensorIteratorConfig& config, auto op) {
      const TensorIterator iter = config.build();
      serial ? weft::cpu_serial_kernel(iter, op) : weft::cpu_kernel(iter, op);
    };
    Tensor out1, out2, out3;
    run(TensorIteratorConfig().add_output(out1).add_input(a), add_one);
    check_square<T>(out1, add_one, a);
    run(TensorIteratorConfig().add_output(out2).add_input(a).add_input(b), add);
    check_square<T>(out2, add, a, b);
    run(TensorIteratorConfig().add_output(out3).add_input(a).add_input(b).add_input(c), add_three);
    check_square<T>(out3, add_three, a, b, c);
    CHECK(out3.dtype() == weft::scalar_type_of<T>);
  }
}
