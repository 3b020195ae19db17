// SPDX-License-Identifier: Apache-2.0
#include "cli/loop_reports.hpp"

#include <weft/recurrent/loop.hpp>
#include <weft/recurrent/sequence.hpp>

#include "cli/json.hpp"

#include <fmt/format.h>

#include <vector>

namespace weft::cli {
namespace {

void collect(const graph::Graph& graph, std::vector<recurrent::LoopReport>& reports) {
  for (const graph::Node& node : graph.nodes()) {
    if (node.op == "Loop") reports.push_back(recurrent::loop_report(node));
    if (recurrent::is_sequence(node)) {
      for (const recurrent::LoopReport& report : recurrent::sequence_reports(node))
        reports.push_back(report);
    }
    for (const auto& body : node.bodies)
      collect(*body, reports);
  }
}

const char* name_of(recurrent::LoopEnd end) {
  switch (end) {
    case recurrent::LoopEnd::not_run: return "not_run";
    case recurrent::LoopEnd::count: return "count";
    case recurrent::LoopEnd::slices: return "slices";
    case recurrent::LoopEnd::condition: return "condition";
    case recurrent::LoopEnd::head: return "head";
    case recurrent::LoopEnd::rows: return "rows";
  }
  return "not_run";
}

std::string json_report(const recurrent::LoopReport& r) {
  return fmt::format(
      "{{\"name\": {}, \"runs\": {}, \"trips\": {}, \"end\": {}, \"hoisted\": {}, \"blocked\": {}, "
      "\"block_trips\": {}, \"in_trips\": {}, \"viewed_slices\": {}, \"staged_slices\": {}, "
      "\"states\": {}, "
      "\"written_in_place\": {}, \"written_in_blocks\": {}, \"fixed_shapes\": {}, "
      "\"bytes_copied\": {}, \"bytes_held\": {}}}",
      json_string(r.name), r.runs, r.trips, json_string(name_of(r.end)), json_list(r.hoisted),
      json_list(r.blocked), r.block_trips, json_notes(r.in_trips), r.viewed_slices, r.staged_slices,
      r.states, r.written_in_place, r.written_in_blocks, r.fixed_shapes, r.bytes_copied,
      r.bytes_held);
}

}  // namespace

std::string json_notes(std::span<const graph::PlanNote> notes) {
  std::string out;
  for (const graph::PlanNote& note : notes) {
    std::string runs;
    for (const Explanation::Run& run : note.runs)
      runs += (runs.empty() ? "" : ", ") + run.to_json();
    out += fmt::format(R"({}{{"kind": {}, "nodes": {}, "bytes": {}, "runs": [{}]}})",
                       out.empty() ? "" : ", ", json_string(name(note.kind)), json_list(note.nodes),
                       note.bytes, runs);
  }
  return "[" + out + "]";
}

std::string loop_reports_text(const graph::Graph& graph) {
  std::vector<recurrent::LoopReport> reports;
  collect(graph, reports);
  if (reports.empty()) return "the model has no loops\n";
  std::string out;
  for (const recurrent::LoopReport& report : reports)
    out += report.to_text();
  return out;
}

std::string loop_reports_json(const graph::Graph& graph) {
  std::vector<recurrent::LoopReport> reports;
  collect(graph, reports);
  std::string out;
  for (const recurrent::LoopReport& report : reports)
    out += (out.empty() ? "" : ", ") + json_report(report);
  return "[" + out + "]";
}

}  // namespace weft::cli
