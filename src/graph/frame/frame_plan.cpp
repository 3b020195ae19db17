// SPDX-License-Identifier: Apache-2.0
// Planning a frame: its parts, its memory, and where results go.
#include <weft/base/error.hpp>

#include "graph/frame/arena_layout.hpp"
#include "graph/frame/frame_impl.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {

void Frame::Impl::plan_segment() {
  segments_.push_back(std::make_unique<Segment>());
  ++counters.plans;
  all_bound_ = false;
  segment().first_node = next_node_;
  cut_ = false;
  const int end = static_cast<int>(program().nodes.size());
  // Shapes that turned up in the run so far hold for this segment only as long as they stay.
  segment().assumed.add_shapes(values_);
  try {
    plan_nodes(end);
  } catch (...) {
    // Nothing half-planned stays: the next run starts here again.
    open_.clear();
    new_pointers_.clear();
    truncate(segments_.size() - 1);
    throw;
  }
}

/// Plans the segment at hand, up to the end or to a node whose shapes are not known yet.
void Frame::Impl::plan_nodes(int end) {
  for (; next_node_ < end && !cut_; ++next_node_) {
    if (!plan_node(next_node_)) {
      is_static_ = false;
      break;
    }
  }
  if (cut_) is_static_ = false;
  close_groups();
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
    const ValueState& at = values_[value];
    const ResultPlace& place = geometry_.place(i);
    if (!place.external || at.root == values_.result_root(i)) continue;
    const bool whole = at.kind == ValueState::Kind::rooted && at.offset == 0 &&
                       at.view.is_contiguous() && place.strides.empty();
    if (whole) {
      Root& root = values_.root(at.root);
      if (root.kind == Root::Kind::arena && root.segment == segment_index() &&
          root.bytes == at.view.nbytes()) {
        root.kind = Root::Kind::external;
        root.moved_to = values_.result_root(i);
        continue;
      }
    }
    ValueState target;
    target.kind = ValueState::Kind::rooted;
    target.segment = segment_index();
    target.root = values_.result_root(i);
    target.view = values_.placeholders.next(at.view.dtype(), at.view.shape(),
                                            place.strides.empty()
                                                ? IntSpan(contiguous_strides(at.view.shape()))
                                                : IntSpan(place.strides));
    const TensorView outputs[] = {target.view}, inputs[] = {at.view};
    const ValueState* to[] = {&target};
    const ValueState* source[] = {&at};
    segment().notes.add(PlanNote::Kind::copied, {}, outputs, i);
    add_chain(Chain::copy(at.view.dtype()), -1, outputs, inputs, source, to);
    segment().bytes_copied += at.view.nbytes();
    copied_results_[static_cast<std::size_t>(i)] = target;
  }
}

void Frame::Impl::finish_segment() {
  const int index = segment_index();
  // What later segments read, and results, stay.
  for (int v = 0; v < values_.size(); ++v) {
    if (values_[v].segment != index || values_[v].root < 0) continue;
    const bool stays = uses_.is_needed(v, [&](int reader) { return reader >= next_node_; });
    if (stays) values_.current_root(values_[v].root).last_step = last_of_all;
  }
  lay_out_arena(values_.roots(), index, program().operators, memory_);
  for (const NewPointer& pointer : new_pointers_) {
    char** const where = segment().calls.pointer(pointer.at);
    Root& root = values_.current_root(pointer.root);
    root.patches.push_back({where, pointer.offset, index});
    *where = root.origin == nullptr ? nullptr : root.origin + pointer.offset;
  }
  new_pointers_.clear();
  segment().calls.connect(dynamic_outputs_);
}

void Frame::Impl::retire_kernels(std::size_t first_segment) noexcept {
  for (std::size_t s = first_segment; s < segments_.size(); ++s) {
    for (const auto& step : segments_[s]->calls.steps()) {
      if (step->node >= 0) retired_[static_cast<std::size_t>(step->node)] = std::move(step->kernel);
    }
  }
}

void Frame::Impl::start_plan() {
  retire_kernels(0);
  segments_.clear();
  open_.clear();
  new_pointers_.clear();
  complete_ = false;
  next_node_ = 0;
  is_static_ = true;
  stepped_ = false;
  copied_results_.clear();  // they are at roots
  values_.start(geometry_.parameters());
  copied_results_.assign(program().results.size(), {});
  planned_as_.assign(program().nodes.size(), {});
}

void Frame::Impl::truncate(std::size_t first) {
  const int first_node = segments_[first]->first_node;
  retire_kernels(first);
  segments_.resize(first);
  next_node_ = first_node;
  complete_ = false;
  values_.drop_segments(static_cast<int>(first));
  copied_results_.assign(program().results.size(), {});
}

void Frame::Impl::plan(std::span<const TensorView> parameters,
                       std::span<const ResultPlace> places) {
  FrameGeometry::check_counts(program(), parameters, places);
  const bool may_follow = planned_ && !stepped_ && geometry_.has_places(places);
  bool same = may_follow;
  for (int i = 0; i < nparameters(); ++i) {
    const TensorView& given = parameters[static_cast<std::size_t>(i)];
    if (planned_ && geometry_.has_parameter(i, given)) continue;
    FrameGeometry::check_parameter(executable_, i, given);
    same = false;
  }
  if (same) {
    for (int i = 0; i < nparameters(); ++i)
      bind(i, parameters[static_cast<std::size_t>(i)].data());
    return;
  }
  planned_ = false;
  if (!may_follow || !resize(parameters)) {
    geometry_.assign(parameters, places, program().results.size());
    start_plan();
    plan_segment();
  }
  planned_ = true;
  all_bound_ = false;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
