// SPDX-License-Identifier: Apache-2.0
// Several passes block by block of rows, along the first axis whose rows are small enough.
#include <weft/expr/explain_expr.hpp>
#include <weft/expr/expr.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/unary.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"

#include <cstdint>
#include <vector>

namespace {

using test::Dims;
using weft::Expr;
using weft::expr;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

constexpr std::int64_t columns = 32;

/// So many rows of floats that they, and as many results, are more than the second level.
std::int64_t many_rows() { return weft::cpu_info().l2_bytes / (columns * 4) * 3 / 4 + 7; }

Tensor random_tensor(test::Random& random, const Dims& shape) {
  const Tensor a = Tensor::empty(shape, ScalarType::f32);
  for (std::int64_t i = 0; i < a.numel(); ++i)
    static_cast<float*>(a.data())[i] = static_cast<float>(random.integer(-1000, 1000)) / 500;
  return a;
}

/// Softmax along the last axis, in basic operations.
Expr softmax_of(const Tensor& a) {
  const Expr x = expr(a), e = exp(x - amax(x, -1, {.keepdim = true}));
  return e / sum(e, -1, {.keepdim = true});
}
Tensor softmax_by_calls(const Tensor& a) {
  const Tensor e = weft::exp(weft::sub(a, weft::amax(a, -1, {.keepdim = true})));
  return weft::div(e, weft::sum(e, -1, {.keepdim = true}));
}

void check_same(const Expr& e, const Tensor& want) {
  for (const int threads : {1, 3}) {
    const weft::ThreadLimit limit(threads);
    for (int run = 0; run < 2; ++run)
      CHECK(test::difference(weft::evaluate(e), test::dense_copy(want)) == "");
  }
}

}  // namespace

TEST_CASE("expressions: blocks of rows along the first axis that has small ones", "[expr]") {
  WEFT_RANDOM(random);
  const std::int64_t rows = many_rows();
  const struct {
    Dims shape;
    int axis;
  } cases[] = {{{rows, columns}, 0},    {{1, rows, columns}, 1},        {{1, 1, rows, columns}, 2},
               {{2, rows, columns}, 1}, {{2, 3, rows / 2, columns}, 2}, {{rows, 1, columns}, 0}};
  for (const auto& one : cases) {
    const Tensor a = random_tensor(random, one.shape);
    const Expr e = softmax_of(a);
    INFO(e.text());
    const weft::ExprExplanation explained = weft::explain(e);
    CHECK(explained.rows > 0);
    CHECK(explained.rows_axis == one.axis);
    check_same(e, softmax_by_calls(a));
    // In place, and into memory that lies in another order.
    const Tensor same = Tensor::empty(a.shape(), ScalarType::f32);
    weft::evaluate_out(same, expr(a) * 1);
    weft::evaluate_out(same, softmax_of(same));
    CHECK(test::difference(same, test::dense_copy(softmax_by_calls(a))) == "");
  }
}

TEST_CASE("expressions: blocks of rows, with operands that have some axes only", "[expr]") {
  WEFT_RANDOM(random);
  const std::int64_t rows = many_rows();
  const Tensor a = random_tensor(random, {2, rows, columns});
  const Tensor weights = random_tensor(random, {columns});
  const Tensor of_all = random_tensor(random, {1, 1, columns}),
               of_rows = random_tensor(random, {1, rows, 1}),
               of_planes = random_tensor(random, {2, 1, 1});
  const auto centred = [&](const Expr& x) { return x - mean(x, -1, {.keepdim = true}); };
  const Tensor difference = weft::sub(a, weft::mean(a, -1, {.keepdim = true}));
  const struct {
    Expr e;
    Tensor want;
    bool by_blocks;
  } cases[] = {
      {centred(expr(a)) * weights, weft::mul(difference, weights), true},
      {centred(expr(a)) * of_all, weft::mul(difference, of_all), true},
      // These have one of the two axes.
      {centred(expr(a)) * of_rows, weft::mul(difference, of_rows), false},
      {centred(expr(a)) * of_planes, weft::mul(difference, of_planes), false},
      {sum(centred(expr(a)), -1), weft::sum(difference, -1), true},
      {expr(a) - mean(expr(a), 1, {.keepdim = true}),
       weft::sub(a, weft::mean(a, 1, {.keepdim = true})), false},
  };
  for (const auto& one : cases) {
    INFO(one.e.text());
    CHECK((weft::explain(one.e).rows > 0) == one.by_blocks);
    check_same(one.e, one.want);
  }
}
