// SPDX-License-Identifier: Apache-2.0
#include <weft/graph/explanation.hpp>

#include "base/text.hpp"
#include "graph/frame/frame_impl.hpp"

namespace weft {
inline namespace v0 {
namespace graph {

const char* name(PlanNote::Kind kind) noexcept {
  switch (kind) {
    case PlanNote::Kind::folded: return "folded";
    case PlanNote::Kind::viewed: return "viewed";
    case PlanNote::Kind::fused: return "fused";
    case PlanNote::Kind::kernel: return "kernel";
    case PlanNote::Kind::copied: return "copied";
  }
  return "";
}

void Frame::Impl::note(PlanNote::Kind kind, std::span<const int> nodes,
                       std::span<const TensorView> outputs, int result) {
  RawNote made{kind, SmallVector<int, 4>(nodes.begin(), nodes.end()), result};
  for (const TensorView& output : outputs)
    made.bytes += output.defined() ? output.nbytes() : 0;
  segment().notes.push_back(std::move(made));
}

FrameExplanation Frame::Impl::explain() const {
  FrameExplanation out;
  for (const std::string& node : program_.folded)
    out.notes.push_back({PlanNote::Kind::folded, {node}, 0});
  for (const auto& segment : segments_) {
    for (const RawNote& raw : segment->notes) {
      PlanNote made{raw.kind, {}, raw.bytes};
      for (const int node : raw.nodes)
        made.nodes.push_back(describe(program_.nodes[static_cast<std::size_t>(node)].node));
      if (raw.result >= 0) made.nodes.push_back(text("result ", raw.result));
      out.notes.push_back(std::move(made));
    }
  }
  out.segments = static_cast<int>(segments_.size());
  out.arena_bytes = counters.arena_bytes;
  return out;
}

FrameExplanation Frame::explain() const { return impl().explain(); }

std::string to_string(const PlanNote& note) {
  std::string out = text(name(note.kind), ": ");
  for (std::size_t i = 0; i < note.nodes.size(); ++i)
    out += text(i == 0 ? "" : ", ", note.nodes[i]);
  if (note.bytes > 0) out += text("; ", note.bytes, " bytes written");
  return out;
}

std::string to_string(const FrameExplanation& explanation) {
  std::string out;
  for (const PlanNote& note : explanation.notes)
    out += text(to_string(note), '\n');
  out += text("memory for intermediate values: ", explanation.arena_bytes, " bytes");
  if (explanation.segments > 1) {
    out += text(", planned in ", explanation.segments, " parts, since shapes depend on data");
  }
  return out + '\n';
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
