// SPDX-License-Identifier: Apache-2.0
#include <weft/graph/explanation.hpp>

#include "base/text.hpp"
#include "graph/frame/frame_impl.hpp"

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {
namespace graph {

namespace {

/// "; at-once, 1 thread, 64 bytes moved (3 times)" for each kind of pass.
void append_runs(std::string& out, const std::vector<Explanation::Run>& runs) {
  std::vector<std::pair<std::string, int>> kinds;
  for (const Explanation::Run& run : runs) {
    std::string how = run.to_text();
    const auto known = std::ranges::find(kinds, how, &std::pair<std::string, int>::first);
    if (known == kinds.end()) {
      kinds.emplace_back(std::move(how), 1);
    } else {
      ++known->second;
    }
  }
  for (const auto& [how, times] : kinds) {
    out += text("; ", how);
    if (times > 1) out += text(" (", times, " times)");
  }
}

}  // namespace

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

FrameExplanation Frame::Impl::explain() const {
  FrameExplanation out;
  for (const std::string& node : program_.folded)
    out.notes.push_back({PlanNote::Kind::folded, {node}, 0});
  for (const auto& segment : plan_.segments)
    segment->notes.tell(program_, out.notes);
  out.segments = static_cast<int>(plan_.segments.size());
  out.arena_bytes = counters.arena_bytes;
  return out;
}

FrameExplanation Frame::explain() const { return impl().explain(); }

std::string to_string(const PlanNote& note) {
  std::string out = text(name(note.kind), ": ");
  for (std::size_t i = 0; i < note.nodes.size(); ++i)
    out += text(i == 0 ? "" : ", ", note.nodes[i]);
  if (note.bytes > 0) out += text("; ", note.bytes, " bytes written");
  append_runs(out, note.runs);
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
