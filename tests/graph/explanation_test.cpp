// SPDX-License-Identifier: Apache-2.0
// What a frame says of its steps is what the functions say of the same call, and follows the
// threads and strategies that are asked for.
#include <weft/graph/executable.hpp>
#include <weft/ops/registry.hpp>
#include <weft/parallel/parallel.hpp>

#include "graph/operator_run.hpp"
#include "machine/tuning.hpp"
#include "support/arena.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <string>

namespace {

using test::integers;
using weft::Explanation;
using weft::ScalarType;
using weft::Strategy;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Executable;
using weft::graph::Frame;
using weft::graph::Graph;
using weft::graph::PlanNote;
using weft::graph::ResultPlace;
using weft::graph::Value;

Tensor zeros(const test::Dims& shape) { return Tensor::zeros(shape, ScalarType::f32); }

/// What the function of that name says of a call.
Explanation::Run run_of(const char* op, const TensorView& out, const std::vector<TensorView>& in,
                        weft::DimVector axes = {}) {
  const std::vector<TensorView> outputs = {out};
  weft::OpArguments args;
  args.outputs = outputs;
  args.inputs = in;
  args.axes = std::move(axes);
  return weft::find_op(op, args).explain(args).run;
}

/// A graph and its parameters.
struct Built {
  Graph graph;
  std::vector<TensorView> inputs;

  Value add_parameter(const Tensor& tensor) {
    inputs.push_back(tensor);
    return graph.add_parameter({tensor.dtype(), tensor.shape()});
  }
  Value turned(Value value) { return graph.add("Transpose", {value}); }
  /// The notes of steps that run, before a run and after it: the same.
  std::vector<PlanNote> steps(const std::vector<ResultPlace>& places = {}) const {
    Frame frame{Executable(graph)};
    frame.plan(inputs, places);
    const std::vector<PlanNote> before = running(frame);
    if (!places.empty()) return before;
    frame.run();
    const std::vector<PlanNote> after = running(frame);
    REQUIRE(after.size() == before.size());
    for (std::size_t i = 0; i < after.size(); ++i)
      CHECK(to_string(after[i]) == to_string(before[i]));
    return after;
  }

 private:
  static std::vector<PlanNote> running(const Frame& frame) {
    std::vector<PlanNote> notes = frame.explain().notes;
    std::erase_if(notes, [](const PlanNote& note) {
      return note.kind == PlanNote::Kind::folded || note.kind == PlanNote::Kind::viewed;
    });
    return notes;
  }
};

}  // namespace

TEST_CASE("a plan's notes: a few elements are direct calls", "[graph]") {
  const Tensor x = zeros({6}), row = zeros({3}), two = zeros({2, 3});
  Built line;
  const Value a = line.add_parameter(x);
  line.graph.add_result(line.graph.add("Tanh", {line.graph.add("Add", {a, a})}));
  std::vector<PlanNote> steps = line.steps();
  REQUIRE(steps.size() == 1);
  CHECK(to_string(steps[0]) ==
        "fused: Add, Tanh; 24 bytes written; line, 1 thread, 48 bytes moved");
  REQUIRE(steps[0].runs.size() == 1);
  CHECK(steps[0].runs[0].span == 6);
  CHECK(steps[0].runs[0].blocks == 1);

  Built rows;
  const Value b = rows.add_parameter(two), c = rows.add_parameter(row);
  rows.graph.add_result(rows.graph.add("Add", {b, c}));
  steps = rows.steps();
  REQUIRE(steps.size() == 1);
  CHECK(to_string(steps[0]) == "fused: Add; 24 bytes written; rows, 1 thread, 60 bytes moved");
}

TEST_CASE("a plan's notes: elementwise steps have strategies", "[graph]") {
  const Tensor x = zeros({300, 500}), y = zeros({500, 300}), out = zeros({500, 300});
  Built dense;
  const Value a = dense.add_parameter(y);
  dense.graph.add_result(dense.graph.add("Add", {a, a}));
  std::vector<PlanNote> steps = dense.steps();
  REQUIRE(steps.size() == 1);
  REQUIRE(steps[0].runs.size() == 1);
  CHECK(steps[0].runs[0].strategy == run_of("add", out, {y, y}).strategy);
  CHECK(steps[0].runs[0].strategy != Strategy::automatic);

  Built turned;
  const Value b = turned.add_parameter(x), c = turned.add_parameter(y);
  turned.graph.add_result(turned.graph.add("Add", {turned.turned(b), c}));
  steps = turned.steps();
  REQUIRE(steps.size() == 1);
  REQUIRE(steps[0].runs.size() == 1);
  const Explanation::Run wanted = run_of("add", out, {x.transpose(0, 1), y});
  CHECK(steps[0].runs[0].strategy == wanted.strategy);
  CHECK(steps[0].runs[0].bytes_moved == wanted.bytes_moved);
  CHECK(steps[0].runs[0].strategy != Strategy::line);
  CHECK(std::ranges::equal(steps[0].runs[0].candidates, wanted.candidates, {},
                           &weft::StrategyCandidate::strategy, &weft::StrategyCandidate::strategy));
}

TEST_CASE("a plan's notes: copies", "[graph]") {
  const Tensor x = zeros({300, 500}), out = zeros({500, 300});
  const Explanation::Run wanted = run_of("copy", out, {x.transpose(0, 1)});
  {
    Built reshaped;
    const Value shape = reshaped.graph.add_constant(integers({250, 600}));
    const Value a = reshaped.turned(reshaped.add_parameter(x));
    reshaped.graph.add_result(reshaped.graph.add("Reshape", {a, shape}));
    const std::vector<PlanNote> steps = reshaped.steps();
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].kind == PlanNote::Kind::kernel);
    REQUIRE(steps[0].runs.size() == 1);
    CHECK(steps[0].runs[0].strategy == wanted.strategy);
    CHECK(steps[0].runs[0].tile[0] == wanted.tile[0]);
    CHECK(steps[0].runs[0].bytes_moved == 2 * x.nbytes());
  }
  {
    Built placed;
    placed.graph.add_result(placed.turned(placed.add_parameter(x)));
    const std::vector<PlanNote> steps = placed.steps({{.external = true}});
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].kind == PlanNote::Kind::copied);
    REQUIRE(steps[0].runs.size() == 1);
    CHECK(steps[0].runs[0].strategy == wanted.strategy);
  }
  {
    Built joined;
    const Tensor few = zeros({2, 3});
    const Value a = joined.add_parameter(few), b = joined.add_parameter(few);
    joined.graph.add_result(joined.graph.add("Concat", {a, b}, {{"axis", std::int64_t{0}}}));
    const std::vector<PlanNote> steps = joined.steps();
    REQUIRE(steps.size() == 1);
    REQUIRE(steps[0].runs.size() == 2);
    CHECK(steps[0].runs[0].strategy == Strategy::at_once);
    CHECK(to_string(steps[0]) ==
          "kernel: Concat; 48 bytes written; at-once, 1 thread, 48 bytes moved (2 times)");
  }
}

TEST_CASE("a plan's notes: reductions and softmax have forms", "[graph]") {
  for (const test::Dims& shape : {test::Dims{10, 200}, test::Dims{100, 1000}}) {
    const Tensor x = zeros(shape), out = zeros(shape), sums = zeros({shape[0]});
    Built built;
    const Value a = built.add_parameter(x);
    const Value axes = built.graph.add_constant(integers({1}));
    built.graph.add_result(built.graph.add("ReduceSum", {a, axes}));
    built.graph.add_result(built.graph.add("Softmax", {a}));
    const std::vector<PlanNote> steps = built.steps();
    REQUIRE(steps.size() == 2);
    const Explanation::Run wanted[] = {run_of("sum", sums, {x}, {1}),
                                       run_of("softmax", out, {x}, {1})};
    for (std::size_t i = 0; i < 2; ++i) {
      REQUIRE(steps[i].runs.size() == 1);
      CHECK(steps[i].runs[0].to_json() == wanted[i].to_json());
      CHECK(steps[i].runs[0].strategy == Strategy::automatic);
      CHECK_FALSE(steps[i].runs[0].form.empty());
    }
    CHECK(steps[1].runs[0].form == (shape[0] == 10 ? "few-lines" : "lines"));
  }
}

TEST_CASE("a plan's notes: few elements are reduced by the plan that is kept", "[graph]") {
  const Tensor x = zeros({100});
  Built built;
  const Value a = built.add_parameter(x);
  const Value axes = built.graph.add_constant(integers({0}));
  built.graph.add_result(built.graph.add("ReduceSum", {a, axes}));
  const std::vector<PlanNote> steps = built.steps();
  REQUIRE(steps.size() == 1);
  REQUIRE(steps[0].runs.size() == 1);
  CHECK(steps[0].runs[0].form == "few-spans");  // a call of the function is "one-row"
}

TEST_CASE("a plan's notes: axes that no run has told yet", "[graph]") {
  const Tensor x = zeros({4, 5}), axes = integers({1});
  Built built;
  const Value a = built.add_parameter(x);
  const Value list = built.add_parameter(axes);
  built.graph.add_result(built.graph.add("ReduceSum", {a, list}));
  Frame frame{Executable(built.graph)};
  frame.plan(built.inputs);
  frame.run();
  const std::vector<PlanNote> notes = frame.explain().notes;
  REQUIRE(notes.size() == 1);
  REQUIRE(notes[0].runs.size() == 1);
  CHECK(notes[0].runs[0].form == run_of("sum", zeros({4}), {x}, {1}).form);
}

TEST_CASE("a plan's notes: threads that are asked for", "[graph]") {
  const Tensor x = zeros({1 << 20});
  Built built;
  const Value a = built.add_parameter(x);
  built.graph.add_result(built.graph.add("Tanh", {built.graph.add("Exp", {a})}));
  Frame frame{Executable(built.graph)};
  frame.plan(built.inputs);
  test::in_arena(4, [&] {
    for (const int threads : {1, 2, 3}) {
      weft::set_num_threads(threads);
      const std::vector<PlanNote> notes = frame.explain().notes;
      REQUIRE(notes.size() == 1);
      REQUIRE(notes[0].runs.size() == 1);
      CHECK(notes[0].runs[0].threads == threads);
      CHECK(to_string(notes[0]).find(threads == 1   ? ", 1 thread,"
                                     : threads == 2 ? ", 2 threads,"
                                                    : ", 3 threads,") != std::string::npos);
    }
    weft::set_num_threads(0);
  });
}

TEST_CASE("a plan's notes: a strategy that is forced", "[graph]") {
  const Tensor x = zeros({300, 500}), y = zeros({500, 300});
  Built built;
  const Value b = built.add_parameter(x), c = built.add_parameter(y);
  built.graph.add_result(built.graph.add("Add", {built.turned(b), c}));
  Frame frame{Executable(built.graph)};
  frame.plan(built.inputs);
  weft::Tuning tuning = weft::tuning();
  for (const Strategy strategy : {Strategy::row_tiles, Strategy::transposed_tiles}) {
    tuning.strategy = strategy;
    const weft::ScopedTuning forced(tuning);
    frame.run();
    const std::vector<PlanNote> notes = frame.explain().notes;
    REQUIRE(notes.back().runs.size() == 1);
    CHECK(notes.back().runs[0].strategy == strategy);
  }
  tuning.strategy = Strategy::line;
  const weft::ScopedTuning forced(tuning);
  CHECK_ERROR(invalid_argument, ("line", "cannot carry out"), frame.run());
  CHECK(frame.explain().notes.back().runs.empty());
}

TEST_CASE("a plan's notes: what runs without the engine", "[graph]") {
  const Tensor x = zeros({4, 5}), y = zeros({5, 6});
  Built built;
  const Value a = built.add_parameter(x), b = built.add_parameter(y);
  built.graph.add_result(built.graph.add("MatMul", {a, b}));
  const std::vector<PlanNote> steps = built.steps();
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].runs.empty());
  CHECK(to_string(steps[0]) == "kernel: MatMul; 96 bytes written");
}
