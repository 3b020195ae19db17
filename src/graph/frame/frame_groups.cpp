// SPDX-License-Identifier: Apache-2.0
// Planning a frame: elementwise nodes that run together.
#include <weft/base/error.hpp>

#include "graph/frame/frame_impl.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// Bounds of a group: an iterator takes max_operands.
constexpr std::size_t most_group_operands = 24, most_group_terms = 60;

}  // namespace

IntSpan Frame::Impl::pending_shape(int value) const {
  for (const OpenGroup& group : open_) {
    if (group.terms.contains(value)) return group.shape;
  }
  fail(ErrorCode::invalid_argument, "graph: a pending value without a group");
}

bool Frame::Impl::plan_elementwise(int index, const ValueType& output) {
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  if (node.formula == nullptr) return false;
  const ElementwiseFormula& formula = *node.formula;

  const IntSpan shape = output.shape.shape();
  // The group to join: the one that computes an input, or any of this shape; all other groups that
  // compute an input have to be done first.
  const auto fits = [&](const OpenGroup& group) {
    return program().fuse && std::ranges::equal(group.shape, shape) &&
           group.inputs.size() + group.nodes.size() + node.inputs.size() + 1 <=
               most_group_operands &&
           group.chain.terms.size() + formula.terms.size() <= most_group_terms;
  };
  for (const ElementwiseFormula::TermInfo& term : formula.terms) {
    if (term.kind != ElementwiseFormula::TermKind::input) continue;
    const int input = node.inputs[static_cast<std::size_t>(term.input)];
    if (values_[input].kind != ValueState::Kind::pending) continue;
    const bool same = std::ranges::equal(pending_shape(input), shape);
    if (!program().fuse || !same) close_group_of(input);
  }
  const auto computes_input = [&](const OpenGroup& group) {
    return std::ranges::any_of(node.inputs, [&](int v) { return group.terms.contains(v); });
  };
  auto joined =
      std::ranges::find_if(open_, [&](const OpenGroup& g) { return computes_input(g) && fits(g); });
  if (joined == open_.end()) joined = std::ranges::find_if(open_, fits);
  const int kept = joined == open_.end() ? -1 : joined->id;
  for (const int input : node.inputs) {
    if (input < 0 || values_[input].kind != ValueState::Kind::pending) continue;
    const auto holder =
        std::ranges::find_if(open_, [&](const OpenGroup& g) { return g.terms.contains(input); });
    if (holder->id != kept) close_group(static_cast<std::size_t>(holder - open_.begin()));
  }
  joined = std::ranges::find(open_, kept, &OpenGroup::id);
  if (kept < 0 || joined == open_.end()) {
    open_.emplace_back();
    open_.back().id = next_group_++;
    open_.back().shape.assign(shape);
    joined = open_.end() - 1;
  }
  OpenGroup& group = *joined;
  std::vector<int> terms(formula.terms.size(), -1);
  for (std::size_t i = 0; i < formula.terms.size(); ++i) {
    const ElementwiseFormula::TermInfo& term = formula.terms[i];
    if (term.kind != ElementwiseFormula::TermKind::input) continue;
    const int input = node.inputs[static_cast<std::size_t>(term.input)];
    if (const auto member = group.terms.find(input); member != group.terms.end()) {
      terms[i] = member->second;
      continue;
    }
    const OpenGroup::Input operand{input, term.axis};
    const auto there = std::ranges::find(group.inputs, operand);
    if (there != group.inputs.end()) {
      terms[i] = group.input_terms[static_cast<std::size_t>(there - group.inputs.begin())];
      continue;
    }
    terms[i] = static_cast<int>(group.chain.terms.size());
    group.chain.terms.push_back(
        {Chain::Kind::input, term.dtype, static_cast<int>(group.inputs.size()), 0, -1});
    group.inputs.push_back(operand);
    group.input_terms.push_back(terms[i]);
  }
  group.terms[node.first_output] = group.chain.append(formula, terms);
  group.nodes.push_back(index);
  values_[node.first_output] = {};
  values_[node.first_output].kind = ValueState::Kind::pending;
  if (!program().fuse) close_group(static_cast<std::size_t>(joined - open_.begin()));
  return true;
}

void Frame::Impl::close_group_of(int value) {
  if (values_[value].kind != ValueState::Kind::pending) return;
  for (std::size_t g = 0; g < open_.size(); ++g) {
    if (open_[g].terms.contains(value)) {
      close_group(g);
      return;
    }
  }
}

void Frame::Impl::close_groups() {
  while (!open_.empty())
    close_group(0);
}

void Frame::Impl::close_group(std::size_t index) {
  OpenGroup group = std::move(open_[index]);
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(index));
  // Only what others read gets memory.
  std::vector<const ValueState*> inputs, outputs;
  std::vector<TensorView> input_views, output_views;
  for (const int node_index : group.nodes) {
    const ProgramNode& node = program().nodes[static_cast<std::size_t>(node_index)];
    const int value = node.first_output;
    const bool wanted = uses_.is_needed(value, [&](int reader) {
      return std::ranges::find(group.nodes, reader) == group.nodes.end();
    });
    if (!wanted) {
      values_[value].kind = ValueState::Kind::unknown;
      continue;
    }
    auto& term = group.chain.terms[static_cast<std::size_t>(group.terms.at(value))];
    make_output(value, {term.dtype, PartialShape(group.shape)}, nullptr, 0);
    term.output = static_cast<int>(outputs.size());
    outputs.push_back(&values_[value]);
    output_views.push_back(values_[value].view);
  }
  for (const auto& [value, axis] : group.inputs) {
    inputs.push_back(&values_[value]);
    TensorView view = values_[value].view;
    if (axis >= 0) {
      const auto behind = static_cast<std::int64_t>(group.shape.size()) - axis - view.rank();
      for (std::int64_t i = 0; i < behind; ++i)
        view = view.unsqueeze(-1);
    }
    input_views.push_back(view);
  }
  group.chain.ninputs = static_cast<int>(inputs.size());
  group.chain.noutputs = static_cast<int>(outputs.size());
  segment().notes.add(PlanNote::Kind::fused, group.nodes, output_views);
  add_chain(group.chain, group.nodes.front(), output_views, input_views, inputs, outputs);
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
