// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/plan_notes.hpp"

#include <weft/base/error.hpp>

#include "base/text.hpp"
#include "graph/frame/call_list.hpp"

#include <utility>

namespace weft {
inline namespace v0 {
namespace graph {

namespace {

/// Nothing of what a run would refuse: by a strategy that is forced on it and cannot carry it out.
std::vector<Explanation::Run> runs_of(const FrameStep* step) {
  if (step == nullptr || step->kernel == nullptr) return {};
  try {
    return step->kernel->explain();
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

void PlanNotes::add(PlanNote::Kind kind, std::span<const int> nodes,
                    std::span<const TensorView> outputs, const FrameStep* step, int result) {
  Raw made{kind, SmallVector<int, 4>(nodes.begin(), nodes.end()), step, result};
  for (const TensorView& output : outputs)
    made.bytes += output.defined() ? output.nbytes() : 0;
  notes_.push_back(std::move(made));
}

void PlanNotes::set_kernel_bytes(int node, std::int64_t bytes) {
  for (Raw& note : notes_) {
    if (note.kind == PlanNote::Kind::kernel && note.nodes[0] == node) note.bytes = bytes;
  }
}

void PlanNotes::tell(const Program& program, std::vector<PlanNote>& out) const {
  for (const Raw& raw : notes_) {
    PlanNote made{raw.kind, {}, raw.bytes, runs_of(raw.step)};
    for (const int node : raw.nodes)
      made.nodes.push_back(describe(program.nodes[static_cast<std::size_t>(node)].node));
    if (raw.result >= 0) made.nodes.push_back(text("result ", raw.result));
    out.push_back(std::move(made));
  }
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
