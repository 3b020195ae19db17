// SPDX-License-Identifier: Apache-2.0
/// @file
/// The one value that says how a span kernel runs over an iterator: without tiles, or in which.
#pragma once

#include "engine/elementwise/simple_run.hpp"
#include "engine/elementwise/tile_plan.hpp"
#include "engine/wanted_strategy.hpp"

namespace weft {
inline namespace v0 {

/// How to run without tiles if the strategy that the options ask for, or the engine's choice, is
/// one of those. `automatic` if it is not. Preconditions: numel > 0; the kernel's counts are the
/// iterator's.
inline SimpleRun plan_simple(const TensorIterator& iter, const SpanKernel& kernel,
                             const Tuning& tuning, Strategy wanted) {
  return wanted == Strategy::automatic ? choose_simple(iter, kernel, tuning)
                                       : force_simple(iter, kernel, tuning, wanted);
}

/// The tiles of what runs in tiles: plan_simple() came first. Throws Error(invalid_argument) for a
/// strategy that cannot carry out the call. Preconditions as of plan_tiles().
TilePlan plan_wanted_tiles(const TensorIterator& iter, const SpanKernel& kernel,
                           const Tuning& tuning, const RunOptions& options, Strategy wanted);

/// All strategies that can carry out the call. Preconditions as of plan_tiles(), but for any ndim.
Strategies candidates(const TensorIterator& iter, const SpanKernel& kernel, const Tuning& tuning);

}  // namespace v0
}  // namespace weft
