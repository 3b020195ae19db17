// SPDX-License-Identifier: Apache-2.0
/// @file
/// Elements along an axis in their order: all of them, the first few, those at some places of it.
///
/// Of bools, integers and floating types, strided in any way; complex numbers have no order. NaNs
/// are the last, in descending order too; 0.0 and -0.0 are equal. Equal elements stay in the order
/// that they had, so each result is the only one there is: it depends neither on threads nor on the
/// level of instructions. NaNs may lose their bits.
///
/// An output is written as it is (converted, if that keeps the kind of its values), allocated if it
/// is an undefined Tensor, or replaced if it is one of another shape. It may share memory with the
/// input only where that is said, and never with another output. A tensor without axes is sorted as
/// if it had one.
///
/// Threads share the lines along the axis, and each line where they outnumber them. Memory for a
/// few copies of a line is taken for each thread: scratch memory, which is kept, up to 192 KiB, and
/// else as that of tensors is. Nothing else is allocated up to rank 8. Throw Error before anything
/// is written: axis, dtype (complex numbers), shape, cast, overlap, undefined, and as each of them
/// says.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>
#include <weft/ops/cumulative.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>

namespace weft {
inline namespace v0 {

enum class SortOrder : std::uint8_t {
  ascending,   ///< the smallest first
  descending,  ///< the largest first
};

/// The elements of each line in order. The values' output may be the input; the indices, i64, are
/// where in the line they stood.
WEFT_API Tensor sort(const TensorView& a, std::int64_t axis = -1,
                     SortOrder order = SortOrder::ascending);
WEFT_API void sort_out(const Output& out, const TensorView& a, std::int64_t axis = -1,
                       SortOrder order = SortOrder::ascending);
WEFT_API void sort_out(const Output& values, const Output& indices, const TensorView& a,
                       std::int64_t axis = -1, SortOrder order = SortOrder::ascending);

/// The positions, i64, at which the elements of each line stand in order: gather(a, axis,
/// argsort(a, axis)) is sort(a, axis).
WEFT_API Tensor argsort(const TensorView& a, std::int64_t axis = -1,
                        SortOrder order = SortOrder::ascending);
WEFT_API void argsort_out(const Output& out, const TensorView& a, std::int64_t axis = -1,
                          SortOrder order = SortOrder::ascending);

/// The first k elements of each line in order, and where they stood: the largest, or the smallest
/// in ascending order. Of equal ones, those come first, and are taken, whose index is lower. Takes
/// time for the line and for sorting k of it. Throws Error(invalid_argument) unless 0 <= k <= the
/// extent of the axis.
WEFT_API ValuesAndIndices topk(const TensorView& a, std::int64_t k, std::int64_t axis = -1,
                               SortOrder order = SortOrder::descending);
WEFT_API void topk_out(const Output& values, const Output& indices, const TensorView& a,
                       std::int64_t k, std::int64_t axis = -1,
                       SortOrder order = SortOrder::descending);

/// Each line with the elements in front that are smaller than its k-th in order, then those that
/// equal it, then the others, each group in the order that it had: at k (from 0, or from the end if
/// negative) stands what stands there when all are sorted. The output may be the input. Throws
/// Error(invalid_argument) for a k outside of the axis.
WEFT_API Tensor partition(const TensorView& a, std::int64_t k, std::int64_t axis = -1);
WEFT_API void partition_out(const Output& out, const TensorView& a, std::int64_t k,
                            std::int64_t axis = -1);

/// The element in the middle of each line, of an even number the mean of both: quantile(a, 0.5).
WEFT_API Tensor median(const TensorView& a, std::int64_t axis = -1, bool keepdim = false);
WEFT_API void median_out(const Output& out, const TensorView& a, std::int64_t axis = -1,
                         bool keepdim = false);

/// What stands at q * (extent - 1) when a line is sorted, between two places in proportion; q from
/// 0 to 1. Computed in f64 and rounded once to the input's type, to f32 of integers and bools. NaN
/// if one is there. The axis is gone from the result, or has extent 1 with `keepdim`; of several q,
/// the result has a new first axis for them. Throws Error: invalid_argument (a q that is not from 0
/// to 1), shape (lines without elements).
WEFT_API Tensor quantile(const TensorView& a, double q, std::int64_t axis = -1,
                         bool keepdim = false);
WEFT_API void quantile_out(const Output& out, const TensorView& a, double q, std::int64_t axis = -1,
                           bool keepdim = false);
WEFT_API Tensor quantile(const TensorView& a, std::span<const double> q, std::int64_t axis = -1,
                         bool keepdim = false);
WEFT_API void quantile_out(const Output& out, const TensorView& a, std::span<const double> q,
                           std::int64_t axis = -1, bool keepdim = false);

/// The same with several q in the argument: quantile(a, {0.25, 0.75}).
inline Tensor quantile(const TensorView& a, std::initializer_list<double> q, std::int64_t axis = -1,
                       bool keepdim = false) {
  return quantile(a, std::span<const double>(q.begin(), q.size()), axis, keepdim);
}

/// The different elements of a tensor, or its different slices along an axis.
struct UniqueElements {
  Tensor values;   ///< in ascending order, along one axis; of equal ones the first
  Tensor indices;  ///< i64: where each stands first, elements being counted through in C order
  Tensor inverse;  ///< i64, of the input's shape: which value is there; of slices, of the axis
  Tensor counts;   ///< i64: how often each is there
};
/// All NaNs are one value. Allocates copies of the input and, for unique_all, its order. The result
/// has as many elements as there are different ones.
WEFT_API Tensor unique(const TensorView& a);
WEFT_API void unique_out(const Output& out, const TensorView& a);
WEFT_API UniqueElements unique_all(const TensorView& a);

/// The same of the slices along an axis, which stand there in the order of the first elements that
/// differ, counted through in C order. Two slices are one where all their elements are: NaN beside
/// NaN, 0.0 beside -0.0. Slices without elements are all equal. The result has the input's shape
/// but for the axis. Allocates a copy of the input, with elements of 4 bytes at least, 16 bytes for
/// each slice, 16 for each different one, and the result if the output has another type; one thread
/// sorts.
WEFT_API Tensor unique(const TensorView& a, std::int64_t axis);
WEFT_API void unique_out(const Output& out, const TensorView& a, std::int64_t axis);
WEFT_API UniqueElements unique_all(const TensorView& a, std::int64_t axis);

}  // namespace v0
}  // namespace weft
