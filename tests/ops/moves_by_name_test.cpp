// SPDX-License-Identifier: Apache-2.0
// What moves, orders and counts elements, by name: each runs as the function of its name, and tells
// how it goes about it.
#include <weft/ops/arrange.hpp>
#include <weft/ops/counting.hpp>
#include <weft/ops/creation.hpp>
#include <weft/ops/difference.hpp>
#include <weft/ops/join.hpp>
#include <weft/ops/registry.hpp>
#include <weft/ops/searching.hpp>
#include <weft/ops/sorting.hpp>
#include <weft/ops/triangle.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/random_layout.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace {

using test::Dims;
using test::Memory;
using weft::OpArguments;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

using Inputs = std::vector<TensorView>;

/// A call by name and the one that it stands for.
struct Move {
  const char* name;
  std::size_t inputs;
  weft::DimVector axes, numbers;
  std::function<std::vector<Tensor>(const Inputs&)> function;
  bool keepdim = false;
  bool wants_sorted = false;  // lines of the first input; of others a result is any
};

std::vector<Tensor> topk(const TensorView& a) {
  const weft::ValuesAndIndices top = weft::topk(a, 2, 0);
  return {top.values, top.indices};
}

/// Of inputs of two axes.
const std::vector<Move>& moves() {
  using List = std::vector<Tensor>;
  static const std::vector<Move> list{
      {"concat", 3, {}, {}, [](const Inputs& in) { return List{weft::concat(in, 0)}; }},
      {"concat", 2, {1}, {}, [](const Inputs& in) { return List{weft::concat(in, 1)}; }},
      {"stack", 2, {-1}, {}, [](const Inputs& in) { return List{weft::stack(in, -1)}; }},
      {"flip", 1, {1}, {}, [](const Inputs& in) { return List{weft::flip(in[0], {1})}; }},
      {"flip",
       1,
       {},
       {},
       [](const Inputs& in) {
         return List{weft::flip(in[0], {0, 1})};
       }},
      {"roll",
       1,
       {1, 0},
       {3, -1},
       [](const Inputs& in) {
         return List{weft::roll(in[0], {3, -1}, {1, 0})};
       }},
      {"tile",
       1,
       {},
       {2, 3},
       [](const Inputs& in) {
         return List{weft::tile(in[0], {2, 3})};
       }},
      {"repeat", 1, {1}, {3}, [](const Inputs& in) { return List{weft::repeat(in[0], 3, 1)}; }},
      {"pad",
       1,
       {},
       {1, 2, 0, 3},
       [](const Inputs& in) {
         const weft::AxisPadding widths[] = {{1, 2}, {0, 3}};
         return List{weft::pad(in[0], widths)};
       }},
      {"diff", 1, {1}, {}, [](const Inputs& in) { return List{weft::diff(in[0], 1)}; }},
      {"diff", 1, {}, {2}, [](const Inputs& in) { return List{weft::diff(in[0], -1, 2)}; }},
      {"diff", 1, {}, {0}, [](const Inputs& in) { return List{weft::diff(in[0], -1, 0)}; }},
      {"tril", 1, {}, {}, [](const Inputs& in) { return List{weft::tril(in[0])}; }},
      {"triu", 1, {}, {-2}, [](const Inputs& in) { return List{weft::triu(in[0], -2)}; }},
      {"topk", 1, {0}, {2}, [](const Inputs& in) { return topk(in[0]); }},
      {"partition",
       1,
       {0},
       {1},
       [](const Inputs& in) { return List{weft::partition(in[0], 1, 0)}; }},
      {"median", 1, {1}, {}, [](const Inputs& in) { return List{weft::median(in[0], 1)}; }},
      {"median",
       1,
       {},
       {},
       [](const Inputs& in) { return List{weft::median(in[0], -1, true)}; },
       true},
      {"searchsorted",
       2,
       {},
       {},
       [](const Inputs& in) { return List{weft::searchsorted(in[0], in[1])}; },
       false,
       true},
      {"histogram",
       1,
       {},
       {-2, 2},
       [](const Inputs& in) {
         return List{weft::histogram(in[0], 7, {-2, 2})};
       }},
  };
  return list;
}

/// Arguments that refer to the operands.
OpArguments arguments(const Move& move, const Inputs& outputs, const Inputs& inputs) {
  OpArguments args;
  args.outputs = outputs;
  args.inputs = inputs;
  args.axes = move.axes;
  args.numbers = move.numbers;
  args.keepdim = move.keepdim;
  return args;
}

}  // namespace

TEST_CASE("moves by name: running is calling the function", "[ops]") {
  WEFT_RANDOM(random);
  std::set<std::string> named = {"bincount"};
  for (const Move& move : moves()) {
    INFO(move.name);
    named.insert(move.name);
    for (int round = 0; round < test::rounds(20); ++round) {
      const Dims shape = {random.integer(2, 9), random.integer(2, 70)};
      std::vector<Memory> memories;
      Inputs inputs;
      for (std::size_t k = 0; k < move.inputs; ++k) {
        memories.push_back(
            test::random_memory(random, ScalarType::f32, test::random_layout(random, shape)));
        inputs.push_back(memories.back().view());
      }
      const Tensor sorted = move.wants_sorted ? weft::sort(inputs[0]) : Tensor();
      if (move.wants_sorted) inputs[0] = sorted;
      std::vector<Memory> results;
      Inputs outputs;
      const std::vector<Tensor> want = move.function(inputs);
      for (const Tensor& each : want) {
        results.push_back(test::random_output(random, each.dtype(), test::dims(each.shape())));
        outputs.push_back(results.back().view());
      }
      const OpArguments args = arguments(move, outputs, inputs);
      const weft::OpEntry& found = weft::find_op(move.name, args);
      const weft::Explanation told = found.explain(args);
      found.run(args);
      for (std::size_t i = 0; i < want.size(); ++i)
        CHECK(test::difference(outputs[i], test::dense_copy(want[i])) == "");
      CHECK(told.has_run);
      CHECK(told.run.threads >= 1);
      // A line of two has no second differences.
      if (want.front().numel() == 0) {
        CHECK(told.run.how() == "nothing");
        continue;
      }
      CHECK(told.run.how() != "nothing");
      CHECK(told.run.bytes_moved > 0);
      CHECK(!told.run.instruction_set.empty());
      CHECK(told.to_text().find("input 0") != std::string::npos);
    }
  }
  for (const weft::OpEntry& entry : weft::all_ops()) {
    if (entry.numbers != nullptr) CHECK(named.count(std::string(entry.name)) == 1);
  }
}

TEST_CASE("moves by name: counting has as many bins as the output", "[ops]") {
  const Tensor a = Tensor::of<std::int32_t>({2, 3}, {0, 1, 4, 4, 4, 1});
  const Tensor counts = Tensor::zeros({6}, ScalarType::i64),
               few = Tensor::zeros({3}, ScalarType::i64);
  const Inputs inputs = {a}, outputs = {counts}, short_ones = {few};
  OpArguments args;
  args.outputs = outputs;
  args.inputs = inputs;
  weft::find_op("bincount", args).run(args);
  CHECK(test::difference(
            counts, test::dense_copy(Tensor::of<std::int64_t>({6}, {1, 2, 0, 0, 3, 0}))) == "");
  CHECK(weft::find_op("bincount", args).explain(args).run.form == "counted");
  args.outputs = short_ones;
  CHECK_ERROR(shape, ("bincount"), weft::find_op("bincount", args).run(args));
  const Tensor many = Tensor::zeros({1 << 16}, ScalarType::u8);
  const Inputs bytes = {many};
  args.inputs = bytes;
  args.outputs = outputs;
  CHECK(weft::find_op("bincount", args).explain(args).run.form == "counted-by-value");
  const Tensor wide = Tensor::zeros({1 << 16}, ScalarType::i32);
  const Inputs words = {wide};
  args.inputs = words;
  CHECK(weft::find_op("bincount", args).explain(args).run.form == "counted-in-rows");
}

TEST_CASE("moves by name: several copies are told by the largest", "[ops]") {
  const Tensor a = Tensor::zeros({64, 1000}, ScalarType::f32),
               b = Tensor::zeros({64, 10}, ScalarType::f32),
               out = Tensor::zeros({64, 1010}, ScalarType::f32);
  const Inputs inputs = {a, b}, outputs = {out};
  OpArguments args;
  args.outputs = outputs;
  args.inputs = inputs;
  args.axes = {1};
  const weft::Explanation told = weft::find_op("concat", args).explain(args);
  CHECK(told.run.why.find("the largest of 2 copies") == 0);
  CHECK(told.run.bytes_moved == 2 * 64 * 1010 * 4);
  CHECK(told.operands[1].shape == weft::DimVector{64, 1000});
  CHECK(told.run.strategy != weft::Strategy::automatic);
  // Told, not made.
  weft::fill_out(out, 3);
  static_cast<void>(weft::find_op("concat", args).explain(args));
  CHECK(out.at<float>(5, 5) == 3);
}

TEST_CASE("moves by name: what does not fit is refused", "[ops]") {
  const Tensor a = Tensor::zeros({3, 4}, ScalarType::f32);
  const Inputs one = {a}, two = {a, a};
  const auto refused = [&](const char* name, weft::DimVector axes, weft::DimVector numbers) {
    OpArguments args;
    args.outputs = one;
    args.inputs = one;
    args.axes = axes;
    args.numbers = numbers;
    const Tensor out = Tensor::zeros({3, 4}, ScalarType::f32);
    const Inputs outputs = {out};
    args.outputs = outputs;
    weft::find_op(name, args).run(args);
  };
  CHECK_ERROR(invalid_argument, ("repeat", "n=", "expected one", "got []"),
              refused("repeat", {0}, {}));
  CHECK_ERROR(invalid_argument, ("numbers", "expected one", "[1, 2]"),
              refused("repeat", {0}, {1, 2}));
  CHECK_ERROR(invalid_argument, ("pad", "two for each axis"), refused("pad", {}, {1}));
  CHECK_ERROR(invalid_argument, ("pad", "[1, 1]"), refused("pad", {}, {1, 1}));
  CHECK_ERROR(invalid_argument, ("two ends"), refused("histogram", {}, {}));
  CHECK_ERROR(rank, ("roll"), refused("roll", {0}, {1, 2}));
  CHECK_ERROR(axis, ("median", "one axis"), refused("median", {0, 1}, {}));
  // Explaining refuses what calls do.
  const auto told = [&](const char* name, ScalarType out_type, weft::IntSpan out_shape,
                        ScalarType type, weft::DimVector numbers) {
    const Tensor out = Tensor::zeros(out_shape, out_type), in = Tensor::zeros({8}, type);
    const Inputs outputs = {out}, inputs = {in};
    OpArguments args;
    args.outputs = outputs;
    args.inputs = inputs;
    args.numbers = numbers;
    static_cast<void>(weft::find_op(name, args).explain(args));
  };
  using enum ScalarType;
  CHECK_ERROR(dtype, ("bincount", "integers"), told("bincount", i64, {9}, f32, {}));
  CHECK_ERROR(dtype, ("bincount", "i64"), told("bincount", f64, {9}, i32, {}));
  CHECK_ERROR(shape, ("bincount"), told("bincount", i64, {9, 2}, i32, {}));
  CHECK_ERROR(invalid_argument, ("histogram", "two ends"), told("histogram", i64, {9}, f32, {1}));
  CHECK_ERROR(invalid_argument, ("histogram", "range"), told("histogram", i64, {9}, f32, {2, 1}));
  CHECK_ERROR(dtype, ("histogram", "real"), told("histogram", i64, {9}, c64, {0, 1}));
  CHECK_ERROR(invalid_argument, ("histogram", "bins"), told("histogram", i64, {0}, f32, {0, 1}));
  OpArguments args;
  args.outputs = one;
  CHECK_ERROR(invalid_argument, ("concat", "1 output and inputs", "1 and 0"),
              weft::find_op("concat", args));
  args.inputs = one;
  CHECK_ERROR(invalid_argument, ("topk", "2 outputs and 1 input", "1 and 1"),
              weft::find_op("topk", args));
}
