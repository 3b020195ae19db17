// SPDX-License-Identifier: Apache-2.0
// Running a loop whose states change their shapes from trip to trip, or whose rows end at different
// trips. Every value has memory of its own; the body is planned anew when a shape changes.
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/tensor.hpp>
#include <weft/ops/copy.hpp>

#include "recurrent/body/trip_index.hpp"
#include "recurrent/dynamic/dynamic_scan_output.hpp"
#include "recurrent/operator/loop_call.hpp"
#include "recurrent/spec/loop_types.hpp"

#include <algorithm>
#include <cstring>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

class FreeLoop {
 public:
  FreeLoop(const LoopCall& call, LoopRuntime& runtime, LoopReport& report)
      : call_(call),
        spec_(call.spec()),
        geometry_(call.geometry()),
        body_(*runtime.body),
        runtime_(runtime),
        report_(report),
        slices_(spec_.iterators.size()),
        gathered_(call, body_, report) {}

  void run() {
    limit_ = call_.trip_limit(body_.has_certain_end());
    if (body_.has_certain_end() && limit_.trips == endless)
      refuse(spec_, ErrorCode::invalid_argument, "nothing ends it: no count, and no condition");
    report_.end = limit_.end;
    if (spec_.first_condition) go_ = call_.flag(*spec_.first_condition);
    read_lengths();
    set_up_states();
    run_once();
    while (trip_ < limit_.trips) {
      index_.set(trip_);
      if (body_.head_value && !head_holds()) {
        report_.end = LoopEnd::head;
        break;
      }
      if (trip_ == limit_.slices) call_.refuse_missing_slice(limit_, trip_);
      if (trip_ == body_.max_trips) {
        refuse(spec_, ErrorCode::limit, "makes more than ", trip_,
               " trips, which is what is allowed");
      }
      run_trip();
      ++trip_;
      if (!go_) {
        report_.end = LoopEnd::condition;
        break;
      }
    }
    report_.trips = trip_;
    for (std::size_t o = 0; o < spec_.outputs.size(); ++o)
      gathered_.write(o, trip_, states_);
    call_.write_numbers(trip_, go_);
  }

 private:
  void count_copy(std::int64_t bytes) {
    report_.bytes_copied += bytes;
    if (trip_ > 2) report_.bytes_copied_late += bytes;
  }
  Tensor copy_of(const TensorView& view) {
    count_copy(view.nbytes());
    return Tensor::copy_of(view);
  }

  void read_lengths() {
    if (!spec_.rows) return;
    const TensorView lengths = call_.input_view(spec_.rows->lengths);
    for (std::int64_t row = 0; row < lengths.numel(); ++row) {
      lengths_.push_back(lengths.dtype() == ScalarType::i32 ? lengths.at<std::int32_t>({row})
                                                            : lengths.at<std::int64_t>({row}));
    }
  }
  void set_up_states() {
    states_.resize(spec_.states.size());
    for (std::size_t j = 0; j < states_.size(); ++j) {
      if (!body_.state_is_live[j]) continue;
      const LoopState& state = spec_.states[j];
      if (!state.sliced) {
        states_[j] = copy_of(call_.input_view(state.input));
        continue;
      }
      const SliceWalk& walk = *geometry_.states[j];
      if (walk.count == 0) {
        refuse(spec_, ErrorCode::bounds, geometry_.state_name(j).text(),
               ": starts as the first slice of an axis that has none");
      }
      states_[j] = copy_of(walk.slice(walk.start(call_.input(state.sliced->input), 0)));
    }
  }
  void run_once() {
    if (!runtime_.once) return;
    std::vector<TensorView> views;
    for (const Source source : body_.once.parameters)
      views.push_back(view_of(source));
    runtime_.once->plan(views);
    runtime_.once->run();
  }

  TensorView view_of(Source source) {
    const auto number = static_cast<std::size_t>(source.number);
    switch (source.kind) {
      case Source::Kind::iterator: {
        const SliceWalk& walk = geometry_.iterators[number];
        const TensorView slice =
            walk.slice(walk.start(call_.input(spec_.iterators[number].input), limit_.count) +
                       trip_ * walk.step_bytes);
        if (walk.dense) return slice;
        // Reductions of strided lines may have other bits than those of dense ones.
        slices_[number] = copy_of(slice);
        return slices_[number];
      }
      case Source::Kind::state: return states_[number];
      case Source::Kind::invariant: return call_.input_view(spec_.invariants[number].input);
      case Source::Kind::index: return index_.view(body_.parameter_type(source.number));
      case Source::Kind::once: return runtime_.once->result(source.number);
      case Source::Kind::trip: return runtime_.trip->result(source.number);
      case Source::Kind::block:  // bodies with free shapes are divided without blocks
      case Source::Kind::own: break;
    }
    return {};
  }
  void plan(graph::Frame& frame, const Stage& stage) {
    std::vector<TensorView> views;
    for (const Source source : stage.parameters)
      views.push_back(view_of(source));
    frame.plan(views);
    if (trip_ > 0) return;
    // Kept as long as no shape changes.
    for (std::size_t p = 0; p < stage.parameters.size(); ++p) {
      const Source::Kind kind = stage.parameters[p].kind;
      if (kind == Source::Kind::invariant || kind == Source::Kind::once)
        frame.hold_parameter(static_cast<int>(p));
    }
  }
  bool head_holds() {
    if (body_.head_value->kind != Source::Kind::trip) return is_true(view_of(*body_.head_value));
    plan(*runtime_.head, body_.head);
    runtime_.head->run();
    return is_true(runtime_.head->result(0));
  }
  static bool is_true(const TensorView& view) {
    return *static_cast<const char*>(view.data()) != 0;
  }

  void run_trip() {
    if (runtime_.trip) {
      plan(*runtime_.trip, body_.trip);
      runtime_.trip->run();
    }
    // All new values are there before any state steps.
    std::vector<Tensor> results(body_.results.size());
    for (std::size_t r = 0; r < results.size(); ++r) {
      if (body_.results[r]) results[r] = shaped(copy_of(view_of(*body_.results[r])), r);
    }
    if (body_.has_condition)
      go_ = is_true(results[static_cast<std::size_t>(*spec_.next_condition)]);
    std::vector<Tensor> states = states_;
    for (std::size_t j = 0; j < states.size(); ++j) {
      if (!body_.state_is_live[j]) continue;
      Tensor next = results[static_cast<std::size_t>(spec_.states[j].result)];
      if (spec_.rows) next = with_ended_rows(next, states_[j], j);
      states[j] = std::move(next);
    }
    for (std::size_t o = 0; o < spec_.outputs.size(); ++o) {
      const LoopOutput& output = spec_.outputs[o];
      if (!has_result(output)) continue;
      Tensor value = results[static_cast<std::size_t>(output.result)];
      if (output.kind == LoopOutputKind::last_value) {
        gathered_.set_last(o, std::move(value));
      } else {
        if (spec_.rows) value = with_ended_rows(value, Tensor::zeros({}, value.dtype()), o);
        gathered_.add(o, std::move(value));
      }
    }
    states_ = std::move(states);
  }
  /// A value as its result shows it: some operations that only change the shape are left out.
  Tensor shaped(Tensor value, std::size_t result) const {
    const graph::PartialShape& shape = body_.typed->result_type(static_cast<int>(result)).shape;
    if (!shape.is_static()) return value;
    const TensorView view = value.as_strided(shape.shape(), contiguous_strides(shape.shape()));
    return Tensor::share(value.owner(), view);
  }
  /// Rows that have ended get the values of `ended`: a tensor of the same shape, or one number.
  /// What is given stays as it is; it is what comes back if no row has ended.
  Tensor with_ended_rows(const Tensor& value, const Tensor& ended, std::size_t number) const {
    const std::int64_t axis = spec_.rows->axis;
    if (axis < -value.rank() || axis >= value.rank() ||
        value.extent(axis) != static_cast<std::int64_t>(lengths_.size())) {
      refuse(spec_, ErrorCode::shape, "rows: ", lengths_.size(), " along axis ", axis,
             ", and value ", number, " has shape ", to_string(value.shape()));
    }
    Tensor out = value;
    for (std::size_t row = 0; row < lengths_.size(); ++row) {
      if (trip_ < lengths_[row]) continue;
      if (out.data() == value.data()) out = value.clone();
      const auto at = static_cast<std::int64_t>(row);
      copy_out(out.select(axis, at),
               ended.rank() == 0 ? TensorView(ended) : ended.select(axis, at));
    }
    return out;
  }

  const LoopCall& call_;
  const LoopSpec& spec_;
  const LoopGeometry& geometry_;
  const LoopBody& body_;
  LoopRuntime& runtime_;
  LoopReport& report_;
  TripLimit limit_;
  TripIndex index_;
  std::int64_t trip_ = 0;
  bool go_ = true;
  std::vector<std::int64_t> lengths_;
  std::vector<Tensor> states_;
  std::vector<Tensor> slices_;  // of iterators, where they are copied
  GatheredValues gathered_;
};

}  // namespace

void run_free(const LoopCall& call, LoopRuntime& runtime, LoopReport& report) {
  FreeLoop(call, runtime, report).run();
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
