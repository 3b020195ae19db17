// SPDX-License-Identifier: Apache-2.0
// Several expressions at once, and reductions of two results. (Random ones: expr_test.cpp.)
#include <weft/expr/explain_expr.hpp>
#include <weft/expr/expr.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/unary.hpp>

#include "expr/copies.hpp"
#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/tally.hpp"
#include "support/threads.hpp"

#include <utility>

namespace {

using test::copied;
using test::difference;
using test::Dims;
using test::Memory;
using weft::Expr;
using weft::expr;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

Tensor numbers(test::Random& random, const Dims& shape, ScalarType type = ScalarType::f32) {
  const Memory memory = test::random_input(random, type, shape);
  return copied(memory.view().expand(shape));
}

}  // namespace

TEST_CASE("several expressions: reductions of two results", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  using Pair = std::pair<Tensor, Tensor>;
  const auto check = [&](const std::pair<Expr, Expr>& lazy, const Pair& want) {
    tally.check(
        lazy.first.dtype() == want.first.dtype() && lazy.second.dtype() == want.second.dtype(),
        [&](auto& text) { text << lazy.first.text(); });
    const auto both = weft::evaluate({lazy.first, lazy.second});
    const std::string wrong =
        difference(both[0], want.first) + difference(both[1], want.second) +
        difference(weft::evaluate(lazy.first), want.first) +
        difference(weft::evaluate(lazy.second), want.second) +
        difference(weft::evaluate(lazy.second - lazy.first), weft::sub(want.second, want.first));
    tally.check(wrong.empty(), [&](auto& text) { text << lazy.first.text() << ": " << wrong; });
  };
  for (int round = 0; round < test::rounds(40); ++round) {
    const Dims shape = round % 4 == 0 ? Dims{random.integer(1, 3), random.integer(1000, 30000)}
                                      : Dims{random.integer(1, 300), random.integer(1, 70)};
    const Tensor a = numbers(
        random, shape, random.pick(std::vector{ScalarType::f32, ScalarType::f64, ScalarType::i32}));
    const Tensor b = numbers(random, shape);
    const Dims axes = random.pick(std::vector<Dims>{{}, {0}, {1}, {0, 1}});
    const weft::ReduceOptions options{.keepdim = random.chance(50), .correction = 0};
    const Tensor x = weft::mul(a, b);
    const Expr e = expr(a) * b;
    test::for_thread_counts([&](int) {
      check(weft::aminmax(e, axes, options), weft::aminmax(x, axes, options));
      check(weft::aminmax(expr(a), axes, options), weft::aminmax(a, axes, options));
      check(weft::var_mean(e, axes, options), weft::var_mean(x, axes, options));
      check(weft::std_mean(e, axes, options), weft::std_mean(x, axes, options));
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("several expressions: outputs of two results, of other types and to be made", "[expr]") {
  const Tensor a = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 9});
  Tensor smallest;
  const Tensor largest = Tensor::empty({2}, ScalarType::f64);
  weft::aminmax_out(smallest, largest, expr(a) * 2, 1);
  CHECK(smallest.at<float>(1) == 8);
  CHECK(largest.at<double>(1) == 18);
  Tensor replaced = Tensor::empty({7}, ScalarType::f32),
         same = Tensor::empty({2, 3}, ScalarType::f32);
  const void* const memory = same.data();
  weft::evaluate_out({replaced, same}, {weft::sum(expr(a), 0), expr(a) + 1});
  CHECK(replaced.at<float>(2) == 12);
  CHECK(same.at<float>(1, 2) == 10);
  CHECK(same.data() == memory);
  // One expression twice, a bare operand, and a number.
  const Expr twice = expr(a) * 2;
  const auto four = weft::evaluate({twice, expr(a), twice, Expr(weft::Scalar(3))});
  CHECK(four[0].at<float>(1, 2) == 18);
  CHECK(four[1].at<float>(1, 2) == 9);
  CHECK(four[2].at<float>(1, 2) == 18);
  CHECK(*static_cast<const std::int64_t*>(four[3].data()) == 3);
  CHECK(weft::evaluate(std::span<const Expr>()).empty());
}

TEST_CASE("several expressions: outputs that are operands", "[expr]") {
  WEFT_RANDOM(random);
  for (const Dims& shape : {Dims{5}, Dims{300, 70}, Dims{200000}}) {
    const Tensor x = numbers(random, shape), y = numbers(random, shape), g = numbers(random, shape);
    const Tensor x0 = copied(x), y0 = copied(y);
    // Swapped: what is written first is read for the other.
    weft::evaluate_out({x, y}, {expr(y), expr(x)});
    CHECK(difference(x, y0) == "");
    CHECK(difference(y, x0) == "");
    weft::evaluate_out({x, y}, {expr(x) + y, weft::exp(expr(x)) - y});
    CHECK(difference(x, weft::add(y0, x0)) == "");
    CHECK(difference(y, weft::sub(weft::exp(y0), x0)) == "");
    // The update of an optimizer, with means of what is there.
    const Tensor m = numbers(random, shape), p = numbers(random, shape);
    const Tensor m1 = weft::add(weft::mul(m, 0.75), weft::mul(g, 0.25));
    const Tensor p1 = weft::sub(p, weft::mul(m1, 0.5));
    const Tensor mean = weft::mean(p);
    Tensor was;
    const Expr step = expr(m) * 0.75 + expr(g) * 0.25;
    weft::evaluate_out({m, p, was}, {step, expr(p) - step * 0.5, weft::mean(expr(p))});
    CHECK(difference(m, m1) == "");
    CHECK(difference(p, p1) == "");
    CHECK(difference(was, mean) == "");
  }
}

TEST_CASE("several expressions: the first one keeps a plan for these others", "[expr]") {
  WEFT_RANDOM(random);
  for (const Dims& shape : {Dims{16}, Dims{40, 70}}) {
    const Tensor a = numbers(random, shape), b = numbers(random, shape);
    const Expr sum = expr(a) + b;
    const auto check = [&](const Tensor& x, const Tensor& y, const Expr& other) {
      const Tensor want_sum = weft::add(a, b), want = weft::evaluate(other);
      weft::evaluate_out({x, y}, {sum, other});
      CHECK(difference(x, want_sum) == "");
      CHECK(difference(y, want) == "");
    };
    const Tensor x = numbers(random, shape), y = numbers(random, shape);
    const Expr product = expr(a) * b;
    for (int round = 0; round < 3; ++round)
      check(x, y, product);
    check(y, x, product);
    // Others, which may lie where one lay that is gone.
    for (int round = 0; round < 20; ++round) {
      const Expr made = round % 2 == 0 ? expr(a) - b : expr(b) * a;
      check(x, y, made);
      check(x, y, made);
    }
    check(x, y, product);
    // Alone, and as two that are the same.
    weft::evaluate_out(x, sum);
    CHECK(difference(x, weft::add(a, b)) == "");
    check(x, y, sum);
    // Outputs of another layout and type; and ones that are operands.
    const Tensor wide = numbers(random, shape, ScalarType::f64);
    weft::evaluate_out({wide, y}, {sum, product});
    CHECK(difference(wide, weft::evaluate(weft::convert(expr(weft::add(a, b)), ScalarType::f64))) ==
          "");
    CHECK(difference(y, weft::mul(a, b)) == "");
    const Tensor a0 = copied(a);
    check(x, y, product);
    weft::evaluate_out({a, y}, {sum, product});
    CHECK(difference(a, weft::add(a0, b)) == "");
    CHECK(difference(y, weft::mul(a0, b)) == "");
    check(x, y, product);
  }
}

TEST_CASE("several expressions: what cannot be reduced is refused before anything is written",
          "[expr]") {
  const Tensor x = Tensor::of<float>({2}, {1, 2});
  const Tensor sum = Tensor::full({}, ScalarType::f32, 7),
               log = Tensor::full({}, ScalarType::i64, 7);
  CHECK_ERROR(cast, ("logsumexp", "i64"),
              weft::evaluate_out({sum, log}, {weft::sum(expr(x)), weft::logsumexp(expr(x))}));
  CHECK(sum.at<float>({}) == 7);
  Tensor twice;
  CHECK_ERROR(overlap, ("output 1", "another output"),
              weft::evaluate_out({twice, twice}, {expr(x), expr(x) * 2}));
  CHECK(!twice.defined());
}

TEST_CASE("several expressions: rows block by block", "[expr]") {
  WEFT_RANDOM(random);
  const Tensor x = numbers(random, {2000, 768});
  const Expr mean = weft::mean(expr(x), 1, {.keepdim = true});
  const Expr centred = expr(x) - mean;
  const Expr scale = weft::rsqrt(weft::mean(centred * centred, 1, {.keepdim = true}) + 1e-5);
  const std::vector<Expr> all{centred * scale, mean, scale};
  const Tensor want_mean = weft::mean(x, 1, {.keepdim = true});
  const Tensor want_centred = weft::sub(x, want_mean);
  const Tensor want_scale = weft::rsqrt(
      weft::add(weft::mean(weft::mul(want_centred, want_centred), 1, {.keepdim = true}), 1e-5));
  CHECK(weft::explain(all).rows > 0);
  test::for_thread_counts([&](int) {
    const std::vector<Tensor> got = weft::evaluate(all);
    CHECK(difference(got[0], weft::mul(want_centred, want_scale)) == "");
    CHECK(difference(got[1], want_mean) == "");
    CHECK(difference(got[2], want_scale) == "");
  });
}

TEST_CASE("several expressions: explained", "[expr]") {
  const Tensor a = Tensor::full({300, 400}, ScalarType::f32, 1);
  const Expr e = expr(a) * 2;
  const std::vector<Expr> all{e + 1, e - 1, weft::aminmax(e, 1).second};
  const weft::ExprExplanation explained = weft::explain(all);
  REQUIRE(explained.passes.size() == 2);
  CHECK(explained.passes[0].what ==
        "aminmax(mul(f32[300, 400], 2), [1])[0], aminmax(mul(f32[300, 400], 2), [1])[1]");
  CHECK(explained.passes[0].bytes_written == 2 * 300 * 4);
  CHECK(explained.passes[1].what == "add(mul(f32[300, 400], 2), 1), sub(mul(f32[300, 400], 2), 1)");
  CHECK(explained.passes[1].functions == 3);
  CHECK(explained.passes[1].bytes_read == 300 * 400 * 4);
  CHECK(explained.passes[1].bytes_written == 2 * 300 * 400 * 4);
}

TEST_CASE("several expressions: what is wrong is refused, and nothing written", "[expr]") {
  const Tensor a = Tensor::full({3, 4}, ScalarType::f32, 1);
  const Tensor out = Tensor::full({3, 4}, ScalarType::f32, 7),
               row = Tensor::full({4}, ScalarType::f32, 7);
  const auto evaluate = [](std::initializer_list<weft::Output> outs,
                           std::initializer_list<Expr> e) { weft::evaluate_out(outs, e); };
  CHECK_ERROR(invalid_argument, ("expected an output for each of 2 expressions, got 1"),
              evaluate({out}, {expr(a), expr(a)}));
  CHECK_ERROR(invalid_argument, ("got 0"), evaluate({}, {}));
  CHECK_ERROR(shape, ("output 1: expected shape [3, 4]"), evaluate({out, row}, {expr(a), expr(a)}));
  CHECK_ERROR(overlap, ("output 1: it shares memory with output 0"),
              evaluate({out, out}, {expr(a), expr(a)}));
  // The sum is there before the other pass reads its operand.
  const TensorView first = a.select(0, 0);
  CHECK_ERROR(overlap, ("output 0: it shares memory with operand f32[3, 4]", "read after"),
              evaluate({first, out}, {weft::sum(expr(out), 0), expr(a) + 1}));
  CHECK(out.at<float>(2, 3) == 7);
  CHECK(a.at<float>(0, 3) == 1);
}
