// SPDX-License-Identifier: Apache-2.0
// Products of complex numbers in kernels of users: compilers that have FMA like to fuse them, and
// not at the end of a span.
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/reduce.hpp>
#include <weft/ops/binary.hpp>

#include "kernel/complex_product.hpp"
#include "support/dense.hpp"
#include "support/seed.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>

namespace {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

template <class T>
Tensor random_numbers(test::Random& random, std::int64_t n) {
  const Tensor made = Tensor::empty({n}, weft::scalar_type_of<std::complex<T>>);
  const auto number = [&] { return static_cast<T>(1) / static_cast<T>(random.integer(3, 1000)); };
  for (std::int64_t i = 0; i < n; ++i)
    made.data_as<std::complex<T>>()[i] = {number(), number()};
  return made;
}

using Run = void (*)(const weft::TensorIterator& iter);

/// The whole at once, and each element alone, are what the library's product is.
template <class T>
void check_products(Run run) {
  WEFT_RANDOM(random);
  for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 31, 33, 64, 1001, 40'000}) {
    const Tensor a = random_numbers<T>(random, n), b = random_numbers<T>(random, n);
    const Tensor want = weft::mul(a, b), whole = a.clone(), single = a.clone();
    const auto call = [&](const TensorView& out, const TensorView& x, const TensorView& y) {
      run(weft::TensorIteratorConfig().add_output(out).add_input(x).add_input(y).build());
    };
    call(whole, a, b);
    const std::int64_t count = std::min<std::int64_t>(n, 100);
    for (std::int64_t i = 0; i < count; ++i)
      call(single.slice(0, i, i + 1), a.slice(0, i, i + 1), b.slice(0, i, i + 1));
    INFO(n << " elements");
    CHECK(test::difference(whole, test::dense_copy(want)) == "");
    CHECK(test::difference(single.slice(0, 0, count), test::dense_copy(want.slice(0, 0, count))) ==
          "");
  }
}

template <class T>
void run_here(const weft::TensorIterator& iter) {
  weft::cpu_kernel(
      iter, [](std::complex<T> x, std::complex<T> y) { return test::ComplexProduct()(x, y); });
}
void run_kernel_file(const weft::TensorIterator& iter) { test::complex_product(iter); }

/// The product of a line.
struct Product {
  std::complex<float> identity() const { return {1, 0}; }
  std::complex<float> accumulate(std::complex<float> acc, std::complex<float> x) const {
    return test::ComplexProduct()(acc, x);
  }
  std::complex<float> combine(std::complex<float> a, std::complex<float> b) const {
    return test::ComplexProduct()(a, b);
  }
  std::complex<float> project(std::complex<float> acc) const { return acc; }
};

}  // namespace

TEST_CASE("complex kernels: an ordinary file", "[kernel]") {
  check_products<float>(&run_here<float>);
  check_products<double>(&run_here<double>);
}

TEST_CASE("complex kernels: a kernel file", "[kernel]") {
  check_products<float>(&run_kernel_file);
  check_products<double>(&run_kernel_file);
}

TEST_CASE("complex kernels: columns of a reduction, together and alone", "[kernel]") {
  WEFT_RANDOM(random);
  for (const std::int64_t n : {3, 9, 33}) {
    const Tensor numbers = random_numbers<float>(random, 5 * n);
    const TensorView a = TensorView(numbers).as_strided({5, n}, {n, 1});
    const Tensor whole = Tensor::empty({n}, ScalarType::c64), single = whole.clone();
    const auto reduce = [](const TensorView& out, const TensorView& in) {
      weft::TensorIteratorConfig config;
      const TensorView seen = out.as_strided({1, out.extent(0)}, {0, 1});
      config.add_output(seen).add_input(in);
      config.is_reduction(true).resize_outputs(false);
      weft::cpu_reduce(config.build(), Product{});
    };
    reduce(whole, a);
    for (std::int64_t j = 0; j < n; ++j)
      reduce(single.slice(0, j, j + 1), a.slice(1, j, j + 1));
    CHECK(test::difference(single, test::dense_copy(whole)) == "");
  }
}
