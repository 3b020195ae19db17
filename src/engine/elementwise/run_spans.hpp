// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running a span kernel by a strategy or a plan that the caller has.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "engine/elementwise/tile_plan.hpp"
#include "machine/tuning.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// run_spans() by a strategy that is wanted, whatever the options say of it.
void run_spans(const TensorIterator& iter, const SpanKernel& kernel, const RunOptions& options,
               Strategy wanted);

/// The tiles of what runs in tiles: plan_simple() came first. Throws Error(invalid_argument) for a
/// strategy that cannot carry out the call. Preconditions as of plan_tiles().
TilePlan plan_wanted_tiles(const TensorIterator& iter, const SpanKernel& kernel,
                           const Tuning& tuning, const RunOptions& options, Strategy wanted);
/// Runs tiles [begin, end) of a plan on this thread.
void run_tiles(const TensorIterator& iter, const SpanKernel& kernel, const TilePlan& plan,
               std::int64_t begin, std::int64_t end);

/// explain_run() likewise.
[[gnu::cold]] Explanation explain_run(const TensorIterator& iter, const SpanKernel& kernel,
                                      const RunOptions& options, Strategy wanted);

}  // namespace v0
}  // namespace weft
