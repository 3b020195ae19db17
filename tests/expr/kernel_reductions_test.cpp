// SPDX-License-Identifier: Apache-2.0
// Norms and dot products of expressions have the bits of the calls on what is computed.
#include <weft/operators.hpp>
#include <weft/ops/copy.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace {

using test::Dims;
using weft::Expr;
using weft::ScalarType;
using weft::Tensor;

const std::vector<ScalarType> types = {ScalarType::f32,  ScalarType::f64, ScalarType::f16,
                                       ScalarType::bf16, ScalarType::i32, ScalarType::u8,
                                       ScalarType::c64,  ScalarType::i64};

Tensor filled(test::Random& random, ScalarType type, const Dims& shape) {
  const Tensor tensor = Tensor::empty(weft::IntSpan(shape), type);
  test::fill(type, tensor.data(), tensor.numel(), random, test::Values::small);
  return tensor;
}

}  // namespace

TEST_CASE("norms of expressions", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (int round = 0; round < test::rounds(200); ++round) {
    const ScalarType type = random.pick(types);
    const Dims shape = random.chance(70) ? test::random_shape(random, 4, 12)
                                         : Dims{random.integer(1, 90), random.integer(1, 2000)};
    const Tensor a = filled(random, type, shape);
    const Expr e = weft::expr(a) + filled(random, type, {shape.empty() ? 1 : shape.back()});
    const Tensor there = weft::evaluate(e);
    std::vector<std::int64_t> axes;
    for (std::int64_t axis = 0; axis < there.rank(); ++axis)
      if (random.chance(50)) axes.push_back(axis);
    const weft::ReduceOptions options{.keepdim = random.chance(50)};
    const double p = random.pick(std::vector<double>{0, 1, 2, 3, 0.5, infinity, -infinity});
    const Tensor want = weft::norm(there, p, axes, options);
    const Expr norm = weft::norm(e, p, axes, options);
    const std::string wrong = test::difference(weft::evaluate(norm), test::dense_copy(want));
    tally.check(wrong.empty() && norm.dtype() == want.dtype(), [&](auto& text) {
      text << weft::name(type) << weft::to_string(weft::IntSpan(shape)) << ", p = " << p << ": "
           << wrong;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("dot products of expressions", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(200); ++round) {
    const ScalarType one = random.pick(types), other = random.chance(70) ? one : random.pick(types);
    const std::int64_t n = random.chance(80) ? random.integer(0, 300) : random.integer(0, 200'000);
    const Tensor a = filled(random, one, {n}), b = filled(random, other, {n});
    const Expr twice = weft::expr(a) + a;
    const Expr product = random.chance(50) ? weft::dot(twice, b) : weft::dot(b, twice * twice);
    const Tensor sum = weft::evaluate(twice), square = weft::evaluate(twice * twice);
    const bool first = product.text().starts_with("dot(add") ||
                       product.text().find("(dot(add") != std::string::npos;
    const Tensor want = first ? weft::dot(sum, b) : weft::dot(b, square);
    const std::string wrong = test::difference(weft::evaluate(product), test::dense_copy(want));
    tally.check(wrong.empty() && product.dtype() == want.dtype(), [&](auto& text) {
      text << weft::name(one) << " and " << weft::name(other) << ", " << n << ": " << wrong;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("norms and dot products that do not fit are refused", "[expr]") {
  const Tensor a = Tensor::full({3}, ScalarType::f32, 1), b = Tensor::full({4}, ScalarType::f32, 1);
  CHECK_ERROR(shape, ("dot(f32[3], f32[4])", "3", "4"), weft::dot(weft::expr(a), b));
  CHECK_ERROR(shape, ("one axis"), weft::dot(weft::expr(a), 2));
  CHECK_ERROR(axis, ("norm(f32[3], [2])", "2"), weft::norm(weft::expr(a), 2, 2));
  CHECK_ERROR(dtype, ("dot", "bool"), weft::dot(weft::expr(a) > 0, a));
  Tensor out = Tensor::full({}, ScalarType::f32, 7);
  weft::norm_out(out, weft::expr(a) * 2, 1);
  CHECK(out.at<float>(weft::IntSpan()) == 6);
  weft::dot_out(out, weft::expr(a) * 2, a);
  CHECK(out.at<float>(weft::IntSpan()) == 6);
}
