// SPDX-License-Identifier: Apache-2.0
/// @file
/// How many elements there are of each number, and in each of several bins.
///
/// Inputs may have any shape and strides. Counts are of i64; with weights, a real tensor of the
/// shape of `a`, an element adds its weight in place of 1, and the sums are of f64. An output has
/// to have that type, is allocated if it is an undefined Tensor, replaced if it is one of another
/// shape, and may share memory with no input.
///
/// Threads count each into memory of their own, counters of 4 bytes, which is at most a byte for
/// each element of `a`. Counts do not depend on threads. Nor do weighted sums: they add up in C
/// order in up to 16 blocks of elements, whose number follows from the numbers of elements and bins
/// alone, and then block by block; these take at most 2 bytes for each element. Besides, buffers
/// are in scratch memory, which is kept.
///
/// There are at most 2^31 - 1 bins. Throw Error before anything is written: limit (more bins),
/// dtype, shape (weights of another shape, an output), invalid_argument, overlap, undefined.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// out[i] = how many elements of `a`, which holds integers, are i, or the sum of their weights. As
/// long as the largest element needs, at least `minlength`. Reads `a` twice.
///
/// Throws Error(invalid_argument) for an element below 0, with its place, and for a minlength below
/// 0; Error(limit) for an element from 2^31 - 1 on.
WEFT_API Tensor bincount(const TensorView& a, const TensorView& weights = TensorView(),
                         std::int64_t minlength = 0);
WEFT_API void bincount_out(const Output& out, const TensorView& a,
                           const TensorView& weights = TensorView(), std::int64_t minlength = 0);

/// From low to high; where the two are equal, from half below to half above, as in NumPy.
struct BinRange {
  double low;
  double high;
};

/// Of `bins` bins between low and high, how many elements of `a`, which is real, fall into each.
/// Bin i has its lower edge, not its upper one, but the last has both; NaN and what is outside fall
/// into none. Edges are linspace(low, high, bins + 1) in f64, and each element, converted to f64,
/// lands where comparing with these would put it.
///
/// Throws Error(invalid_argument): fewer than 1 bin, a low that is not finite or above high.
/// Allocates the edges where bins are narrow, below 2^-48 times the larger end.
WEFT_API Tensor histogram(const TensorView& a, std::int64_t bins, BinRange range,
                          const TensorView& weights = TensorView());
WEFT_API void histogram_out(const Output& out, const TensorView& a, std::int64_t bins,
                            BinRange range, const TensorView& weights = TensorView());

/// The same with edges of one's own: one axis, real, ascending, at least two; equal ones leave an
/// empty bin between them. Throws Error(invalid_argument) for an edge that is NaN or below the one
/// before it. Allocates the edges in f64.
WEFT_API Tensor histogram(const TensorView& a, const TensorView& edges,
                          const TensorView& weights = TensorView());
WEFT_API void histogram_out(const Output& out, const TensorView& a, const TensorView& edges,
                            const TensorView& weights = TensorView());

}  // namespace v0
}  // namespace weft
