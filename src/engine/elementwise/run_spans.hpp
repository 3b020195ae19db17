// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running a span kernel by a tuning or a plan that the caller has.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "engine/elementwise/tile_plan.hpp"
#include "machine/tuning.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// run_spans() by another tuning than the one in use.
void run_spans(const TensorIterator& iter, const SpanKernel& kernel, const RunOptions& options,
               const Tuning& tuning);

/// Runs tiles [begin, end) of a plan on this thread.
void run_tiles(const TensorIterator& iter, const SpanKernel& kernel, const TilePlan& plan,
               std::int64_t begin, std::int64_t end);

/// explain_run() by another tuning than the one in use.
[[gnu::cold]] Explanation explain_run(const TensorIterator& iter, const SpanKernel& kernel,
                                      const RunOptions& options, const Tuning& tuning);

}  // namespace v0
}  // namespace weft
