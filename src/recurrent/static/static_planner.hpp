// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which variables a loop has, what moves them, and where results go.
#pragma once

#include "recurrent/operator/loop_call.hpp"
#include "recurrent/static/static_plan.hpp"

#include <cstddef>
#include <cstdint>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Makes a plan. Rings get their buffers from the runtime.
class StaticPlanner {
 public:
  /// `in_rows`: where slices and collected elements are rows with gaps between them, trips read and
  /// write them there.
  StaticPlanner(const LoopGeometry& geometry, LoopRuntime& runtime, bool in_rows)
      : geometry_(geometry),
        spec_(geometry.spec),
        body_(*runtime.body),
        runtime_(runtime),
        in_rows_(in_rows) {}

  StaticPlan plan();

 private:
  void plan_iterators();
  void plan_states();
  void plan_trip_results();
  void connect_states();
  void plan_conditions();
  void add_ring(Variable variable, int result, std::int64_t bytes, std::int64_t slots);
  bool lasts(Source source) const;

  const LoopGeometry& geometry_;
  const LoopSpec& spec_;
  const LoopBody& body_;
  LoopRuntime& runtime_;
  bool in_rows_;
  std::size_t rings_ = 0;  // buffers of the runtime in use
  StaticPlan plan_;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
