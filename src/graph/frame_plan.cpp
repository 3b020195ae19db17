// SPDX-License-Identifier: Apache-2.0
// Planning a frame: values get memory, nodes become steps.
#include <weft/base/error.hpp>

#include "base/operation.hpp"
#include "base/text.hpp"
#include "graph/frame_impl.hpp"

#include <algorithm>

namespace weft::inline v0::graph {
namespace {

/// Step numbers are below this.
constexpr int last_of_all = 1 << 30;
/// Nodes that depend on shapes only are computed while planning, up to this many elements.
constexpr std::int64_t most_folded = 4096;
/// Bounds of a group: an iterator takes max_operands.
constexpr std::size_t most_group_operands = 24, most_group_terms = 60;

}  // namespace

// ---- Values --------------------------------------------------------------------------------------

TensorView Frame::Impl::placeholder(ScalarType dtype, IntSpan shape, IntSpan strides) {
  // Apart from each other, so that nothing overlaps. Never read.
  const TensorView at_zero =
      TensorView::trusted(reinterpret_cast<void*>(std::uintptr_t{1} << 46), dtype, shape, strides);
  const std::uintptr_t origin =
      next_placeholder_ - static_cast<std::uintptr_t>(at_zero.first_byte());
  next_placeholder_ = (origin + static_cast<std::uintptr_t>(at_zero.end_byte()) + 4096) & ~63ULL;
  return TensorView::trusted(reinterpret_cast<void*>(origin), dtype, shape, strides);
}

int Frame::Impl::new_root(Root root) {
  roots_.push_back(std::move(root));
  return static_cast<int>(roots_.size()) - 1;
}

void Frame::Impl::make_constant(int value, Tensor tensor) {
  ValueState& made = state(value);
  made = {};
  made.kind = ValueState::Kind::constant;
  made.view = tensor;
  made.constant = std::move(tensor);
}

void Frame::Impl::make_output(int value, const ValueType& type, const ProgramNode* node,
                              int output) {
  ValueState& made = state(value);
  made = {};
  made.kind = ValueState::Kind::rooted;
  made.segment = segment_index();
  if (!type.shape.is_static()) {
    made.root = new_root({.kind = Root::Kind::dynamic, .index = value, .segment = made.segment});
    dynamic_values_.push_back(value);
    return;
  }
  const IntSpan shape = type.shape.shape();
  // Straight into its external place, whatever its strides.
  for (const int result : results_of_[static_cast<std::size_t>(value)]) {
    const ResultPlace& place = places_[static_cast<std::size_t>(result)];
    if (!place.external || place.strides.empty()) continue;
    const TensorView view = placeholder(type.dtype, shape, place.strides);
    if (node != nullptr && !node->op->accepts_output(node->node, output, view)) continue;
    made.view = view;
    made.root = external_root(result);
    return;
  }
  made.view = placeholder(type.dtype, shape, contiguous_strides(shape));
  const int step = static_cast<int>(segment().calls.size());
  made.root = new_root({.kind = Root::Kind::arena,
                        .index = value,
                        .segment = made.segment,
                        .bytes = made.view.nbytes(),
                        .first_step = step,
                        .last_step = step});
}

void Frame::Impl::use_root(const ValueState& value) {
  if (value.root < 0) return;
  Root& root = roots_[static_cast<std::size_t>(value.root)];
  const int step = static_cast<int>(segment().calls.size());
  root.last_step = root.segment == segment_index() ? std::max(root.last_step, step) : last_of_all;
}

void Frame::Impl::add_pointer(const ValueState& value, std::int64_t offset) {
  std::vector<char*>& pointers = segment().pointers;
  pointers.push_back(nullptr);
  if (value.kind == ValueState::Kind::constant) {
    pointers.back() = static_cast<char*>(value.view.data()) + offset;
    return;
  }
  use_root(value);
  // The table still moves; the address is put in when it is complete.
  if (value.view.defined()) {
    new_pointers_.push_back({pointers.size() - 1, value.root, value.offset + offset});
  }
}

void Frame::Impl::add_step(std::unique_ptr<Kernel> kernel, int node,
                           std::span<const ValueState* const> inputs,
                           std::span<const ValueState* const> outputs, std::int64_t bytes_copied) {
  Segment& to = segment();
  auto step = std::make_unique<FrameStep>();
  step->kernel = std::move(kernel);
  const auto add_pointers = [&](std::span<const ValueState* const> operands) {
    const std::size_t first = to.pointers.size();
    for (const ValueState* operand : operands) {
      if (operand != nullptr) {
        add_pointer(*operand, 0);
      } else {
        to.pointers.push_back(nullptr);
      }
    }
    return first;
  };
  step->inputs = add_pointers(inputs);
  step->outputs = add_pointers(outputs);
  to.bytes_copied += bytes_copied;
  to.calls.push_back({run_step, step.get(), nullptr, nullptr, 0, 0, 0, node, 0});
  to.steps.push_back(std::move(step));
}

void Frame::Impl::add_direct_calls(std::span<const DirectCall> calls, int node,
                                   std::span<const ValueState* const> inputs,
                                   std::span<const ValueState* const> outputs) {
  Segment& to = segment();
  for (const DirectCall& call : calls) {
    const std::size_t first = to.pointers.size();
    for (const DirectCall::Operand& operand : call.operands) {
      const auto k = static_cast<std::size_t>(operand.operand);
      if (operand.operand < 0) {
        to.pointers.push_back(operand.fixed);
      } else {
        add_pointer(k < outputs.size() ? *outputs[k] : *inputs[k - outputs.size()], operand.offset);
      }
    }
    to.calls.push_back({call.run, call.context, nullptr, call.row_bytes.data(), call.n, call.rows,
                        call.broadcast, node, first});
  }
}

void Frame::Impl::add_chain(const Chain& chain, int node, std::span<const TensorView> output_views,
                            std::span<const TensorView> input_views,
                            std::span<const ValueState* const> inputs,
                            std::span<const ValueState* const> outputs, std::int64_t bytes_copied) {
  std::unique_ptr<PreparedChain> prepared = prepare_chain(chain, output_views, input_views);
  if (prepared->direct_calls().empty()) {
    add_step(std::move(prepared), node, inputs, outputs, bytes_copied);
    return;
  }
  add_direct_calls(prepared->direct_calls(), node, inputs, outputs);
  segment().bytes_copied += bytes_copied;
  auto keeper = std::make_unique<FrameStep>();  // its buffers and numbers
  keeper->kernel = std::move(prepared);
  segment().steps.push_back(std::move(keeper));
}

/// A row-major copy of a value, made in the steps.
ValueState Frame::Impl::dense_copy(const ValueState& from) {
  ValueState made;
  if (from.kind == ValueState::Kind::constant) {
    made.kind = ValueState::Kind::constant;
    made.constant = Tensor::copy_of(from.view);
    made.view = made.constant;
    segment().kept.push_back(made.constant);
    return made;
  }
  made.kind = ValueState::Kind::rooted;
  made.segment = segment_index();
  made.view =
      placeholder(from.view.dtype(), from.view.shape(), contiguous_strides(from.view.shape()));
  const int step = static_cast<int>(segment().calls.size());
  made.root = new_root({.kind = Root::Kind::arena,
                        .segment = made.segment,
                        .bytes = made.view.nbytes(),
                        .first_step = step,
                        .last_step = step});
  const TensorView outputs[] = {made.view}, inputs[] = {from.view};
  const ValueState* to[] = {&made};
  const ValueState* source[] = {&from};
  add_chain(Chain::copy(from.view.dtype()), -1, outputs, inputs, source, to, made.view.nbytes());
  return made;
}

ValueType Frame::Impl::type_of(int value) const {
  const ValueState& at = state(value);
  if (at.kind == ValueState::Kind::unknown || !at.view.defined()) {
    return program().values[static_cast<std::size_t>(value)].type;
  }
  return {at.view.dtype(), at.view.shape()};
}

const TensorView* Frame::Impl::constant_of(int value) const {
  const ValueState& at = state(value);
  return at.kind == ValueState::Kind::constant ? &at.view : nullptr;
}

// ---- Nodes ---------------------------------------------------------------------------------------

/// Computes a node that depends on constants only, now.
bool Frame::Impl::fold_node(int index, std::span<const ValueType> outputs) {
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  if (!program().fold || !node.op->is_pure()) return false;
  std::int64_t elements = 0;
  for (const ValueType& output : outputs) {
    if (!output.shape.is_static()) return false;
    elements += numel(output.shape.shape());
  }
  if (elements > most_folded) return false;
  for (const int input : node.inputs) {
    if (input >= 0 && state(input).kind != ValueState::Kind::constant) return false;
  }
  auto part = std::make_shared<Program>();
  part->name = program().name;
  part->operators = program().operators;
  part->fold = false;
  part->nodes.push_back(node);
  part->values.resize(program().values.size());
  for (const int input : node.inputs) {
    if (input < 0) continue;
    part->values[static_cast<std::size_t>(input)] = {type_of(input), state(input).constant, -1};
  }
  for (int i = 0; i < node.node.noutputs; ++i) {
    part->results.push_back(node.first_output + i);
    part->result_names.emplace_back();
  }
  const std::vector<Tensor> results = run_program(part, {});
  for (int i = 0; i < node.node.noutputs; ++i)
    make_constant(node.first_output + i, results[static_cast<std::size_t>(i)]);
  return true;
}

bool Frame::Impl::plan_view(int index, std::span<const TensorView> inputs,
                            std::span<const ValueType> outputs) {
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  std::vector<TensorView> shapes;
  std::vector<const TensorView*> constants;
  for (const ValueType& output : outputs) {
    shapes.push_back(
        placeholder(output.dtype, output.shape.shape(), contiguous_strides(output.shape.shape())));
  }
  for (const int input : node.inputs)
    constants.push_back(input < 0 ? nullptr : constant_of(input));
  const PrepareContext context(node.node, inputs, shapes, constants, program().operators);
  std::vector<TensorView> views(outputs.size());
  if (!node.op->view(context, views)) return false;
  // By value: the outputs' states may be where the input's is not to be touched.
  const ValueState from = state(node.inputs[0]);
  for (std::size_t i = 0; i < views.size(); ++i) {
    const int value = node.first_output + static_cast<int>(i);
    if (from.kind == ValueState::Kind::constant) {
      make_constant(value, Tensor::share(from.constant.owner(), views[i]));
      continue;
    }
    ValueState& made = state(value);
    made = from;
    made.view = views[i];
    made.offset =
        from.offset + (static_cast<char*>(views[i].data()) - static_cast<char*>(from.view.data()));
  }
  return true;
}

void Frame::Impl::plan_kernel(int index, std::span<const ValueType> outputs) {
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  std::vector<ValueState> operands(node.inputs.size());
  std::vector<const ValueState*> inputs, results;
  std::vector<TensorView> input_views, output_views;
  std::vector<const TensorView*> constants;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    ValueState& operand = operands[i];
    if (node.inputs[i] < 0) {
      inputs.push_back(nullptr);
      input_views.emplace_back();
      constants.push_back(nullptr);
      continue;
    }
    operand = state(node.inputs[i]);
    if (!node.op->accepts_input(node.node, static_cast<int>(i), operand.view)) {
      operand = dense_copy(operand);
    }
    inputs.push_back(&operand);
    input_views.push_back(operand.view);
    constants.push_back(operand.kind == ValueState::Kind::constant ? &operand.view : nullptr);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const int value = node.first_output + static_cast<int>(i);
    make_output(value, outputs[i], &node, static_cast<int>(i));
    results.push_back(&state(value));
    output_views.push_back(state(value).view);
  }
  const PrepareContext context(node.node, input_views, output_views, constants,
                               program().operators);
  add_step(node.op->prepare(context), index, inputs, results);
  for (const ValueState* result : results) {
    if (!result->view.defined()) segment().steps.back()->first_value = node.first_output;
  }
}

/// Plans one node. False, with nothing done, if its shapes depend on values of this segment, so that
/// it has to wait for the next.
bool Frame::Impl::plan_node(int index) {
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  std::vector<ValueType> types(node.inputs.size());
  std::vector<TensorView> read(node.inputs.size());
  std::vector<const ValueType*> type_list;
  std::vector<const TensorView*> value_list;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const int input = node.inputs[i];
    type_list.push_back(nullptr);
    value_list.push_back(nullptr);
    if (input < 0) continue;
    const ValueState& at = state(input);
    types[i] = at.kind == ValueState::Kind::pending
                   ? ValueType{program().values[static_cast<std::size_t>(input)].type.dtype,
                               PartialShape(pending_shape(input))}
                   : type_of(input);
    type_list.back() = &types[i];
    if (at.kind == ValueState::Kind::constant) {
      value_list.back() = &at.view;
    } else if (at.kind == ValueState::Kind::rooted && at.segment < segment_index() &&
               segment_index() > 0) {
      read[i] = current_view(at);  // an earlier segment has computed it
      value_list.back() = &read[i];
    }
  }
  const Inferred inferred = infer_node(node, type_list, value_list, program().operators);
  const bool is_known = std::ranges::all_of(
      inferred.outputs, [](const ValueType& type) { return type.shape.is_static(); });
  for (const int i : inferred.asked) {
    const int input = node.inputs[static_cast<std::size_t>(i)];
    if (value_list[static_cast<std::size_t>(i)] == nullptr) {
      if (!is_known) return false;
    } else if (state(input).kind == ValueState::Kind::rooted) {
      segment().assumed_values.emplace_back(
          input, Tensor::copy_of(*value_list[static_cast<std::size_t>(i)]));
    }
  }
  return with_operation(describe(node.node).c_str(), [&] {
    bool all_values = true;
    for (std::size_t i = 0; i < inferred.values.size(); ++i)
      all_values = all_values && inferred.values[i].defined();
    if (all_values) {
      for (std::size_t i = 0; i < inferred.values.size(); ++i)
        make_constant(node.first_output + static_cast<int>(i), inferred.values[i]);
      return true;
    }
    if (is_known && fold_node(index, inferred.outputs)) return true;
    if (is_known && plan_elementwise(index, inferred.outputs[0])) return true;
    std::vector<TensorView> inputs;
    for (const int input : node.inputs) {
      if (input >= 0) close_group_of(input);
      inputs.push_back(input < 0 ? TensorView() : state(input).view);
    }
    if (is_known && !inputs.empty() && inputs[0].defined() &&
        plan_view(index, inputs, inferred.outputs)) {
      return true;
    }
    plan_kernel(index, inferred.outputs);
    if (!is_known) cut_ = true;
    return true;
  });
}

// ---- Groups --------------------------------------------------------------------------------------

IntSpan Frame::Impl::pending_shape(int value) const {
  for (const OpenGroup& group : open_) {
    if (group.terms.contains(value)) return group.shape;
  }
  fail(ErrorCode::invalid_argument, "graph: a pending value without a group");
}

bool Frame::Impl::plan_elementwise(int index, const ValueType& output) {
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  std::vector<ScalarType> types;
  for (const int input : node.inputs) {
    types.push_back(input < 0 ? ScalarType::f32
                    : state(input).kind == ValueState::Kind::pending
                        ? program().values[static_cast<std::size_t>(input)].type.dtype
                        : state(input).view.dtype());
  }
  ElementwiseBuilder builder(node.node, types);
  if (!node.op->elementwise(builder)) return false;
  const ElementwiseFormula& formula = builder.formula();

  const IntSpan shape = output.shape.shape();
  // The group to join: the one that computes an input, or any of this shape; all other groups that
  // compute an input have to be done first.
  const auto fits = [&](const OpenGroup& group) {
    return program().fuse && std::ranges::equal(group.shape, shape) &&
           group.inputs.size() + group.nodes.size() + node.inputs.size() + 1 <=
               most_group_operands &&
           group.chain.terms.size() + formula.terms.size() <= most_group_terms;
  };
  for (std::size_t i = 0; i < formula.terms.size(); ++i) {
    const ElementwiseFormula::TermInfo& term = formula.terms[i];
    if (term.kind != ElementwiseFormula::TermKind::input) continue;
    const int input = node.inputs[static_cast<std::size_t>(term.input)];
    if (state(input).kind != ValueState::Kind::pending) continue;
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
    if (input < 0 || state(input).kind != ValueState::Kind::pending) continue;
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
  state(node.first_output) = {};
  state(node.first_output).kind = ValueState::Kind::pending;
  if (!program().fuse) close_group(static_cast<std::size_t>(joined - open_.begin()));
  return true;
}

void Frame::Impl::close_group_of(int value) {
  if (state(value).kind != ValueState::Kind::pending) return;
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
    const auto& users = users_[static_cast<std::size_t>(value)];
    const bool wanted = !results_of_[static_cast<std::size_t>(value)].empty() ||
                        std::ranges::any_of(users, [&](int user) {
                          return std::ranges::find(group.nodes, user) == group.nodes.end();
                        });
    if (!wanted) {
      state(value).kind = ValueState::Kind::unknown;
      continue;
    }
    auto& term = group.chain.terms[static_cast<std::size_t>(group.terms.at(value))];
    make_output(value, {term.dtype, PartialShape(group.shape)}, nullptr, 0);
    term.output = static_cast<int>(outputs.size());
    outputs.push_back(&state(value));
    output_views.push_back(state(value).view);
  }
  for (const auto& [value, axis] : group.inputs) {
    inputs.push_back(&state(value));
    TensorView view = state(value).view;
    if (axis >= 0) {
      const auto behind = static_cast<std::int64_t>(group.shape.size()) - axis - view.rank();
      for (std::int64_t i = 0; i < behind; ++i)
        view = view.unsqueeze(-1);
    }
    input_views.push_back(view);
  }
  group.chain.ninputs = static_cast<int>(inputs.size());
  group.chain.noutputs = static_cast<int>(outputs.size());
  add_chain(group.chain, group.nodes.front(), output_views, input_views, inputs, outputs);
}

// ---- Segments ------------------------------------------------------------------------------------

void Frame::Impl::plan_segment() {
  segments_.push_back(std::make_unique<Segment>());
  ++counters.plans;
  segment().first_node = next_node_;
  cut_ = false;
  const int end = static_cast<int>(program().nodes.size());
  // Shapes that turned up in the run so far hold for this segment only as long as they stay.
  for (const int value : dynamic_values_) {
    const IntSpan shape = state(value).view.shape();
    segment().assumed_shapes.emplace_back(value, DimVector(shape.begin(), shape.end()));
  }
  for (; next_node_ < end && !cut_; ++next_node_) {
    if (!plan_node(next_node_)) {
      is_static_ = false;
      break;
    }
  }
  if (cut_) is_static_ = false;
  close_groups();
  segment().end_node = next_node_;
  if (next_node_ == end && !cut_) {
    place_results();
    complete_ = true;
  }
  finish_segment();
}

/// Results that are to be somewhere: their memory is put there, or a copy is made.
void Frame::Impl::place_results() {
  for (int i = 0; i < nresults(); ++i) {
    const int value = program().results[static_cast<std::size_t>(i)];
    const ValueState& at = state(value);
    const ResultPlace& place = places_[static_cast<std::size_t>(i)];
    if (!place.external || at.root == external_root(i)) continue;
    const bool whole = at.kind == ValueState::Kind::rooted && at.offset == 0 &&
                       at.view.is_contiguous() && place.strides.empty();
    if (whole) {
      Root& root = roots_[static_cast<std::size_t>(at.root)];
      if (root.kind == Root::Kind::arena && root.segment == segment_index() &&
          root.bytes == at.view.nbytes()) {
        root.kind = Root::Kind::external;
        root.moved_to = external_root(i);
        continue;
      }
    }
    ValueState target;
    target.kind = ValueState::Kind::rooted;
    target.segment = segment_index();
    target.root = external_root(i);
    target.view = placeholder(at.view.dtype(), at.view.shape(),
                              place.strides.empty() ? IntSpan(contiguous_strides(at.view.shape()))
                                                    : IntSpan(place.strides));
    const TensorView outputs[] = {target.view}, inputs[] = {at.view};
    const ValueState* to[] = {&target};
    const ValueState* source[] = {&at};
    add_chain(Chain::copy(at.view.dtype()), -1, outputs, inputs, source, to, at.view.nbytes());
    copied_results_[static_cast<std::size_t>(i)] = target;
  }
}

void Frame::Impl::finish_segment() {
  const int index = segment_index();
  // What later segments read, and results, stay.
  for (std::size_t v = 0; v < states_.size(); ++v) {
    if (states_[v].segment != index || states_[v].root < 0) continue;
    const bool stays = !results_of_[v].empty() ||
                       std::ranges::any_of(users_[v], [&](int user) { return user >= next_node_; });
    if (stays) root_of(states_[v].root).last_step = last_of_all;
  }
  lay_out_arena();
  for (const NewPointer& pointer : new_pointers_) {
    char*& where = segment().pointers[pointer.at];
    Root& root = root_of(pointer.root);
    root.patches.push_back({&where, pointer.offset, index});
    where = root.origin == nullptr ? nullptr : root.origin + pointer.offset;
  }
  new_pointers_.clear();
  char** const table = segment().pointers.data();
  for (FlatCall& call : segment().calls)
    call.data = table + call.first_data;
  for (const auto& step : segment().steps) {
    step->arguments = {
        const_cast<const void* const*>(reinterpret_cast<void**>(table + step->inputs)),
        reinterpret_cast<void**>(table + step->outputs), this};
    step->running_first_value = &running_first_value_;
  }
}

/// Gives arena values of this segment offsets so that those that live at the same time are apart: each
/// the lowest place that is free.
void Frame::Impl::lay_out_arena() {
  const int index = segment_index();
  std::vector<Root*> placed;
  std::int64_t total = 0;
  for (Root& root : roots_) {
    if (root.kind != Root::Kind::arena || root.segment != index) continue;
    const std::int64_t bytes = (root.bytes + 63) / 64 * 64;
    std::vector<const Root*> meets;
    for (const Root* other : placed) {
      if (other->first_step <= root.last_step && root.first_step <= other->last_step) {
        meets.push_back(other);
      }
    }
    std::ranges::sort(meets, {}, &Root::offset);
    root.offset = 0;
    for (const Root* other : meets) {
      if (root.offset + bytes <= other->offset) break;
      root.offset = std::max(root.offset, other->offset + (other->bytes + 63) / 64 * 64);
    }
    total = std::max(total, root.offset + bytes);
    placed.push_back(&root);
  }
  if (arenas_.size() <= static_cast<std::size_t>(index)) arenas_.emplace_back();
  GrowingBuffer& arena = arenas_[static_cast<std::size_t>(index)];
  if (total > 0 && arena.reserve(total)) ++counters.allocations;
  for (Root* root : placed)
    root->origin = arena.data() + root->offset;
}

void Frame::Impl::start_plan() {
  segments_.clear();
  open_.clear();
  new_pointers_.clear();
  complete_ = false;
  dynamic_values_.clear();
  roots_.clear();
  next_node_ = 0;
  next_placeholder_ = std::uintptr_t{1} << 44;
  is_static_ = true;
  states_.assign(program().values.size(), {});
  copied_results_.assign(program().results.size(), {});
  for (std::size_t v = 0; v < program().values.size(); ++v) {
    const ProgramValue& value = program().values[v];
    if (value.constant.defined()) make_constant(static_cast<int>(v), value.constant);
  }
  for (int i = 0; i < nparameters(); ++i) {
    const TensorView& given = parameters_[static_cast<std::size_t>(i)];
    roots_.push_back({.kind = Root::Kind::parameter,
                      .index = i,
                      .origin = static_cast<char*>(given.data()),
                      .last_step = last_of_all});
    ValueState& made = state(program().parameters[static_cast<std::size_t>(i)]);
    made.kind = ValueState::Kind::rooted;
    made.root = i;
    made.view = placeholder(given.dtype(), given.shape(), given.strides());
  }
  for (int i = 0; i < nresults(); ++i) {
    roots_.push_back({.kind = Root::Kind::external, .index = i, .last_step = last_of_all});
  }
}

void Frame::Impl::truncate(std::size_t first) {
  const int first_node = segments_[first]->first_node;
  segments_.resize(first);
  next_node_ = first_node;
  complete_ = false;
  const int first_segment = static_cast<int>(first);
  for (Root& root : roots_)
    std::erase_if(root.patches, [&](const Patch& p) { return p.segment >= first_segment; });
  for (ValueState& value : states_) {
    if (value.segment >= first_segment) value = {};
  }
  while (roots_.back().segment >= first_segment)
    roots_.pop_back();
  std::erase_if(dynamic_values_, [&](int v) { return state(v).segment < 0; });
  copied_results_.assign(program().results.size(), {});
}

void Frame::Impl::check_parameters(std::span<const TensorView> parameters) const {
  if (parameters.size() != program().parameters.size()) {
    fail(ErrorCode::invalid_argument,
         text("graph '", program().name, "': expected ", program().parameters.size(),
              " parameters, got ", parameters.size()));
  }
  for (int i = 0; i < nparameters(); ++i) {
    const TensorView& given = parameters[static_cast<std::size_t>(i)];
    const ValueType& type = executable_.parameter_type(i);
    const auto refuse = [&](ErrorCode code, std::string_view got) {
      fail(code,
           text("graph '", program().name, "': parameter ", i, " '", executable_.parameter_name(i),
                "': expected ", to_string(type), ", got ", got));
    };
    if (!given.defined()) refuse(ErrorCode::undefined, "nothing");
    const std::string got = to_string(ValueType{given.dtype(), given.shape()});
    if (given.dtype() != type.dtype) refuse(ErrorCode::dtype, got);
    if (!type.shape.admits(given.shape())) refuse(ErrorCode::shape, got);
  }
}

bool Frame::Impl::same_as_planned(std::span<const TensorView> parameters,
                                  std::span<const ResultPlace> places) const {
  if (!planned_ || parameters.size() != parameters_.size()) return false;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const TensorView &given = parameters[i], &old = parameters_[i];
    if (given.dtype() != old.dtype() || !std::ranges::equal(given.shape(), old.shape()) ||
        !std::ranges::equal(given.strides(), old.strides())) {
      return false;
    }
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const ResultPlace place = places.empty() ? ResultPlace() : places[i];
    if (place.external != places_[i].external || place.strides != places_[i].strides) return false;
  }
  return true;
}

void Frame::Impl::plan(std::span<const TensorView> parameters,
                       std::span<const ResultPlace> places) {
  if (!places.empty() && places.size() != program().results.size()) {
    fail(ErrorCode::invalid_argument,
         text("graph '", program().name, "': expected ", program().results.size(),
              " places of results, got ", places.size()));
  }
  if (same_as_planned(parameters, places)) {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      bind(static_cast<int>(i), parameters[i].data());
    return;
  }
  check_parameters(parameters);
  planned_ = false;
  parameters_.assign(parameters.begin(), parameters.end());
  places_.assign(places.begin(), places.end());
  places_.resize(program().results.size());
  start_plan();
  plan_segment();
  planned_ = true;
}

}  // namespace weft::inline v0::graph
