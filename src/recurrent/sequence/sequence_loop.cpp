// SPDX-License-Identifier: Apache-2.0
#include "recurrent/sequence/sequence_loop.hpp"

#include <weft/core/tensor.hpp>
#include <weft/recurrent/loop.hpp>

#include <utility>

namespace weft {
inline namespace v0 {
namespace recurrent {

using graph::CellKind;
using graph::PartialShape;
using graph::Value;

namespace {

/// Body and spec of the loop, whose inputs feed one parameter each, of the same number.
class LoopMaker {
 public:
  explicit LoopMaker(const SequenceLoop& sequence)
      : sequence_(sequence), is_lstm_(sequence.kind == CellKind::lstm), body_(sequence.name) {
    spec_.name = sequence.name;
  }

  std::vector<Value> add_to(graph::Graph& graph) {
    const Value x = slice_of(sequence_.x, sequence_.dtype, 1, "X");
    states_ = {state(sequence_.h, "H")};
    if (is_lstm_) states_.push_back(state(sequence_.c, "C"));
    const std::vector<Value> next = add_cell(x);
    if (sequence_.mask) {
      add_masked_results(next, slice_of(sequence_.mask, ScalarType::boolean, 0, "mask"));
    } else {
      for (const Value value : next)
        body_.add_result(value);
    }
    add_outputs();
    return add_loop(graph, std::move(spec_), body_, std::move(inputs_));
  }

 private:
  int last() const { return static_cast<int>(inputs_.size()) - 1; }
  Value parameter(Value outside, ScalarType dtype, const char* name) {
    inputs_.push_back(outside);
    return body_.add_parameter({dtype, PartialShape::unranked()}, name);
  }
  Value slice_of(Value outside, ScalarType dtype, std::int64_t axis, const char* name) {
    const Value slice = parameter(outside, dtype, name);
    LoopIterator iterator{.input = last(), .parameter = last(), .axis = axis};
    if (sequence_.backwards) iterator.range = {-1, 0, -1};
    spec_.iterators.push_back(iterator);
    return slice;
  }
  /// Result k of the body is the next value of state k.
  Value state(Value outside, const char* name) {
    const Value value = parameter(outside, sequence_.dtype, name);
    spec_.states.push_back({.input = last(),
                            .parameter = last(),
                            .result = static_cast<int>(spec_.states.size()),
                            .fixed_shape = true});
    return value;
  }
  /// The same in every step; none if it is left out.
  Value weights(Value outside, const char* name) {
    if (!outside) return {};
    const Value value = parameter(outside, sequence_.dtype, name);
    spec_.invariants.push_back({.input = last(), .parameter = last()});
    return value;
  }

  std::vector<Value> add_cell(Value x) {
    graph::Node cell;
    cell.op = is_lstm_ ? "LSTMCell" : sequence_.kind == CellKind::gru ? "GRUCell" : "RNNCell";
    cell.name = sequence_.name;
    cell.attributes = sequence_.attributes;
    cell.noutputs = static_cast<int>(states_.size());
    cell.inputs = {x};
    cell.inputs.insert(cell.inputs.end(), states_.begin(), states_.end());
    cell.inputs.push_back(weights(sequence_.w, "W"));
    cell.inputs.push_back(weights(sequence_.r, "R"));
    // Even if it is left out: an LSTMCell of five inputs could be one of the old form.
    cell.inputs.push_back(weights(sequence_.b, "B"));
    if (sequence_.p) cell.inputs.push_back(weights(sequence_.p, "P"));
    const int made = body_.add_node(std::move(cell));
    std::vector<Value> next;
    for (int i = 0; i < static_cast<int>(states_.size()); ++i)
      next.push_back({made, i});
    return next;
  }
  /// The next states, and then the output, of rows that may not have the step.
  void add_masked_results(const std::vector<Value>& next, Value mask) {
    for (std::size_t i = 0; i < next.size(); ++i)
      body_.add_result(body_.add("Select", {mask, next[i], states_[i]}));
    const Value zero = body_.add_constant(Tensor::zeros({}, sequence_.dtype));
    output_ = body_.add_result(body_.add("Select", {mask, next[0], zero}));
  }
  void add_outputs() {
    spec_.outputs = {{.kind = LoopOutputKind::stack,
                      .result = output_,
                      .axis = 1,
                      .backwards = sequence_.backwards}};
    for (int i = 0; i < static_cast<int>(states_.size()); ++i)
      spec_.outputs.push_back({.kind = LoopOutputKind::last_state, .state = i});
  }

  const SequenceLoop& sequence_;
  bool is_lstm_;
  LoopSpec spec_;
  graph::Graph body_;
  std::vector<Value> inputs_;
  std::vector<Value> states_;  // as the body sees them
  int output_ = 0;             // the result that is collected
};

}  // namespace

std::vector<Value> add_sequence_loop(graph::Graph& graph, const SequenceLoop& sequence) {
  return LoopMaker(sequence).add_to(graph);
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
