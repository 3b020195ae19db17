// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running a span kernel by a tuning that the caller has.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "machine/tuning.hpp"

namespace weft {
inline namespace v0 {

/// run_spans() by another tuning than the one in use.
void run_spans(const TensorIterator& iter, const SpanKernel& kernel, const RunOptions& options,
               const Tuning& tuning);

/// explain_run() by another tuning than the one in use.
[[gnu::cold]] Explanation explain_run(const TensorIterator& iter, const SpanKernel& kernel,
                                      const RunOptions& options, const Tuning& tuning);

}  // namespace v0
}  // namespace weft
