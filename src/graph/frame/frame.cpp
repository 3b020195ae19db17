// SPDX-License-Identifier: Apache-2.0
// Running a frame.
#include <weft/base/error.hpp>

#include "base/index.hpp"
#include "graph/frame/frame_impl.hpp"
#include "graph/frame/row_form.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {

Frame::Impl::Impl(Executable executable)
    : executable_(std::move(executable)),
      program_(executable_.program()),
      uses_(program_),
      memory_(counters),
      values_(program_),
      dynamic_outputs_(program_, values_, memory_) {
  retired_.resize(program_.nodes.size());
}

void Frame::Impl::bind(int root, void* origin) noexcept {
  all_bound_ = all_bound_ && origin != nullptr;
  values_.root(root).bind(origin);
}

void Frame::Impl::hold(int root) {
  for (const auto& segment : segments_) {
    for (const auto& step : segment->calls.steps()) {
      if (step->node < 0) continue;
      const std::vector<int>& inputs = program_.nodes[static_cast<std::size_t>(step->node)].inputs;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] < 0) continue;
        const ValueState& input = values_[inputs[i]];
        if (input.kind == ValueState::Kind::rooted && input.root == root)
          step->kernel->hold(static_cast<int>(i));
      }
    }
  }
}

/// `view`: of the root's elements, in rows. True if all that reads or writes them is calls that
/// take those rows as they are.
bool Frame::Impl::can_step_rows(int root, const TensorView& view) const {
  const std::optional<RowForm> form = row_form(view.shape(), view.strides());
  if (!form || segments_.size() != 1 || !is_static_) return false;
  const CallList& calls = segments_[0]->calls;
  const std::int64_t size = element_size(view.dtype());
  const Root& at = values_.root(root);
  return std::ranges::all_of(at.patches, [&](const Patch& patch) {
    return patch.offset == 0 && calls.takes_rows(patch.where, *form, form->step * size);
  });
}

void Frame::Impl::step_rows(int root, std::int64_t bytes) noexcept {
  stepped_ = true;
  for (const Patch& patch : values_.root(root).patches)
    segments_[0]->calls.set_row_bytes(patch.where, bytes);
}

void Frame::Impl::check_planned(std::string_view what) const {
  if (!planned_)
    fail(ErrorCode::invalid_argument, text("graph: a frame has to be planned before ", what));
}

int Frame::Impl::planned_parameter(int i, std::string_view what) const {
  check_planned(what);
  return static_cast<int>(checked_index(i, program_.parameters.size(), "graph: parameter"));
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
  return values_.result_root(i);
}

void Frame::Impl::check_bound() {
  const auto is_missing = [&](int root, const TensorView& view) {
    const Root& at = values_.root(root);
    return at.origin == nullptr && !at.patches.empty() && !(view.defined() && view.numel() == 0);
  };
  for (int i = 0; i < nparameters(); ++i) {
    if (!is_missing(i, geometry_.parameter(i))) continue;
    fail(ErrorCode::undefined, text("graph: parameter ", i, " is bound to null"));
  }
  for (int i = 0; i < nresults(); ++i) {
    const int value = program_.results[static_cast<std::size_t>(i)];
    if (!geometry_.place(i).external || !is_missing(values_.result_root(i), values_[value].view))
      continue;
    fail(ErrorCode::undefined, text("graph: external result ", i, " is not bound"));
  }
  all_bound_ = true;
}

void Frame::Impl::run() {
  check_planned("it runs");
  ++counters.runs;
  for (std::size_t s = 0;; ++s) {
    if (s == segments_.size()) {
      if (complete_) break;
      plan_segment();
    } else if (s > 0 && !segments_[s]->assumed.hold(values_)) {
      truncate(s);
      plan_segment();
    }
    if (!all_bound_) check_bound();
    segments_[s]->calls.run(program_.nodes);
    counters.bytes_copied += segments_[s]->bytes_copied;
  }
  if (!variables.empty()) variables.end_run();
}

TensorView Frame::Impl::result(int i) const {
  const std::size_t at = checked_index(i, program_.results.size(), "result");
  if (copied_results_.empty()) return {};  // nothing was planned yet
  const ValueState& copied = copied_results_[at];
  const ValueState& value =
      copied.kind == ValueState::Kind::rooted ? copied : values_[program_.results[at]];
  return value.view.defined() ? values_.current_view(value) : TensorView();
}

void* Frame::Impl::result_data(int i) const {
  const auto at = static_cast<std::size_t>(planned_result(i, "result_data"));
  const ValueState& copied = copied_results_[at];
  const ValueState& value =
      copied.kind == ValueState::Kind::rooted ? copied : values_[program_.results[at]];
  if (value.kind == ValueState::Kind::constant) return value.view.data();
  return values_.address(value);
}

int Frame::Impl::result_parameter(int i) const {
  const auto at = static_cast<std::size_t>(planned_result(i, "result_parameter"));
  const ValueState& value = values_[program_.results[at]];
  return value.kind == ValueState::Kind::rooted && value.root < nparameters() ? value.root : -1;
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
  impl().bind(impl_->planned_parameter(i, "bind_parameter"), const_cast<void*>(origin));
}
void Frame::hold_parameter(int i) { impl().hold(impl_->planned_parameter(i, "hold_parameter")); }
void Frame::bind_result(int i, void* origin) {
  impl().bind(impl_->planned_external(i, "bind_result"), origin);
}
bool Frame::can_step_parameter(int i) const {
  const int root = impl().planned_parameter(i, "can_step_parameter");
  const int value = impl_->program().parameters[static_cast<std::size_t>(i)];
  return impl_->can_step_rows(root, impl_->view_of(value));
}
bool Frame::can_step_result(int i) const {
  const auto at = static_cast<std::size_t>(impl().planned_result(i, "can_step_result"));
  const int value = impl_->program().results[at];
  return impl_->is_at(value, impl_->external_root(i)) &&
         impl_->can_step_rows(impl_->external_root(i), impl_->view_of(value));
}
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
int Frame::same_result(int i) const {
  const auto& results = impl().program().results;
  const int value = results[checked_index(i, results.size(), "graph: result")];
  return static_cast<int>(std::ranges::find(results, value) - results.begin());
}
int Frame::result_parameter(int i) const { return impl().result_parameter(i); }
bool Frame::is_static() const { return impl().is_static(); }
const Executable& Frame::executable() const { return impl().executable(); }
Variables& Frame::variables() { return impl().variables; }
const FrameCounters& Frame::counters() const { return impl().counters; }

}  // namespace graph
}  // namespace v0
}  // namespace weft
