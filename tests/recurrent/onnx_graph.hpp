// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reads the graphs of ONNX's loop cases (tests/data/onnx-loops) into weft's graphs and loops: as
/// much of ONNX as these cases have. A sequence is three tensors: the elements of its tensors one
/// after the other, where each ends, and a row for each shape.
#pragma once

#include <weft/ops/copy.hpp>
#include <weft/recurrent/choice.hpp>

#include "recurrent/loops.hpp"

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace test::onnx {

using weft::graph::Attributes;
using weft::graph::Node;

/// A tensor, or a sequence: then `value` has the elements.
struct Item {
  Value value = {};
  Value ends = {};    ///< i64 [count + 1], the first of them 0
  Value shapes = {};  ///< i64 [count, rank], -1 after the last axis
  bool is_sequence = false;
  std::int64_t rank = 1;  ///< columns of shapes

  std::vector<Value> values() const {
    return is_sequence ? std::vector<Value>{value, ends, shapes} : std::vector<Value>{value};
  }
};

inline ScalarType type_of_name(const std::string& name) {
  static const std::map<std::string, ScalarType> types = {{"float32", ScalarType::f32},
                                                          {"float64", ScalarType::f64},
                                                          {"int32", ScalarType::i32},
                                                          {"int64", ScalarType::i64},
                                                          {"bool", ScalarType::boolean}};
  return types.at(name);
}
inline ScalarType type_of_code(std::int64_t code) {
  static const std::map<std::int64_t, ScalarType> types = {{1, ScalarType::f32},
                                                           {6, ScalarType::i32},
                                                           {7, ScalarType::i64},
                                                           {9, ScalarType::boolean},
                                                           {11, ScalarType::f64}};
  return types.at(code);
}

/// A graph in the making; values of the graph around it come in by parameters, constants as they
/// are.
class Scope {
 public:
  /// `as_sequences`: RNN, GRU and LSTM become RNNSequence, ..., else loops with a cell in their
  /// body.
  Scope(Scope* outer, std::map<std::string, Tensor> known, bool as_sequences = false)
      : outer_(outer), known_(std::move(known)), as_sequences_(as_sequences) {}

  Graph graph{"onnx"};
  std::map<std::string, Item> items;
  std::vector<std::pair<Value, int>> imports;  ///< value of the graph around, parameter

  Item find(const std::string& name) {
    const auto found = items.find(name);
    if (found != items.end()) return found->second;
    if (outer_ == nullptr) throw std::out_of_range("no value " + name);
    Item item = outer_->find(name);
    item.value = import(item.value);
    if (item.is_sequence) {
      item.ends = import(item.ends);
      item.shapes = import(item.shapes);
    }
    return items[name] = item;
  }
  Value value(const std::string& name) { return find(name).value; }
  Value parameter() { return graph.add_parameter({ScalarType::f32, PartialShape::unranked()}); }
  int last_parameter() const { return static_cast<int>(graph.parameters().size()) - 1; }
  Value numbers(const std::vector<std::int64_t>& list) {
    Tensor tensor = Tensor::empty({static_cast<std::int64_t>(list.size())}, ScalarType::i64);
    std::copy(list.begin(), list.end(), tensor.data_as<std::int64_t>());
    return graph.add_constant(tensor);
  }

  void read(const Json& json) {
    for (const Json& node : json["nodes"])
      read_node(node);
  }

 private:
  Value import(Value outer) {
    const Node& node = outer_->graph.node(outer.node);
    if (node.kind == weft::graph::NodeKind::constant) return graph.add_constant(node.constant);
    const Value made = parameter();
    imports.emplace_back(outer, last_parameter());
    return made;
  }

  void read_node(const Json& node) {
    const std::string& op = node["op"].string;
    const std::vector<std::string> in = node["inputs"].strings(), out = node["outputs"].strings();
    if (op == "Loop") return read_loop(node, in, out);
    if (op == "Scan") return read_scan(node, in, out);
    if (op == "If") return read_if(node, in, out);
    if (op == "RNN" || op == "GRU" || op == "LSTM") {
      return as_sequences_ ? read_as_sequence(op, node, in, out)
                           : read_sequence_cell(op, node, in, out);
    }
    items[out[0]] = read_simple(op, node["attrs"], in);
  }

  Item read_simple(const std::string& op, const Json& attrs, const std::vector<std::string>& in) {
    static const std::map<std::string, std::string> same = {
        {"Add", "Add"},   {"Sub", "Subtract"},   {"Div", "Divide"},   {"Ceil", "Ceiling"},
        {"Relu", "Relu"}, {"Not", "LogicalNot"}, {"Shape", "ShapeOf"}};
    if (const auto found = same.find(op); found != same.end()) {
      std::vector<Value> inputs;
      for (const std::string& name : in)
        inputs.push_back(value(name));
      return {.value = graph.add(found->second, inputs)};
    }
    if (op == "Identity" || op == "OptionalGetElement") return find(in[0]);
    if (op == "OptionalHasElement") return {.value = graph.add_constant(truth(true))};
    if (op == "Cast") {
      return {.value = graph.add(
                  "Convert", {value(in[0])},
                  {{"destination_type", std::string(name(type_of_code(attrs["to"].integer)))}})};
    }
    if (op == "Constant") {
      const Json& tensor = attrs["value"]["tensor"];
      return {.value = graph.add_constant(tensor_of(type_of_name(tensor["dtype"].string),
                                                    tensor["shape"].integers(),
                                                    tensor["data"].numbers()))};
    }
    if (op == "Unsqueeze") {  // axes: an attribute up to version 11
      const Value axes = in.size() == 1 ? numbers(attrs["axes"].integers())
                                        : reshape(graph, value(in.at(1)), {-1});
      return {.value = graph.add("Unsqueeze", {value(in[0]), axes})};
    }
    if (op == "Slice") return {.value = slice(value(in[0]), value(in[1]), value(in[2]))};
    if (op == "SequenceEmpty") return empty(type_of_code(attrs["dtype"].integer));
    if (op == "SequenceConstruct") return insert(empty(ScalarType::f32), value(in[0]));
    if (op == "SequenceInsert") return insert(find(in[0]), value(in[1]));
    if (op == "SequenceAt") return {.value = at(find(in[0]), value(in[1]))};
    if (op == "SequenceLength") {
      const Value count =
          graph.add("Subtract", {graph.add("ShapeOf", {find(in[0]).ends}), numbers({1})});
      return {.value = reshape(graph, count, {})};
    }
    throw std::out_of_range("operator " + op);
  }

  // ---- Sequences --------------------------------------------------------------------------------

  Value slice(Value data, Value start, Value stop) {
    return graph.add("Slice", {data, start, stop, numbers({1}), numbers({0})});
  }
  Value join(Value a, Value b) { return graph.add("Concat", {a, b}, {{"axis", std::int64_t{0}}}); }
  Item empty(ScalarType type) {
    return {.value = graph.add_constant(Tensor::empty({0}, type)),
            .ends = numbers({0}),
            .shapes = graph.add_constant(Tensor::empty({0, 1}, ScalarType::i64)),
            .is_sequence = true};
  }
  Item insert(Item to, Value tensor) {
    const Value flat = reshape(graph, tensor, {-1});
    const Value last = slice(to.ends, numbers({-1}), numbers({std::int64_t{1} << 40}));
    const std::vector<std::int64_t> none(static_cast<std::size_t>(to.rank), -1);
    const Value row = slice(join(graph.add("ShapeOf", {tensor}), numbers(none)), numbers({0}),
                            numbers({to.rank}));
    to.ends = join(to.ends, graph.add("Add", {last, graph.add("ShapeOf", {flat})}));
    to.shapes = join(to.shapes, reshape(graph, row, {1, to.rank}));
    to.value = join(to.value, flat);
    return to;
  }
  /// Of sequences whose tensors all have `rank` axes.
  Value at(const Item& from, Value index) {
    const Value i = reshape(graph, index, {1});
    const Value zero = graph.add_constant(integers({}, {0}));
    const auto pick = [&](Value list, Value which) {
      return graph.add("Gather", {list, which, zero});
    };
    const Value flat =
        slice(from.value, pick(from.ends, i), pick(from.ends, graph.add("Add", {i, numbers({1})})));
    return graph.add("Reshape", {flat, reshape(graph, pick(from.shapes, i), {from.rank})});
  }

  // ---- Control flow -----------------------------------------------------------------------------

  /// Adds the body's imports as invariants and the loop itself; gives its outputs.
  std::vector<Value> finish(LoopSpec& spec, Scope& body, std::vector<Value>& inputs) {
    for (const auto& [outer, parameter] : body.imports) {
      spec.invariants.push_back({.input = static_cast<int>(inputs.size()), .parameter = parameter});
      inputs.push_back(outer);
    }
    return weft::recurrent::add_loop(graph, spec, body.graph, inputs);
  }
  static Item next_of(const std::vector<Value>& values, std::size_t& at, const Item& like) {
    Item item = like;
    item.value = values[at++];
    if (item.is_sequence) {
      item.ends = values[at++];
      item.shapes = values[at++];
    }
    return item;
  }
  /// A state of the loop: one, or three of a sequence.
  void add_state(LoopSpec& spec, Scope& body, std::vector<Value>& inputs, const std::string& inside,
                 const Item& first) {
    Item item = first;
    std::vector<Value> parameters;
    for (const Value value : first.values()) {
      parameters.push_back(body.parameter());
      spec.states.push_back(
          {.input = static_cast<int>(inputs.size()), .parameter = body.last_parameter()});
      inputs.push_back(value);
    }
    std::size_t at = 0;
    body.items[inside] = next_of(parameters, at, item);
  }

  void read_loop(const Json& node, const std::vector<std::string>& in,
                 const std::vector<std::string>& out) {
    const Json& json = node["attrs"]["body"]["graph"];
    LoopSpec spec;
    spec.name = "Loop";
    spec.negative_count_is_endless = false;
    std::vector<Value> inputs;
    Scope body(this, {});
    if (!in[0].empty()) {
      spec.count = static_cast<int>(inputs.size());
      inputs.push_back(value(in[0]));
    }
    const auto name_of = [&](const char* list, std::size_t i) {
      return json[list].at(i)["name"].string;
    };
    spec.indexes = {0};
    body.items[name_of("inputs", 0)] = {.value = body.graph.add_parameter({ScalarType::i64, {}})};
    const bool tested = !in[1].empty();
    if (tested) {
      spec.first_condition = static_cast<int>(inputs.size());
      add_state(spec, body, inputs, name_of("inputs", 1), find(in[1]));
    } else {
      body.items[name_of("inputs", 1)] = {.value = body.graph.add_constant(truth(true))};
    }
    std::vector<Item> firsts;
    for (std::size_t i = 2; i < in.size(); ++i) {
      firsts.push_back(find(in[i]));
      add_state(spec, body, inputs, name_of("inputs", i), firsts.back());
    }
    body.read(json);
    // States step in the order of the body's outputs.
    std::size_t state = 0;
    const auto step = [&](const Item& item) {
      for (const Value value : item.values())
        spec.states[state++].result = body.graph.add_result(value);
    };
    if (tested) {
      step(body.find(name_of("outputs", 0)));
      spec.next_condition = 0;
    }
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      for (std::size_t k = 0; k < firsts[i].values().size(); ++k)
        spec.outputs.push_back(
            {.kind = LoopOutputKind::last_state, .state = static_cast<int>(state + k)});
      step(body.find(name_of("outputs", 1 + i)));
    }
    for (std::size_t i = 1 + firsts.size(); i < json["outputs"].size(); ++i)
      spec.outputs.push_back({.kind = LoopOutputKind::stack,
                              .result = body.graph.add_result(body.value(name_of("outputs", i)))});
    const std::vector<Value> values = finish(spec, body, inputs);
    std::size_t at = 0;
    for (std::size_t o = 0; o < out.size(); ++o)
      items[out[o]] = next_of(values, at, o < firsts.size() ? firsts[o] : Item());
  }

  void read_scan(const Json& node, const std::vector<std::string>& in,
                 const std::vector<std::string>& out) {
    const Json& attrs = node["attrs"];
    const Json& json = attrs["body"]["graph"];
    const auto nscanned = static_cast<std::size_t>(attrs["num_scan_inputs"].integer);
    const bool in_batches =
        in.size() == json["inputs"].size() + 1;  // version 8: lengths come first
    std::vector<Value> arguments;
    for (std::size_t i = in_batches ? 1 : 0; i < in.size(); ++i)
      arguments.push_back(value(in[i]));
    if (!in_batches) {
      const std::vector<Value> values = scan(json, arguments, nscanned);
      for (std::size_t o = 0; o < out.size(); ++o)
        items[out[o]] = {.value = values[o]};
      return;
    }
    Scope row(this, {});
    LoopSpec spec;
    spec.name = "batch";
    std::vector<Value> rows;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      rows.push_back(row.parameter());
      spec.iterators.push_back({.input = static_cast<int>(i), .parameter = row.last_parameter()});
    }
    for (const Value value : row.scan(json, rows, nscanned))
      spec.outputs.push_back(
          {.kind = LoopOutputKind::stack, .result = row.graph.add_result(value)});
    const std::vector<Value> values = finish(spec, row, arguments);
    for (std::size_t o = 0; o < out.size(); ++o)
      items[out[o]] = {.value = values[o]};
  }
  std::vector<Value> scan(const Json& json, std::vector<Value> inputs, std::size_t nscanned) {
    Scope body(this, {});
    LoopSpec spec;
    spec.name = "Scan";
    const std::size_t nstates = inputs.size() - nscanned;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      body.items[json["inputs"].at(i)["name"].string] = {.value = body.parameter()};
      if (i < nstates) {
        spec.states.push_back({.input = static_cast<int>(i),
                               .parameter = body.last_parameter(),
                               .result = static_cast<int>(i)});
        spec.outputs.push_back({.kind = LoopOutputKind::last_state, .state = static_cast<int>(i)});
      } else {
        spec.iterators.push_back(
            {.input = static_cast<int>(i), .parameter = body.last_parameter()});
      }
    }
    body.read(json);
    for (std::size_t o = 0; o < json["outputs"].size(); ++o) {
      const int result = body.graph.add_result(body.value(json["outputs"].at(o)["name"].string));
      if (o >= nstates) spec.outputs.push_back({.kind = LoopOutputKind::stack, .result = result});
    }
    return finish(spec, body, inputs);
  }

  void read_if(const Json& node, const std::vector<std::string>& in,
               const std::vector<std::string>& out) {
    std::vector<Value> inputs = {value(in[0])};
    std::vector<weft::recurrent::Branch> branches;
    std::vector<Item> results;
    for (const char* side : {"then_branch", "else_branch"}) {
      const Json& json = node["attrs"][side]["graph"];
      Scope body(this, {});
      body.read(json);
      results.clear();
      weft::recurrent::Branch branch;
      for (const Json& output : json["outputs"]) {
        results.push_back(body.find(output["name"].string));
        for (const Value value : results.back().values())
          branch.results.push_back(body.graph.add_result(value));
      }
      branch.inputs.resize(body.graph.parameters().size());
      for (const auto& [outer, parameter] : body.imports) {
        branch.inputs[static_cast<std::size_t>(parameter)] = static_cast<int>(inputs.size());
        inputs.push_back(outer);
      }
      branch.body = std::make_shared<const Graph>(std::move(body.graph));
      branches.push_back(std::move(branch));
    }
    const std::vector<Value> values =
        weft::recurrent::add_if(graph, "If", branches[0], branches[1], inputs);
    std::size_t at = 0;
    for (std::size_t o = 0; o < out.size(); ++o)
      items[out[o]] = next_of(values, at, results[o]);
  }

  // ---- RNN, GRU, LSTM ---------------------------------------------------------------------------

  const Tensor* known(const std::vector<std::string>& in, std::size_t i) const {
    return i < in.size() && !in[i].empty() ? &known_.at(in[i]) : nullptr;
  }
  /// Blocks of rows in another order, their first axis dropped.
  static Tensor blocks(const Tensor& weights, const std::vector<std::int64_t>& order) {
    const TensorView one = weights.select(0, 0);
    const std::int64_t rows = one.extent(0) / static_cast<std::int64_t>(order.size());
    Tensor out = Tensor::empty(one.shape(), one.dtype());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto to = static_cast<std::int64_t>(i) * rows;
      weft::copy_out(out.slice(0, to, to + rows),
                     one.slice(0, order[i] * rows, (order[i] + 1) * rows));
    }
    return out;
  }
  /// Gates: i o f c here, f i c o in LSTMCell; z r h in both. (Peepholes: i o f here, f i o there.)
  static std::vector<std::int64_t> order_of_gates(const std::string& op) {
    if (op == "LSTM") return {2, 0, 3, 1};
    if (op == "GRU") return {0, 1, 2};
    return {0};
  }
  /// The sum of both biases of each gate.
  Tensor bias_of(const std::vector<std::string>& in, const std::vector<std::int64_t>& order,
                 std::int64_t gates, ScalarType type) const {
    Tensor bias = Tensor::zeros({gates}, type);
    if (const Tensor* both = known(in, 3)) {
      const Tensor w = Tensor::copy_of(both->slice(1, 0, gates)),
                   r = Tensor::copy_of(both->slice(1, gates, 2 * gates));
      const Tensor a = blocks(w, order), b = blocks(r, order);
      for (std::int64_t i = 0; i < gates; ++i)
        bias.data_as<float>()[i] = a.at<float>({i}) + b.at<float>({i});
    }
    return bias;
  }

  void read_as_sequence(const std::string& op, const Json& node, const std::vector<std::string>& in,
                        const std::vector<std::string>& out) {
    const bool lstm = op == "LSTM";
    const std::vector<std::int64_t> order = order_of_gates(op);
    const Json& attrs = node["attrs"];
    const std::int64_t units = attrs["hidden_size"].integer,
                       gates = static_cast<std::int64_t>(order.size()) * units;
    const bool batch_first = attrs.has("layout") && attrs["layout"].integer == 1;
    const Tensor& x = known_.at(in[0]);
    const std::int64_t rows = x.extent(batch_first ? 0 : 1), steps = x.extent(batch_first ? 1 : 0);
    const auto transposed = [&](Value of, const std::vector<std::int64_t>& axes) {
      return graph.add("Transpose", {of, numbers(axes)});
    };
    const auto with_direction = [&](const Tensor& tensor, std::int64_t axis) {
      return graph.add_constant(Tensor::share(tensor.owner(), tensor.unsqueeze(axis)));
    };
    Node made;
    made.op = op + "Sequence";
    made.noutputs = lstm ? 3 : 2;
    made.attributes.set("hidden_size", units);
    made.inputs = {batch_first ? value(in[0]) : transposed(value(in[0]), {1, 0, 2})};
    for (std::size_t s = 0; s < (lstm ? 2U : 1U); ++s) {
      Tensor state = Tensor::zeros({rows, units}, x.dtype());
      if (const Tensor* first = known(in, 5 + s))
        state = Tensor::copy_of(first->select(batch_first ? 1 : 0, 0));
      made.inputs.push_back(with_direction(state, 1));
    }
    const std::vector<double> all(static_cast<std::size_t>(rows), static_cast<double>(steps));
    made.inputs.push_back(known(in, 4) != nullptr ? value(in[4])
                                                  : graph.add_constant(integers({rows}, all)));
    made.inputs.push_back(with_direction(blocks(known_.at(in[1]), order), 0));
    made.inputs.push_back(with_direction(blocks(known_.at(in[2]), order), 0));
    made.inputs.push_back(with_direction(bias_of(in, order, gates, x.dtype()), 0));
    if (const Tensor* p = known(in, 7))
      made.inputs.push_back(with_direction(blocks(*p, {2, 0, 1}), 0));
    const int noutputs = made.noutputs, index = graph.add_node(made);
    for (int o = 0; o < noutputs; ++o) {
      const auto at = static_cast<std::size_t>(o);
      if (at >= out.size() || out[at].empty()) continue;
      const Value given{index, o};
      if (o == 0) {
        items[out[at]] = {.value = transposed(given, batch_first
                                                         ? std::vector<std::int64_t>{0, 2, 1, 3}
                                                         : std::vector<std::int64_t>{2, 1, 0, 3})};
      } else {
        items[out[at]] = {.value = batch_first ? given : transposed(given, {1, 0, 2})};
      }
    }
  }

  void read_sequence_cell(const std::string& op, const Json& node,
                          const std::vector<std::string>& in, const std::vector<std::string>& out) {
    const bool lstm = op == "LSTM";
    const std::vector<std::int64_t> order = order_of_gates(op);
    const std::int64_t units = node["attrs"]["hidden_size"].integer;
    const bool batch_first = node["attrs"].has("layout") && node["attrs"]["layout"].integer == 1;
    const Tensor& x = known_.at(in[0]);
    const std::int64_t time = batch_first ? 1 : 0;
    const std::int64_t rows = x.extent(1 - time),
                       gates = static_cast<std::int64_t>(order.size()) * units;
    Scope body(this, {});
    LoopSpec spec;
    spec.name = op;
    std::vector<Value> inputs = {value(in[0])};
    Node cell;
    cell.op = op + "Cell";
    cell.noutputs = lstm ? 2 : 1;
    cell.attributes.set("hidden_size", units);
    cell.inputs = {body.parameter()};
    spec.iterators = {{.input = 0, .parameter = 0, .axis = time}};
    for (std::size_t s = 0; s < (lstm ? 2U : 1U); ++s) {
      const Tensor* first = known(in, 5 + s);
      Tensor state = Tensor::zeros({rows, units}, x.dtype());
      if (first != nullptr) state = Tensor::copy_of(first->select(batch_first ? 1 : 0, 0));
      spec.states.push_back({.input = static_cast<int>(inputs.size()),
                             .parameter = static_cast<int>(s) + 1,
                             .result = static_cast<int>(s)});
      inputs.push_back(graph.add_constant(state));
      cell.inputs.push_back(body.parameter());
    }
    cell.inputs.push_back(body.graph.add_constant(blocks(known_.at(in[1]), order)));
    cell.inputs.push_back(body.graph.add_constant(blocks(known_.at(in[2]), order)));
    cell.inputs.push_back(body.graph.add_constant(bias_of(in, order, gates, x.dtype())));
    if (const Tensor* p = known(in, 7))
      cell.inputs.push_back(body.graph.add_constant(blocks(*p, {2, 0, 1})));
    if (known(in, 4) != nullptr) {
      spec.rows = weft::recurrent::LoopRows{.lengths = static_cast<int>(inputs.size()), .axis = 0};
      inputs.push_back(value(in[4]));
    }
    const int made = body.graph.add_node(cell);
    for (int s = 0; s < cell.noutputs; ++s) {
      body.graph.add_result({made, s});
      spec.outputs.push_back({.kind = LoopOutputKind::last_state, .state = s});
    }
    spec.outputs.push_back({.kind = LoopOutputKind::stack, .result = 0, .axis = time});
    const std::vector<Value> values = finish(spec, body, inputs);
    const auto set = [&](std::size_t o, Value value, const std::vector<std::int64_t>& shape) {
      if (o < out.size() && !out[o].empty())
        items[out[o]] = {.value = reshape(graph, value, shape)};
    };
    set(0, values.back(),
        batch_first ? std::vector<std::int64_t>{rows, -1, 1, units}
                    : std::vector<std::int64_t>{-1, 1, rows, units});
    const std::vector<std::int64_t> state_shape = batch_first
                                                      ? std::vector<std::int64_t>{rows, 1, units}
                                                      : std::vector<std::int64_t>{1, rows, units};
    set(1, values[0], state_shape);
    if (lstm) set(2, values[1], state_shape);
  }

  Scope* outer_;
  std::map<std::string, Tensor> known_;  // tensors that the case gives
  bool as_sequences_;
};

}  // namespace test::onnx
