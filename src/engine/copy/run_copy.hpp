// SPDX-License-Identifier: Apache-2.0
/// @file
/// Copies between layouts of one element type, straight from memory to memory.
#pragma once

#include <weft/iter/tensor_iterator.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "machine/tuning.hpp"

namespace weft {
inline namespace v0 {

/// Copies the input of an iterator over one output and one input of equal type. Works plane by
/// plane: dim 0 and the dim along which the input is densest, in tiles that are transposed in
/// registers where the two sides are dense along different dims. Allocates nothing. Throws
/// Error(invalid_argument) for a strategy in the options that cannot carry it out.
void run_copy(const TensorIterator& iter, const RunOptions& options = {},
              const Tuning& tuning = weft::tuning());

/// Copies an input to an output, of elements of `size` bytes, of which there are a few: all of it
/// at once, without tiles.
void copy_planes(const Geometry& geometry, std::int64_t size, char* to, char* from);

/// iter.explain() together with how run_copy goes about it.
[[gnu::cold]] Explanation explain_copy(const TensorIterator& iter, const RunOptions& options = {},
                                       const Tuning& tuning = weft::tuning());

}  // namespace v0
}  // namespace weft
