// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/recurrent/port_map.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

class Lowering {
 public:
  Lowering(const PortMap& map, const graph::Graph& body, int ninputs)
      : map_(map), body_(body), ninputs_(ninputs) {}

  LoopSpec run() {
    spec_.name = map_.name;
    if (map_.kind == PortMap::Kind::loop) set_limits();
    check_back_edges();
    for (std::size_t i = 0; i < map_.inputs.size(); ++i)
      add_input(text("port map input ", i), map_.inputs[i]);
    if (map_.current_iteration && !is_mapped(*map_.current_iteration))
      spec_.indexes.push_back(*map_.current_iteration);
    check_edge_targets();
    check_inputs_mapped();
    add_outputs();
    if (map_.kind == PortMap::Kind::tensor_iterator && !has_slices())
      spec_.most_trips = iterations();
    check(spec_, body_, ninputs_);
    return std::move(spec_);
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(const Args&... args) const {
    fail(ErrorCode::invalid_argument, text("loop '", map_.name, "': ", args...));
  }

  void set_limits() {
    if (ninputs_ < 2)
      refuse("has ", ninputs_, " inputs: expected a trip count and an execution condition first");
    if (!map_.condition) {
      refuse("no Result is its condition: expected one with purpose execution_condition");
    }
    spec_.count = 0;
    spec_.negative_count_is_endless = true;
    spec_.first_condition = 1;
    spec_.next_condition = map_.condition;
  }
  void check_back_edges() const {
    const int nparameters = static_cast<int>(body_.parameters().size());
    const int nresults = static_cast<int>(body_.results().size());
    for (std::size_t i = 0; i < map_.back_edges.size(); ++i) {
      const BackEdge& edge = map_.back_edges[i];
      if (edge.parameter < 0 || edge.parameter >= nparameters)
        refuse("back edge ", i, ": to parameter ", edge.parameter, ": the body has ", nparameters);
      if (edge.result < 0 || edge.result >= nresults)
        refuse("back edge ", i, ": from result ", edge.result, ": the body has ", nresults);
      for (std::size_t k = 0; k < i; ++k) {
        if (map_.back_edges[k].parameter == edge.parameter)
          refuse("back edges ", k, " and ", i, " both lead to parameter ", edge.parameter);
      }
    }
  }
  const BackEdge* edge_to(int parameter) const {
    for (const BackEdge& edge : map_.back_edges) {
      if (edge.parameter == parameter) return &edge;
    }
    return nullptr;
  }
  bool is_mapped(int parameter) const {
    return std::any_of(map_.inputs.begin(), map_.inputs.end(),
                       [&](const PortMapInput& entry) { return entry.parameter == parameter; });
  }
  void check_edge_targets() const {
    for (const BackEdge& edge : map_.back_edges) {
      if (!is_mapped(edge.parameter)) {
        refuse("parameter ", edge.parameter,
               " has a back edge and no port map input: what is it in the first iteration?");
      }
    }
  }

  /// Inputs 0 and 1 of a Loop have a meaning of their own.
  void check_inputs_mapped() const {
    for (int i = map_.kind == PortMap::Kind::loop ? 2 : 0; i < ninputs_; ++i) {
      if (std::none_of(map_.inputs.begin(), map_.inputs.end(),
                       [&](const PortMapInput& entry) { return entry.input == i; }))
        refuse("input ", i, " has no entry in the port map");
    }
  }

  void add_input(const std::string& entry, const PortMapInput& input) {
    const BackEdge* edge = edge_to(input.parameter);
    if (map_.current_iteration == input.parameter && edge == nullptr) {
      spec_.indexes.push_back(input.parameter);  // what the input says is not looked at
      return;
    }
    if (edge != nullptr) {
      LoopState state{.input = input.input, .parameter = input.parameter, .result = edge->result};
      if (input.axis) state.sliced = iterator(entry, input);
      spec_.states.push_back(std::move(state));
    } else if (input.axis) {
      spec_.iterators.push_back(iterator(entry, input));
    } else {
      spec_.invariants.push_back({.input = input.input, .parameter = input.parameter});
    }
  }
  LoopIterator iterator(const std::string& entry, const PortMapInput& input) const {
    if (input.parameter < 0 || input.parameter >= static_cast<int>(body_.parameters().size())) {
      refuse(entry, ": parameter ", input.parameter, ": the body has ", body_.parameters().size());
    }
    if (input.range.stride == 0) refuse(entry, ": stride = 0: expected a step, forwards or back");
    LoopIterator out{.input = input.input,
                     .parameter = input.parameter,
                     .axis = *input.axis,
                     .range = input.range,
                     .keep_axis = true};
    if (!out.range.part_size) out.range.part_size = declared_extent(input);
    out.limits_trips = map_.kind == PortMap::Kind::tensor_iterator;
    return out;
  }
  std::optional<std::int64_t> declared_extent(const PortMapInput& input) const {
    const int node = body_.parameters()[static_cast<std::size_t>(input.parameter)];
    const graph::PartialShape& shape = body_.node(node).type.shape;
    if (!shape.has_rank()) return {};
    const std::int64_t axis = *input.axis < 0 ? *input.axis + shape.rank() : *input.axis;
    if (axis < 0 || axis >= shape.rank()) return {};
    const std::int64_t extent = shape.extent(axis);
    return extent == graph::PartialShape::unknown ? std::nullopt : std::optional(extent);
  }

  void add_outputs() {
    spec_.outputs.resize(map_.outputs.size());
    std::vector<int> given_by(map_.outputs.size(), -1);
    for (std::size_t i = 0; i < map_.outputs.size(); ++i) {
      const PortMapOutput& entry = map_.outputs[i];
      if (entry.output < 0 || static_cast<std::size_t>(entry.output) >= map_.outputs.size()) {
        refuse("port map output ", i, ": output ", entry.output, ": expected 0 to ",
               map_.outputs.size() - 1, ", one entry each");
      }
      int& by = given_by[static_cast<std::size_t>(entry.output)];
      if (by >= 0) refuse("port map outputs ", by, " and ", i, " both give output ", entry.output);
      by = static_cast<int>(i);
      if (entry.range.stride == 0) refuse("port map output ", i, ": stride = 0");
      spec_.outputs[static_cast<std::size_t>(entry.output)] = output(entry);
    }
  }
  LoopOutput output(const PortMapOutput& entry) const {
    LoopOutput out{.result = entry.result};
    if (entry.axis) {
      out.kind = LoopOutputKind::join;
      out.axis = *entry.axis;
      out.backwards = entry.range.stride < 0;
      return out;
    }
    out.kind = LoopOutputKind::last_value;
    for (std::size_t j = 0; j < spec_.states.size(); ++j) {
      if (spec_.states[j].result != entry.result) continue;
      out.kind = LoopOutputKind::last_state;
      out.state = static_cast<int>(j);
      break;
    }
    return out;
  }

  bool has_slices() const {
    return !spec_.iterators.empty() ||
           std::any_of(spec_.states.begin(), spec_.states.end(),
                       [](const LoopState& state) { return state.sliced.has_value(); });
  }
  std::int64_t iterations() const {
    for (const PortMapOutput& entry : map_.outputs) {
      if (entry.axis && entry.extent) return slices_of(entry.range, *entry.extent).count;
    }
    return 1;
  }

  const PortMap& map_;
  const graph::Graph& body_;
  int ninputs_;
  LoopSpec spec_;
};

}  // namespace

LoopSpec to_loop(const PortMap& map, const graph::Graph& body, int ninputs) {
  return Lowering(map, body, ninputs).run();
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
