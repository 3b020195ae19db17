// SPDX-License-Identifier: Apache-2.0
/// @file
/// Planning a loop's collected outputs.
#pragma once

#include <weft/recurrent/loop_spec.hpp>

#include "recurrent/body/loop_body.hpp"
#include "recurrent/static/static_plan.hpp"

#include <cstddef>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// How values of trips get into outputs. Comes behind iterators and states.
class GatherPlanner {
 public:
  GatherPlanner(const LoopSpec& spec, const LoopBody& body, bool in_rows, StaticPlan& plan)
      : spec_(spec), body_(body), in_rows_(in_rows), plan_(plan) {}

  void plan();

 private:
  StaticPlan::Gather make(std::size_t output) const;
  void connect(StaticPlan::Gather& gather);
  bool stays_in_rows(const StaticPlan::Gather& gather) const;
  bool has_one_reader(Source source) const;

  const LoopSpec& spec_;
  const LoopBody& body_;
  bool in_rows_;
  StaticPlan& plan_;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
