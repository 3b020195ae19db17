// SPDX-License-Identifier: Apache-2.0
// Operators of tensors: those that make expressions, and those that assign.
#include <weft/expr/expr.hpp>
#include <weft/operators.hpp>
#include <weft/ops/binary.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"

#include <algorithm>

namespace {

using weft::ScalarType;
using weft::Tensor;

}  // namespace

TEST_CASE("expressions: operators, kept memory and views of operands", "[expr]") {
  using namespace weft::operators;
  const auto made = [] {
    const Tensor a = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
    return a * 2 + a;  // keeps a
  };
  const Tensor c = made();
  CHECK(c.at<float>(1, 1) == 12);
  const Tensor a = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const Tensor d = weft::expr(a).transpose(0, 1) - a;
  CHECK(d.at<float>(0, 1) == 1);
  CHECK(d.at<float>(1, 0) == -1);
  const Tensor e = -a / 2;
  CHECK(e.at<float>(0, 0) == -0.5F);
  const weft::TensorView column = a.select(1, 1);
  const Tensor negative = -column;
  CHECK(negative.at<float>(1) == -4);
  const Tensor f = (a > 2) & (a < 4);
  CHECK(f.dtype() == ScalarType::boolean);
  CHECK(f.at<bool>(1, 0));
  CHECK_FALSE(f.at<bool>(1, 1));
  // In place, and a result of another type.
  weft::evaluate_out(a, weft::exp(weft::expr(a) * 0) + a);
  CHECK(a.at<float>(1, 1) == 5);
  const Tensor wide = Tensor::empty({2, 2}, ScalarType::f64);
  weft::evaluate_out(wide, a + 1);
  CHECK(wide.at<double>(1, 1) == 6);
  // A Tensor of the wrong shape is replaced.
  Tensor other = Tensor::empty({3}, ScalarType::f32);
  weft::evaluate_out(other, a + 1);
  CHECK(std::ranges::equal(other.shape(), a.shape()));
  // Exact integers, also large ones.
  const Tensor i = Tensor::of<std::int64_t>({1}, {1});
  const Tensor sum = i + (std::int64_t{1} << 60);
  CHECK(sum.at<std::int64_t>(0) == (std::int64_t{1} << 60) + 1);
}

TEST_CASE("expressions: operators that assign, and those of integers", "[expr]") {
  using namespace weft::operators;
  // Into tensors and views, at once; a tensor keeps its memory.
  Tensor a = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor same = a;
  a += 1;
  a *= Tensor::of<float>({3}, {1, 2, 3});
  (a -= weft::expr(a) * 0.5F) /= 2;
  a.select(0, 1) += a.select(0, 0);
  const auto same_as = [](const Tensor& got, const Tensor& want) {
    return test::difference(got, test::dense_copy(want)) == "";
  };
  CHECK(same_as(same, Tensor::of<float>({2, 3}, {0.5F, 1.5F, 3, 1.75F, 4.5F, 8.25F})));
  Tensor i = Tensor::of<std::int32_t>({4}, {-7, -1, 6, 9});
  i %= 4;
  CHECK(same_as(i, Tensor::of<std::int32_t>({4}, {1, 3, 2, 1})));
  i <<= 2;
  i |= 1;
  i ^= 8;
  i &= 30;
  i >>= 1;
  CHECK(same_as(i, Tensor::of<std::int32_t>({4}, {6, 2, 0, 6})));
  const Tensor rest = (i << 1) % 5 + (i >> 1);
  CHECK(same_as(rest, Tensor::of<std::int32_t>({4}, {5, 5, 0, 5})));
  const Tensor none = !i;
  CHECK(same_as(none, Tensor::of<bool>({4}, {false, false, true, false})));
  CHECK(weft::evaluate(!weft::expr(none)).at<bool>(0));
  // An expression becomes another one, of itself too.
  weft::Expr e = weft::expr(a);
  e += a;
  e *= e;
  e -= 1;
  CHECK(e.text() == "sub(mul(add(f32[2, 3], f32[2, 3]), add(f32[2, 3], f32[2, 3])), 1)");
  CHECK(weft::evaluate(e).at<float>(0, 1) == 8);
  // What does not fit leaves everything as it was.
  const Tensor before = weft::add(i, 0);
  CHECK_ERROR(cast, ("f32", "i32"), i += 0.5);
  CHECK_ERROR(cast, ("f32", "i32"), i /= 2);
  CHECK_ERROR(shape, ("[4]", "[2, 4]"), i += Tensor::zeros({2, 4}, ScalarType::i32));
  CHECK_ERROR(overlap, ("output 0"), i += weft::expr(i).flip(0));
  CHECK_ERROR(undefined, ("undefined"), Tensor() += 1);
  CHECK(same_as(i, before));
  CHECK_ERROR(division, ("by 0"), i %= 0);  // found while it is written
}
