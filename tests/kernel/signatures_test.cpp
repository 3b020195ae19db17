// SPDX-License-Identifier: Apache-2.0
// What functions of kernels and structs may return: references, tuples of one, and accumulators of
// any type.
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/cumulative.hpp>
#include <weft/kernel/masked_op.hpp>
#include <weft/kernel/reduce.hpp>

#include "support/dense.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

namespace {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;

template <class T>
T* elements(const Tensor& tensor) {
  return static_cast<T*>(tensor.data());
}

template <class T>
Tensor tensor_of(const std::vector<T>& values) {
  const Tensor tensor =
      Tensor::empty({static_cast<std::int64_t>(values.size())}, weft::scalar_type_of<T>);
  std::copy(values.begin(), values.end(), elements<T>(tensor));
  return tensor;
}

/// 0, 1, 2, ... and the mask of those that 3 divides.
struct Operands {
  explicit Operands(std::int64_t n)
      : x(Tensor::empty({n}, ScalarType::f32)), mask(Tensor::empty({n}, ScalarType::boolean)) {
    for (std::int64_t i = 0; i < n; ++i) {
      elements<float>(x)[i] = static_cast<float>(i);
      elements<bool>(mask)[i] = i % 3 == 0;
    }
  }
  Tensor x, mask;
};

/// Accumulators that no vector holds, each once alone and once in a struct; all functions give
/// references or tuples of one.
struct LongSum {
  const long double& identity() const { return zero; }
  long double accumulate(const long double& sum, const float& x) const { return sum + x; }
  long double combine(long double a, long double b) const { return a + b; }
  std::tuple<double> project(const long double& sum) const { return static_cast<double>(sum); }
  long double zero = 0;
};
struct Moments {
  long double sum, squares;
};
struct LongMoments {
  Moments identity() const { return {0, 0}; }
  Moments accumulate(const Moments& m, float x) const {
    const long double wide = x;
    return {m.sum + wide, m.squares + wide * wide};
  }
  Moments combine(const Moments& a, const Moments& b) const {
    return {a.sum + b.sum, a.squares + b.squares};
  }
  template <class M>
  std::tuple<double, float> project(const M& m) const {
    return {static_cast<double>(m.sum), static_cast<float>(m.squares)};
  }
};

}  // namespace

TEST_CASE("cpu_kernel: results that are references, or a tuple of one", "[kernel]") {
  for (const std::int64_t n : {1, 7, 33, 1000}) {
    const Operands of(n);
    const Tensor limit = Tensor::full({1}, ScalarType::f32, 20);
    std::vector<float> want(static_cast<std::size_t>(n));
    std::iota(want.begin(), want.end(), 0.0F);
    std::transform(want.begin(), want.end(), want.begin(),
                   [](float x) { return std::max(x, 20.0F); });
    const Tensor wanted = tensor_of(want);
    const auto check = [&](const auto& run) {
      Tensor out;
      run(TensorIterator::binary_op(out, of.x, limit));
      CHECK(test::difference(out, test::dense_copy(wanted)) == "");
    };
    const auto larger = [](const float& a, const float& b) -> const float& {
      return a < b ? b : a;
    };
    const auto larger_in_tuple = [&](const float& a, const float& b) {
      return std::tuple<const float&>(larger(a, b));
    };
    check([&](const auto& iter) { weft::cpu_kernel(iter, larger); });
    check([&](const auto& iter) {
      weft::cpu_kernel(iter, static_cast<const float& (*)(const float&, const float&)>(std::max));
    });
    check([&](const auto& iter) { weft::cpu_serial_kernel(iter, larger); });
    check([&](const auto& iter) { weft::cpu_kernel_multiple_outputs(iter, larger); });
    check([&](const auto& iter) { weft::cpu_kernel_multiple_outputs(iter, larger_in_tuple); });
    check([&](const auto& iter) { weft::cpu_serial_kernel(iter, larger_in_tuple); });
  }
}

TEST_CASE("cpu_reduce, cpu_cumulative: accumulators of long double", "[kernel]") {
  for (const std::int64_t n : {1, 3, 40, 1000, 5000}) {
    const Operands of(n);
    double all = 0, selected = 0;
    long double squares = 0, selected_squares = 0;  // exact, and rounded once to float
    std::vector<double> sums;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto x = static_cast<double>(i);
      all += x;
      squares += x * x;
      if (i % 3 == 0) {
        selected += x;
        selected_squares += x * x;
      }
      sums.push_back(all);
    }

    const auto iterator = [&](const std::vector<Tensor>& outputs, bool is_masked) {
      auto config = weft::TensorIteratorConfig();
      config.check_all_same_dtype(false).resize_outputs(false).is_reduction(true);
      for (const Tensor& out : outputs)
        config.add_owned_output(out);
      config.add_owned_input(of.x);
      if (is_masked) config.add_owned_input(of.mask);
      return config.build();
    };
    const Tensor sum = Tensor::empty({1}, ScalarType::f64);
    const Tensor squared = Tensor::empty({1}, ScalarType::f32);
    weft::cpu_reduce(iterator({sum}, false), LongSum());
    CHECK(*elements<double>(sum) == all);
    weft::cpu_reduce(iterator({sum}, true), weft::masked(LongSum()));
    CHECK(*elements<double>(sum) == selected);
    weft::cpu_reduce(iterator({sum, squared}, false), LongMoments());
    CHECK(*elements<double>(sum) == all);
    CHECK(*elements<float>(squared) == static_cast<float>(squares));
    weft::cpu_reduce(iterator({sum, squared}, true), weft::masked(LongMoments()));
    CHECK(*elements<double>(sum) == selected);
    CHECK(*elements<float>(squared) == static_cast<float>(selected_squares));

    const Tensor running = Tensor::empty({n}, ScalarType::f64);
    weft::cpu_cumulative(running, of.x, 0, LongSum());
    CHECK(test::difference(running, test::dense_copy(tensor_of(sums))) == "");
  }
}
