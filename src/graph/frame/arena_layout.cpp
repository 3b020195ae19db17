// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/arena_layout.hpp"

#include "machine/tuning.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

bool live_together(const Root& a, const Root& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

/// The lowest place that is free while a value lives, beside those that have theirs.
std::int64_t free_offset(const Root& root, std::span<Root* const> placed) {
  SmallVector<const Root*, 8> meets;
  for (const Root* other : placed) {
    if (live_together(*other, root)) meets.push_back(other);
  }
  std::ranges::sort(meets, {}, &Root::offset);
  std::int64_t offset = 0;
  for (const Root* other : meets) {
    if (offset + whole_lines(root.bytes) <= other->offset) break;
    offset = std::max(offset, other->offset + whole_lines(other->bytes));
  }
  return offset;
}

}  // namespace

void lay_out_arena(std::span<Root> roots, int segment, const OperatorRegistry& limits,
                   FrameMemory& memory) {
  SmallVector<Root*, 8> placed;
  std::int64_t total = 0;
  for (Root& root : roots) {
    if (root.kind != Root::Kind::arena || root.segment != segment) continue;
    limits.check_bytes(root.bytes);
    root.offset = free_offset(root, placed);
    total = std::max(total, root.offset + whole_lines(root.bytes));
    limits.check_bytes(total);
    placed.push_back(&root);
  }
  char* const arena = memory.arena(segment, total);
  for (Root* root : placed)
    root->origin = arena + root->offset;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
