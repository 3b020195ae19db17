// SPDX-License-Identifier: Apache-2.0
// Operators along one axis, with and without a mask, each against plain loops: CumSum, CumProd,
// ArgMax, ArgMin, LogSoftmax.
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
#include <limits>
#include <string>
#include <vector>

namespace {

using test::Dims;
using test::integer;
using test::integers;
using test::OperatorRun;
using test::random_numbers;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Attributes;

/// A mask, or none in one of three cases.
Tensor random_mask(test::Random& random, const Dims& shape) {
  if (random.integer(0, 2) == 0) return {};
  const Dims rows{shape[1], shape[2]};
  const Tensor mask = Tensor::empty(random.integer(0, 1) == 0 ? shape : rows, ScalarType::boolean);
  for (std::int64_t i = 0; i < mask.numel(); ++i)
    mask.data_as<bool>()[i] = random.integer(0, 2) == 0;
  return mask;
}

/// The elements of a tensor line by line along an axis, and which of them a mask selects.
class Lines {
 public:
  Lines(const Tensor& in, const Tensor& mask, std::int64_t axis)
      : in_(in), along_(static_cast<std::size_t>(axis < 0 ? axis + in.rank() : axis)) {
    if (mask.defined()) selected_ = mask.expand(in.shape());
  }
  std::int64_t length() const { return in_.shape()[along_]; }
  double value(Dims index, std::int64_t i) const {
    index[along_] = i;
    return test::numbers_of(in_)[static_cast<std::size_t>(in_.element_offset(index))];
  }
  bool selects(Dims index, std::int64_t i) const {
    index[along_] = i;
    return !selected_.defined() || test::load<bool>(test::element_at(selected_, index));
  }
  std::int64_t place(const Dims& index) const { return index[along_]; }

 private:
  Tensor in_;
  TensorView selected_;
  std::size_t along_;
};

std::vector<TensorView> with_mask(std::vector<TensorView> inputs, const Tensor& mask) {
  if (mask.defined()) inputs.emplace_back(mask);
  return inputs;
}

}  // namespace

TEST_CASE("line operators: totals so far", "[graph]") {
  WEFT_RANDOM(random);
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64, ScalarType::i32, ScalarType::i64,
                                ScalarType::f16, ScalarType::u8}) {
    for (const std::int64_t axis : {0, 1, -1}) {
      for (int round = 0; round < 4; ++round) {
        const bool product = random.integer(0, 1) == 0, reverse = random.integer(0, 1) == 0;
        const Dims shape{random.integer(1, 4), random.integer(1, 9), random.integer(1, 20)};
        const Tensor in = random_numbers(random, shape, type), mask = random_mask(random, shape);
        const bool exclusive = !mask.defined() && random.integer(0, 1) == 0;
        const OperatorRun run{
            .op = product ? "CumProd" : "CumSum",
            .attributes = {{"reverse", reverse}, {"exclusive", exclusive}},
            .first_constant = random.integer(0, 1) == 0 || mask.defined() ? 100U : 1U,
            .dynamic = random.integer(0, 1) == 0};
        const Tensor at = random.integer(0, 1) == 0 ? integer(axis) : integers({axis});
        const Tensor out = run(with_mask({in, at}, mask))[0];
        INFO(run.op << ' ' << weft::name(type) << ' ' << weft::to_string(shape) << " axis " << axis
                    << " reverse " << reverse << " exclusive " << exclusive);
        REQUIRE(out.dtype() == type);
        REQUIRE(weft::to_string(out.shape()) == weft::to_string(in.shape()));
        const std::vector<double> got = test::numbers_of(out);
        const Lines lines(in, mask, axis);
        std::size_t flat = 0;
        test::for_each_index(shape, [&](const Dims& index) {
          double total = product ? 1 : 0;
          const std::int64_t n = lines.length(), here = lines.place(index);
          const std::int64_t steps = reverse ? n - here : here + 1;
          for (std::int64_t step = 0; step < steps - (exclusive ? 1 : 0); ++step) {
            const std::int64_t i = reverse ? n - 1 - step : step;
            if (!lines.selects(index, i)) continue;
            total = product ? total * lines.value(index, i) : total + lines.value(index, i);
          }
          if (!lines.selects(index, here)) total = 0;
          if (type == ScalarType::u8) total -= 256 * std::floor(total / 256);
          if (std::abs(total) <= 65504 || type != ScalarType::f16) CHECK(got[flat] == total);
          ++flat;
        });
      }
    }
  }
  // Along the first axis if none is named.
  const Tensor in = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  CHECK(test::numbers_of(OperatorRun{.op = "CumSum"}({in})[0]) == std::vector<double>{1, 2, 4, 6});
}

TEST_CASE("line operators: the axis of totals may be computed", "[graph]") {
  const Tensor in = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  weft::graph::Frame frame{
      weft::graph::Executable(OperatorRun{.op = "CumSum"}.graph({in, integers({0})}))};
  for (const std::int64_t axis : {1, 0, -1}) {
    const Tensor at = integers({axis});
    frame.plan(std::vector<TensorView>{in, at});
    frame.run();
    CHECK(test::numbers_of(frame.result(0)) ==
          (axis == 0 ? std::vector<double>{1, 2, 4, 6} : std::vector<double>{1, 3, 3, 7}));
  }
}

TEST_CASE("line operators: where the extremes are", "[graph]") {
  WEFT_RANDOM(random);
  for (const ScalarType type :
       {ScalarType::f32, ScalarType::f64, ScalarType::i32, ScalarType::i8, ScalarType::bf16}) {
    for (const std::int64_t axis : {0, 1, -1}) {
      for (int round = 0; round < 4; ++round) {
        const bool most = random.integer(0, 1) == 0, keeps = random.integer(0, 1) == 0;
        const bool narrow = random.integer(0, 1) == 0;
        const Dims shape{random.integer(1, 4), random.integer(1, 9), random.integer(1, 20)};
        const Tensor in = random_numbers(random, shape, type), mask = random_mask(random, shape);
        const OperatorRun run{.op = most ? "ArgMax" : "ArgMin",
                              .attributes = {{"axis", axis},
                                             {"keep_dims", keeps},
                                             {"index_element_type", narrow ? "i32" : "i64"}},
                              .dynamic = random.integer(0, 1) == 0};
        const Tensor out = run(with_mask({in}, mask))[0];
        INFO(run.op << ' ' << weft::name(type) << ' ' << weft::to_string(shape) << " axis "
                    << axis);
        REQUIRE(out.dtype() == (narrow ? ScalarType::i32 : ScalarType::i64));
        REQUIRE(out.rank() == (keeps ? 3 : 2));
        const Lines lines(in, mask, axis);
        const std::vector<double> got = test::numbers_of(out);
        std::size_t flat = 0;
        Dims reduced = shape;
        reduced[static_cast<std::size_t>(axis < 0 ? axis + 3 : axis)] = 1;
        test::for_each_index(reduced, [&](const Dims& index) {
          std::int64_t best = -1;
          for (std::int64_t i = 0; i < lines.length(); ++i) {
            if (!lines.selects(index, i)) continue;
            const double a = lines.value(index, i), b = best < 0 ? 0 : lines.value(index, best);
            if (best < 0 || (most ? a > b : a < b)) best = i;
          }
          CHECK(got[flat++] == static_cast<double>(best));
        });
      }
    }
  }
}

TEST_CASE("line operators: the extreme of what a chain computes", "[graph]") {
  WEFT_RANDOM(random);
  const Tensor a = random_numbers(random, {7, 65}, ScalarType::f32),
               b = random_numbers(random, {7, 1}, ScalarType::f32);
  weft::graph::Graph graph;
  const weft::graph::Value x = graph.add_parameter({ScalarType::f32, {7, 65}}, "x"),
                           y = graph.add_parameter({ScalarType::f32, {7, 1}}, "y");
  const weft::graph::Value product = graph.add("Multiply", {graph.add("Add", {x, y}), x});
  graph.add_result(graph.add("ArgMax", {product}, {{"axis", 1}}), "place");
  const Tensor place = weft::graph::Executable(graph).run(std::vector<TensorView>{a, b})[0];
  for (std::int64_t row = 0; row < 7; ++row) {
    std::int64_t best = 0;
    const auto value = [&](std::int64_t i) {
      return (a.at<float>(row, i) + b.at<float>(row, 0)) * a.at<float>(row, i);
    };
    for (std::int64_t i = 1; i < 65; ++i)
      best = value(i) > value(best) ? i : best;
    CHECK(place.at<std::int64_t>(row) == best);
  }
}

TEST_CASE("line operators: the logarithm of softmax", "[graph]") {
  WEFT_RANDOM(random);
  for (const std::int64_t axis : {0, 1, -1}) {
    const Dims shape{random.integer(1, 5), random.integer(1, 30), random.integer(1, 8)};
    const Tensor in = random_numbers(random, shape, ScalarType::f32),
                 mask = random_mask(random, shape);
    const OperatorRun run{.op = "LogSoftmax", .attributes = {{"axis", axis}}};
    const std::vector<double> got = test::numbers_of(run(with_mask({in}, mask))[0]);
    const Lines lines(in, mask, axis);
    std::size_t flat = 0;
    test::for_each_index(shape, [&](const Dims& index) {
      double sum = 0;
      for (std::int64_t i = 0; i < lines.length(); ++i)
        sum += lines.selects(index, i) ? std::exp(lines.value(index, i)) : 0;
      const std::int64_t here = lines.place(index);
      if (lines.selects(index, here)) {
        CHECK(got[flat] == Approx(lines.value(index, here) - std::log(sum)).margin(1e-6));
      } else {
        CHECK(got[flat] == -std::numeric_limits<double>::infinity());
      }
      ++flat;
    });
  }
}

TEST_CASE("line operators: what does not fit is refused", "[graph]") {
  const Tensor in = Tensor::full({2, 3}, ScalarType::f32, 1),
               mask = Tensor::full({2, 3}, ScalarType::boolean, true);
  const auto cumsum = [](const std::vector<TensorView>& inputs, const Attributes& attributes = {},
                         std::size_t first_constant = 100) {
    OperatorRun{.op = "CumSum", .attributes = attributes, .first_constant = first_constant}(inputs);
  };
  for (const std::size_t first_constant : {1, 100})
    CHECK_ERROR(axis, ("CumSum 'it'", "input 1 (axis)", "got 2"),
                cumsum({in, integer(2)}, {}, first_constant));
  CHECK_ERROR(shape, ("input 1 (axis)", "[1]", "[2]"), cumsum({in, integers({0, 1})}));
  CHECK_ERROR(dtype, ("input 1 (axis)"), cumsum({in, Tensor::full({}, ScalarType::f32, 0)}));
  CHECK_ERROR(dtype, ("input 0", "numbers", "bool"), cumsum({mask, integer(0)}));
  CHECK_ERROR(rank, ("input 0", "one axis"), cumsum({Tensor::full({}, ScalarType::f32, 0)}));
  CHECK_ERROR(dtype, ("input 2 (mask)", "got f32"), cumsum({in, integer(0), in}));
  CHECK_ERROR(shape, ("input 2 (mask)", "got [2]"),
              cumsum({in, integer(0), Tensor::full({2}, ScalarType::boolean, true)}));
  CHECK_ERROR(invalid_argument, ("'exclusive'", "mask"),
              cumsum({in, integer(0), mask}, {{"exclusive", true}}));

  const auto argmax = [](const std::vector<TensorView>& inputs, const Attributes& attributes = {}) {
    OperatorRun{.op = "ArgMax", .attributes = attributes}(inputs);
  };
  CHECK_ERROR(axis, ("ArgMax 'it'", "attribute 'axis'", "got -3"), argmax({in}, {{"axis", -3}}));
  CHECK_ERROR(dtype, ("input 0", "real", "c64"), argmax({Tensor::zeros({2}, ScalarType::c64)}));
  CHECK_ERROR(dtype, ("'index_element_type'"), argmax({in}, {{"index_element_type", "f32"}}));
  CHECK_ERROR(shape, ("axis 1", "extent 0"),
              argmax({Tensor::zeros({2, 0}, ScalarType::f32)}, {{"axis", 1}}));
  CHECK_ERROR(shape, ("input 1 (mask)"),
              argmax({in, Tensor::full({3, 3}, ScalarType::boolean, true)}));
  CHECK_ERROR(dtype, ("LogSoftmax 'it'", "floating"),
              OperatorRun{.op = "LogSoftmax"}({Tensor::zeros({2}, ScalarType::i32)}));
}
