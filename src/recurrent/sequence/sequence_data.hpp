// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a sequence's node keeps: the loops that ran last, which know what they did.
#pragma once

#include <weft/graph/graph.hpp>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

class SequenceData final : public graph::NodeData {
 public:
  /// Nodes of loops, in the order of the directions.
  using Loops = std::shared_ptr<const std::vector<graph::Node>>;

  void set_loops(Loops loops) const noexcept {
    const std::scoped_lock lock(mutex_);
    loops_.swap(loops);
  }
  /// Null if none have run.
  Loops loops() const {
    const std::scoped_lock lock(mutex_);
    return loops_;
  }

 private:
  mutable std::mutex mutex_;
  mutable Loops loops_;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
