// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/matmul.hpp>

#include "graph/operator_run.hpp"
#include "support/errors.hpp"
#include "support/naive_product.hpp"

using test::Dims;
using test::OperatorRun;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

namespace {

bool same(const TensorView& a, const TensorView& b) {
  return std::ranges::equal(a.shape(), b.shape()) &&
         test::dense_copy(a).bytes == test::dense_copy(b).bytes;
}

TensorView turned(const TensorView& view, bool transpose) {
  return transpose && view.rank() > 1 ? view.transpose(-1, -2) : view;
}

}  // namespace

TEST_CASE("MatMul is matmul, with either factor transposed or constant", "[graph]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(150); ++round) {
    const std::int64_t m = random.integer(1, 9), k = random.integer(0, 7),
                       n = random.integer(1, 40);
    const bool left = random.chance(50), right = random.chance(50);
    Dims a_shape = left ? Dims{k, m} : Dims{m, k};
    Dims b_shape = right ? Dims{n, k} : Dims{k, n};
    if (random.chance(15)) a_shape = {k};
    if (random.chance(15)) b_shape = {k};
    if (random.chance(30) && a_shape.size() == 2) a_shape.insert(a_shape.begin(), 3);
    if (random.chance(30) && b_shape.size() == 2) b_shape.insert(b_shape.begin(), {2, 3});
    const ScalarType type = random.chance(70) ? ScalarType::f32 : ScalarType::i32;
    const test::Memory a(type, test::random_layout(random, a_shape, {.zero = false}));
    const test::Memory b(type, test::random_layout(random, b_shape, {.zero = false}));
    test::fill_small(random, a.view());
    test::fill_small(random, b.view());
    const Tensor wanted = weft::matmul(turned(a.view(), left), turned(b.view(), right));
    const OperatorRun run{.op = "MatMul",
                          .attributes = {{"transpose_a", left}, {"transpose_b", right}},
                          .first_constant = random.chance(50) ? std::size_t{1} : std::size_t{9},
                          .dynamic = random.chance(50)};
    const Tensor got = run({a.view(), b.view()})[0];
    tally.check(same(got, wanted), [&](auto& text) {
      test::describe(text, a.view());
      test::describe(text, b.view());
      text << " transposed " << left << right;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("FullyConnected multiplies by the transpose and adds a bias", "[graph]") {
  const Tensor x = test::counting({2, 3, 4}), w = test::counting({5, 4}), b = test::counting({5});
  for (const std::size_t constants : {1, 9}) {
    const OperatorRun run{.op = "FullyConnected", .first_constant = constants};
    const Tensor plain = weft::matmul(x, w.transpose(0, 1));
    CHECK(same(run({x, w})[0], plain));
    const std::vector<double> biased = test::numbers_of(run({x, w, b})[0]);
    const std::vector<double> bare = test::numbers_of(plain);
    for (std::size_t i = 0; i < biased.size(); ++i)
      CHECK(biased[i] == bare[i] + static_cast<double>(i % 5));
    // Axes that together have as many elements as the weights have columns.
    const Tensor wide = test::counting({5, 12});
    const Tensor flat = Tensor::share(x.owner(), x.as_strided({2, 12}, {12, 1}));
    CHECK(same(run({x, wide})[0], weft::matmul(flat, wide.transpose(0, 1))));
  }
}

TEST_CASE("products that do not fit are refused", "[graph]") {
  const Tensor a = test::counting({2, 3});
  const OperatorRun product{.op = "MatMul"};
  CHECK_ERROR(shape, ("MatMul 'it'", "3 columns", "2 rows"), product({a, a}));
  CHECK_ERROR(dtype, ("input 1"), product({a, test::counting({3, 2}, ScalarType::f64)}));
  CHECK_ERROR(rank, ("input 1"), product({a, test::counting({})}));
  CHECK_ERROR(invalid_argument, ("2 inputs"), product({a}));
  const OperatorRun connected{.op = "FullyConnected"};
  CHECK_ERROR(shape, ("input 0", "[..., 5]"), connected({a, test::counting({4, 5})}));
  CHECK_ERROR(shape, ("input 2 (bias)", "[4]"),
              connected({a, test::counting({4, 3}), test::counting({3})}));
  CHECK_ERROR(shape, ("input 1 (weights)"), connected({a, test::counting({3})}));
}
