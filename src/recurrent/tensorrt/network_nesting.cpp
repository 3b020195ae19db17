// SPDX-License-Identifier: Apache-2.0
#include "recurrent/tensorrt/network_nesting.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

using graph::Value;

NetworkNesting::NetworkNesting(const Network& network) : network_(network), flat_(network.flat_) {
  find_nesting();
  check_clean();
  for (std::size_t l = 0; l < network_.loops_.size(); ++l) {
    const bool has_outputs = std::ranges::any_of(
        network_.loops_[l].boundaries, [&](int node) { return layer(node) == Layer::output; });
    if (has_outputs) check_loop(static_cast<int>(l));
  }
}

void NetworkNesting::find_nesting() {
  inside_.resize(network_.loops_.size());
  for (bool grew = true; grew;) {
    find_members();
    grew = false;
    for (std::size_t l = 0; l < network_.loops_.size(); ++l) {
      const int loop = static_cast<int>(l);
      // Whatever the loop reads at its boundary it reads in the loops around it.
      const auto note = [&](Value value) {
        if (!value) return;
        for (const int other : members(value))
          grew = (other != loop && inside_[l].insert(other).second) || grew;
      };
      for (const Network::Limit& limit : network_.loops_[l].limits)
        note(limit.value);
      for (const int node : network_.loops_[l].boundaries) {
        note(flat_.node(node).inputs[0]);
        note(boundary(node)->next);
        note(boundary(node)->length);
      }
      const std::set<int> around = inside_[l];
      for (const int outer : around) {
        for (const int further : inside_[static_cast<std::size_t>(outer)])
          grew = (further != loop && inside_[l].insert(further).second) || grew;
      }
    }
  }
}

void NetworkNesting::check_clean() const {
  for (std::size_t a = 0; a < inside_.size(); ++a) {
    for (const int b : inside_[a]) {
      if (is_inside(b, static_cast<int>(a))) {
        refuse(static_cast<int>(a), "and loop '", loop(b).name,
               "' each use values of the other's inside: they are not nested cleanly");
      }
    }
  }
}

void NetworkNesting::find_members() {
  members_.assign(flat_.nodes().size(), {});
  for (std::size_t id = 0; id < flat_.nodes().size(); ++id) {
    std::set<int>& here = members_[id];
    for (const Value input : flat_.nodes()[id].inputs) {
      if (input) here.insert(members(input).begin(), members(input).end());
    }
    const Boundary* at = boundary(static_cast<int>(id));
    if (at == nullptr) continue;
    const std::set<int>& around = inside_[static_cast<std::size_t>(at->loop)];
    here.insert(around.begin(), around.end());
    if (at->layer == Layer::output) {
      here.erase(at->loop);
    } else {
      here.insert(at->loop);
    }
  }
}

int NetworkNesting::home(Value value) const {
  int innermost = -1;
  for (const int other : members(value)) {
    if (innermost < 0 || is_inside(other, innermost)) {
      innermost = other;
    } else if (!is_inside(innermost, other)) {
      refuse(innermost, "and loop '", loop(other).name, "' meet in ",
             describe(flat_.node(value.node)), ", and neither is inside the other");
    }
  }
  return innermost;
}

void NetworkNesting::check_outside(int loop, Value value, const char* what) const {
  if (members(value).contains(loop)) {
    refuse(loop, what, " (", describe(flat_.node(value.node)),
           ") is computed inside the loop: expected a value from outside");
  }
}

void NetworkNesting::check_loop(int loop) const {
  const Loop& entry = this->loop(loop);
  if (entry.limits.empty())
    refuse(loop, "has no trip limit: expected a count, a condition or both");
  bool counted = false, tested = false;
  for (const Network::Limit& limit : entry.limits) {
    bool& there = limit.kind == TripLimit::count ? counted : tested;
    if (there) {
      refuse(loop, "has two trip limits of one kind: expected at most one ",
             limit.kind == TripLimit::count ? "count" : "condition");
    }
    there = true;
    if (limit.kind == TripLimit::count) {
      check_outside(loop, limit.value, "count");
    } else {
      check_condition(loop, limit.value);
    }
  }
  for (const int node : entry.boundaries)
    check_boundary(loop, node, counted);
}

void NetworkNesting::check_boundary(int loop, int node, bool counted) const {
  const Boundary& at = *boundary(node);
  const Value input = flat_.node(node).inputs[0];
  switch (at.layer) {
    case Layer::iterator:
      check_outside(loop, input, "the tensor of an iterator");
      if (at.reverse && !counted)
        refuse(loop, "has an iterator that runs backwards from the count, and no count");
      break;
    case Layer::recurrence:
      check_outside(loop, input, "the initial value of a recurrence");
      if (!at.next)
        refuse(loop, "has a recurrence of ", describe(flat_.node(input.node)),
               " without a next value");
      break;
    case Layer::output:
      if (at.form == OutputForm::last_value) {
        if (layer(input.node) != Layer::recurrence || boundary(input.node)->loop != loop) {
          refuse(loop, "has a last value of ", describe(flat_.node(input.node)),
                 ": expected a recurrence of this loop");
        }
      } else if (!at.length) {
        refuse(loop, "has a concatenated output of ", describe(flat_.node(input.node)),
               " without a length");
      } else {
        check_outside(loop, at.length, "the length of an output");
      }
      break;
  }
}

void NetworkNesting::check_condition(int loop, Value value) const {
  std::vector<int> open = {value.node};
  std::set<int> seen = {value.node};
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    if (const Boundary* at = boundary(node)) {
      if (at->layer == Layer::iterator) refuse(loop, "its condition reads an iterator");
      if (at->layer == Layer::output) refuse(loop, "its condition reads the output of a loop");
      if (at->loop != loop)
        refuse(loop, "its condition reads a recurrence of loop '", this->loop(at->loop).name, "'");
      continue;
    }
    for (const Value input : flat_.node(node).inputs) {
      if (input && seen.insert(input.node).second) open.push_back(input.node);
    }
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
