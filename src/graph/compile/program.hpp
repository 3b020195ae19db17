// SPDX-License-Identifier: Apache-2.0
/// @file
/// A compiled graph, as frames run it.
#pragma once

#include <weft/base/error.hpp>
#include <weft/graph/executable.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// An operation; its values are numbered over the whole program.
struct ProgramNode {
  Node node;
  std::shared_ptr<const Operator> op;
  std::vector<int> inputs;  ///< values; -1: left out
  int first_output = 0;     ///< value of output 0; the others follow
  /// Of an elementwise operator, else null; made by find_formula().
  std::shared_ptr<const ElementwiseFormula> formula = nullptr;
};

struct ProgramValue {
  ValueType type;   ///< as far as it follows from the parameters' types
  Tensor constant;  ///< defined if it never changes
  int parameter = -1;
};

struct Program {
  std::string name;
  std::string origin;              ///< for messages; empty: none
  std::vector<ProgramNode> nodes;  ///< inputs before users
  std::vector<ProgramValue> values;
  std::vector<int> parameters;  ///< values, all of them, used or not
  std::vector<std::string> parameter_names;
  std::vector<bool> parameter_used;
  std::vector<int> results;  ///< values
  std::vector<std::string> result_names;
  std::vector<std::string> folded;  ///< descriptions of operations that compiling has computed
  OperatorRegistry operators;
  bool fuse = true;
  bool fold = true;  ///< compute what depends on constants and shapes only while planning
};

/// A message about a node without the words "add: " or "loop 'name': " that it may begin with: the
/// node's description says the same.
inline std::string_view without_name(const Node& node, std::string_view message) {
  const std::size_t end = message.find(": ");
  if (end == message.npos) return message;
  const std::string_view first = message.substr(0, end);
  const std::string named = text(node.op, " '", node.name, '\'');
  const auto is = [&](std::string_view word) {
    return std::ranges::equal(first, word, [](unsigned char a, unsigned char b) {
      return std::tolower(a) == std::tolower(b);
    });
  };
  return is(node.op) || is(named) ? message.substr(end + 2) : message;
}

/// f(), with the node's description before the message of an Error that leaves it.
template <class F>
decltype(auto) naming(const Node& node, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    fail(error.code(), text(describe(node), ": ", without_name(node, error.what())));
  }
}

/// f(), with the program's origin before the message of an Error that leaves it.
template <class F>
decltype(auto) naming_origin(const Program& program, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    if (program.origin.empty()) throw;
    fail(error.code(), text(program.origin, ": ", error.what()));
  }
}

/// What infer() says of a node, given the types of all values and the values that are known (null:
/// not known). Errors get the node's description in front.
struct Inferred {
  std::vector<ValueType> outputs;
  std::vector<Tensor> values;  ///< per output; undefined where not known
  std::vector<int> asked;      ///< inputs whose value was asked for
};
Inferred infer_node(const ProgramNode& node, std::span<const ValueType* const> types,
                    std::span<const TensorView* const> values, const OperatorRegistry& operators);

/// The formula of a node if its operator is elementwise, else null.
std::shared_ptr<const ElementwiseFormula> find_formula(const ProgramNode& node,
                                                       std::span<const ProgramValue> values);

/// Runs a program once; row-major copies of its results.
std::vector<Tensor> run_program(std::shared_ptr<const Program> program,
                                std::span<const TensorView> inputs);

}  // namespace graph
}  // namespace v0
}  // namespace weft
