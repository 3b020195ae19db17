// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/graph/operator_registry.hpp>

#include "base/never_destroyed.hpp"
#include "base/text.hpp"
#include "graph/operators/families.hpp"

#include <algorithm>
#include <cctype>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

std::string folded(std::string_view name) {
  std::string out(name);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

void OperatorRegistry::add(std::shared_ptr<const Operator> op) {
  if (op == nullptr) fail(ErrorCode::invalid_argument, "operators: the one to be added is null");
  const OperatorName& name = op->name();
  for (const std::string& alias : name.aliases)
    by_name_[folded(alias)].push_back(op);
  by_name_[folded(name.name)].push_back(std::move(op));
}

std::shared_ptr<const Operator> OperatorRegistry::lookup(std::string_view name, int opset) const {
  const auto found = by_name_.find(folded(name));
  if (found == by_name_.end()) return nullptr;
  std::shared_ptr<const Operator> best;
  for (const auto& op : found->second) {
    const OperatorName& known = op->name();
    if (opset != 0 && (opset < known.first_opset || opset > known.last_opset)) continue;
    if (best == nullptr || known.last_opset >= best->name().last_opset) best = op;
  }
  return best;
}

const Operator* OperatorRegistry::find(std::string_view name, int opset) const {
  return lookup(name, opset).get();
}

std::shared_ptr<const Operator> OperatorRegistry::at(const Node& node) const {
  if (auto op = lookup(node.op, node.opset)) return op;
  std::string known;
  if (const auto found = by_name_.find(folded(node.op)); found != by_name_.end()) {
    known = "; known in";
    for (const auto& op : found->second) {
      known += text(" opset", op->name().first_opset, " to opset", op->name().last_opset);
    }
  }
  if (known.empty() && !node.bodies.empty())
    known = "; an operator with bodies: recurrent::operators() has loops and If";
  fail(ErrorCode::invalid_argument,
       text(describe(node), ": unknown operator '", node.op, "' of ",
            node.opset == 0 ? "any operation set" : text("opset", node.opset), known));
}

void OperatorRegistry::check_bytes(std::int64_t bytes) const {
  if (bytes > max_bytes_)
    fail(ErrorCode::limit, text("needs ", bytes, " bytes for values, allowed are ", max_bytes_));
}

std::vector<const Operator*> OperatorRegistry::all() const {
  std::vector<const Operator*> list;
  for (const auto& [name, operators] : by_name_) {
    for (const auto& op : operators)
      list.push_back(op.get());
  }
  std::ranges::sort(list, [](const Operator* a, const Operator* b) {
    return a->name().name != b->name().name ? a->name().name < b->name().name
                                            : a->name().first_opset < b->name().first_opset;
  });
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

const OperatorRegistry& standard_operators() {
  static const NeverDestroyed<OperatorRegistry> registry([] {
    OperatorRegistry made;
    add_elementwise_operators(made);
    add_shape_operators(made);
    add_variable_operators(made);
    add_axis_operators(made);
    add_split_operators(made);
    add_slice_operators(made);
    add_broadcast_operators(made);
    add_gather_operators(made);
    add_indexed_element_operators(made);
    add_arrange_operators(made);
    add_neighbor_operators(made);
    add_ordering_operators(made);
    add_reverse_operator(made);
    add_reduce_operators(made);
    add_arg_reduce_operators(made);
    add_cumulative_operators(made);
    add_softmax_operators(made);
    add_range_operator(made);
    add_product_operators(made);
    add_cell_operators(made);
    return made;
  });
  return *registry;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
