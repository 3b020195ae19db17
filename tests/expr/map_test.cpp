// SPDX-License-Identifier: Apache-2.0
// Functions of the user's within expressions.
#include <weft/expr/map.hpp>
#include <weft/operators.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/reduce.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"
#include "support/tally.hpp"

#include <memory>
#include <stdexcept>
#include <vector>

namespace {

using weft::Expr;
using weft::ScalarType;
using weft::Tensor;

}  // namespace

TEST_CASE("map: a lambda among functions", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const auto op = [](float x, double y, std::int32_t z) {
    return x > 0 ? x * static_cast<float>(y) : static_cast<float>(z);
  };
  for (int round = 0; round < test::rounds(100); ++round) {
    const std::int64_t rows = random.integer(1, 40), columns = random.integer(1, 200);
    const Tensor wide = Tensor::empty({columns, rows}, ScalarType::f32);
    const Tensor row = Tensor::empty({columns}, ScalarType::f32);
    const Tensor ints = Tensor::empty({rows, 1}, ScalarType::i16);
    for (const Tensor& tensor : {wide, row, ints})
      test::fill(tensor.dtype(), tensor.data(), tensor.numel(), random, test::Values::small);
    const weft::TensorView a = wide.transpose(0, 1);
    const Tensor want = Tensor::empty({rows, columns}, ScalarType::f32);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        want.data_as<float>()[i * columns + j] =
            op(a.at<float>(i, j) * 2, row.at<float>(j), ints.at<std::int16_t>(i, 0)) + 1;
    const Expr e = weft::map(op, weft::expr(a) * 2, row, weft::expr(ints)) + 1;
    const std::string wrong = test::difference(weft::evaluate(e), test::dense_copy(want));
    const std::string wrong_sum =
        test::difference(weft::evaluate(weft::sum(e, 1)), test::dense_copy(weft::sum(want, 1)));
    tally.check(wrong.empty() && wrong_sum.empty(), [&](auto& text) {
      text << rows << " x " << columns << ": " << wrong << "; " << wrong_sum;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("map: what is captured is the expression's own", "[expr]") {
  const Tensor a = Tensor::of<float>({3}, {1, 2, 3});
  // Built anew with another number: no plan of the last one is taken.
  for (float factor = 1; factor < 5; ++factor) {
    const auto times = [factor](float x) { return x * factor; };
    CHECK(weft::evaluate(weft::map(times, weft::expr(a)) + 1).at<float>(2) == 3 * factor + 1);
  }
  // What the function refers to outlives it.
  const auto make = [&] {
    const auto table = std::make_shared<std::vector<float>>(4, 0.5F);
    return weft::map([table](float x) { return (*table)[static_cast<std::size_t>(x)]; },
                     weft::expr(a));
  };
  const Expr kept = make();
  CHECK(weft::evaluate(kept).at<float>(1) == 0.5F);
  CHECK(weft::evaluate(kept * 2).at<float>(1) == 1);
  CHECK(kept.text() == "map(f32[3])");
  CHECK(weft::map([](float x) { return x > 1; }, kept).dtype() == ScalarType::boolean);
}

TEST_CASE("map: what does not fit is refused", "[expr]") {
  const Tensor a = Tensor::full({3}, ScalarType::f32, 1), b = Tensor::full({4}, ScalarType::f32, 1);
  const auto both = [](float x, float y) { return x + y; };
  CHECK_ERROR(shape, ("map(f32[3], f32[4])", "3", "4"), weft::map(both, weft::expr(a), b));
  CHECK_ERROR(cast, ("map(f32[3], 2.5)", "input 1", "f64", "i32"),
              weft::map([](float x, std::int32_t y) { return x + static_cast<float>(y); },
                        weft::expr(a), 2.5));
  const Tensor out = Tensor::full({3}, ScalarType::f32, 7);
  const Expr fails = weft::map(
      [](float x) -> float {
        if (x > 0) throw std::runtime_error("above 0");
        return x;
      },
      weft::expr(a));
  CHECK_THROWS_AS(weft::evaluate_out(out, fails), std::runtime_error);
  CHECK(weft::evaluate(weft::map(both, weft::expr(a), 1)).at<float>(0) == 2);
}
