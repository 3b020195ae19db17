// SPDX-License-Identifier: Apache-2.0
/// @file
/// A graph of operations on tensors: what is to be computed, not how.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor.hpp>
#include <weft/graph/attributes.hpp>
#include <weft/graph/partial_shape.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

class Graph;

/// An output of a node. Default-constructed: none, which is how an optional input is left out.
struct Value {
  int node = -1;  ///< index in Graph::nodes()
  int output = 0;
  /// Number of the graph that made it, and of copies of that graph; 0 if none did.
  std::uint64_t graph = 0;

  explicit operator bool() const noexcept { return node >= 0; }
  friend bool operator==(const Value& a, const Value& b) noexcept {
    return a.node == b.node && a.output == b.output;
  }
};

/// What an operator of a higher layer keeps with its nodes, such as the port map of a loop.
class WEFT_API NodeData {
 public:
  NodeData() = default;
  NodeData(const NodeData&) = default;
  NodeData& operator=(const NodeData&) = default;
  virtual ~NodeData();
};

enum class NodeKind : std::uint8_t { parameter, constant, operation };

/// A parameter, a constant, or an operation on values.
struct Node {
  NodeKind kind = NodeKind::operation;
  std::string op;        ///< name of the operator, such as "Add"; see OperatorRegistry
  int opset = 0;         ///< operation set that `op` is meant in; 0: any, the newest first
  std::string name;      ///< what people call it
  std::string layer_id;  ///< its number in the file that it comes from; for messages
  Attributes attributes;
  std::vector<Value> inputs;
  int noutputs = 1;
  ValueType type;  ///< of a parameter;
  Tensor constant;
  std::vector<std::shared_ptr<const Graph>> bodies;  ///< of control flow: loops, If
  std::shared_ptr<const NodeData> data;
};

/// For messages: Add 'sum' (layer 7, opset1).
WEFT_API std::string describe(const Node& node);

/// A value that the graph gives out.
struct Result {
  Value value;
  std::string name;
  std::string layer_id;
};

/// Parameters, constants, operations and results. Nodes may be added in any order and connected
/// later; nothing is checked beyond ranges until topological_order(), check() or Executable.
///
///     Graph g;
///     const Value x = g.add_parameter({ScalarType::f32, {2, 3}}, "x");
///     const Value y = g.add_constant(Tensor::full({3}, ScalarType::f32, 0.5));
///     g.add_result(g.add("Multiply", {x, y}), "half");
///
/// A graph does not see values of another: what a body needs comes in by its parameters. A value
/// that another graph has made is an Error(invalid_argument) wherever one is taken.
class WEFT_API Graph {
 public:
  explicit Graph(std::string name = {});

  const std::string& name() const noexcept { return name_; }

  /// A value that is given with every run. Parameters are numbered as they are added.
  Value add_parameter(ValueType type, std::string name = {});
  /// A value that never changes. The graph shares the memory, which nobody may write to any more.
  /// Throws Error(undefined).
  Value add_constant(Tensor value, std::string name = {});
  /// Output 0 of a new operation.
  Value add(std::string op, std::vector<Value> inputs, Attributes attributes = {});
  /// Any node; gives its index. Inputs may be left out for set_input(). Throws
  /// Error(invalid_argument) for a parameter or constant that is incomplete.
  int add_node(Node node);
  /// Results are numbered as they are added.
  int add_result(Value value, std::string name = {}, std::string layer_id = {});
  /// Has an operation run for its effect, whether a result depends on it or not: Assign.
  void add_sink(int node);

  /// Makes `value` an input of a node that is there; inputs before it that were not set yet are
  /// left out. Throws Error(invalid_argument) for indexes out of range.
  void set_input(int node, int input, Value value);

  const std::vector<Node>& nodes() const noexcept { return nodes_; }
  const Node& node(int i) const;
  Node& node(int i);
  /// Nodes that are parameters, in order.
  const std::vector<int>& parameters() const noexcept { return parameters_; }
  const std::vector<Result>& results() const noexcept { return results_; }
  const std::vector<int>& sinks() const noexcept { return sinks_; }
  /// Parameter of that name, or -1.
  int find_parameter(std::string_view name) const noexcept;
  int find_result(std::string_view name) const noexcept;

  /// The nodes that results, and then sinks, depend on, inputs before users; parameters that nobody
  /// reads are not among them. Depth is no matter: it does not recurse. Throws
  /// Error(invalid_argument) that names the layers: an input or result that refers to a node or
  /// output that does not exist, or a cycle.
  std::vector<int> topological_order() const;
  /// topological_order() of this graph and of all bodies, at most `max_depth` deep. Throws as it,
  /// and Error(limit).
  void check(int max_depth = 64) const;

 private:
  void check_own(Value value, const std::string& user) const;

  std::string name_;
  std::uint64_t number_;  // told by its values
  std::vector<Node> nodes_;
  std::vector<int> parameters_;
  std::vector<Result> results_;
  std::vector<int> sinks_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
