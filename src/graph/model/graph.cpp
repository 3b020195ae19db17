// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/graph/graph.hpp>

#include "base/index.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <atomic>

namespace weft {
inline namespace v0 {
namespace graph {

NodeData::~NodeData() = default;

std::string describe(const Node& node) {
  std::string out = node.kind == NodeKind::parameter  ? "Parameter"
                    : node.kind == NodeKind::constant ? "Constant"
                                                      : node.op;
  if (!node.name.empty()) out += text(" '", node.name, '\'');
  std::string where;
  if (!node.layer_id.empty()) where = text("layer ", node.layer_id);
  if (node.opset != 0) where += text(where.empty() ? "" : ", ", "opset", node.opset);
  return where.empty() ? out : text(out, " (", where, ')');
}

namespace {

std::uint64_t next_number() noexcept {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

Graph::Graph(std::string name) : name_(std::move(name)), number_(next_number()) {}

Value Graph::add_parameter(ValueType type, std::string name) {
  Node node;
  node.kind = NodeKind::parameter;
  node.name = std::move(name);
  node.type = std::move(type);
  return {add_node(std::move(node)), 0, number_};
}

Value Graph::add_constant(Tensor value, std::string name) {
  Node node;
  node.kind = NodeKind::constant;
  node.name = std::move(name);
  node.constant = std::move(value);
  return {add_node(std::move(node)), 0, number_};
}

Value Graph::add(std::string op, std::vector<Value> inputs, Attributes attributes) {
  Node node;
  node.op = std::move(op);
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  return {add_node(std::move(node)), 0, number_};
}

const Node& Graph::node(int i) const { return nodes_[checked_index(i, nodes_.size(), "node")]; }
Node& Graph::node(int i) { return nodes_[checked_index(i, nodes_.size(), "node")]; }

int Graph::add_node(Node node) {
  const int index = static_cast<int>(nodes_.size());
  switch (node.kind) {
    case NodeKind::parameter: break;
    case NodeKind::constant:
      if (!node.constant.defined()) {
        fail(ErrorCode::undefined, text(describe(node), ": has no value"));
      }
      node.type = {node.constant.dtype(), node.constant.shape()};
      break;
    case NodeKind::operation:
      if (node.op.empty() || node.noutputs < 1) {
        fail(ErrorCode::invalid_argument,
             text(describe(node), ": an operation has a name and at least one output"));
      }
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        check_own(node.inputs[i], text(describe(node), ": input ", i));
      break;
  }
  const bool is_parameter = node.kind == NodeKind::parameter;
  nodes_.push_back(std::move(node));
  if (is_parameter) {
    try {
      parameters_.push_back(index);
    } catch (...) {
      nodes_.pop_back();
      throw;
    }
  }
  return index;
}

void Graph::check_own(Value value, const std::string& user) const {
  if (value.graph == 0 || value.graph == number_) return;
  fail(ErrorCode::invalid_argument,
       text(user, ": expected a value of this graph, got one of another"));
}

int Graph::add_result(Value value, std::string name, std::string layer_id) {
  check_own(value, text("Result '", name, '\''));
  results_.push_back({value, std::move(name), std::move(layer_id)});
  return static_cast<int>(results_.size()) - 1;
}

void Graph::add_sink(int node) {
  if (node < 0 || static_cast<std::size_t>(node) >= nodes_.size()) {
    fail(ErrorCode::invalid_argument, text("graph: no node ", node));
  }
  sinks_.push_back(node);
}

void Graph::set_input(int node, int input, Value value) {
  if (node < 0 || static_cast<std::size_t>(node) >= nodes_.size() || input < 0) {
    fail(ErrorCode::invalid_argument, text("graph: no input ", input, " of node ", node));
  }
  check_own(value, text(describe(nodes_[static_cast<std::size_t>(node)]), ": input ", input));
  auto& inputs = nodes_[static_cast<std::size_t>(node)].inputs;
  const auto at = static_cast<std::size_t>(input);
  if (at >= inputs.size()) inputs.resize(at + 1);
  inputs[at] = value;
}

int Graph::find_parameter(std::string_view name) const noexcept {
  const auto named = [&](int id) { return nodes_[static_cast<std::size_t>(id)].name == name; };
  const auto found = std::ranges::find_if(parameters_, named);
  return found == parameters_.end() ? -1 : static_cast<int>(found - parameters_.begin());
}

int Graph::find_result(std::string_view name) const noexcept {
  const auto found = std::ranges::find(results_, name, &Result::name);
  return found == results_.end() ? -1 : static_cast<int>(found - results_.begin());
}

std::vector<int> Graph::topological_order() const {
  const auto check_value = [&](Value value, const std::string& user) {
    if (value.node < 0 || static_cast<std::size_t>(value.node) >= nodes_.size() ||
        value.output < 0 || value.output >= node(value.node).noutputs) {
      fail(ErrorCode::invalid_argument, text(user, ": refers to output ", value.output, " of node ",
                                             value.node, ", which does not exist"));
    }
  };
  enum class Mark : std::uint8_t { fresh, open, done };
  std::vector<Mark> marks(nodes_.size(), Mark::fresh);
  std::vector<int> order;
  // A stack of our own: the depth of a graph that comes from a file is the file's.
  std::vector<std::pair<int, std::size_t>> path;
  std::vector<int> ends;
  for (const Result& result : results_) {
    check_value(result.value, text("Result '", result.name, '\''));
    ends.push_back(result.value.node);
  }
  ends.insert(ends.end(), sinks_.begin(), sinks_.end());
  for (const int end : ends) {
    if (marks[static_cast<std::size_t>(end)] == Mark::fresh) path.emplace_back(end, 0);
    while (!path.empty()) {
      const int id = path.back().first;
      const Node& at = node(id);
      marks[static_cast<std::size_t>(id)] = Mark::open;
      if (path.back().second == at.inputs.size()) {
        marks[static_cast<std::size_t>(id)] = Mark::done;
        order.push_back(id);
        path.pop_back();
        continue;
      }
      const Value input = at.inputs[path.back().second++];
      if (!input) continue;
      check_value(input, describe(at));
      const Mark mark = marks[static_cast<std::size_t>(input.node)];
      if (mark == Mark::open) {
        fail(ErrorCode::invalid_argument, text("graph '", name_, "': a cycle through ",
                                               describe(at), " and ", describe(node(input.node))));
      }
      if (mark == Mark::fresh) path.emplace_back(input.node, 0);
    }
  }
  return order;
}

void Graph::check(int max_depth) const {
  if (max_depth < 0)
    fail(ErrorCode::limit, text("graph '", name_, "': bodies are nested too deep"));
  for (const int id : topological_order()) {
    for (const auto& body : node(id).bodies) {
      if (body == nullptr)
        fail(ErrorCode::invalid_argument, text(describe(node(id)), ": a body is null"));
      body->check(max_depth - 1);
    }
  }
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
