// SPDX-License-Identifier: Apache-2.0
// Reductions as operators, each against plain loops.
#include <weft/parallel/parallel.hpp>

#include "graph/operator_run.hpp"
#include "support/arena.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

namespace {

using test::Dims;
using test::integers;
using test::OperatorRun;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

using Numbers = std::vector<double>;

struct Reduction {
  const char* op;
  double first;
  std::function<double(double, double)> combine;
  std::vector<ScalarType> types;
};

const std::vector<Reduction>& reductions() {
  using enum ScalarType;
  static const std::vector<Reduction> list{
      {"ReduceSum", 0, std::plus<double>(), {f32, f64, i32, i64}},
      {"ReduceMean", 0, std::plus<double>(), {f32, f64}},
      {"ReduceProd", 1, std::multiplies<double>(), {f32, i64}},
      {"ReduceMax", -1e30, [](double a, double b) { return std::max(a, b); }, {f32, i32}},
      {"ReduceMin", 1e30, [](double a, double b) { return std::min(a, b); }, {f64, i64}},
      {"ReduceLogicalAnd", 1, [](double a, double b) { return a * b; }, {boolean}},
      {"ReduceLogicalOr", 0, [](double a, double b) { return std::max(a, b); }, {boolean}},
  };
  return list;
}

Dims shape_of(const TensorView& view) { return {view.shape().begin(), view.shape().end()}; }

/// 1, 2, 1, 3, ... of a type, or a few of 0 and 1.
Tensor input(const Dims& shape, ScalarType type) {
  Tensor tensor = test::counting(shape, ScalarType::f64);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    double& value = tensor.data_as<double>()[i];
    value = type == ScalarType::boolean ? static_cast<double>(i % 5 != 3)
                                        : 1 + static_cast<double>(i % 3);
  }
  const Tensor made = Tensor::empty(shape, type);
  weft::cast_elements(made.data(), type, weft::element_size(type), tensor.data(), ScalarType::f64,
                      8, tensor.numel());
  return made;
}

Numbers naive(const Reduction& reduction, const Tensor& in, const std::vector<std::int64_t>& axes) {
  const Numbers values = test::numbers_of(in);
  Dims kept = shape_of(in);
  double count = 1;
  for (const std::int64_t axis : axes) {
    count *= static_cast<double>(in.extent(axis));
    kept[static_cast<std::size_t>(axis < 0 ? axis + in.rank() : axis)] = 1;
  }
  const Tensor shape = Tensor::zeros(kept, ScalarType::f64);
  Numbers result(static_cast<std::size_t>(shape.numel()), reduction.first);
  std::size_t flat = 0;
  test::for_each_index(shape_of(in), [&](const Dims& index) {
    Dims to = index;
    for (std::size_t axis = 0; axis < to.size(); ++axis)
      to[axis] = kept[axis] == 1 ? 0 : to[axis];
    double& value = result[static_cast<std::size_t>(shape.element_offset(to))];
    value = reduction.combine(value, values[flat++]);
  });
  if (std::string(reduction.op) == "ReduceMean") {
    for (double& value : result)
      value /= count;
  }
  return result;
}

}  // namespace

TEST_CASE("reductions over any axes, kept or not", "[graph]") {
  for (const Reduction& reduction : reductions()) {
    for (const ScalarType type : reduction.types) {
      const Tensor in = input({2, 3, 4}, type);
      for (const std::vector<std::int64_t>& axes :
           {std::vector<std::int64_t>{1}, {-1, 0}, {0, 1, 2}, {2}}) {
        for (const bool keeps : {false, true}) {
          for (const bool dynamic : {false, true}) {
            const OperatorRun run{.op = reduction.op,
                                  .attributes = {{"keep_dims", keeps}},
                                  .first_constant = 1,
                                  .dynamic = dynamic};
            const Tensor out = run({in, integers(axes)})[0];
            INFO(reduction.op << ' ' << weft::name(type) << " keep_dims " << keeps);
            CHECK(out.dtype() == type);
            CHECK(out.rank() == (keeps ? 3 : 3 - static_cast<int>(axes.size())));
            const Numbers wanted = naive(reduction, in, axes), got = test::numbers_of(out);
            CHECK(got.size() == wanted.size());
            for (std::size_t i = 0; i < got.size(); ++i)
              CHECK(got[i] == Approx(wanted[i]));
          }
        }
      }
    }
  }
}

TEST_CASE("a reduction over no axes is what it was", "[graph]") {
  const Tensor in = input({2, 3}, ScalarType::f32);
  const OperatorRun run{.op = "ReduceSum", .first_constant = 1};
  CHECK(test::numbers_of(run({in, integers({})})[0]) == test::numbers_of(in));
}

TEST_CASE("the extreme of one element is a view", "[graph]") {
  for (const bool keeps : {false, true}) {
    for (const char* op : {"ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum"}) {
      const OperatorRun run{.op = op, .attributes = {{"keep_dims", keeps}}, .first_constant = 1};
      const Tensor in = input({3, 1, 2, 1}, ScalarType::f32);
      const Tensor out = run({in, integers({1, -1})})[0];
      CHECK(shape_of(out) == (keeps ? Dims{3, 1, 2, 1} : Dims{3, 2}));
      CHECK(test::numbers_of(out) == test::numbers_of(in));
    }
  }
  // The sum of -0 is 0: no view.
  const OperatorRun sum{.op = "ReduceSum", .first_constant = 1};
  const Tensor zero = sum({Tensor::of<float>({1}, {-0.0F}), integers({0})})[0];
  CHECK(!std::signbit(zero.at<float>({})));
}

TEST_CASE("a reduction over axes that are computed", "[graph]") {
  // One frame for all axes: shapes are the same whatever they are.
  const Tensor in = input({2, 2}, ScalarType::f32);
  const OperatorRun run{.op = "ReduceSum", .attributes = {{"keep_dims", false}}};
  weft::graph::Frame frame{weft::graph::Executable(run.graph({in, integers({0})}))};
  for (const std::int64_t axis : {0, 1, -2, 0}) {
    const Tensor axes = integers({axis});
    frame.plan(std::vector<weft::TensorView>{in, axes});
    frame.run();
    const OperatorRun fixed{
        .op = "ReduceSum", .attributes = {{"keep_dims", false}}, .first_constant = 1};
    CHECK(test::numbers_of(frame.result(0)) == test::numbers_of(fixed({in, axes})[0]));
  }
  CHECK(test::numbers_of(run({in, integers({})})[0]) == test::numbers_of(in));
  CHECK_ERROR(axis, ("ReduceSum 'it'", "got 2"), run({in, integers({2})}));
}

TEST_CASE("a reduction that is planned once serves any tensor and any number of threads",
          "[graph]") {
  using weft::graph::Attributes;
  const std::pair<const char*, Attributes> operators[] = {
      {"ReduceSum", {{"keep_dims", false}}},
      {"ReduceMax", {{"keep_dims", true}}},
      {"ReduceMean", {{"keep_dims", false}}},
      {"ArgMax", {{"axis", 1}, {"keep_dims", false}}}};
  for (const auto& [op, attributes] : operators) {
    // Few elements, an axis of one element, and so many that threads share them.
    for (const Dims& shape : {Dims{3, 7, 2}, Dims{5, 1, 3}, Dims{40, 700, 30}}) {
      INFO(op << " of " << weft::to_string(weft::IntSpan(shape)));
      const OperatorRun run{.op = op, .attributes = attributes, .first_constant = 1};
      std::vector<TensorView> inputs{input(shape, ScalarType::f32)};
      const Tensor axes = integers({1});
      if (std::string(op) != "ArgMax") inputs.push_back(axes);
      weft::graph::Frame frame{weft::graph::Executable(run.graph(inputs))};
      // Dense, reversed, and turned: the element at index 0 is not the first in memory.
      for (const int layout : {0, 1, 2}) {
        Dims laid = shape;
        if (layout == 2) std::swap(laid[0], laid[2]);
        const auto seen = [&](const Tensor& tensor) -> TensorView {
          if (layout == 1) return tensor.flip(0).flip(1);
          return layout == 2 ? tensor.flip(2).transpose(0, 2) : TensorView(tensor);
        };
        const Tensor first = input(laid, ScalarType::f32);
        inputs[0] = seen(first);
        frame.plan(std::span(inputs).first(1));
        for (const int threads : {1, 4, 2}) {
          test::in_arena(4, [&] {
            const weft::ThreadLimit limit(threads);
            const Tensor other = input(laid, ScalarType::f32);
            other.data_as<float>()[other.numel() / 3] = static_cast<float>(10 + threads);
            inputs[0] = seen(other);
            frame.bind_parameter(0, inputs[0].data());
            frame.run();
            CHECK(test::numbers_of(frame.result(0)) == test::numbers_of(run(inputs)[0]));
          });
        }
      }
    }
  }
}

TEST_CASE("a reduction without elements and without a result is refused when it runs", "[graph]") {
  // Not when it is planned: a loop whose body it is in may make no trip.
  const Tensor in = Tensor::zeros({0, 3}, ScalarType::f32);
  const OperatorRun run{.op = "ReduceMax", .first_constant = 1};
  const Tensor axes = integers({0});
  weft::graph::Frame frame{weft::graph::Executable(run.graph({in, axes}))};
  frame.plan(std::vector<TensorView>{in});
  CHECK_ERROR(shape, ("ReduceMax"), frame.run());
}

TEST_CASE("reductions that do not fit are refused", "[graph]") {
  const Tensor in = input({2, 3}, ScalarType::f32);
  const auto run = [](const char* op, const Tensor& x, const std::vector<std::int64_t>& axes) {
    OperatorRun{.op = op, .first_constant = 1}({x, integers(axes)});
  };
  CHECK_ERROR(axis, ("ReduceSum 'it'", "input 1 (axes)", "got 2"), run("ReduceSum", in, {2}));
  CHECK_ERROR(axis, ("twice"), run("ReduceMax", in, {1, -1}));
  CHECK_ERROR(dtype, ("expected bool"), run("ReduceLogicalAnd", in, {0}));
  CHECK_ERROR(dtype, ("floating"), run("ReduceMean", input({2}, ScalarType::i32), {0}));
  CHECK_ERROR(dtype, ("numbers"), run("ReduceSum", input({2}, ScalarType::boolean), {0}));
}
