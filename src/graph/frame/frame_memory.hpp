// SPDX-License-Identifier: Apache-2.0
/// @file
/// The memory that a frame holds for values.
#pragma once

#include <weft/graph/executable.hpp>

#include <cstdint>
#include <map>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// Memory that grows and is kept.
struct GrowingBuffer {
  Tensor memory;
  /// True if it had to allocate.
  bool reserve(std::int64_t bytes);
  char* data() const noexcept { return static_cast<char*>(memory.data()); }
  std::int64_t size() const noexcept { return memory.defined() ? memory.nbytes() : 0; }
};

/// An arena for each segment, and a buffer for each value whose size turns up while running. Kept
/// from plan to plan.
class FrameMemory {
 public:
  /// Counts in `counters` what it allocates and holds.
  explicit FrameMemory(FrameCounters& counters) : counters_(counters) {}

  /// At least `bytes`, which may be 0; what was there may be lost.
  char* arena(int segment, std::int64_t bytes);
  char* buffer(int value, std::int64_t bytes);

 private:
  FrameCounters& counters_;
  std::vector<GrowingBuffer> arenas_;     // by segment
  std::map<int, GrowingBuffer> buffers_;  // by value
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
