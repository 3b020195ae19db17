// SPDX-License-Identifier: Apache-2.0
/// @file
/// A run of a loop whose body is planned once.
#pragma once

#include <weft/recurrent/loop.hpp>

#include "recurrent/body/trip_index.hpp"
#include "recurrent/operator/loop_call.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// How far a run has come, and what it was given.
struct LoopRun {
  const LoopCall* call = nullptr;  ///< null: there is none, things are being planned
  LoopReport* report = nullptr;
  TripLimit limit;
  TripIndex index;  ///< of the current trip; bodies read it here
  std::int64_t done = 0;
  bool go = true;      ///< the condition, as far as it is known
  bool ended = false;  ///< by condition or head

  void start(const LoopCall& with, LoopReport& to) {
    call = &with;
    report = &to;
    limit = {};
    index.set(0);
    done = 0;
    go = true;
    ended = false;
  }
  void end(LoopEnd reason) {
    report->end = reason;
    ended = true;
  }
  void count_copy(std::int64_t bytes) const {
    report->bytes_copied += bytes;
    if (done >= 2) report->bytes_copied_late += bytes;
  }
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
