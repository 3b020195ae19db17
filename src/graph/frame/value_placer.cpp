// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/value_placer.hpp"

#include <weft/iter/overlap.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {
namespace graph {

int ValuePlacer::add_arena_root(int value, const TensorView& view) {
  return values_.add_root({.kind = Root::Kind::arena,
                           .index = value,
                           .segment = writer_.index(),
                           .bytes = view.nbytes(),
                           .first_step = writer_.next_call(),
                           .last_step = writer_.next_call()});
}

/// The place of a result whose strides the caller has named.
TensorView ValuePlacer::named_place(int result, ScalarType dtype, IntSpan shape) {
  const DimVector& strides = geometry_.place(result).strides;
  const auto refuse = [&](ErrorCode code, const char* expected) {
    fail(code, text("graph '", plan_.program.name, "': result ", result, ": strides ",
                    to_string(IntSpan(strides)), " for shape ", to_string(shape), "; expected ",
                    expected));
  };
  if (strides.size() != shape.size()) refuse(ErrorCode::rank, "one for each extent");
  const TensorView view = values_.placeholders.next(dtype, shape, strides);
  if (internal_overlap(view) != Overlap::none)
    refuse(ErrorCode::overlap, "each element to have memory of its own");
  return view;
}

ValueState& ValuePlacer::place_output(int value, const ValueType& type, const ProgramNode* node,
                                      int output) {
  ValueState& made = values_[value];
  made = {};
  made.kind = ValueState::Kind::rooted;
  made.segment = writer_.index();
  if (!type.shape.is_static()) {
    made.root =
        values_.add_root({.kind = Root::Kind::dynamic, .index = value, .segment = made.segment});
    return made;
  }
  const IntSpan shape = type.shape.shape();
  // Straight into its external place, whatever its strides.
  for (const int result : uses_.results(value)) {
    const ResultPlace& place = geometry_.place(result);
    if (!place.external || place.strides.empty()) continue;
    const TensorView view = named_place(result, type.dtype, shape);
    if (node != nullptr && !node->op->accepts_output(node->node, output, view)) continue;
    made.view = view;
    made.root = values_.result_root(result);
    return made;
  }
  made.view = values_.placeholders.next(type.dtype, shape);
  made.root = add_arena_root(value, made.view);
  return made;
}

ValueState ValuePlacer::dense_copy(const ValueState& from, int for_node) {
  ValueState made;
  if (from.is_constant()) {
    made.kind = ValueState::Kind::constant;
    made.constant = Tensor::copy_of(from.view);
    made.view = made.constant;
    writer_.segment().kept.push_back(made.constant);
    return made;
  }
  made.kind = ValueState::Kind::rooted;
  made.segment = writer_.index();
  made.view = values_.placeholders.next(from.view.dtype(), from.view.shape());
  made.root = add_arena_root(-1, made.view);
  const FrameStep& step = writer_.add_copy(made, from);
  writer_.segment().notes.add(PlanNote::Kind::copied, {&for_node, 1}, {&made.view, 1}, &step);
  return made;
}

/// True if a result is all of some memory of this segment, which can be the external one as well.
bool ValuePlacer::move_result(const ValueState& at, int result) {
  if (!at.is_rooted() || at.offset != 0 || !at.view.is_contiguous()) return false;
  Root& root = values_.root(at.root);
  if (root.kind != Root::Kind::arena || root.segment != writer_.index() ||
      root.bytes != at.view.nbytes()) {
    return false;
  }
  root.kind = Root::Kind::external;
  root.moved_to = values_.result_root(result);
  return true;
}

void ValuePlacer::place_results() {
  for (std::size_t r = 0; r < plan_.program.results.size(); ++r) {
    const int result = static_cast<int>(r);
    const ValueState& at = values_[plan_.program.results[r]];
    const ResultPlace& place = geometry_.place(result);
    if (!place.external || at.root == values_.result_root(result)) continue;
    if (place.strides.empty() && move_result(at, result)) continue;
    ValueState target;
    target.kind = ValueState::Kind::rooted;
    target.segment = writer_.index();
    target.root = values_.result_root(result);
    target.view = place.strides.empty()
                      ? values_.placeholders.next(at.view.dtype(), at.view.shape())
                      : named_place(result, at.view.dtype(), at.view.shape());
    const FrameStep& step = writer_.add_copy(target, at);
    writer_.segment().notes.add(PlanNote::Kind::copied, {}, {&target.view, 1}, &step, result);
    plan_.copied_results[r] = target;
  }
}

void ValuePlacer::keep_needed() {
  for (int v = 0; v < values_.size(); ++v) {
    if (values_[v].segment != writer_.index() || values_[v].root < 0) continue;
    const bool stays = uses_.is_needed(v, [&](int reader) { return reader >= plan_.next_node; });
    if (stays) values_.current_root(values_[v].root).last_step = last_of_all;
  }
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
