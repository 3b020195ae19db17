// SPDX-License-Identifier: Apache-2.0
// What sequences refuse, naming node, input and axis, or attribute.
#include "recurrent/sequences.hpp"
#include "support/errors.hpp"

namespace {

using namespace test;

Tensor zeros(const Dims& shape, ScalarType type = ScalarType::f32) {
  return Tensor::zeros(shape, type);
}

/// Batch 3, 4 steps, 5 inputs, 2 units; two directions.
Sequence lstm() {
  return {"LSTMSequence",
          {{"hidden_size", std::int64_t{2}}, {"direction", std::string("bidirectional")}},
          {zeros({3, 4, 5}), zeros({3, 2, 2}), zeros({3, 2, 2}), integers({3}, {4, 4, 4}),
           zeros({2, 8, 5}), zeros({2, 8, 2}), zeros({2, 8})}};
}
/// The same with one direction.
Sequence gru() {
  return {"GRUSequence",
          {{"hidden_size", std::int64_t{2}}},
          {zeros({3, 4, 5}), zeros({3, 1, 2}), integers({3}, {4, 4, 4}), zeros({1, 6, 5}),
           zeros({1, 6, 2}), zeros({1, 6})}};
}

Sequence with(Sequence sequence, std::size_t input, const Tensor& tensor) {
  sequence.inputs.at(input) = tensor;
  return sequence;
}
Sequence with(Sequence sequence, const char* attribute, weft::graph::Attribute value) {
  sequence.attributes.set(attribute, std::move(value));
  return sequence;
}

std::vector<std::string> texts(std::initializer_list<const char*> list) {
  return {list.begin(), list.end()};
}

}  // namespace

TEST_CASE("sequences refuse attributes, naming them", "[recurrent]") {
  run_sequence(lstm());
  run_sequence(with(lstm(), "direction", std::string("BIDIRECTIONAL")));
  CHECK_ERROR(
      invalid_argument,
      ("LSTMSequence 'seq'", "direction", "forward, reverse or bidirectional", "'sideways'"),
      run_sequence(with(lstm(), "direction", std::string("sideways"))));
  CHECK_ERROR(invalid_argument, ("LSTMSequence 'seq'", "activations", "'swish'"),
              run_sequence(with(lstm(), "activations", texts({"swish", "tanh", "tanh"}))));
  CHECK_ERROR(invalid_argument, ("activations", "expected 3 names, got 6"),
              run_sequence(with(lstm(), "activations",
                                texts({"sigmoid", "tanh", "tanh", "sigmoid", "tanh", "tanh"}))));
  CHECK_ERROR(invalid_argument, ("GRUSequence 'seq'", "activations", "expected 2 names, got 3"),
              run_sequence(with(gru(), "activations", texts({"sigmoid", "tanh", "tanh"}))));
  CHECK_ERROR(invalid_argument, ("clip"), run_sequence(with(lstm(), "clip", -1.0)));
  CHECK_ERROR(invalid_argument, ("hidden_size", "at least 1, got 0"),
              run_sequence(with(lstm(), "hidden_size", std::int64_t{0})));
  CHECK_ERROR(shape, ("input 1 (initial_hidden_state)", "axis 2 (units)", "expected 7, got 2"),
              run_sequence(with(lstm(), "hidden_size", std::int64_t{7})));
  CHECK_ERROR(shape, ("axis 2 (units)", "expected 4611686018427387904, got 2"),
              run_sequence(with(lstm(), "hidden_size", std::int64_t{1} << 62)));
}

TEST_CASE("sequences refuse shapes, naming input and axis", "[recurrent]") {
  CHECK_ERROR(rank,
              ("LSTMSequence 'seq'", "input 0 (X)", "3 axes [batch, steps, inputs]", "[3, 5]"),
              run_sequence(with(lstm(), 0, zeros({3, 5}))));
  CHECK_ERROR(shape, ("input 1 (initial_hidden_state)", "axis 0 (batch)", "expected 3, got 2"),
              run_sequence(with(lstm(), 1, zeros({2, 2, 2}))));
  CHECK_ERROR(shape, ("input 1 (initial_hidden_state)", "axis 1 (directions)", "expected 2, got 1"),
              run_sequence(with(lstm(), 1, zeros({3, 1, 2}))));
  CHECK_ERROR(shape, ("input 2 (initial_cell_state)", "axis 2 (units)", "expected 2, got 3"),
              run_sequence(with(lstm(), 2, zeros({3, 2, 3}))));
  CHECK_ERROR(shape, ("input 3 (sequence_lengths)", "axis 0 (batch)", "expected 3, got 4"),
              run_sequence(with(lstm(), 3, integers({4}, {4, 4, 4, 4}))));
  CHECK_ERROR(rank, ("input 3 (sequence_lengths)", "1 axes [batch]"),
              run_sequence(with(lstm(), 3, integers({3, 1}, {4, 4, 4}))));
  CHECK_ERROR(shape, ("input 4 (W)", "axis 0 (directions)", "expected 2, got 1"),
              run_sequence(with(lstm(), 4, zeros({1, 8, 5}))));
  CHECK_ERROR(shape, ("input 4 (W)", "axis 1 (4 * units)", "expected 8, got 6"),
              run_sequence(with(lstm(), 4, zeros({2, 6, 5}))));
  CHECK_ERROR(shape, ("input 4 (W)", "axis 2 (inputs)", "expected 5, got 6"),
              run_sequence(with(lstm(), 4, zeros({2, 8, 6}))));
  CHECK_ERROR(shape, ("input 5 (R)", "axis 2 (units)", "expected 2, got 5"),
              run_sequence(with(lstm(), 5, zeros({2, 8, 5}))));
  CHECK_ERROR(rank, ("input 6 (B)", "2 axes [directions, 4 * units]"),
              run_sequence(with(lstm(), 6, zeros({8}))));
  CHECK_ERROR(shape,
              ("GRUSequence 'seq'", "input 5 (B)", "axis 1 (4 * units)", "expected 8, got 6"),
              run_sequence(with(gru(), "linear_before_reset", true)));
  CHECK_ERROR(shape, ("input 3 (W)", "axis 1 (3 * units)", "expected 6, got 8"),
              run_sequence(with(gru(), 3, zeros({1, 8, 5}))));
  Sequence peepholes = lstm();
  peepholes.inputs.push_back(zeros({2, 4}));
  CHECK_ERROR(shape, ("input 7 (P)", "axis 1 (3 * units)", "expected 6, got 4"),
              run_sequence(peepholes));
}

TEST_CASE("sequences refuse inputs and outputs that they do not have, and types", "[recurrent]") {
  Sequence few = gru();
  few.inputs.resize(4);
  CHECK_ERROR(invalid_argument, ("expected 5 to 6 inputs, got 4"), run_sequence(few));
  Sequence many = gru();
  many.inputs.resize(7, zeros({1, 6}));
  CHECK_ERROR(invalid_argument, ("expected 5 to 6 inputs, got 7"), run_sequence(many));
  CHECK_ERROR(invalid_argument, ("input 3 is missing"), run_sequence(with(gru(), 3, Tensor())));
  CHECK_ERROR(dtype, ("input 0 (X)", "floating", "i32"),
              run_sequence(with(gru(), 0, zeros({3, 4, 5}, ScalarType::i32))));
  CHECK_ERROR(dtype, ("input 4", "expected f32", "got f64"),
              run_sequence(with(gru(), 4, zeros({1, 6, 2}, ScalarType::f64))));
  CHECK_ERROR(dtype, ("input 2 (sequence_lengths)", "integers", "f32"),
              run_sequence(with(gru(), 2, zeros({3}))));
  Graph graph;
  Node node;
  node.op = "RNNSequence";
  node.name = "seq";
  node.noutputs = 3;
  for (const Tensor& input : {zeros({3, 4, 5}), zeros({3, 1, 2}), integers({3}, {4, 4, 4}),
                              zeros({1, 2, 5}), zeros({1, 2, 2}), zeros({1, 2})})
    node.inputs.push_back(graph.add_constant(input));
  graph.add_result({graph.add_node(node), 0});
  CHECK_ERROR(invalid_argument, ("RNNSequence 'seq'", "at most 2 outputs, got 3"),
              Executable(graph, {.operators = &weft::recurrent::operators()}));
  // As of the operation set that has them.
  graph.node(graph.results()[0].value.node).noutputs = 2;
  graph.node(graph.results()[0].value.node).opset = 3;
  CHECK_ERROR(invalid_argument, ("RNNSequence 'seq'", "opset3"),
              Executable(graph, {.operators = &weft::recurrent::operators()}));
}

TEST_CASE("sequences refuse lengths out of range, and run again after that", "[recurrent]") {
  for (const bool constant : {false, true}) {
    INFO("constant " << constant);
    const auto run = [&](std::initializer_list<double> lengths) {
      return run_sequence(with(lstm(), 3, integers({3}, lengths)), {.lengths = constant});
    };
    run({0, 4, 1});
    CHECK_ERROR(invalid_argument,
                ("LSTMSequence 'seq'", "input 3 (sequence_lengths)", "row 1",
                 "expected from 0 to 4, got 5"),
                run({4, 5, 4}));
    CHECK_ERROR(invalid_argument, ("input 3 (sequence_lengths)", "row 2", "got -1"),
                run({4, 4, -1}));
  }
  const SequenceProgram program(lstm(), {});
  Frame frame(program.compile());
  std::vector<TensorView> given = program.given;
  const Tensor lengths = integers({3}, {4, 2, 4});
  given[3] = lengths;
  frame.plan(given);
  frame.run();
  lengths.data_as<std::int64_t>()[0] = 9;
  CHECK_ERROR(invalid_argument, ("row 0", "expected from 0 to 4, got 9"), frame.run());
  lengths.data_as<std::int64_t>()[0] = 4;
  frame.run();
  CHECK(doubles(frame.result(0)) == std::vector<double>(3 * 2 * 4 * 2, 0));
}

TEST_CASE("sequences refuse a shorter sequence than constant lengths ask for", "[recurrent]") {
  const SequenceProgram program(lstm(), {.lengths = true}, true);
  Frame frame(program.compile());
  std::vector<TensorView> given = program.given;
  const Tensor longer = zeros({3, 6, 5});
  for (const std::int64_t steps : {4, 3, 5, 6, 2, 4}) {
    INFO(steps);
    given[0] = longer.slice(1, 0, steps);
    if (steps < 4) {
      CHECK_ERROR(invalid_argument, ("sequence_lengths", "row 0", "got 4"), frame.plan(given));
      continue;
    }
    frame.plan(given);
    frame.run();
    CHECK(frame.result(0).extent(2) == steps);
  }
}
