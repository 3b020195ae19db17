// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/static_loop.hpp"

#include <weft/base/error.hpp>

#include "graph/compile/program.hpp"
#include "recurrent/static/static_planner.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

FixedLoop::FixedLoop(const LoopGeometry& geometry, LoopRuntime& runtime, bool in_rows)
    : spec_(geometry.spec),
      body_(*runtime.body),
      plan_(StaticPlanner(geometry, runtime, in_rows).plan()),
      views_(geometry, runtime, plan_, run_),
      frames_(geometry, runtime, plan_, views_),
      start_(geometry, runtime, plan_, run_, views_),
      blocks_(geometry, runtime, plan_, run_, views_),
      gathered_(geometry, runtime, plan_, run_, views_),
      trips_(runtime, plan_, run_),
      last_(geometry, body_, plan_, run_, views_, trips_) {
  frames_.plan();
}

bool FixedLoop::may_run_in_rows(const LoopBody& body) {
  return body.trip.program && std::ranges::all_of(body.trip.program->program().nodes,
                                                  [](const graph::ProgramNode& node) {
                                                    return node.formula != nullptr;
                                                  });
}

bool FixedLoop::follow() {
  run_.call = nullptr;  // of a run that has thrown
  return frames_.follow();
}

void FixedLoop::run(const LoopCall& call, LoopReport& report) {
  start(call, report);
  run_trips();
  finish();
  run_.call = nullptr;
}

void FixedLoop::start(const LoopCall& call, LoopReport& report) {
  run_.start(call, report);
  run_.limit = call.trip_limit(body_.has_certain_end());
  if (body_.has_certain_end() && run_.limit.trips == endless)
    refuse(spec_, ErrorCode::invalid_argument, "nothing ends it: no count, and no condition");
  report.end = run_.limit.end;
  if (spec_.first_condition) run_.go = call.flag(*spec_.first_condition);
  start_.find_slices();
  start_.find_first_values();
  start_.run_once();
  gathered_.open();
  blocks_.plan();
  if (run_.limit.trips == 0) return;
  start_.bind_fixed(blocks_.trips() > 0);
  frames_.step_rows();
  start_.bind_states();
}

void FixedLoop::run_trips() {
  const TripLimit& limit = run_.limit;
  const std::int64_t last =
      std::min({limit.trips, limit.slices, gathered_.room(), body_.max_trips});
  while (!run_.ended) {
    const std::int64_t first = run_.done;
    if (first == last) {
      if (last < limit.trips) refuse_end(last);
      return;
    }
    trips_.run(gathered_.make_room_for(blocks_.produce_for(last - first)));
    gathered_.flush(first);
  }
}

/// Slices or room are used up before the loop has ended, unless its head says otherwise.
void FixedLoop::refuse_end(std::int64_t last) {
  if (plan_.head && !trips_.head_holds()) {
    run_.end(LoopEnd::head);
    return;
  }
  if (last == run_.limit.slices) run_.call->refuse_missing_slice(run_.limit, last);
  if (last == body_.max_trips)
    refuse(spec_, ErrorCode::limit, "makes more than ", last, " trips, which is what is allowed");
  gathered_.check_room(last);
}

void FixedLoop::finish() {
  run_.report->trips = run_.done;
  gathered_.finish();
  run_.index.set(run_.done - 1);  // the last trip's
  last_.write();
  run_.call->write_numbers(run_.done, run_.go);
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
