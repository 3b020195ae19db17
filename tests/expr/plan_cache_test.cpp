// SPDX-License-Identifier: Apache-2.0
// Expressions that are built anew find the plan of their own structure, and no other one.
#include <weft/expr/expr.hpp>
#include <weft/expr/map.hpp>
#include <weft/ops/creation.hpp>

#include "support/tally.hpp"

#include <array>

namespace {

using weft::Expr;
using weft::ScalarType;
using weft::Tensor;

constexpr int count = 3;
using Values = std::array<float, count>;

/// An expression, and its numbers.
struct Part {
  Expr lazy;
  Values values;
};

Part apply(int op, const Part& a, const Part& b) {
  Part r{op == 0   ? weft::add(a.lazy, b.lazy)
         : op == 1 ? weft::sub(a.lazy, b.lazy)
                   : weft::mul(a.lazy, b.lazy),
         {}};
  for (std::size_t i = 0; i < count; ++i) {
    const float x = a.values[i], y = b.values[i];
    r.values[i] = op == 0 ? x + y : op == 1 ? x - y : x * y;
  }
  return r;
}

class Leaves {
 public:
  Leaves() {
    tensors_[0] = Tensor::of<float>({count}, {3, -5, 7});
    tensors_[1] = Tensor::of<float>({count}, {11, 13, -17});
  }
  /// Two tensors and a number.
  Part leaf(int which) const {
    if (which == 2) return {Expr(weft::Scalar(19)), {19, 19, 19}};
    const auto* data = static_cast<const float*>(tensors_[which].data());
    return {weft::expr(tensors_[which]), {data[0], data[1], data[2]}};
  }

 private:
  Tensor tensors_[2];
};

}  // namespace

TEST_CASE("expressions: each structure has a plan of its own", "[expr]") {
  const Leaves leaves;
  test::Tally tally;
  const Tensor out = Tensor::empty({count}, ScalarType::f32);
  const auto check = [&](const Part& part, const char* which, int code) {
    weft::fill_out(out, -1);
    evaluate_out(out, part.lazy);
    const auto* got = static_cast<const float*>(out.data());
    for (std::size_t i = 0; i < count; ++i) {
      tally.check(got[i] == part.values[i], [&](auto& said) {
        said << which << ' ' << code << ": " << part.lazy.text() << ", element " << i << ": "
             << got[i] << ", expected " << part.values[i];
      });
    }
  };
  // Two functions of leaves, and a third one of these: what is shared, what is alike, what stands
  // behind it.
  for (int code = 0; code < 27 * 81; ++code) {
    const int f = code % 3, g = code / 3 % 3, h = code / 9 % 3;
    const int l0 = code / 27 % 3, l1 = code / 81 % 3, l2 = code / 243 % 3, l3 = code / 729 % 3;
    if (l0 == 2 && l1 == 2) continue;
    const auto first = [&] { return apply(f, leaves.leaf(l0), leaves.leaf(l1)); };
    const auto second = [&] { return apply(g, leaves.leaf(l2), leaves.leaf(l3)); };
    const Part kept = first(), other = second();
    for (int round = 0; round < 2; ++round) {
      check(apply(h, first(), second()), "two", code);
      check(apply(h, second(), first()), "exchanged", code);
      check(apply(h, kept, kept), "shared", code);
      check(apply(h, kept, first()), "alike", code);
      check(apply(h, apply(g, kept, leaves.leaf(l2)), kept), "shared behind", code);
      check(apply(h, apply(g, kept, other), apply(f, other, kept)), "both shared", code);
      check(apply(h, apply(g, kept, other), apply(f, kept, other)), "both shared in order", code);
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("expressions: reductions and types have plans of their own", "[expr]") {
  const Tensor a = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const auto last = [](const Expr& e) {
    return evaluate(weft::convert(e, ScalarType::f64)).at<double>({1});
  };
  for (int round = 0; round < 3; ++round) {
    CHECK(last(sum(weft::expr(a) * 2.0, {0})) == 12);
    CHECK(last(sum(weft::expr(a) * 2.0, {1})) == 14);
    CHECK(last(sum(weft::expr(a) * 3.0, {1})) == 21);
    CHECK(last(amax(weft::expr(a) * 2.0, {1})) == 8);
    CHECK(last(mean(weft::expr(a) * 2.0, {1})) == 7);
    CHECK(last(var(weft::expr(a) * 2.0, {1}, {.correction = 0})) == 1);
    CHECK(last(var(weft::expr(a) * 2.0, {1}, {.correction = 1})) == 2);
    CHECK(last(sum(weft::convert(weft::expr(a) * 0.75, ScalarType::i64), {1})) == 5);
    CHECK(last(sum(weft::convert(weft::expr(a) * 0.75, ScalarType::f64), {1})) == 5.25);
    CHECK(last(sum(weft::map([](float x) { return x + 1; }, weft::expr(a)), {1})) == 9);
    CHECK(last(sum(weft::map([](float x) { return x + 2; }, weft::expr(a)), {1})) == 11);
  }
}
