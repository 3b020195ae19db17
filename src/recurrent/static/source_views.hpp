// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where stages find what they read.
#pragma once

#include "recurrent/operator/loop_call.hpp"
#include "recurrent/static/loop_run.hpp"
#include "recurrent/static/static_plan.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Strides of rows whose distance turns up in the run: any other than their length will do.
DimVector planned_strides(IntSpan shape, std::int64_t row_elements);

/// Sources as stages are to see them.
class SourceViews {
 public:
  SourceViews(const LoopGeometry& geometry, const LoopRuntime& runtime, const StaticPlan& plan,
              const LoopRun& run)
      : geometry_(geometry), runtime_(runtime), plan_(plan), run_(run) {}

  /// What is the same in every trip is where it is, and the index too. Of all else the address is
  /// good for planning only.
  TensorView view(Source source) const;

 private:
  TensorView slice_view(std::size_t iterator) const;
  TensorView state_view(std::size_t number) const;
  /// Not read.
  const void* nowhere() const { return &run_.index; }

  const LoopGeometry& geometry_;
  const LoopRuntime& runtime_;
  const StaticPlan& plan_;
  const LoopRun& run_;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
