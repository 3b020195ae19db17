// SPDX-License-Identifier: Apache-2.0
// cumsum: in place, outputs, and what it refuses.
#include <weft/ops/cumulative.hpp>

#include "support/errors.hpp"
#include "support/naive_cumulative.hpp"

namespace {

using test::Dims;
using test::Memory;
using test::Values;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

test::Dense expected(const TensorView& a, std::size_t axis, ScalarType out) {
  return test::naive_totals(test::Total::sum, a, axis, out);
}

bool holds(const TensorView& view, const Tensor& values) {
  return test::difference(view, test::dense_copy(values)) == "";
}

}  // namespace

TEST_CASE("cumsum: in place", "[ops]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(100); ++round) {
    const Dims shape = {random.integer(1, 20), random.integer(1, 150)};
    const Memory a = test::random_output(random, ScalarType::f32, shape);
    const std::size_t axis = round % 2;
    const test::Dense want = expected(a.view(), axis, ScalarType::f32);
    weft::cumsum_out(a.view(), a.view(), static_cast<std::int64_t>(axis));
    CHECK(test::difference(a.view(), want) == "");
  }
}

TEST_CASE("cumsum: integers wrap, small floats add up in f64", "[ops]") {
  const auto large =
      Tensor::of<std::int64_t>({3}, {std::numeric_limits<std::int64_t>::max(), 1, 1});
  CHECK(weft::cumsum(large, 0).at<std::int64_t>({1}) == std::numeric_limits<std::int64_t>::min());
  CHECK(weft::cumsum(Tensor::full({300}, ScalarType::u8, 255), 0).at<std::int64_t>({299}) ==
        300 * 255);
  const Tensor many = weft::cumsum(Tensor::full({1'000'000}, ScalarType::f32, 0.1), 0);
  CHECK(many.at<float>({999'999}) == static_cast<float>(1e6 * static_cast<double>(0.1f)));
  CHECK(static_cast<float>(
            weft::cumsum(Tensor::full({5000}, ScalarType::f16, 1), 0).at<weft::float16>({4999})) ==
        5000);
  // A wider result holds the sum as it was accumulated.
  const Tensor wide = weft::cumsum(Tensor::full({10}, ScalarType::f32, 0.1), 0, ScalarType::f64);
  CHECK(wide.at<double>({1}) == 2 * static_cast<double>(0.1f));
  CHECK(wide.at<double>({2}) == 3 * static_cast<double>(0.1f));
}

TEST_CASE("cumsum: outputs", "[ops]") {
  const auto a = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const Tensor down = Tensor::of<float>({2, 2}, {1, 2, 4, 6});
  Tensor out;
  weft::cumsum_out(out, a, 0);
  CHECK(holds(out, down));
  const void* before = out.data();
  weft::cumsum_out(out, a, -2);
  CHECK(out.data() == before);
  Tensor other = Tensor::zeros({9}, ScalarType::f64);
  weft::cumsum_out(other, a, 0);
  CHECK(holds(other, Tensor::of<double>({2, 2}, {1, 2, 4, 6})));
  // Replaced memory that holds the input lives until it has been read.
  Tensor x = Tensor::of<float>({3}, {1, 2, 3});
  weft::cumsum_out(x, x.slice(0, 1, 3), 0);
  CHECK(holds(x, Tensor::of<float>({2}, {2, 5})));
  CHECK(weft::cumsum(7, 0).at<std::int64_t>({}) == 7);
}

TEST_CASE("cumsum: what it refuses, with nothing written", "[ops]") {
  const Tensor a = Tensor::full({2, 3}, ScalarType::f32, 1);
  const Tensor out = Tensor::full({2, 3}, ScalarType::i32, 7);
  CHECK_ERROR(axis, ("cumsum", "axis 2"), weft::cumsum(a, 2));
  CHECK_ERROR(axis, ("cumsum", "axis -3"), weft::cumsum_out(out, a, -3));
  CHECK_ERROR(axis, ("cumsum", "axis 1"), weft::cumsum(Tensor::zeros({}, ScalarType::f32), 1));
  CHECK_ERROR(cast, ("cumsum", "output 0", "f32", "i32"), weft::cumsum_out(out, a, 0));
  CHECK_ERROR(cast, ("cumsum", "f32", "i64"), weft::cumsum(a, 0, ScalarType::i64));
  CHECK_ERROR(shape, ("cumsum", "output 0", "[2, 3]", "[3]"),
              weft::cumsum_out(out.select(0, 0), a, 0));
  CHECK_ERROR(undefined, ("cumsum", "input 0"), weft::cumsum(TensorView(), 0));
  CHECK_ERROR(undefined, ("cumsum", "output 0"), weft::cumsum_out(TensorView(), a, 0));
  CHECK_ERROR(overlap, ("cumsum", "output 0", "input 0"), weft::cumsum_out(a, a.flip(0), 0));
  CHECK(holds(out, Tensor::full({2, 3}, ScalarType::i32, 7)));
  CHECK(holds(a, Tensor::full({2, 3}, ScalarType::f32, 1)));

  Tensor unfitting = Tensor::full({9}, ScalarType::i32, 7);
  CHECK_ERROR(cast, ("cumsum"), weft::cumsum_out(unfitting, a, 0));
  CHECK(holds(unfitting, Tensor::full({9}, ScalarType::i32, 7)));
}
