// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sequences for tests: their inputs, how they are run, and what they give, one unit at a time.
#pragma once

#include <weft/graph/executable.hpp>
#include <weft/recurrent/sequence.hpp>

#include "recurrent/loops.hpp"
#include "support/naive_cells.hpp"
#include "support/seed.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace test {

using weft::graph::Attributes;
using weft::graph::Frame;
using weft::graph::Node;

/// LSTMSequence: X H C lengths W R B P; GRUSequence and RNNSequence: X H lengths W R B.
struct Sequence {
  std::string op;
  Attributes attributes;
  std::vector<Tensor> inputs;  ///< undefined where left out

  bool is_lstm() const { return op == "LSTMSequence"; }
  std::size_t lengths() const { return is_lstm() ? 3 : 2; }
  int noutputs() const { return is_lstm() ? 3 : 2; }
};

/// Which inputs of a sequence are constants of the graph.
struct Constants {
  bool weights = true;
  bool lengths = false;
};

/// The sequence alone in a graph: inputs that are no constants are parameters, with unknown extents
/// if it is `open`.
struct SequenceProgram {
  Graph graph;
  Sequence sequence;
  std::vector<TensorView> given;

  SequenceProgram(Sequence of, const Constants& constants, bool open = false)
      : sequence(std::move(of)) {
    Node node;
    node.op = sequence.op;
    node.name = "seq";
    node.attributes = sequence.attributes;
    node.noutputs = sequence.noutputs();
    for (std::size_t i = 0; i < sequence.inputs.size(); ++i) {
      const Tensor& input = sequence.inputs[i];
      if (!input.defined()) {
        node.inputs.emplace_back();
        continue;
      }
      const std::size_t lengths = sequence.lengths();
      if (i == lengths ? constants.lengths : i > lengths && constants.weights) {
        node.inputs.push_back(graph.add_constant(input));
        continue;
      }
      PartialShape shape = input.shape();
      if (open && i <= lengths) shape = PartialShape::of_rank(input.rank());
      node.inputs.push_back(graph.add_parameter({input.dtype(), shape}));
      given.emplace_back(input);
    }
    const int count = node.noutputs;
    const int index = graph.add_node(weft::recurrent::sequence_node(std::move(node)));
    for (int i = 0; i < count; ++i)
      graph.add_result({index, i});
  }
  Executable compile() const {
    return Executable(graph, {.operators = &weft::recurrent::operators()});
  }
  std::vector<Tensor> run() const { return compile().run(given); }
};

inline std::vector<Tensor> run_sequence(const Sequence& sequence, const Constants& constants = {}) {
  return SequenceProgram(sequence, constants).run();
}

/// A sequence with its numbers once more in double precision.
struct KnownSequence {
  Sequence sequence;
  ScalarType type;
  std::string direction;
  std::int64_t batch, steps;
  std::vector<std::int64_t> lengths;
  /// Of one row, and one step; the inputs are put in for each.
  NaiveCell cell;
  std::vector<std::vector<double>> values;  ///< by input of the sequence

  std::int64_t directions() const { return direction == "bidirectional" ? 2 : 1; }

  /// Y, H and C as the library promises them, states being rounded after each step.
  std::vector<std::vector<double>> expected() const {
    const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    const std::size_t nstates = sequence.is_lstm() ? 2 : 1;
    std::vector<std::vector<double>> out(1 + nstates);
    out[0].resize(size(batch * directions() * steps * cell.h));
    for (std::size_t s = 0; s < nstates; ++s)
      out[1 + s].resize(size(batch * directions() * cell.h));
    for (std::int64_t d = 0; d < directions(); ++d) {
      NaiveCell now = with_weights(d);
      for (std::int64_t row = 0; row < batch; ++row) {
        const std::int64_t at = row * directions() + d;
        for (std::size_t s = 0; s < nstates; ++s)
          now.in[1 + s] = part(values[1 + s], at, cell.h);
        const std::int64_t length = lengths[size(row)];
        for (std::int64_t i = 0; i < length; ++i) {
          const bool backwards = direction == "reverse" || d == 1;
          const std::int64_t step = backwards ? length - 1 - i : i;
          now.in[0] = part(values[0], row * steps + step, cell.i);
          const std::vector<std::vector<double>> next = now.step();
          for (std::size_t s = 0; s < nstates; ++s) {
            now.in[1 + s] = next[s];
            for (double& value : now.in[1 + s])
              value = rounded_to(type, value);
          }
          std::ranges::copy(now.in[1], out[0].begin() + (at * steps + step) * cell.h);
        }
        for (std::size_t s = 0; s < nstates; ++s)
          std::ranges::copy(now.in[1 + s], out[1 + s].begin() + at * cell.h);
      }
    }
    return out;
  }

 private:
  static std::vector<double> part(const std::vector<double>& of, std::int64_t number,
                                  std::int64_t count) {
    if (of.empty()) return {};
    return {of.begin() + number * count, of.begin() + (number + 1) * count};
  }
  NaiveCell with_weights(std::int64_t d) const {
    NaiveCell now = cell;
    now.in.assign(sequence.is_lstm() ? 7 : 5, {});
    const std::size_t first = sequence.lengths() + 1;  // W, and W of the cell after its states
    for (std::size_t i = first; i < values.size(); ++i) {
      const auto count = static_cast<std::int64_t>(values[i].size()) / directions();
      now.in[i - first + sequence.lengths()] = part(values[i], d, count);
    }
    return now;
  }
};

/// What a random sequence may be.
struct SequenceChoice {
  bool ragged = true;
  bool wide_types = false;  ///< f32 and f64 only
};

class SequenceMaker {
 public:
  SequenceMaker(Random& random, const SequenceChoice& choice) : random_(random), choice_(choice) {}

  KnownSequence make() {
    static const std::vector<std::string> ops{"LSTM", "GRU", "RNN"};
    static const std::vector<std::string> directions{"forward", "reverse", "bidirectional"};
    const std::string op = random_.pick(ops);
    KnownSequence made{};
    made.sequence.op = op + "Sequence";
    made.type = pick_type();
    made.direction = random_.pick(directions);
    made.batch = random_.integer(1, 4);
    made.steps = random_.integer(1, 9);
    made.cell.kind = op == "LSTM"  ? NaiveCellKind::lstm
                     : op == "GRU" ? NaiveCellKind::gru
                                   : NaiveCellKind::rnn;
    made.cell.n = 1;
    made.cell.i = random_.integer(1, 6);
    made.cell.h = random_.chance(20) ? random_.integer(14, 20) : random_.integer(1, 6);
    set_attributes(made);
    add_inputs(made);
    return made;
  }

 private:
  ScalarType pick_type() {
    if (choice_.wide_types || random_.chance(60))
      return random_.chance(30) ? ScalarType::f64 : ScalarType::f32;
    return random_.chance(50) ? ScalarType::f16 : ScalarType::bf16;
  }
  void set_attributes(KnownSequence& made) {
    Attributes& attributes = made.sequence.attributes;
    NaiveCell& cell = made.cell;
    attributes.set("hidden_size", cell.h);
    if (made.direction != "forward" || random_.chance(50))
      attributes.set("direction", made.direction);
    cell.activations = {"tanh"};
    if (cell.kind == NaiveCellKind::gru) cell.activations = {"sigmoid", "tanh"};
    if (cell.kind == NaiveCellKind::lstm) cell.activations = {"sigmoid", "tanh", "tanh"};
    if (random_.chance(40)) {
      static const std::vector<std::string> names{"sigmoid", "tanh", "relu", "hardsigmoid"};
      for (std::string& name : cell.activations)
        name = random_.pick(names);
      attributes.set("activations", cell.activations);
      attributes.set("activations_alpha", std::vector<double>(cell.activations.size(), 0.3));
      attributes.set("activations_beta", std::vector<double>(cell.activations.size(), 0.4));
    }
    if (random_.chance(40)) {
      cell.clip = 0.6;
      attributes.set("clip", cell.clip);
    }
    cell.linear_before_reset = cell.kind == NaiveCellKind::gru && random_.chance(50);
    if (cell.linear_before_reset) attributes.set("linear_before_reset", true);
    cell.input_forget = cell.kind == NaiveCellKind::lstm && random_.chance(10);
    if (cell.input_forget) attributes.set("input_forget", true);
    if (cell.kind != NaiveCellKind::lstm || random_.chance(70)) return;
    static const std::vector<std::string> formats{"icof", "ifco", "ifoc", "iofc"};
    cell.format = random_.pick(formats);
    attributes.set("weights_format", cell.format);
  }
  void add_inputs(KnownSequence& made) {
    const NaiveCell& cell = made.cell;
    const std::int64_t directions = made.directions(), h = cell.h;
    const std::int64_t gates = made.sequence.is_lstm()           ? 4
                               : cell.kind == NaiveCellKind::gru ? 3
                                                                 : 1;
    // Small enough that states of relu do not run away.
    const double most = 1.0 / static_cast<double>(std::max<std::int64_t>(h, 2));
    const auto add = [&](const Dims& shape, double bound) {
      auto [tensor, numbers] = small_numbers(random_, made.type, shape, bound);
      made.sequence.inputs.push_back(tensor);
      made.values.push_back(numbers);
    };
    add({made.batch, made.steps, cell.i}, 1);
    for (std::size_t s = 0; s < made.sequence.lengths() - 1; ++s)
      add({made.batch, directions, h}, 1);
    add_lengths(made);
    add({directions, gates * h, cell.i}, 0.5);
    add({directions, gates * h, h}, most);
    const bool has_bias = random_.chance(80);
    if (has_bias) add({directions, (cell.linear_before_reset ? 4 : gates) * h}, 0.5);
    if (!made.sequence.is_lstm() || random_.chance(70)) return;
    if (!has_bias) {
      made.sequence.inputs.emplace_back();
      made.values.emplace_back();
    }
    add({directions, 3 * h}, 0.5);
  }
  void add_lengths(KnownSequence& made) {
    std::vector<double> numbers;
    for (std::int64_t row = 0; row < made.batch; ++row) {
      const bool full = !choice_.ragged || random_.chance(30);
      made.lengths.push_back(full ? made.steps : random_.integer(0, made.steps));
      numbers.push_back(static_cast<double>(made.lengths.back()));
    }
    static const std::vector<ScalarType> types{ScalarType::i32, ScalarType::i64, ScalarType::u8};
    made.sequence.inputs.push_back(tensor_of(random_.pick(types), {made.batch}, numbers));
    made.values.emplace_back();
  }

  Random& random_;
  SequenceChoice choice_;
};

}  // namespace test
