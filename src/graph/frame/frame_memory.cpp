// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/frame_memory.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {

bool GrowingBuffer::reserve(std::int64_t bytes) {
  if (bytes <= size()) return false;
  memory = Tensor();  // the old one goes first
  memory = Tensor::empty({bytes}, ScalarType::u8);
  return true;
}

char* FrameMemory::arena(int segment, std::int64_t bytes) {
  const auto at = static_cast<std::size_t>(segment);
  if (arenas_.size() <= at) arenas_.emplace_back();
  if (bytes > 0 && arenas_[at].reserve(bytes)) ++counters_.allocations;
  counters_.arena_bytes = 0;
  for (const GrowingBuffer& each : arenas_)
    counters_.arena_bytes += each.size();
  return arenas_[at].data();
}

char* FrameMemory::buffer(int value, std::int64_t bytes) {
  GrowingBuffer& buffer = buffers_[value];
  if (buffer.reserve(std::max<std::int64_t>(bytes, 1))) ++counters_.allocations;
  return buffer.data();
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
