// SPDX-License-Identifier: Apache-2.0
/// @file
/// Prefix operations along one or two long lines, which threads share.
#pragma once

#include <weft/kernel/cumulative_kernel.hpp>

#include "engine/axis/along_axis.hpp"

namespace weft {
inline namespace v0 {

/// Whether lines are cut into blocks for threads to share. By shape and kernel alone: it shows in
/// the last bits.
bool shares_lines(const AlongAxis& operands, const CumulativeKernel& kernel);

/// The first block is gone through as any line. Of each of the others, all but the last short one,
/// the total is found; totals are combined in order; then every block goes on from the total of all
/// before it. Threads share blocks in both.
void run_shared_lines(const AlongAxis& operands, const CumulativeKernel& kernel,
                      const RunOptions& options);

/// How the blocks are gone through the second time.
Explanation explain_shared_lines(const AlongAxis& operands, const CumulativeKernel& kernel,
                                 const RunOptions& options);

}  // namespace v0
}  // namespace weft
