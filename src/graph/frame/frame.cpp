// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>

#include "base/index.hpp"
#include "graph/frame/frame_impl.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {

Frame::Impl::Impl(Executable executable)
    : executable_(std::move(executable)),
      program_(executable_.program()),
      uses_(program_),
      memory_(counters),
      plan_(program_),
      dynamic_outputs_(program_, plan_.values, memory_),
      planner_(uses_, geometry_, plan_, memory_, dynamic_outputs_, variables),
      resizer_(uses_, geometry_, plan_, memory_, variables) {}

void Frame::Impl::plan(std::span<const TensorView> parameters,
                       std::span<const ResultPlace> places) {
  FrameGeometry::check_counts(program_, parameters, places);
  const bool may_follow = planned_ && !plan_.stepped && geometry_.has_places(places);
  bool same = may_follow;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const int i = static_cast<int>(p);
    if (planned_ && geometry_.has_parameter(i, parameters[p])) continue;
    FrameGeometry::check_parameter(executable_, i, parameters[p]);
    same = false;
  }
  if (same) {
    for (std::size_t p = 0; p < parameters.size(); ++p)
      bind(plan_.values.parameter_root(static_cast<int>(p)), parameters[p].data());
    return;
  }
  planned_ = false;
  if (!may_follow || !resizer_.resize(parameters)) {
    geometry_.assign(parameters, places, program_.results.size());
    planner_.start();
    plan_segment();
  }
  planned_ = true;
  all_bound_ = false;
}

void Frame::Impl::plan_segment() {
  ++counters.plans;
  all_bound_ = false;
  planner_.plan_segment();
}

bool Frame::Impl::can_step_parameter(int i) const {
  const int root = planned_parameter(i, "can_step_parameter");
  return plan_.can_step_rows(root,
                             plan_.values[program_.parameters[static_cast<std::size_t>(i)]].view);
}

bool Frame::Impl::can_step_result(int i) const {
  const auto at = static_cast<std::size_t>(planned_result(i, "can_step_result"));
  const ValueState& value = plan_.values[program_.results[at]];
  return value.root == plan_.values.result_root(i) && plan_.can_step_rows(value.root, value.view);
}

void Frame::Impl::check_planned(std::string_view what) const {
  if (!planned_)
    fail(ErrorCode::invalid_argument, text("graph: a frame has to be planned before ", what));
}

int Frame::Impl::planned_parameter(int i, std::string_view what) const {
  check_planned(what);
  checked_index(i, program_.parameters.size(), "graph: parameter");
  return plan_.values.parameter_root(i);
}

int Frame::Impl::planned_result(int i, std::string_view what) const {
  check_planned(what);
  return static_cast<int>(checked_index(i, program_.results.size(), "graph: result"));
}

int Frame::Impl::planned_external(int i, std::string_view what) const {
  if (!geometry_.place(planned_result(i, what)).external) {
    fail(ErrorCode::invalid_argument,
         text("graph: ", what, ": result ", i, " is not planned as external"));
  }
  return plan_.values.result_root(i);
}

void Frame::Impl::check_bound() {
  const ValueTable& values = plan_.values;
  const auto is_missing = [&](int root, const TensorView& view) {
    const Root& at = values.root(root);
    return at.origin == nullptr && !at.patches.empty() && !(view.defined() && view.numel() == 0);
  };
  for (int i = 0; i < executable_.nparameters(); ++i) {
    if (!is_missing(values.parameter_root(i), geometry_.parameter(i))) continue;
    fail(ErrorCode::undefined, text("graph: parameter ", i, " is bound to null"));
  }
  for (int i = 0; i < executable_.nresults(); ++i) {
    const int value = program_.results[static_cast<std::size_t>(i)];
    if (!geometry_.place(i).external || !is_missing(values.result_root(i), values[value].view))
      continue;
    fail(ErrorCode::undefined, text("graph: external result ", i, " is not bound"));
  }
  all_bound_ = true;
}

void Frame::Impl::run() {
  check_planned("it runs");
  ++counters.runs;
  for (std::size_t s = 0;; ++s) {
    if (s == plan_.segments.size()) {
      if (plan_.complete) break;
      plan_segment();
    } else if (s > 0 && !plan_.segments[s]->assumed.hold(plan_.values)) {
      planner_.drop_segments(s);
      plan_segment();
    }
    if (!all_bound_) check_bound();
    const Segment& segment = *plan_.segments[s];
    segment.calls.run(program_.nodes);
    counters.bytes_copied += segment.bytes_copied;
  }
  if (!variables.empty()) variables.end_run();
}

TensorView Frame::Impl::result(int i) const {
  checked_index(i, program_.results.size(), "result");
  if (plan_.copied_results.empty()) return {};  // nothing was planned yet
  const ValueState& value = plan_.result(i);
  return value.view.defined() ? plan_.values.current_view(value) : TensorView();
}

void* Frame::Impl::result_data(int i) const {
  const ValueState& value = plan_.result(planned_result(i, "result_data"));
  return value.is_constant() ? value.view.data() : plan_.values.address(value);
}

int Frame::Impl::result_parameter(int i) const {
  const auto at = static_cast<std::size_t>(planned_result(i, "result_parameter"));
  const ValueState& value = plan_.values[program_.results[at]];
  return value.is_rooted() && value.root < executable_.nparameters() ? value.root : -1;
}

int Frame::Impl::same_result(int i) const {
  const std::vector<int>& results = program_.results;
  const int value = results[checked_index(i, results.size(), "graph: result")];
  return static_cast<int>(std::ranges::find(results, value) - results.begin());
}

// ---- The public side ----------------------------------------------------------------------------

Frame::Frame(Executable executable) : impl_(std::make_unique<Impl>(std::move(executable))) {}
Frame::Frame(Frame&&) noexcept = default;
Frame& Frame::operator=(Frame&&) noexcept = default;
Frame::~Frame() = default;

Frame::Impl& Frame::impl() const {
  if (impl_ == nullptr) fail(ErrorCode::invalid_argument, "graph: the frame was moved from");
  return *impl_;
}

void Frame::plan(std::span<const TensorView> parameters, std::span<const ResultPlace> places) {
  naming_origin(impl().program(), [&] { impl_->plan(parameters, places); });
}
void Frame::bind_parameter(int i, const void* origin) {
  impl().bind(impl_->planned_parameter(i, "bind_parameter"), origin);
}
void Frame::hold_parameter(int i) { impl().hold(impl_->planned_parameter(i, "hold_parameter")); }
void Frame::bind_result(int i, void* origin) {
  impl().bind(impl_->planned_external(i, "bind_result"), origin);
}
bool Frame::can_step_parameter(int i) const { return impl().can_step_parameter(i); }
bool Frame::can_step_result(int i) const { return impl().can_step_result(i); }
void Frame::step_parameter(int i, std::int64_t bytes) {
  impl().step_rows(impl_->planned_parameter(i, "step_parameter"), bytes);
}
void Frame::step_result(int i, std::int64_t bytes) {
  impl().step_rows(impl_->planned_external(i, "step_result"), bytes);
}
void Frame::run() {
  naming_origin(impl().program(), [&] { impl_->run(); });
}
TensorView Frame::result(int i) const { return impl().result(i); }
void* Frame::result_data(int i) const { return impl().result_data(i); }
int Frame::same_result(int i) const { return impl().same_result(i); }
int Frame::result_parameter(int i) const { return impl().result_parameter(i); }
bool Frame::is_static() const { return impl().is_static(); }
const Executable& Frame::executable() const { return impl().executable(); }
Variables& Frame::variables() { return impl().variables; }
const FrameCounters& Frame::counters() const { return impl().counters; }

}  // namespace graph
}  // namespace v0
}  // namespace weft
