// SPDX-License-Identifier: Apache-2.0
/// @file
/// Outputs that are the last of something.
#pragma once

#include "recurrent/operator/loop_call.hpp"
#include "recurrent/static/loop_run.hpp"
#include "recurrent/static/source_views.hpp"
#include "recurrent/static/static_plan.hpp"
#include "recurrent/static/trip_runner.hpp"

#include <cstddef>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Writes last states, and values of the last trip.
class LastOutputs {
 public:
  LastOutputs(const LoopGeometry& geometry, const LoopBody& body, const StaticPlan& plan,
              const LoopRun& run, const SourceViews& views, const TripRunner& trips)
      : geometry_(geometry),
        spec_(geometry.spec),
        body_(body),
        plan_(plan),
        run_(run),
        views_(views),
        trips_(trips) {}

  /// Throws Error(invalid_argument) for a value of the last trip where there was none.
  void write() const;

 private:
  void write_state(std::size_t output) const;
  void write_value(std::size_t output, const char* at) const;
  void write(std::size_t output, const TensorView& value) const;
  void write_dense(std::size_t output, const char* from, const graph::ValueType& type) const;

  const LoopGeometry& geometry_;
  const LoopSpec& spec_;
  const LoopBody& body_;
  const StaticPlan& plan_;
  const LoopRun& run_;
  const SourceViews& views_;
  const TripRunner& trips_;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
