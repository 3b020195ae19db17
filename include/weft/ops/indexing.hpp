// SPDX-License-Identifier: Apache-2.0
/// @file
/// Elements chosen by tensors of positions.
///
/// Operands may be of any element type and strides, and indices of any integer type; i32 and i64
/// are read as they are, the others from a copy. A negative index counts from the end. The result
/// has the type of `a`; an output has to have it as well, and may share memory with no input but
/// where it is said. Every index is looked at before anything is written or allocated; scatter says
/// where it is not. Threads share the result, and it does not depend on them.
///
/// Throw Error: axis (an index out of range, with its position, the axis and the extent; an axis),
/// shape, rank, dtype, overlap, undefined.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// The slices of `a` at the given positions along an axis, one after the other: out[..., j, ...] =
/// a[..., index[j], ...]. `index` has one axis, or none for a single slice; the result has the
/// shape of `a`, the number of indices at `axis`. Rows that are dense are copied whole.
WEFT_API Tensor index_select(const TensorView& a, std::int64_t axis, const TensorView& index);
WEFT_API void index_select_out(const Output& out, const TensorView& a, std::int64_t axis,
                               const TensorView& index);

/// out[...] = a[index[...]], the elements of `a` counted through in C order; the result has the
/// shape of `index`.
WEFT_API Tensor take(const TensorView& a, const TensorView& index);
WEFT_API void take_out(const Output& out, const TensorView& a, const TensorView& index);

/// out[i, j, k] = a[index[i, j, k], j, k] for axis 0, and likewise for others; the result has the
/// shape of `index`, which has the rank of `a` and, beside the axis, extents not above its own.
WEFT_API Tensor gather(const TensorView& a, std::int64_t axis, const TensorView& index);
WEFT_API void gather_out(const Output& out, const TensorView& a, std::int64_t axis,
                         const TensorView& index);

/// A copy of `a` in which out[index[i, j, k], j, k] = source[i, j, k] for axis 0, and likewise for
/// others. `index` is as for gather; `source` is a tensor of the type of `a` with extents not below
/// those of `index`, or a number. Where several elements meet, the last along the axis stays. The
/// output may be `a`: scatter_out(a, a, ...) works in place.
///
/// Lines along the axis are shared among threads, each is worked through in order; a single line
/// is one thread's work. An index outside is an Error(axis) that leaves the output as it was.
/// Indices of 16 times the bytes of an output that is there, or more, are checked as they are used;
/// for that a copy of the output is allocated, which is put back if one is outside.
WEFT_API Tensor scatter(const TensorView& a, std::int64_t axis, const TensorView& index,
                        const Input& source);
WEFT_API void scatter_out(const Output& out, const TensorView& a, std::int64_t axis,
                          const TensorView& index, const Input& source);

/// The same, adding: out[index[i, j, k], j, k] += source[i, j, k], in order along the axis, each
/// sum rounded to the type. Integers wrap, bools are or-ed.
WEFT_API Tensor scatter_add(const TensorView& a, std::int64_t axis, const TensorView& index,
                            const Input& source);
WEFT_API void scatter_add_out(const Output& out, const TensorView& a, std::int64_t axis,
                              const TensorView& index, const Input& source);

}  // namespace v0
}  // namespace weft
