// SPDX-License-Identifier: Apache-2.0
// Loops that are refused, with what the message names: those that OpenVINO refuses, and our own.
#include <weft/recurrent/choice.hpp>

#include "recurrent/loops.hpp"
#include "support/errors.hpp"

namespace {

using namespace test;
using Kind = LoopOutputKind;
using weft::recurrent::PortRange;

/// A TensorIterator that adds up the parts of x, to be spoilt. Inputs: x, sum.
struct Adding {
  PortMap map;
  Graph body;
  std::vector<Tensor> inputs = {floats({6, 2}, std::vector<double>(12, 1)), floats({1, 2}, {0, 0})};

  Adding() {
    map.name = "adding";
    const Value x = body.add_parameter({ScalarType::f32, {1, 2}}, "x");
    const Value sum = body.add_parameter({ScalarType::f32, {1, 2}}, "sum");
    body.add_result(body.add("Add", {sum, x}));
    map.inputs = {{.input = 0, .parameter = 0, .axis = 0}, {.input = 1, .parameter = 1}};
    map.back_edges = {{.result = 0, .parameter = 1}};
    map.outputs = {{.output = 0, .result = 0, .axis = 0}};
  }
  std::vector<Tensor> run() const { return run_loop(map, body, inputs); }
};

/// A Loop that counts, to be spoilt. Inputs: trip count, condition, start.
struct Counting {
  PortMap map;
  Graph body;
  std::vector<Tensor> inputs = {integers({}, {3}), truth(true), floats({1}, {0})};

  Counting() {
    map.kind = PortMap::Kind::loop;
    map.name = "counting";
    const Value s = body.add_parameter({ScalarType::f32, {1}}, "s");
    body.add_result(body.add("Add", {s, body.add_constant(floats({}, {1}))}));
    map.condition = body.add_result(body.add_constant(truth(true)));
    map.inputs = {{.input = 2, .parameter = 0}};
    map.back_edges = {{.result = 0, .parameter = 0}};
    map.outputs = {{.output = 0, .result = 0}};
  }
  std::vector<Tensor> run() const { return run_loop(map, body, inputs); }
};

}  // namespace

TEST_CASE("refused: what the tests start from is not", "[recurrent]") {
  CHECK(doubles(Adding().run()[0])[11] == 6);
  CHECK(doubles(Counting().run()[0])[0] == 3);
}

TEST_CASE("refused: an input without an entry in the port map", "[recurrent]") {
  Adding adding;
  adding.inputs.push_back(floats({1}, {0}));
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "input 2", "port map"), adding.run());
}

TEST_CASE("refused: numbers of inputs, parameters, results and outputs that are not there",
          "[recurrent]") {
  Adding input;
  input.map.inputs[0].input = 7;
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "input 0 has no entry"), input.run());
  input.map.inputs.push_back({.input = 0, .parameter = 1});
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "input 7", "expected 0 to 1"), input.run());
  Adding parameter;
  parameter.map.inputs[0].parameter = 5;
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "port map input 0", "parameter 5"),
              parameter.run());
  Adding result;
  result.map.outputs[0].result = 3;
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "output 0", "result 3", "expected 0 to 0"),
              result.run());
  Adding output;
  output.map.outputs[0].output = 1;
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "port map output 0", "output 1"), output.run());
  Adding twice;
  twice.map.outputs.push_back(twice.map.outputs[0]);
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "port map outputs 0 and 1", "output 0"),
              twice.run());
  Adding from;
  from.map.back_edges[0].result = -1;
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "back edge 0", "result -1"), from.run());
  Adding to;
  to.map.back_edges[0].parameter = 2;
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "back edge 0", "parameter 2"), to.run());
}

TEST_CASE("refused: a parameter fed twice, or not at all", "[recurrent]") {
  Adding twice;
  twice.map.inputs.push_back({.input = 1, .parameter = 0});
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "parameter 0 'x'", "too"), twice.run());
  Adding edges;
  edges.map.back_edges.push_back({.result = 0, .parameter = 1});
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "back edges 0 and 1", "parameter 1"),
              edges.run());
  Adding unfed;
  unfed.map.inputs.pop_back();
  unfed.map.back_edges.clear();
  unfed.inputs.pop_back();
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "parameter 1 'sum'", "nothing feeds it"),
              unfed.run());
  Adding only_edge;
  only_edge.map.inputs.pop_back();
  only_edge.inputs.pop_back();
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "parameter 1", "first iteration"),
              only_edge.run());
}

TEST_CASE("refused: axes out of range", "[recurrent]") {
  Adding input;
  input.map.inputs[0].axis = 2;
  CHECK_ERROR(axis, ("Loop 'adding'", "iterator 0 (parameter 0 'x')", "axis 2 of rank 2"),
              input.run());
  Adding output;
  output.map.outputs[0].axis = -3;
  CHECK_ERROR(axis, ("Loop 'adding'", "output 0", "axis -3 of rank 2"), output.run());
  Counting scalar;
  scalar.inputs[2] = floats({}, {0});
  scalar.map.outputs[0].axis = 1;
  CHECK_ERROR(axis, ("Loop 'counting'", "output 0", "axis 0"), scalar.run());
}

TEST_CASE("refused: ranges", "[recurrent]") {
  const auto with = [](const PortRange& range) {
    Adding adding;
    adding.map.inputs[0].range = range;
    return adding.run();
  };
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "port map input 0", "stride = 0"),
              with({.stride = 0}));
  CHECK_ERROR(bounds, ("Loop 'adding'", "iterator 0", "start = 9", "6 elements"),
              with({.start = 9}));
  CHECK_ERROR(bounds, ("Loop 'adding'", "iterator 0", "end = -8"), with({.end = -8}));
  CHECK_ERROR(invalid_argument, ("Loop 'adding'", "start = 4", "behind end = 2"),
              with({.start = 4, .end = 2}));
  CHECK_ERROR(invalid_argument, ("Loop 'adding'", "part_size = 0"), with({.part_size = 0}));
  CHECK_ERROR(shape, ("Loop 'adding'", "iterator 0", "part_size = 4", "evenly"),
              with({.stride = 4, .part_size = 4}));
  Adding output;
  output.map.outputs[0].range.stride = 0;
  CHECK_ERROR(invalid_argument, ("loop 'adding'", "port map output 0", "stride = 0"), output.run());
}

TEST_CASE("refused: two different numbers of iterations", "[recurrent]") {
  Adding adding;
  const Value y = adding.body.add_parameter({ScalarType::f32, {1, 2}}, "y");
  adding.body.add_result(y);
  adding.map.inputs.push_back({.input = 2, .parameter = 2, .axis = 0});
  adding.map.outputs.push_back({.output = 1, .result = 1, .axis = 0});
  adding.inputs.push_back(floats({5, 2}, std::vector<double>(10, 1)));
  CHECK_ERROR(shape, ("Loop 'adding'", "parameter 0 'x'", "6 slices", "parameter 2 'y'", "5"),
              adding.run());
}

TEST_CASE("refused: a body that cannot take the shapes", "[recurrent]") {
  Adding adding;
  adding.inputs[1] = floats({1, 3}, {0, 0, 0});
  CHECK_ERROR(shape, ("Loop 'adding'", "Add"), adding.run());
}

TEST_CASE("refused: values that do not join", "[recurrent]") {
  // The state grows along axis 0, and is joined along axis 1.
  Counting counting;
  Graph body;
  const Value s = body.add_parameter({ScalarType::f32, {PartialShape::unknown, 1}}, "s");
  body.add_result(
      body.add("Concat", {s, body.add_constant(floats({1, 1}, {1}))}, {{"axis", std::int64_t{0}}}));
  body.add_result(body.add_constant(truth(true)));
  counting.inputs[2] = floats({1, 1}, {0});
  counting.map.outputs[0].axis = 1;
  CHECK_ERROR(shape, ("Loop 'counting'", "output 0", "trip 1", "axis 1 only"),
              run_loop(counting.map, body, counting.inputs));
}

TEST_CASE("refused: trip counts", "[recurrent]") {
  const auto with = [](const Tensor& count) {
    Counting counting;
    counting.inputs[0] = count;
    return counting.run();
  };
  CHECK_ERROR(rank, ("Loop 'counting'", "count", "rank 0 or 1", "[1, 1]"),
              with(integers({1, 1}, {3})));
  CHECK_ERROR(shape, ("Loop 'counting'", "count", "one element", "[2]"),
              with(integers({2}, {3, 3})));
  CHECK_ERROR(dtype, ("Loop 'counting'", "count", "i32 or i64", "u8"),
              with(tensor_of(ScalarType::u8, {}, {3})));
  CHECK(doubles(with(tensor_of(ScalarType::i32, {1}, {4}))[0])[0] == 4);
}

TEST_CASE("refused: conditions", "[recurrent]") {
  Counting first;
  first.inputs[1] = integers({}, {1});
  CHECK_ERROR(dtype, ("Loop 'counting'", "first condition", "bool", "i64"), first.run());
  first.inputs[1] = tensor_of(ScalarType::boolean, {1, 1}, {1});
  CHECK_ERROR(rank, ("Loop 'counting'", "first condition", "rank 0 or 1"), first.run());
  first.inputs[1] = tensor_of(ScalarType::boolean, {3}, {1, 1, 1});
  CHECK_ERROR(shape, ("Loop 'counting'", "first condition", "one element"), first.run());
  Counting next;
  next.map.condition = 0;
  CHECK_ERROR(dtype, ("Loop 'counting'", "condition of the body", "bool", "f32"), next.run());
  Counting rank;
  rank.map.condition =
      rank.body.add_result(rank.body.add_constant(tensor_of(ScalarType::boolean, {1, 1}, {1})));
  CHECK_ERROR(rank, ("Loop 'counting'", "condition of the body", "rank 0 or 1"), rank.run());
  Counting none;
  none.map.condition.reset();
  CHECK_ERROR(invalid_argument, ("loop 'counting'", "execution_condition"), none.run());
  Counting inputs;
  inputs.inputs.resize(1);
  inputs.map.inputs.clear();
  CHECK_ERROR(invalid_argument, ("loop 'counting'", "1 inputs", "trip count"), inputs.run());
}

TEST_CASE("refused: the current iteration", "[recurrent]") {
  const auto with = [](const ValueType& type) {
    Counting counting;
    counting.map.current_iteration = 1;
    const Value i = counting.body.add_parameter(type, "i");
    const int result = counting.body.add_result(i);
    counting.map.outputs.push_back({.output = 1, .result = result});
    return counting.run();
  };
  CHECK_ERROR(dtype, ("Loop 'counting'", "'i'", "i32 or i64", "f32"), with({ScalarType::f32, {}}));
  CHECK_ERROR(rank, ("Loop 'counting'", "'i'", "rank 0 or 1"), with({ScalarType::i64, {1, 1}}));
  CHECK_ERROR(shape, ("Loop 'counting'", "'i'", "one element"), with({ScalarType::i64, {2}}));
  CHECK(difference(with({ScalarType::i32, PartialShape::unranked()})[1],
                   tensor_of(ScalarType::i32, {1}, {2})) == "");
}

TEST_CASE("refused: a state of another type", "[recurrent]") {
  Counting counting;
  counting.body.add_result(
      counting.body.add("Convert", {{0, 0}}, {{"destination_type", std::string("f64")}}));
  counting.map.back_edges[0].result = 2;
  CHECK_ERROR(dtype, ("Loop 'counting'", "state 0 (parameter 0 's')", "f32", "f64"),
              counting.run());
}

TEST_CASE("refused: specs that nothing limits, or that fit nothing", "[recurrent]") {
  LoopSpec spec;
  spec.name = "spec";
  Graph body;
  const Value s = body.add_parameter({ScalarType::f32, {1}}, "s");
  body.add_result(s);
  spec.states = {{.input = 0, .parameter = 0, .result = 0}};
  const std::vector<Tensor> inputs = {floats({1}, {0})};
  CHECK_ERROR(invalid_argument, ("loop 'spec'", "nothing limits"), run_loop(spec, body, inputs));
  spec.most_trips = 1;
  CHECK_ERROR(invalid_argument, ("loop 'spec'", "no outputs"), run_loop(spec, body, inputs));
  spec.outputs = {{.kind = Kind::last_state, .state = 1}};
  CHECK_ERROR(invalid_argument, ("loop 'spec'", "output 0", "state 1"),
              run_loop(spec, body, inputs));
  spec.outputs = {{.kind = Kind::condition}};
  CHECK_ERROR(invalid_argument, ("loop 'spec'", "output 0", "no condition"),
              run_loop(spec, body, inputs));
  spec.outputs = {{.kind = Kind::join, .result = 0, .length = 0}};
  CHECK_ERROR(invalid_argument, ("loop 'spec'", "output 0", "length"),
              run_loop(spec, body, inputs));
  spec.outputs = {{.kind = Kind::stack, .result = 0, .length = 0}};
  CHECK_ERROR(dtype, ("Loop 'spec'", "output 0: length", "i32 or i64"),
              run_loop(spec, body, inputs));
  spec.outputs = {{.kind = Kind::last_state, .state = 0}};
  spec.iterators = {{.input = 0, .parameter = 0, .from_count = true}};
  spec.most_trips.reset();
  spec.next_condition = 0;
  CHECK_ERROR(invalid_argument, ("loop 'spec'", "iterator 0", "count"),
              run_loop(spec, body, inputs));
  spec.most_trips = 2;
  spec.iterators.clear();
  spec.states = {{.parameter = 0, .result = 0, .sliced = LoopIterator{.from_count = true}}};
  CHECK_ERROR(invalid_argument, ("loop 'spec'", "state 0", "range"), run_loop(spec, body, inputs));
  weft::graph::Node bare;
  bare.op = "Loop";
  Graph graph;
  graph.add_result({graph.add_node(bare), 0});
  CHECK_ERROR(invalid_argument, ("Loop", "loop_node"),
              Executable(graph, {.operators = &weft::recurrent::operators()}));
}

TEST_CASE("refused: bodies deeper inside each other than 64", "[recurrent]") {
  auto body = std::make_shared<Graph>("innermost");
  body->add_result(body->add_parameter({ScalarType::f32, {1}}));
  int depth = 0;
  const auto wrap = [&] {
    LoopSpec spec;
    spec.name = "level " + std::to_string(depth);
    spec.most_trips = 1;
    spec.states = {{.input = 0, .parameter = 0, .result = 0}};
    spec.outputs = {{.kind = Kind::last_state, .state = 0}};
    auto outer = std::make_shared<Graph>("level");
    const Value x = outer->add_parameter({ScalarType::f32, {1}});
    const int node = outer->add_node(weft::recurrent::loop_node(spec, body, {x}));
    outer->add_result({node, 0});
    body = outer;
    ++depth;
  };
  CHECK_ERROR(limit, ("too deep"), [&] {
    for (int i = 0; i < 100; ++i)
      wrap();
  }());
  CHECK(depth == 64);
}

TEST_CASE("refused: choices", "[recurrent]") {
  using weft::recurrent::Branch;
  auto one = std::make_shared<Graph>();
  one->add_result(one->add_parameter({ScalarType::f32, {1}}));
  auto other = std::make_shared<Graph>();
  other->add_result(other->add_constant(integers({1}, {1})));
  Graph graph;
  const Value condition = graph.add_parameter({ScalarType::boolean, {}}),
              x = graph.add_parameter({ScalarType::f32, {1}});
  const auto compile = [&](const Branch& a, const Branch& b, const std::vector<Value>& inputs) {
    Graph made = graph;
    made.add_result(weft::recurrent::add_if(made, "choice", a, b, inputs)[0]);
    return Executable(made, {.operators = &weft::recurrent::operators()});
  };
  const Branch good{one, {1}, {0}};
  CHECK_ERROR(invalid_argument, ("If 'choice'", "condition"), compile(good, good, {}));
  CHECK_ERROR(invalid_argument, ("If 'choice'", "then", "feeds 0 parameters"),
              compile({one, {}, {0}}, good, {condition, x}));
  CHECK_ERROR(invalid_argument, ("If 'choice'", "else", "input 2 of 2"),
              compile(good, {one, {2}, {0}}, {condition, x}));
  CHECK_ERROR(invalid_argument, ("If 'choice'", "else", "result 1 of 1"),
              compile(good, {one, {1}, {1}}, {condition, x}));
  CHECK_ERROR(invalid_argument, ("If 'choice'", "as many"),
              compile(good, {one, {1}, {0, 0}}, {condition, x}));
  CHECK_ERROR(dtype, ("choice", "f32", "i64"), compile(good, {other, {}, {0}}, {condition, x}));
  CHECK_ERROR(dtype, ("choice", "condition", "bool"), compile(good, good, {x, x}));
}
