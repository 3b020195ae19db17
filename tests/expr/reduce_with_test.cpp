// SPDX-License-Identifier: Apache-2.0
// Reductions of the user's within expressions.
#include <weft/core/views.hpp>
#include <weft/expr/explain_expr.hpp>
#include <weft/expr/map.hpp>
#include <weft/expr/reduce_with.hpp>
#include <weft/iter/config.hpp>
#include <weft/operators.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/unary.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"
#include "support/threads.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace {

using test::Dims;
using weft::Expr;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

struct Distance {
  double identity() const { return 0; }
  double accumulate(double acc, float x, double y) const {
    return acc + (static_cast<double>(x) - y) * (static_cast<double>(x) - y);
  }
  double combine(double a, double b) const { return a + b; }
  float project(double acc) const { return static_cast<float>(acc); }
};

/// Of one type throughout: the last bits tell how elements are grouped.
struct Sum {
  float identity() const { return 0; }
  float accumulate(float acc, float x) const { return acc + x; }
  float combine(float a, float b) const { return a + b; }
  float project(float acc) const { return acc; }
};

/// Of three inputs of three types.
struct Weighted {
  float weight;
  float identity() const { return 0; }
  float accumulate(float acc, float x, std::int32_t y, bool taken) const {
    return taken ? acc + x * weight + static_cast<float>(y) : acc;
  }
  float combine(float a, float b) const { return a + b; }
  double project(float acc) const { return static_cast<double>(acc); }
};

Tensor with_type(const TensorView& in, ScalarType type, const Dims& shape) {
  return Tensor::copy_of(weft::contiguous(in, type).expand(weft::IntSpan(shape)));
}

/// The same by cpu_reduce, of tensors in memory.
template <class Op>
Tensor reduced(const Op& op, const std::vector<Tensor>& in, const std::vector<std::int64_t>& axes,
               ScalarType type) {
  weft::DimVector kept(in[0].shape().begin(), in[0].shape().end());
  for (const std::int64_t axis : axes)
    kept[static_cast<std::size_t>(axis)] = 1;
  if (axes.empty()) std::ranges::fill(kept, 1);
  const Tensor out = Tensor::empty(kept, type);
  weft::TensorIteratorConfig config;
  config.add_output(out);
  for (const Tensor& tensor : in)
    config.add_input(tensor);
  config.check_all_same_dtype(false).resize_outputs(false).is_reduction(true);
  weft::cpu_reduce(config.build(), op);
  return out;
}

struct Operands {
  test::Memory a, b, c;
};
Operands operands(test::Random& random, const Dims& shape) {
  const auto memory = [&](ScalarType type) {
    test::Memory made(type, test::random_layout(random, test::random_operand_shape(random, shape)));
    test::fill(type, made.data(), made.layout().size, random, test::Values::small);
    return made;
  };
  return {memory(ScalarType::f32), memory(ScalarType::f32), memory(ScalarType::i16)};
}

/// What of a random case is wrong, by any number of threads.
std::string wrong_result(test::Random& random, const Dims& shape) {
  const Operands in = operands(random, shape);
  // Something of the whole shape is in all of them.
  const Tensor whole = Tensor::empty(weft::IntSpan(shape), ScalarType::f32);
  test::fill(whole.dtype(), whole.data(), whole.numel(), random, test::Values::small);
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(shape.size()); ++axis)
    if (random.chance(50)) axes.push_back(axis);
  const TensorView a = in.a.view(), b = in.b.view(), c = in.c.view();
  const Expr sum = weft::expr(whole) + a, product = weft::expr(b) * 1.5F, ints = weft::expr(c);
  const auto dense = [&](const Expr& e, ScalarType type) {
    return with_type(weft::evaluate(e), type, shape);
  };
  const Tensor x = dense(sum, ScalarType::f32);
  std::string wrong;
  const auto compare = [&](const char* what, const Expr& e, const Tensor& want) {
    const std::string differs =
        test::difference(weft::evaluate(e), test::dense_copy(weft::reshape(want, e.shape())));
    if (!differs.empty()) wrong += std::string(what) + ": " + differs + "; ";
  };
  const weft::IntSpan over(axes);
  compare("one chain", weft::reduce(Sum(), over, sum * 0.1F),
          reduced(Sum(), {dense(sum * 0.1F, ScalarType::f32)}, axes, ScalarType::f32));
  compare("as it is", weft::reduce<true>(Sum(), over, weft::expr(whole)),
          reduced(Sum(), {Tensor::copy_of(whole)}, axes, ScalarType::f32));
  compare("two", weft::reduce(Distance(), over, sum, product),
          reduced(Distance(), {x, dense(product, ScalarType::f64)}, axes, ScalarType::f32));
  const Expr some = product > 0;
  compare("masked", weft::reduce(weft::masked(Distance()), over, sum, product, some),
          reduced(weft::masked(Distance()),
                  {x, dense(product, ScalarType::f64), dense(some, ScalarType::boolean)}, axes,
                  ScalarType::f32));
  compare("twice the same", weft::sqrt(weft::reduce<true>(Distance(), over, sum, sum)),
          weft::sqrt(reduced(Distance(), {x, dense(sum, ScalarType::f64)}, axes, ScalarType::f32)));
  const Expr taken = weft::expr(whole) > product;
  compare(
      "three", weft::reduce(Weighted{0.3F}, over, sum, ints, taken),
      reduced(Weighted{0.3F}, {x, dense(ints, ScalarType::i32), dense(taken, ScalarType::boolean)},
              axes, ScalarType::f64));
  return wrong;
}

}  // namespace

TEST_CASE("reduce: structs have the bits of cpu_reduce", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(150); ++round) {
    Dims shape = test::random_shape(random, 4, 12);
    if (random.chance(30)) shape = {random.integer(1, 90), random.integer(1, 2000)};
    const std::string wrong = wrong_result(random, shape);
    tally.check(wrong.empty(), [&](auto& text) {
      text << weft::to_string(weft::IntSpan(shape)) << ": " << wrong;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("reduce: any number of threads", "[expr]") {
  WEFT_RANDOM(random);
  test::for_thread_counts([&](int threads) {
    INFO(threads << " threads");
    CHECK(wrong_result(random, {3, 100'001}) == "");
    CHECK(wrong_result(random, {70'001, 3}) == "");
    CHECK(wrong_result(random, {300, 41, 20}) == "");
  });
}

TEST_CASE("reduce: within expressions, and kept", "[expr]") {
  const Tensor a = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  // Built anew with another number: no plan of the last one is taken.
  for (float weight = 1; weight < 4; ++weight) {
    const Expr e = weft::reduce(Weighted{weight}, 1, weft::expr(a), 0, true);
    CHECK(e.dtype() == ScalarType::f64);
    CHECK(weft::evaluate(e / 2).at<double>(1) == 7.5 * static_cast<double>(weight));
    CHECK(e.text() == "reduce(f32[2, 3], 0, 1, [1])");
  }
  const Expr rows = weft::expr(a) - weft::reduce<true>(Sum(), 1, weft::expr(a)) / 3;
  CHECK(weft::evaluate(rows).at<float>(1, 2) == 1);
  const auto half = [](float x) { return x / 2; };
  CHECK(weft::evaluate(weft::reduce(Sum(), {}, weft::map(half, weft::expr(a))))
            .at<float>(weft::IntSpan()) == 10.5F);
  CHECK(weft::evaluate(weft::reduce(Sum(), 0, weft::expr(Tensor::zeros({0, 3}, ScalarType::f32))))
            .at<float>(2) == 0);
  CHECK(weft::explain(weft::reduce(Sum(), 1, weft::expr(a) * 2))
            .to_text()
            .find("reduce(mul(f32[2, 3], 2), [1])") != std::string::npos);
}

TEST_CASE("reduce: what does not fit is refused", "[expr]") {
  const Tensor a = Tensor::full({3}, ScalarType::f32, 1), b = Tensor::full({4}, ScalarType::f32, 1);
  CHECK_ERROR(shape, ("reduce(f32[3], f32[4], [0])", "3", "4"),
              weft::reduce(Distance(), 0, weft::expr(a), b));
  CHECK_ERROR(cast, ("input 1", "f32", "i32"),
              weft::reduce(Weighted{1}, 0, weft::expr(a), a, true));
  CHECK_ERROR(axis, ("reduce(f32[3], [1])", "1"), weft::reduce(Sum(), 1, weft::expr(a)));
  const Tensor whole = Tensor::full({3}, ScalarType::i32, 7);
  CHECK_ERROR(cast, ("f32", "i32"),
              weft::evaluate_out(whole, weft::reduce<true>(Sum(), {}, weft::expr(a) + a)));
  CHECK(whole.at<std::int32_t>(2) == 7);
  CHECK_ERROR(overlap, ("output 0"),
              weft::evaluate_out(a.slice(0, 0, 1), weft::reduce<true>(Sum(), 0, weft::expr(a))));
}
