// SPDX-License-Identifier: Apache-2.0
// Operators with a mask: what it leaves out is not there.
#include <weft/graph/executable.hpp>

#include "graph/operator_run.hpp"
#include "graph/random_numbers.hpp"
#include "support/dense.hpp"
#include "support/element.hpp"
#include "support/errors.hpp"
#include "support/naive.hpp"
#include "support/seed.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace {

using test::Dims;
using test::integers;
using test::OperatorRun;
using test::random_numbers;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Attributes;

struct Masked {
  const char* op;
  double first;                       // of nothing
  double (*combine)(double, double);  // of what is selected
  std::vector<ScalarType> types;
  std::optional<std::int64_t> initial;  // as the attribute
};

const std::vector<Masked>& reductions() {
  using enum ScalarType;
  static const auto plus = [](double a, double b) { return a + b; };
  static const auto times = [](double a, double b) { return a * b; };
  static const auto most = [](double a, double b) { return a > b ? a : b; };
  static const auto least = [](double a, double b) { return a < b ? a : b; };
  static const std::vector<Masked> list{
      {"ReduceSum", 0, plus, {f32, f64, i32, f16}, {}}, {"ReduceSum", 3, plus, {f32, i64}, 3},
      {"ReduceMean", 0, plus, {f32, f64}, {}},          {"ReduceProd", 1, times, {f32, i64}, {}},
      {"ReduceMax", -2, most, {f32, i32}, -2},          {"ReduceMin", 2, least, {f64, i64}, 2},
      {"ReduceLogicalAnd", 1, times, {boolean}, {}},    {"ReduceLogicalOr", 0, most, {boolean}, {}},
  };
  return list;
}

Tensor random_mask(test::Random& random, const Dims& shape) {
  const Tensor mask = Tensor::empty(shape, ScalarType::boolean);
  const std::int64_t percent = random.integer(0, 4) * 25;
  for (std::int64_t i = 0; i < mask.numel(); ++i)
    mask.data_as<bool>()[i] = random.integer(0, 99) < percent;
  return mask;
}

/// With the reduced axes kept.
std::vector<double> naive(const Masked& reduction, const Tensor& in, const Tensor& mask,
                          const std::vector<std::int64_t>& axes) {
  const std::vector<double> values = test::numbers_of(in);
  const TensorView selected = TensorView(mask).expand(in.shape());
  Dims kept(in.shape().begin(), in.shape().end());
  for (const std::int64_t axis : axes)
    kept[static_cast<std::size_t>(axis)] = 1;
  const Tensor places = Tensor::zeros(kept, ScalarType::f64);
  std::vector<double> result(static_cast<std::size_t>(places.numel()), reduction.first);
  std::vector<double> counts(result.size(), 0);
  std::size_t flat = 0;
  test::for_each_index(Dims(in.shape().begin(), in.shape().end()), [&](const Dims& index) {
    const double value = values[flat++];
    if (!test::load<bool>(test::element_at(selected, index))) return;
    Dims to = index;
    for (std::size_t axis = 0; axis < to.size(); ++axis)
      to[axis] = kept[axis] == 1 ? 0 : to[axis];
    const auto at = static_cast<std::size_t>(places.element_offset(to));
    result[at] = reduction.combine(result[at], value);
    ++counts[at];
  });
  if (std::string(reduction.op) == "ReduceMean") {
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] /= counts[i];
  }
  return result;
}

void check_same(const std::vector<double>& got, const std::vector<double>& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]))
      CHECK(std::isnan(got[i]));
    else
      CHECK(got[i] == Approx(want[i]));
  }
}

Attributes attributes_of(const Masked& reduction, bool keeps) {
  Attributes made{{"keep_dims", keeps}};
  if (reduction.initial) made.set("initial", *reduction.initial);
  return made;
}

}  // namespace

TEST_CASE("masked operators: reductions of what is selected", "[graph]") {
  WEFT_RANDOM(random);
  for (const Masked& reduction : reductions()) {
    for (const ScalarType type : reduction.types) {
      for (const std::vector<std::int64_t>& axes :
           {std::vector<std::int64_t>{1}, {0, 2}, {0, 1, 2}, {2}}) {
        const Dims shape{random.integer(1, 4), random.integer(1, 9), random.integer(1, 40)};
        const Tensor in = random_numbers(random, shape, type);
        const Tensor mask =
            random_mask(random, random.integer(0, 1) == 0 ? shape : Dims{shape[1], 1});
        const bool keeps = random.integer(0, 1) == 0;
        const OperatorRun run{.op = reduction.op,
                              .attributes = attributes_of(reduction, keeps),
                              .dynamic = random.integer(0, 1) == 0};
        INFO(reduction.op << ' ' << weft::name(type) << ' ' << weft::to_string(shape));
        const Tensor out = run({in, integers(axes), mask})[0];
        CHECK(out.dtype() == type);
        CHECK(out.rank() == (keeps ? 3 : 3 - static_cast<int>(axes.size())));
        check_same(test::numbers_of(out), naive(reduction, in, mask, axes));
      }
    }
  }
}

TEST_CASE("masked operators: other operands and other axes", "[graph]") {
  WEFT_RANDOM(random);
  const Masked& sum = reductions()[0];
  const OperatorRun run{.op = "ReduceSum", .attributes = {{"keep_dims", true}}};
  const Dims shape{3, 4, 5};
  const Tensor first = random_numbers(random, shape, ScalarType::f32);
  weft::graph::Frame frame{
      weft::graph::Executable(run.graph({first, integers({0}), random_mask(random, shape)}))};
  for (int round = 0; round < 6; ++round) {
    const Tensor in = random_numbers(random, shape, ScalarType::f32);
    const Tensor mask = random_mask(random, shape);
    const std::vector<std::int64_t> axes{round % 3};
    const Tensor list = integers(axes);
    frame.plan(std::vector<TensorView>{in, list, mask});
    for (int again = 0; again < 2; ++again) {
      frame.run();
      check_same(test::numbers_of(frame.result(0)), naive(sum, in, mask, axes));
      in.data_as<float>()[0] += 1;
    }
  }
}

TEST_CASE("masked operators: softmax of what is selected", "[graph]") {
  WEFT_RANDOM(random);
  for (const std::int64_t axis : {0, 1, -1}) {
    const Dims shape{random.integer(1, 5), random.integer(1, 30), random.integer(1, 8)};
    const Tensor in = random_numbers(random, shape, ScalarType::f32);
    const Tensor mask = random_mask(random, Dims{shape[1], shape[2]});
    const OperatorRun run{.op = "Softmax", .attributes = {{"axis", axis}}};
    const std::vector<double> got = test::numbers_of(run({in, mask})[0]);
    const TensorView selected = TensorView(mask).expand(in.shape());
    const auto along = static_cast<std::size_t>(axis < 0 ? axis + 3 : axis);
    const auto is = [&](const Dims& index) {
      return test::load<bool>(test::element_at(selected, index));
    };
    std::size_t flat = 0;
    test::for_each_index(shape, [&](const Dims& index) {
      double sum = 0;
      Dims at = index;
      for (at[along] = 0; at[along] < shape[along]; ++at[along])
        sum += is(at) ? std::exp(double{test::load<float>(test::element_at(in, at))}) : 0;
      const double x = test::load<float>(test::element_at(in, index));
      CHECK(got[flat++] == Approx(is(index) ? std::exp(x) / sum : 0));
    });
  }
}

TEST_CASE("masked operators: what does not fit is refused", "[graph]") {
  const Tensor in = Tensor::full({2, 3}, ScalarType::f32, 1),
               mask = Tensor::full({2, 3}, ScalarType::boolean, true);
  const auto run = [&](const char* op, const Tensor& x, const Tensor& selected,
                       const Attributes& attributes = {}) {
    OperatorRun{.op = op, .attributes = attributes}({x, integers({1}), selected});
  };
  CHECK_ERROR(dtype, ("ReduceSum 'it'", "input 2 (mask)", "expected bool", "got f32"),
              run("ReduceSum", in, in));
  CHECK_ERROR(shape, ("input 2 (mask)", "[2, 3]", "got [3, 2]"),
              run("ReduceSum", in, Tensor::full({3, 2}, ScalarType::boolean, true)));
  CHECK_ERROR(shape, ("input 2 (mask)", "got [2, 2, 3]"),
              run("ReduceSum", in, Tensor::full({2, 2, 3}, ScalarType::boolean, true)));
  CHECK_ERROR(invalid_argument, ("ReduceMax 'it'", "'initial'"), run("ReduceMax", in, mask));
  CHECK_ERROR(invalid_argument, ("'initial'", "expected none"),
              run("ReduceMean", in, mask, {{"initial", 1.0}}));
  CHECK_ERROR(parse, ("initial"),
              run("ReduceMax", Tensor::full({2, 3}, ScalarType::i32, 1), mask, {{"initial", 1.5}}));
  const OperatorRun no_mask{.op = "ReduceSum", .attributes = {{"initial", 1.0}}};
  CHECK_ERROR(invalid_argument, ("'initial'", "mask", "got none"), no_mask({in, integers({1})}));
  for (const bool constant : {false, true}) {
    const OperatorRun no_axes{.op = "ReduceSum", .first_constant = constant ? 1U : 100U};
    CHECK_ERROR(invalid_argument, ("input 1 (axes)", "got none"),
                no_axes({in, integers({}), mask}));
  }
  CHECK_ERROR(dtype, ("Softmax 'it'", "input 1 (mask)", "got f32"),
              OperatorRun{.op = "Softmax"}({in, in}));
  CHECK_ERROR(shape, ("input 1 (mask)", "got [2]"),
              OperatorRun{.op = "Softmax"}({in, Tensor::full({2}, ScalarType::boolean, true)}));
}
