// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/recurrent/network.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {
namespace recurrent {

using graph::Value;

void Network::check_value(Value value, const char* what) const {
  const auto nodes = static_cast<int>(flat_.nodes().size());
  if (value.node >= 0 && value.node < nodes && value.output >= 0 &&
      value.output < flat_.node(value.node).noutputs) {
    return;
  }
  fail(ErrorCode::invalid_argument, text("network '", flat_.name(), "': ", what, ": no value ",
                                         value.output, " of node ", value.node));
}

Value Network::add(std::string op, std::vector<Value> inputs, graph::Attributes attributes) {
  graph::Node node;
  node.op = std::move(op);
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  return {add_node(std::move(node)), 0};
}

int Network::add_node(graph::Node node) {
  // Values are used after they are made, so that there are no cycles but those of recurrences.
  for (const Value input : node.inputs) {
    if (input) check_value(input, node.op.c_str());
  }
  return flat_.add_node(std::move(node));
}

NetworkLoop Network::add_loop(std::string name) {
  const int number = static_cast<int>(loops_.size());
  if (name.empty()) name = text("loop ", number);
  loops_.push_back({std::move(name), {}, {}});
  return {*this, number};
}

void Network::mark_output(Value value, std::string name) {
  check_value(value, "output");
  flat_.add_result(value, std::move(name));
}

Value Network::add_boundary(Value input, Boundary boundary) {
  static constexpr const char* names[] = {"Iterator", "Recurrence", "LoopOutput"};
  const char* const name = names[static_cast<int>(boundary.layer)];
  check_value(input, name);
  graph::Node node;
  node.op = name;
  node.inputs = {input};
  const int id = flat_.add_node(std::move(node));
  loops_[static_cast<std::size_t>(boundary.loop)].boundaries.push_back(id);
  boundaries_.resize(static_cast<std::size_t>(id) + 1);
  boundaries_.back() = boundary;
  return {id, 0};
}

void NetworkLoop::add_trip_limit(Value value, TripLimit kind) {
  network_->check_value(value, "trip limit");
  auto& limits = network_->loops_[static_cast<std::size_t>(number_)].limits;
  limits.push_back({value, kind});
}

Value NetworkLoop::add_iterator(Value tensor, std::int64_t axis, bool reverse) {
  return network_->add_boundary(tensor, {.loop = number_,
                                         .layer = Network::Layer::iterator,
                                         .axis = axis,
                                         .reverse = reverse,
                                         .next = {},
                                         .length = {}});
}

Value NetworkLoop::add_recurrence(Value initial) {
  return network_->add_boundary(
      initial, {.loop = number_, .layer = Network::Layer::recurrence, .next = {}, .length = {}});
}

Value NetworkLoop::add_loop_output(Value value, OutputForm form, std::int64_t axis) {
  return network_->add_boundary(value, {.loop = number_,
                                        .layer = Network::Layer::output,
                                        .axis = axis,
                                        .form = form,
                                        .next = {},
                                        .length = {}});
}

namespace {

[[noreturn]] void refuse_handle(const std::string& loop, const char* expected) {
  fail(ErrorCode::invalid_argument,
       text("loop '", loop, "': expected ", expected, " of this loop"));
}

}  // namespace

void NetworkLoop::set_next(Value recurrence, Value next) {
  network_->check_value(recurrence, "recurrence");
  network_->check_value(next, "next value");
  const std::string& name = network_->loops_[static_cast<std::size_t>(number_)].name;
  const auto at = static_cast<std::size_t>(recurrence.node);
  if (at >= network_->boundaries_.size() || !network_->boundaries_[at])
    refuse_handle(name, "a recurrence");
  Network::Boundary& boundary = *network_->boundaries_[at];
  if (boundary.loop != number_ || boundary.layer != Network::Layer::recurrence)
    refuse_handle(name, "a recurrence");
  boundary.next = next;
}

void NetworkLoop::set_length(Value output, Value length) {
  network_->check_value(output, "output");
  network_->check_value(length, "length");
  const std::string& name = network_->loops_[static_cast<std::size_t>(number_)].name;
  const auto at = static_cast<std::size_t>(output.node);
  if (at >= network_->boundaries_.size() || !network_->boundaries_[at])
    refuse_handle(name, "an output");
  Network::Boundary& boundary = *network_->boundaries_[at];
  if (boundary.loop != number_ || boundary.layer != Network::Layer::output)
    refuse_handle(name, "an output");
  boundary.length = length;
  if (boundary.form == OutputForm::last_value) boundary.form = OutputForm::concatenate;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
