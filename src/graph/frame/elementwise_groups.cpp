// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/elementwise_groups.hpp"

#include <weft/machine/cpu_info.hpp>

#include "machine/tuning.hpp"

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// Bounds of a group: an iterator takes max_operands.
constexpr std::size_t max_group_operands = 24, max_group_terms = 60;

}  // namespace

bool ElementwiseGroups::Group::has_node(int index) const {
  return std::ranges::find(nodes, index) != nodes.end();
}

bool ElementwiseGroups::Group::has_room_for(const ProgramNode& node) const {
  return inputs.size() + nodes.size() + node.inputs.size() + 1 <= max_group_operands &&
         chain.terms.size() + node.formula->terms.size() <= max_group_terms;
}

/// The term of an input of the chain, which becomes one if it is none yet.
int ElementwiseGroups::Group::input_term(const Input& input, ScalarType dtype) {
  const auto there = std::ranges::find(inputs, input);
  if (there != inputs.end()) return input_terms[static_cast<std::size_t>(there - inputs.begin())];
  const int term = static_cast<int>(chain.terms.size());
  chain.terms.push_back({Chain::Kind::input, dtype, static_cast<int>(inputs.size())});
  inputs.push_back(input);
  input_terms.push_back(term);
  return term;
}

void ElementwiseGroups::Group::append(int index, const ProgramNode& node) {
  const ElementwiseFormula& formula = *node.formula;
  std::vector<int> formula_terms(formula.terms.size(), -1);
  for (std::size_t i = 0; i < formula.terms.size(); ++i) {
    const ElementwiseFormula::TermInfo& term = formula.terms[i];
    if (term.kind != ElementwiseFormula::TermKind::input) continue;
    const int input = node.inputs[static_cast<std::size_t>(term.input)];
    const auto member = terms.find(input);
    formula_terms[i] =
        member != terms.end() ? member->second : input_term({input, term.axis}, term.dtype);
  }
  terms[node.first_output] = chain.append(formula, formula_terms);
  nodes.push_back(index);
}

/// A view of an input that broadcasts to the group's shape.
TensorView ElementwiseGroups::Group::input_view(const Input& input, const TensorView& view) const {
  TensorView out = view;
  if (input.axis < 0) return out;
  const auto behind = static_cast<std::int64_t>(shape.size()) - input.axis - view.rank();
  for (std::int64_t i = 0; i < behind; ++i)
    out = out.unsqueeze(-1);
  return out;
}

std::size_t ElementwiseGroups::holder_of(int value) const {
  const auto holder =
      std::ranges::find_if(open_, [&](const Group& group) { return group.computes(value); });
  return static_cast<std::size_t>(holder - open_.begin());
}

/// Closes groups of other shapes that compute an input of the formula.
void ElementwiseGroups::close_other_shapes(const ProgramNode& node, IntSpan shape) {
  for (const ElementwiseFormula::TermInfo& term : node.formula->terms) {
    if (term.kind != ElementwiseFormula::TermKind::input) continue;
    const int input = node.inputs[static_cast<std::size_t>(term.input)];
    if (!values_[input].is_pending()) continue;
    if (!program_.fuse || !same_list(values_[input].view.shape(), shape)) close_group_of(input);
  }
}

/// The id of the group that computes an input, or of any of this shape; -1 if there is none.
int ElementwiseGroups::group_to_join(const ProgramNode& node, IntSpan shape) const {
  const auto fits = [&](const Group& group) {
    return program_.fuse && same_list(group.shape, shape) && group.has_room_for(node);
  };
  const auto computes_input = [&](const Group& group) {
    return std::ranges::any_of(node.inputs, [&](int value) { return group.computes(value); });
  };
  auto joined = std::ranges::find_if(
      open_, [&](const Group& group) { return computes_input(group) && fits(group); });
  if (joined == open_.end()) joined = std::ranges::find_if(open_, fits);
  return joined == open_.end() ? -1 : joined->id;
}

void ElementwiseGroups::add(int index, const ValueType& output) {
  const ProgramNode& added = node(index);
  const IntSpan shape = output.shape.shape();
  close_other_shapes(added, shape);
  const int joined = group_to_join(added, shape);
  // All other groups that compute an input have to be done first.
  for (const int input : added.inputs) {
    if (input < 0 || !values_[input].is_pending()) continue;
    const std::size_t holder = holder_of(input);
    if (open_[holder].id != joined) close(holder);
  }
  auto group = std::ranges::find(open_, joined, &Group::id);
  if (group == open_.end()) {
    open_.emplace_back();
    open_.back().id = next_id_++;
    open_.back().shape.assign(shape);
    group = open_.end() - 1;
  }
  group->append(index, added);
  ValueState& made = values_[added.first_output];
  made = {};
  made.kind = ValueState::Kind::pending;
  made.view = values_.placeholders.next(output.dtype, shape);
  if (!program_.fuse) close(static_cast<std::size_t>(group - open_.begin()));
}

void ElementwiseGroups::close_group_of(int value) {
  if (values_[value].is_pending()) close(holder_of(value));
}

void ElementwiseGroups::close_all() {
  while (!open_.empty())
    close(0);
}

OperandList ElementwiseGroups::inputs_of(const Group& group) const {
  OperandList inputs;
  for (const Group::Input& input : group.inputs) {
    const ValueState& value = values_[input.value];
    inputs.add(&value, group.input_view(input, value.view));
  }
  return inputs;
}

/// A group cut in two: what computes a value, and what others need.
class ElementwiseGroups::Cut {
 public:
  /// `reader`: the only node that needs the value.
  Cut(const ElementwiseGroups& of, const Group& group, int value, int reader)
      : of_(of), is_part_(group.nodes.size(), false), stays_(group.nodes.size(), true) {
    find_part(group, value);
    // Readers come after what they read.
    for (std::size_t i = group.nodes.size(); i-- > 0;) {
      if (!is_part_[i]) continue;
      stays_[i] = of.is_needed(output(group, i), [&](int node) {
        const auto at =
            static_cast<std::size_t>(std::ranges::find(group.nodes, node) - group.nodes.begin());
        return node != reader && (at == stays_.size() || stays_[at]);
      });
    }
  }

  bool is_part(std::size_t i) const { return is_part_[i]; }
  bool stays(std::size_t i) const { return stays_[i]; }
  /// Of nodes that are computed twice.
  bool is_cheap(const Group& group) const {
    for (std::size_t i = 0; i < group.nodes.size(); ++i) {
      if (!is_part_[i] || !stays_[i]) continue;
      for (const FormulaStep& step : of_.node(group.nodes[i]).formula->steps)
        if (step.kernel != nullptr && step.kernel->cost > plain_cost) return false;
    }
    return true;
  }

 private:
  int output(const Group& group, std::size_t i) const {
    return of_.node(group.nodes[i]).first_output;
  }
  void find_part(const Group& group, int value) {
    std::vector<int> wanted = {value};
    for (std::size_t i = group.nodes.size(); i-- > 0;) {
      if (std::ranges::find(wanted, output(group, i)) == wanted.end()) continue;
      is_part_[i] = true;
      const std::vector<int>& inputs = of_.node(group.nodes[i]).inputs;
      wanted.insert(wanted.end(), inputs.begin(), inputs.end());
    }
  }

  const ElementwiseGroups& of_;
  std::vector<bool> is_part_, stays_;  // by node of the group
};

std::optional<ElementwiseGroups::Part> ElementwiseGroups::take_part(int value, int reader) {
  if (!program_.fuse || !values_[value].is_pending()) return std::nullopt;
  if (is_needed(value, [&](int node) { return node != reader; })) return std::nullopt;
  const TensorView& view = values_[value].view;
  if (view.nbytes() <= cpu_info().l1_bytes) return std::nullopt;
  const std::size_t at = holder_of(value);
  const Cut cut(*this, open_[at], value, reader);
  if (!cut.is_cheap(open_[at])) return std::nullopt;
  const Group whole = std::move(open_[at]);
  Group part, rest;
  part.shape = rest.shape = whole.shape;
  rest.id = whole.id;
  for (std::size_t i = 0; i < whole.nodes.size(); ++i) {
    const int index = whole.nodes[i];
    if (cut.is_part(i)) part.append(index, node(index));
    if (cut.stays(i)) {
      rest.append(index, node(index));
    } else {
      taken_.push_back(index);
      values_[node(index).first_output].kind = ValueState::Kind::unknown;
    }
  }
  if (rest.nodes.empty()) {
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
  } else {
    open_[at] = std::move(rest);
  }
  part.chain.outputs = {part.terms.at(value)};
  part.chain.ninputs = static_cast<int>(part.inputs.size());
  OperandList inputs = inputs_of(part);
  return Part{std::move(part.chain), part.shape, std::move(inputs), std::move(part.nodes)};
}

/// Only what others read gets memory.
OperandList ElementwiseGroups::place_outputs(Group& group) {
  OperandList outputs;
  for (const int index : group.nodes) {
    const int value = node(index).first_output;
    const bool is_wanted = is_needed(value, [&](int reader) { return !group.has_node(reader); });
    if (!is_wanted) {
      values_[value].kind = ValueState::Kind::unknown;
      continue;
    }
    const int term = group.terms.at(value);
    const ScalarType dtype = group.chain.terms[static_cast<std::size_t>(term)].dtype;
    group.chain.outputs.push_back(term);
    outputs.add(placer_.place_output(value, {dtype, PartialShape(group.shape)}, nullptr, 0));
  }
  return outputs;
}

void ElementwiseGroups::close(std::size_t index) {
  Group group = std::move(open_[index]);
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(index));
  const OperandList outputs = place_outputs(group);
  const OperandList inputs = inputs_of(group);
  group.chain.ninputs = static_cast<int>(inputs.values.size());
  const FrameStep& step = writer_.add_chain(group.chain, group.nodes.front(), outputs, inputs);
  writer_.segment().notes.add(PlanNote::Kind::fused, group.nodes, outputs.views, &step);
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
