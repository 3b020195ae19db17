// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/recurrent/loop_spec.hpp>

#include "base/text.hpp"

#include <string_view>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

/// Goes through a spec and refuses what does not fit.
class Checker {
 public:
  Checker(const LoopSpec& spec, const graph::Graph& body, int ninputs)
      : spec_(spec),
        nparameters_(static_cast<int>(body.parameters().size())),
        nresults_(static_cast<int>(body.results().size())),
        ninputs_(ninputs),
        body_(body),
        fed_by_(body.parameters().size()) {}

  void run() {
    check_limits();
    for (std::size_t i = 0; i < spec_.iterators.size(); ++i)
      check_iterator(text("iterator ", i), spec_.iterators[i], true);
    for (std::size_t i = 0; i < spec_.states.size(); ++i)
      check_state(text("state ", i), spec_.states[i]);
    for (std::size_t i = 0; i < spec_.invariants.size(); ++i) {
      const std::string entry = text("invariant ", i);
      check_input(entry, spec_.invariants[i].input);
      feed(entry, spec_.invariants[i].parameter);
    }
    for (const int parameter : spec_.indexes)
      feed("index", parameter);
    for (std::size_t i = 0; i < spec_.outputs.size(); ++i)
      check_output(text("output ", i), spec_.outputs[i]);
    if (spec_.rows) check_input("rows", spec_.rows->lengths);
    check_all_fed();
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(const Args&... args) const {
    fail(ErrorCode::invalid_argument, text("loop '", spec_.name, "': ", args...));
  }
  void check_number(std::string_view entry, const char* what, int number, int count) const {
    if (number >= 0 && number < count) return;
    if (count == 0) refuse(entry, ": ", what, " ", number, ": there are none");
    refuse(entry, ": ", what, " ", number, ": expected 0 to ", count - 1);
  }
  void check_input(std::string_view entry, int input) const {
    check_number(entry, "input", input, ninputs_);
  }
  void check_result(std::string_view entry, int result) const {
    check_number(entry, "result", result, nresults_);
  }
  void feed(const std::string& entry, int parameter) {
    check_number(entry, "parameter", parameter, nparameters_);
    std::string& by = fed_by_[static_cast<std::size_t>(parameter)];
    if (!by.empty())
      refuse(entry, ": parameter ", parameter, " '", name_of(parameter), "' is fed by ", by,
             " too");
    by = entry;
  }
  const std::string& name_of(int parameter) const {
    return body_.node(body_.parameters()[static_cast<std::size_t>(parameter)]).name;
  }

  void check_limits() const {
    if (spec_.count) check_input("count", *spec_.count);
    if (spec_.first_condition) check_input("first condition", *spec_.first_condition);
    if (spec_.next_condition) check_result("next condition", *spec_.next_condition);
    if (spec_.head) check_result("head", *spec_.head);
    bool limited =
        spec_.most_trips || spec_.count || spec_.next_condition || spec_.head || spec_.rows;
    for (const LoopIterator& iterator : spec_.iterators)
      limited = limited || (iterator.limits_trips && !iterator.from_count);
    for (const LoopState& state : spec_.states)
      limited = limited || (state.sliced && state.sliced->limits_trips);
    if (!limited) {
      refuse(
          "nothing limits its trips: expected a count, a condition, a head, rows or an iterator");
    }
  }
  void check_iterator(const std::string& entry, const LoopIterator& iterator, bool feeds) {
    check_input(entry, iterator.input);
    if (feeds) feed(entry, iterator.parameter);
    if (iterator.from_count) {
      if (!spec_.count && !spec_.most_trips)
        refuse(entry, ": runs backwards from the count, and there is none");
      return;
    }
    if (!iterator.keep_axis && iterator.range.part_size.value_or(1) != 1)
      refuse(entry, ": part_size = ", *iterator.range.part_size,
             ": expected 1 where the axis is dropped");
    if (iterator.range.stride == 0) refuse(entry, ": stride = 0");
  }
  void check_state(const std::string& entry, const LoopState& state) {
    if (state.sliced) {
      if (state.sliced->from_count)
        refuse(entry, ": starts from the count, expected a range of its slices");
      check_iterator(entry, *state.sliced, false);
    } else {
      check_input(entry, state.input);
    }
    feed(entry, state.parameter);
    check_result(entry, state.result);
  }
  void check_output(const std::string& entry, const LoopOutput& output) const {
    using enum LoopOutputKind;
    if (output.kind == last_state) {
      check_number(entry, "state", output.state, static_cast<int>(spec_.states.size()));
    }
    if (output.kind == last_value || output.kind == stack || output.kind == join)
      check_result(entry, output.result);
    if (output.length) {
      if (output.kind != stack) refuse(entry, ": has a length, which is for what is stacked");
      check_input(entry, *output.length);
    }
    if (output.kind == condition && !spec_.next_condition && !spec_.first_condition)
      refuse(entry, ": there is no condition to give out");
  }
  /// A parameter that nobody reads need not be fed.
  void check_all_fed() const {
    const std::vector<int> used = body_.topological_order();
    for (std::size_t i = 0; i < fed_by_.size(); ++i) {
      if (!fed_by_[i].empty()) continue;
      for (const int node : used) {
        if (node == body_.parameters()[i]) {
          refuse("parameter ", i, " '", name_of(static_cast<int>(i)),
                 "' of the body is read, and nothing feeds it");
        }
      }
    }
  }

  const LoopSpec& spec_;
  int nparameters_;
  int nresults_;
  int ninputs_;
  const graph::Graph& body_;
  std::vector<std::string> fed_by_;
};

}  // namespace

void check(const LoopSpec& spec, const graph::Graph& body, int ninputs) {
  Checker(spec, body, ninputs).run();
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
