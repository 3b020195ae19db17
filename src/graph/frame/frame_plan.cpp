// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/frame_plan.hpp"

#include <algorithm>
#include <optional>

namespace weft {
inline namespace v0 {
namespace graph {

void FramePlan::start(std::span<const TensorView> parameters) {
  segments.clear();
  next_node = 0;
  complete = false;
  is_static = true;
  stepped = false;
  copied_results.clear();  // they are at roots
  values.start(parameters);
  copied_results.assign(program.results.size(), {});
  planned_as.assign(program.nodes.size(), {});
}

void FramePlan::drop_segments(std::size_t first) {
  next_node = segments[first]->first_node;
  complete = false;
  segments.resize(first);
  values.drop_segments(static_cast<int>(first));
  copied_results.assign(program.results.size(), {});
}

const ValueState& FramePlan::result(int i) const {
  const auto at = static_cast<std::size_t>(i);
  return copied_results[at].is_rooted() ? copied_results[at] : values[program.results[at]];
}

void FramePlan::hold(int root) {
  for (const auto& segment : segments) {
    for (const auto& step : segment->calls.steps()) {
      if (step->node < 0) continue;
      const std::vector<int>& inputs = program.nodes[static_cast<std::size_t>(step->node)].inputs;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] < 0) continue;
        const ValueState& input = values[inputs[i]];
        if (input.is_rooted() && input.root == root) step->kernel->hold(static_cast<int>(i));
      }
    }
  }
}

bool FramePlan::can_step_rows(int root, const TensorView& view) const {
  const std::optional<RowForm> form = row_form(view.shape(), view.strides());
  if (!form || segments.size() != 1 || !is_static) return false;
  const CallList& calls = segments[0]->calls;
  const std::int64_t row_bytes = form->step * element_size(view.dtype());
  return std::ranges::all_of(values.root(root).patches, [&](const Patch& patch) {
    return patch.offset == 0 && calls.takes_rows(patch.where, *form, row_bytes);
  });
}

void FramePlan::step_rows(int root, std::int64_t bytes) noexcept {
  stepped = true;
  for (const Patch& patch : values.root(root).patches)
    segments[0]->calls.set_row_bytes(patch.where, bytes);
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
