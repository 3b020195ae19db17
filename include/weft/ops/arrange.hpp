// SPDX-License-Identifier: Apache-2.0
/// @file
/// The elements of a tensor in other places: turned round, shifted, repeated, with borders.
///
/// Inputs may be of any element type and strides. The result has the type of `a`; an output may
/// have any type that this converts to without losing its kind, is allocated if it is an undefined
/// Tensor, and replaced if it is one of another shape. It may share no memory with the input. All
/// are copies, piece by piece, and as fast. Beside the result nothing is allocated up to rank 8,
/// where an axis counts twice that tile or repeat makes longer, but scratch memory, which is kept.
/// Throw Error before anything is written: axis, shape, cast, overflow, overlap, undefined, and as
/// each of them says.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>

namespace weft {
inline namespace v0 {

/// Turned round along each of the axes; no axes, none. TensorView::flip is a view that does it
/// along one. Throws Error(axis) for an axis that is named twice.
WEFT_API Tensor flip(const TensorView& a, IntSpan axes);
WEFT_API void flip_out(const Output& out, const TensorView& a, IntSpan axes);

/// Shifted along each of the axes by as many places as the shift says, what leaves one end coming
/// in at the other: out[(i + shift) mod extent] = a[i]. Shifts may be negative and longer than the
/// axis; those of an axis that is named twice add up. Throws Error(rank) unless there is one shift
/// for each axis.
WEFT_API Tensor roll(const TensorView& a, IntSpan shifts, IntSpan axes);
WEFT_API void roll_out(const Output& out, const TensorView& a, IntSpan shifts, IntSpan axes);

/// The whole tensor again and again, repeats[i] times along axis i: extents are multiplied. Missing
/// repeats, in front, are 1; more repeats than axes give `a` new leading ones of extent 1. Throws
/// Error(invalid_argument) for repeats below 0.
WEFT_API Tensor tile(const TensorView& a, IntSpan repeats);
WEFT_API void tile_out(const Output& out, const TensorView& a, IntSpan repeats);

/// Each slice along an axis `count` times in a row: [1, 2] twice is [1, 1, 2, 2]. A 0-d tensor
/// becomes one of one axis. Throws Error(invalid_argument) for a count below 0.
WEFT_API Tensor repeat(const TensorView& a, std::int64_t count, std::int64_t axis);
WEFT_API void repeat_out(const Output& out, const TensorView& a, std::int64_t count,
                         std::int64_t axis);

/// What stands in a border.
enum class PadMode : std::uint8_t {
  constant,   ///< one value
  edge,       ///< the element at the edge: 1 1 [1 2 3] 3 3
  reflect,    ///< those beside the edge, backwards: 3 2 [1 2 3] 2 1
  wrap,       ///< those of the other end: 2 3 [1 2 3] 1 2
  symmetric,  ///< those from the edge on, backwards: 2 1 [1 2 3] 3 2
};

/// Elements in front of an axis and behind it.
struct AxisPadding {
  std::int64_t before = 0;
  std::int64_t after = 0;
};

/// `a` with borders, one pair of widths for each axis, which may be 0. Borders that are longer than
/// the axis go on in the same way: reflect and symmetric turn round at both ends again and again,
/// wrap goes round. Reflected, an axis of one element is repeated. `value` is what constant borders
/// hold, 0 if not said; it is converted to the type of `a`, whose kind it must have, or a lower
/// one.
///
/// Throws Error: rank (another number of widths than axes), invalid_argument (a width below 0),
/// shape (a border that is not constant, of an axis without elements), cast (the value).
WEFT_API Tensor pad(const TensorView& a, std::span<const AxisPadding> widths,
                    PadMode mode = PadMode::constant, const Scalar& value = false);
WEFT_API void pad_out(const Output& out, const TensorView& a, std::span<const AxisPadding> widths,
                      PadMode mode = PadMode::constant, const Scalar& value = false);
/// The same with the widths in the argument: pad(a, {{1, 1}, {0, 2}}).
inline Tensor pad(const TensorView& a, std::initializer_list<AxisPadding> widths,
                  PadMode mode = PadMode::constant, const Scalar& value = false) {
  return pad(a, std::span<const AxisPadding>(widths.begin(), widths.size()), mode, value);
}
inline void pad_out(const Output& out, const TensorView& a,
                    std::initializer_list<AxisPadding> widths, PadMode mode = PadMode::constant,
                    const Scalar& value = false) {
  pad_out(out, a, std::span<const AxisPadding>(widths.begin(), widths.size()), mode, value);
}

}  // namespace v0
}  // namespace weft
