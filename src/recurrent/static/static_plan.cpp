// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/static_plan.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {
namespace {

/// Bytes of packed slices, products of blocks and the like that are worked on at a time: written
/// and read again soon, they should stay in a core's own cache. Not less: a product of few rows
/// waits for its weights, which come from beyond that cache where they are large.
constexpr std::int64_t block_bytes = std::int64_t{1} << 20;
/// The same where nothing is computed for blocks, and trips that fill a line of floats in tensors
/// that are transposed on the way: buffers should stay in the first-level cache, as far as whole
/// lines allow it.
constexpr std::int64_t near_block_bytes = 64 << 10;
constexpr std::int64_t line_trips = 16;

}  // namespace

void StaticPlan::limit_blocks(std::int64_t bytes, bool computed) {
  if (bytes == 0) return;
  if (computed) {
    block_trips = std::min(block_trips, std::max<std::int64_t>(block_bytes / bytes, 1));
    return;
  }
  const std::int64_t lines = std::max<std::int64_t>(near_block_bytes / bytes / line_trips, 1);
  block_trips = std::min(block_trips, lines * line_trips);
}

std::int64_t StaticPlan::longest_chain(Source from) const {
  std::int64_t longest = 0;
  for (const State& state : states) {
    // Every state has one source, so that this walks a tree.
    if (state.next == from) longest = std::max(longest, 1 + longest_chain(state.source()));
  }
  return longest;
}

bool StaticPlan::is_written(Source source) const {
  return std::ranges::any_of(writers, [&](const Writer& writer) {
    return writer.result >= 0 && variables.source(writer.variable) == source;
  });
}

bool StaticPlan::writes_rows(const Gather& gather) const {
  return gather.way == Gather::Way::direct && !gather.collected.is_direct() &&
         writers[gather.writer].result >= 0;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
