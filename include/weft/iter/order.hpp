// SPDX-License-Identifier: Apache-2.0
/// @file
/// Stage "order": which axis is walked innermost, which outermost.
#pragma once

#include <weft/base/export.hpp>
#include <weft/iter/geometry.hpp>

#include <cstdint>
#include <span>

namespace weft {
inline namespace v0 {

/// What the order of dims needs to know of an operand.
struct OrderOperand {
  bool is_output = false;
  bool counts = true;  ///< false: its layout is still to be chosen, so it has no say
};

/// The order of least cost over all operands. An axis costs, per step and operand, the bytes that
/// it moves by, at most one cache line (64 bytes), and 4 bytes more for each doubling beyond a
/// line: what is far away is not prefetched and lies in another page. Outputs count twice (a line
/// written is also read). The cheapest axis is innermost, and it is followed by those that coalesce
/// with it in most operands (outputs twice), if there are any. A narrow axis, of fewer than 16
/// elements that are at most 32 bytes together, goes inside of all, if an output counts and fewer
/// bytes have to be moved then; not of less than 256 elements. Axes of equal cost go by the sum of
/// the strides, then the later axis inside. Strides count by magnitude, 0 costs nothing, and the
/// sum does not depend on the order of the operands: a + b and b + a are walked alike.
/// @post a permutation of the axes; axes of extent 1 are outermost
WEFT_API Permutation order_by_cost(const Geometry& geometry,
                                   std::span<const OrderOperand> operands);

/// PyTorch's order, for comparison: insertion sort in which the first operand with two different
/// non-zero strides decides by their signed values; equal strides by the larger extent outside; in
/// a reduction, reduced axes go inside.
WEFT_API Permutation order_as_pytorch(const Geometry& geometry,
                                      std::span<const OrderOperand> operands, bool is_reduction);

/// n-1, ..., 0: the last axis innermost (C order).
WEFT_API Permutation order_linear(int ndim);

/// Rearranges dims so that dim d is what axis perm[d] was.
WEFT_API void permute_dims(Geometry& geometry, const Permutation& perm);

/// True if along `perm` every operand that counts has non-decreasing stride magnitudes (zeros and
/// extents of 1 aside).
WEFT_API bool all_agree(const Geometry& geometry, std::span<const OrderOperand> operands,
                        const Permutation& perm);

/// Turns dims round along which more operands run backwards than forwards, or as many and the first
/// one that moves does.
/// offsets_bytes[k] grows by what operand k's first element moved. `keep` is a bit mask of dims to
/// leave alone.
/// @post the set of offset tuples visited is unchanged
/// @returns bit mask of the dims turned (dims from 64 on are left alone)
WEFT_API std::uint64_t flip_backward_dims(Geometry& geometry, std::span<std::int64_t> offsets_bytes,
                                          std::uint64_t keep = 0);

}  // namespace v0
}  // namespace weft
