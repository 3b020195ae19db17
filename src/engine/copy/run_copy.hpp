// SPDX-License-Identifier: Apache-2.0
/// @file
/// Copies between layouts of one element type, straight from memory to memory.
#pragma once

#include <weft/iter/tensor_iterator.hpp>
#include <weft/kernel/span_kernel.hpp>

namespace weft {
inline namespace v0 {

/// Copies the input of an iterator over one output and one input of equal type. Works plane by
/// plane. A plane has dim 0 and another one, along which a side is dense that is not so along dim
/// 0; if there is none, one that is long, or along which rows share lines. Tiles of a plane are
/// transposed in registers where the two sides are dense along different dims. Allocates nothing.
/// Throws Error(invalid_argument) for a wanted strategy that cannot carry it out; that of the
/// options is not looked at.
void run_copy(const TensorIterator& iter, const RunOptions& options, Strategy wanted);

/// Copies an input to an output, of elements of `size` bytes, of which there are a few: all of it
/// at once, without tiles.
void copy_planes(const Geometry& geometry, std::int64_t size, char* to, char* from);

/// iter.explain() together with how run_copy goes about it.
[[gnu::cold]] Explanation explain_copy(const TensorIterator& iter, const RunOptions& options,
                                       Strategy wanted);

}  // namespace v0
}  // namespace weft
