// SPDX-License-Identifier: Apache-2.0
// Products of complex numbers in kernels of users: compilers that have FMA like to fuse them, and
// not at the end of a span.
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/cumulative.hpp>
#include <weft/kernel/reduce.hpp>
#include <weft/ops/binary.hpp>

#include "kernel/complex_product.hpp"
#include "support/dense.hpp"
#include "support/seed.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>

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

void reduce_here(const weft::TensorIterator& iter) {
  if (iter.dtype(0) == ScalarType::c64) return weft::cpu_reduce(iter, test::Product{});
  weft::cpu_reduce(iter, test::PairProduct{});
}
void reduce_kernel_file(const weft::TensorIterator& iter) { test::complex_line_product(iter); }

using Scan = void (*)(const TensorView& out, const TensorView& in, std::int64_t axis);
void scan_here(const TensorView& out, const TensorView& in, std::int64_t axis) {
  if (in.dtype() == ScalarType::c64)
    return weft::cpu_cumulative(out, in, axis, test::RunningProduct{});
  weft::cpu_cumulative(out, in, axis, test::RunningPair{});
}
void scan_kernel_file(const TensorView& out, const TensorView& in, std::int64_t axis) {
  test::complex_running_product(out, in, axis);
}

/// c64, or f64 for pairs.
Tensor random_numbers(test::Random& random, std::int64_t n, ScalarType type) {
  if (type == ScalarType::c64) return random_numbers<float>(random, n);
  const Tensor made = Tensor::empty({n}, type);
  for (std::int64_t i = 0; i < n; ++i)
    made.data_as<double>()[i] = 1 / static_cast<double>(random.integer(3, 1000));
  return made;
}

/// Lines of `length` elements along an axis of a matrix, `count` of them.
struct Lines {
  std::int64_t count, length, axis;
  ScalarType type;
  std::int64_t other() const { return 1 - axis; }
};

/// All lines together, and each alone, give the same. (A single column of more than 20 elements is
/// a row for the engine, and reduced in the order of rows.)
void check_reductions(Run run, const Lines& lines) {
  WEFT_RANDOM(random);
  const std::int64_t n = lines.count * lines.length;
  const std::int64_t columns = lines.axis == 0 ? lines.count : lines.length;
  const Tensor a = random_numbers(random, n, lines.type);
  const Tensor whole = Tensor::empty({lines.count}, lines.type), single = whole.clone();
  const auto reduce = [&](const TensorView& out, std::int64_t first, std::int64_t count) {
    weft::TensorIteratorConfig config;
    const bool is_row = lines.axis == 0;
    const TensorView results =
        is_row ? out.as_strided({1, count}, {0, 1}) : out.as_strided({count, 1}, {1, 0});
    config.add_output(results);
    const TensorView in = TensorView(a)
                              .as_strided({n / columns, columns}, {columns, 1})
                              .slice(lines.other(), first, first + count);
    config.add_input(in);
    run(config.is_reduction(true).resize_outputs(false).build());
  };
  reduce(whole, 0, lines.count);
  for (std::int64_t j = 0; j < lines.count; ++j)
    reduce(single.slice(0, j, j + 1), j, 1);
  INFO(lines.count << " lines of " << lines.length << " along axis " << lines.axis << " of "
                   << weft::name(lines.type));
  CHECK(test::difference(single, test::dense_copy(whole)) == "");
}

/// The same of prefix operations.
void check_scans(Scan scan, const Lines& lines) {
  WEFT_RANDOM(random);
  const std::int64_t n = lines.count * lines.length;
  const std::int64_t columns = lines.axis == 0 ? lines.count : lines.length;
  const Tensor a = random_numbers(random, n, lines.type);
  const TensorView in = TensorView(a).as_strided({n / columns, columns}, {columns, 1});
  const Tensor whole = Tensor::empty(in.shape(), lines.type), single = whole.clone();
  scan(whole, in, lines.axis);
  for (std::int64_t j = 0; j < lines.count; ++j) {
    scan(single.slice(lines.other(), j, j + 1), in.slice(lines.other(), j, j + 1), lines.axis);
  }
  INFO(lines.count << " lines of " << lines.length << " along axis " << lines.axis << " of "
                   << weft::name(lines.type));
  CHECK(test::difference(single, test::dense_copy(whole)) == "");
}

void check_lines(std::int64_t most, const std::function<void(const Lines&)>& check) {
  for (const std::int64_t axis : {0, 1}) {
    for (const std::int64_t count : {3, 9, 33, 130}) {
      for (const std::int64_t length : {2, 5, 17, 90})
        for (const ScalarType type : {ScalarType::c64, ScalarType::f64})
          if (axis == 1 || length <= most) check({count, length, axis, type});
    }
  }
}

}  // namespace

TEST_CASE("complex kernels: an ordinary file", "[kernel]") {
  check_products<float>(&run_here<float>);
  check_products<double>(&run_here<double>);
}

TEST_CASE("complex kernels: a kernel file", "[kernel]") {
  check_products<float>(&run_kernel_file);
  check_products<double>(&run_kernel_file);
}

TEST_CASE("complex kernels: lines of reductions, together and alone", "[kernel]") {
  check_lines(20, [](const Lines& lines) { check_reductions(&reduce_here, lines); });
  check_lines(20, [](const Lines& lines) { check_reductions(&reduce_kernel_file, lines); });
}

TEST_CASE("complex kernels: lines of prefix operations, together and alone", "[kernel]") {
  check_lines(90, [](const Lines& lines) { check_scans(&scan_here, lines); });
  check_lines(90, [](const Lines& lines) { check_scans(&scan_kernel_file, lines); });
}
