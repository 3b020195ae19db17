// SPDX-License-Identifier: Apache-2.0
// median and quantile against sorted lines, along every axis of random layouts.
#include <weft/core/promotion.hpp>

#include "ops/sorted_lines.hpp"
#include "support/errors.hpp"

#include <limits>

namespace {

using test::Dense;
using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::SortOrder;
using weft::Tensor;
using weft::TensorView;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

/// One number for each line, in the type of the result; the axis has extent 1.
Dense expected(const TensorView& a, std::size_t axis, double q, ScalarType type) {
  const Dense lines =
      test::naive_lines(a, axis, type, [&](std::size_t n, const void* const* in, void* const* out) {
        const auto order = test::naive_order(a.dtype(), n, in, SortOrder::ascending);
        const auto at = [&](std::size_t i) {
          return static_cast<double>(test::number_at(a.dtype(), in[order[i]]));
        };
        const double place = q * static_cast<double>(n - 1);
        const auto low = static_cast<std::size_t>(place);
        const double t = place - static_cast<double>(low);
        const double x = at(low), y = at(std::min(low + 1, n - 1));
        double z = t == 0 || x == y                   ? x
                   : t == 0.5 && std::isfinite(x + y) ? (x + y) / 2
                   : !std::isfinite(y - x)            ? x * (1 - t) + y * t
                   : t < 0.5                          ? x + (y - x) * t
                                                      : y - (y - x) * (1 - t);
        if (std::isnan(at(n - 1))) z = not_a_number;
        test::convert_element(type, out[0], ScalarType::f64, &z);
      });
  return test::first_of(lines, axis, 1);
}

/// Zeros are compared without their signs.
std::string difference(const TensorView& got, Dense wanted, const Dims& shape) {
  wanted.shape = shape;
  Dense copy = test::dense_copy(got);
  for (Dense* dense : {&copy, &wanted}) {
    for (std::int64_t i = 0; i < test::product(dense->shape); ++i) {
      const std::int64_t zero = 0;
      if (test::number_at(dense->type, dense->at(i)) == 0)
        test::convert_element(dense->type, dense->at(i), ScalarType::i64, &zero);
    }
  }
  return test::difference(
      TensorView::trusted(static_cast<const void*>(copy.bytes.data()), copy.type, copy.shape),
      wanted);
}

}  // namespace

TEST_CASE("quantile: all types, every axis of random layouts", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (weft::is_complex(type)) continue;
    const ScalarType result = weft::is_floating(type) ? type : ScalarType::f32;
    for (int round = 0; round < test::rounds(20); ++round) {
      Dims shape = test::random_shape(random, 3, 9);
      if (!shape.empty() && random.chance(30)) shape.back() = random.integer(50, 700);
      if (test::product(shape) == 0) shape = {3, 2};
      const Memory memory = test::sortable(random, type, test::random_layout(random, shape));
      for (std::size_t axis = 0; axis < std::max<std::size_t>(shape.size(), 1); ++axis) {
        const auto along = static_cast<std::int64_t>(axis);
        const bool keepdim = random.chance(50);
        std::vector<double> q;
        for (std::int64_t i = random.integer(1, 12); i > 0; --i)
          q.push_back(static_cast<double>(random.integer(0, 64)) / 64);
        Dims line = shape;
        if (!shape.empty() && keepdim) line[axis] = 1;
        if (!shape.empty() && !keepdim) line.erase(line.begin() + along);
        std::string text = difference(weft::median(memory.view(), along, keepdim),
                                      expected(memory.view(), axis, 0.5, result), line);
        text += difference(weft::quantile(memory.view(), q[0], along, keepdim),
                           expected(memory.view(), axis, q[0], result), line);
        Dims several = line;
        several.insert(several.begin(), static_cast<std::int64_t>(q.size()));
        const Memory out = test::random_output(random, ScalarType::f64, several);
        const test::Watch watch(out);
        weft::quantile_out(out.view(), memory.view(), q, along, keepdim);
        if (!watch.gaps_untouched()) text += "wrote between elements";
        for (std::size_t i = 0; i < q.size(); ++i) {
          text += difference(out.view().select(0, static_cast<std::int64_t>(i)),
                             expected(memory.view(), axis, q[i], ScalarType::f64), line);
        }
        tally.check(text.empty(), [&](auto& message) {
          test::describe(message, memory.view()) << " along " << axis << ": " << text;
        });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("median: large numbers, infinities, NaN", "[ops]") {
  const double most = std::numeric_limits<double>::max();
  const auto median_of = [](std::initializer_list<double> values) {
    const auto n = static_cast<std::int64_t>(values.size());
    return weft::median(Tensor::of<double>({n}, values)).at<double>({});
  };
  CHECK(median_of({most, most}) == most);
  CHECK(median_of({most, -most}) == 0);
  CHECK(median_of({3, 1, 2, 10}) == 2.5);
  // The mean, rounded once: half the way from one to the other would be rounded twice.
  CHECK(median_of({-1, 1.0000000000000002}) == 1.1102230246251565e-16);
  CHECK(median_of({inf, 1, 2, inf}) == inf);
  CHECK(median_of({-inf, -inf, 2}) == -inf);
  CHECK(std::isnan(median_of({1, 2, not_a_number})));
  CHECK(weft::median(Tensor::of<std::int32_t>({2}, {1, 2})).at<float>({}) == 1.5F);
  const Tensor both = weft::quantile(Tensor::of<double>({3}, {4, 0, 2}), {0.25, 1.0});
  CHECK((both.at<double>({0}) == 1 && both.at<double>({1}) == 4));
  // Rounded once: in f32 the mean would be 2049.5, which f16 does not have.
  const auto halves =
      Tensor::of<weft::float16>({2}, {weft::float16(2048.0F), weft::float16(2050.0F)});
  CHECK(static_cast<float>(weft::median(halves).at<weft::float16>({})) == 2048);
}

TEST_CASE("quantile: what it refuses, with nothing written", "[ops]") {
  const Tensor a = Tensor::full({2, 3}, ScalarType::f32, 1);
  const Tensor out = Tensor::full({2}, ScalarType::f32, 7);
  CHECK_ERROR(invalid_argument, ("quantile", "q 0", "1.5"), weft::quantile(a, 1.5));
  CHECK_ERROR(invalid_argument, ("quantile", "q 1"),
              weft::quantile(a, std::vector<double>{0, -0.1}));
  CHECK_ERROR(invalid_argument, ("quantile", "nan"), weft::quantile_out(out, a, not_a_number));
  CHECK_ERROR(axis, ("median", "axis 2"), weft::median(a, 2));
  CHECK_ERROR(dtype, ("median", "c64"), weft::median(Tensor::zeros({2}, ScalarType::c64)));
  CHECK_ERROR(shape, ("median", "axis 1"), weft::median(Tensor::zeros({2, 0}, ScalarType::f32)));
  CHECK_ERROR(shape, ("median", "output 0"), weft::median_out(out.slice(0, 0, 1), a));
  CHECK_ERROR(cast, ("median", "f32", "i32"),
              weft::median_out(Tensor::zeros({2}, ScalarType::i32), a));
  CHECK_ERROR(overlap, ("median", "output 0"), weft::median_out(a.select(1, 0), a));
  CHECK(out.at<float>({0}) == 7);
}
