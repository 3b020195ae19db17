// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a run is estimated to take, and by which strategies it could be, for those who ask.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "base/internal_api.hpp"
#include "engine/elementwise/simple_run.hpp"
#include "engine/elementwise/tile_plan.hpp"
#include "engine/wanted_strategy.hpp"
#include "machine/tuning.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Picoseconds on one thread of a run without tiles.
WEFT_INTERNAL_API std::int64_t estimate_ps(const SimpleRun& run, const TensorIterator& iter,
                                           const SpanKernel& kernel, const Tuning& tuning);
/// The same in tiles, by the table's prices: spans of the kernel, what goes through
/// buffers, and lines from the level that holds all operands, which come meanwhile. It knows
/// nothing of lines that several rows share, and does not choose: docs/design/0011 says why.
std::int64_t estimate_ps(const TilePlan& plan, const TensorIterator& iter, const SpanKernel& kernel,
                         const Tuning& tuning);

/// All strategies that can carry out the call. Preconditions as of plan_tiles(), but for any ndim.
Strategies candidates(const TensorIterator& iter, const SpanKernel& kernel, const Tuning& tuning);

}  // namespace v0
}  // namespace weft
