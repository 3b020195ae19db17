// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sharing a segment's arena among values.
#pragma once

#include <weft/graph/operator_registry.hpp>

#include "graph/frame/frame_memory.hpp"
#include "graph/frame/value_table.hpp"

#include <span>

namespace weft {
inline namespace v0 {
namespace graph {

/// Puts the arena values of a segment into memory, so that those that live at the same time do not
/// overlap. What follows them is not told. Throws Error(limit) for more bytes than `limits` allow.
void lay_out_arena(std::span<Root> roots, int segment, const OperatorRegistry& limits,
                   FrameMemory& memory);

}  // namespace graph
}  // namespace v0
}  // namespace weft
