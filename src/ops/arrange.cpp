// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/ops/arrange.hpp>

#include "base/operation.hpp"
#include "machine/tuning.hpp"
#include "ops/explain_moves.hpp"
#include "ops/index_operand.hpp"
#include "ops/moved_result.hpp"
#include "ops/part_copies.hpp"

#include <algorithm>
#include <cstdlib>

namespace weft {
inline namespace v0 {
namespace {

constexpr std::uint64_t bit(std::size_t axis) { return std::uint64_t{1} << axis; }
/// An axis as the functions of views take it.
constexpr std::int64_t number(std::size_t axis) { return static_cast<std::int64_t>(axis); }

/// Repeated elements of fewer bytes than that are copied again and again in a cache.
constexpr std::int64_t narrow_bytes = 4 * cache_line_bytes;
/// Results of fewer bytes are in a cache in any case.
constexpr std::int64_t small_bytes = 16 * 1024;

/// A shape under which copies repeat elements, and how both sides are walked in it.
class RepeatedDims {
 public:
  /// Dims of extent 1 are left out, so that there are never too many.
  void add(std::int64_t extent, std::int64_t to_stride, std::int64_t from_stride) {
    if (extent == 1) return;
    shape_.push_back(extent);
    from_shape_.push_back(extent);
    to_strides_.push_back(to_stride);
    from_strides_.push_back(from_stride);
  }
  /// A dim along which elements of the input are repeated.
  void add_repeated(std::int64_t count, std::int64_t to_stride) {
    if (count == 1) return;
    add(count, to_stride, 0);
    from_shape_.back() = 1;
    repeated_.push_back(shape_.size() - 1);
  }

  void copy(const PartCopies& copies, const TensorView& to_view,
            const TensorView& from_view) const {
    const TensorView to = to_view.as_strided(shape_, to_strides_);
    const TensorView from = from_view.as_strided(from_shape_, from_strides_);
    const std::size_t narrow = narrow_dim(to);
    if (narrow == none) return copies.copy(to, from);
    // All that is repeated along other dims is made first.
    TensorView made = to;
    for (const std::size_t d : repeated_) {
      if (d != narrow) made = made.slice(number(d), 0, 1);
    }
    copies.in_blocks(made, narrow, shape_[narrow], bit(narrow), [&](const Block& block) {
      repeat_doubling(copies, block.of(made), block.of(from), narrow);
    });
    for (const std::size_t d : repeated_) {
      if (d == narrow) continue;
      TensorView more = to;
      for (const std::size_t later : repeated_) {
        if (later > d && later != narrow) more = more.slice(number(later), 0, 1);
      }
      copies.copy(more.slice(number(d), 1, shape_[d]), more.slice(number(d), 0, 1));
    }
  }

 private:
  static constexpr std::size_t none = max_rank;

  /// The innermost repeated dim, if what is repeated along it is a few elements in each of many
  /// places, which an ordinary copy would take one run of a few after the other.
  std::size_t narrow_dim(const TensorView& to) const {
    if (to.nbytes() < small_bytes) return none;
    const auto stride = [&](std::size_t d) { return std::abs(to_strides_[d]); };
    std::size_t narrow = none;
    for (const std::size_t d : repeated_) {
      if (narrow == none || stride(d) < stride(narrow)) narrow = d;
    }
    if (narrow == none || stride(narrow) == 1) return none;
    if (stride(narrow) * element_size(to.dtype()) >= narrow_bytes) return none;
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      if (from_shape_[d] > 1 && stride(d) > stride(narrow)) return narrow;
    }
    return none;
  }

  /// Each copy makes as much again as there is already.
  static void repeat_doubling(const PartCopies& copies, const TensorView& to,
                              const TensorView& from, std::size_t dim) {
    const std::int64_t all = to.shape()[dim], axis = number(dim);
    copies.copy(to.slice(axis, 0, 1), from);
    for (std::int64_t done = 1; done < all;) {
      const std::int64_t n = std::min(done, all - done);
      copies.copy(to.slice(axis, done, done + n), to.slice(axis, 0, n));
      done += n;
    }
  }

  DimVector shape_, from_shape_, to_strides_, from_strides_;
  SmallVector<std::size_t, inline_rank> repeated_;
};

// Operands come by value: a view may be the very tensor that is replaced as an output.

void run_flip(const Output& out, TensorView a, IntSpan axes, const PartCopies& copies = {}) {
  with_operation("flip", [&] {
    check_defined(a, 0);
    TensorView turned = a;
    std::uint64_t seen = 0;
    for (const std::int64_t axis : axes) {
      const auto at = static_cast<std::size_t>(normalize_axis(axis, a.rank()));
      if ((seen & bit(at)) != 0)
        fail(ErrorCode::axis, text("axis ", axis, " is named twice in ", to_string(axes)));
      seen |= bit(at);
      turned = turned.flip(axis);
    }
    const MovedResult result(out, a.shape(), a.dtype(), a);
    copies.copy(result.view(), turned);
  });
}

/// Both ends of each axis from `axis` on.
void roll_from(const PartCopies& copies, const TensorView& to, const TensorView& from,
               const DimVector& shifts, std::size_t axis) {
  while (axis < shifts.size() && shifts[axis] == 0)
    ++axis;
  if (axis == shifts.size()) return copies.copy(to, from);
  const std::int64_t extent = to.shape()[axis], shift = shifts[axis], at = number(axis);
  roll_from(copies, to.slice(at, 0, shift), from.slice(at, extent - shift, extent), shifts,
            axis + 1);
  roll_from(copies, to.slice(at, shift, extent), from.slice(at, 0, extent - shift), shifts,
            axis + 1);
}

void run_roll(const Output& out, TensorView a, IntSpan given, IntSpan axes,
              const PartCopies& copies = {}) {
  with_operation("roll", [&] {
    check_defined(a, 0);
    if (given.size() != axes.size()) {
      fail(ErrorCode::rank, text("expected one shift for each axis, got shifts ", to_string(given),
                                 " and axes ", to_string(axes)));
    }
    DimVector shifts(a.shape().size(), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const auto axis = static_cast<std::size_t>(normalize_axis(axes[i], a.rank()));
      if (a.rank() == 0 || a.shape()[axis] == 0) continue;
      const std::int64_t extent = a.shape()[axis];
      // From 0 to extent - 1, as is what they add up to; nothing overflows on the way.
      std::int64_t shift = given[i] % extent;
      if (shift < 0) shift += extent;
      shifts[axis] += shifts[axis] < extent - shift ? shift : shift - extent;
    }
    const MovedResult result(out, a.shape(), a.dtype(), a);
    const TensorView& to = result.view();
    std::uint64_t cut = 0;
    std::size_t innermost = 0;
    for (std::size_t axis = 0; axis < shifts.size(); ++axis) {
      if (shifts[axis] == 0) continue;
      cut |= bit(axis);
      innermost = axis;
    }
    if (to.numel() == 0 || cut == 0) return copies.copy(to, a);
    copies.in_blocks(to, innermost, 2, cut, [&](const Block& block) {
      roll_from(copies, block.of(to), block.of(a), shifts, 0);
    });
  });
}

void run_tile(const Output& out, TensorView a, IntSpan repeats, const PartCopies& copies = {}) {
  with_operation("tile", [&] {
    check_defined(a, 0);
    const std::size_t rank = std::max(a.shape().size(), repeats.size());
    const std::size_t lead = rank - a.shape().size(), ones = rank - repeats.size();
    const auto extent = [&](std::size_t axis) { return axis < lead ? 1 : a.shape()[axis - lead]; };
    const auto times = [&](std::size_t axis) { return axis < ones ? 1 : repeats[axis - ones]; };
    DimVector shape;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      if (times(axis) < 0) {
        fail(ErrorCode::invalid_argument,
             text("repeats of axis ", axis, ": expected at least 0, got ", times(axis)));
      }
      shape.push_back(extent_product(extent(axis), times(axis), axis));
    }
    const MovedResult result(out, shape, a.dtype(), a);
    const TensorView& to = result.view();
    if (to.numel() == 0) return;
    RepeatedDims dims;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::int64_t stride = to.strides()[axis];
      dims.add_repeated(times(axis), times(axis) == 1 ? 0 : extent(axis) * stride);
      dims.add(extent(axis), stride, axis < lead ? 0 : a.strides()[axis - lead]);
    }
    dims.copy(copies, to, a);
  });
}

void run_repeat(const Output& out, TensorView a, std::int64_t count, std::int64_t axis,
                const PartCopies& copies = {}) {
  with_operation("repeat", [&] {
    check_defined(a, 0);
    if (count < 0)
      fail(ErrorCode::invalid_argument, text("count: expected at least 0, got ", count));
    const auto along = static_cast<std::size_t>(normalize_axis(axis, a.rank()));
    const TensorView from = with_axis(a);
    DimVector shape(from.shape().begin(), from.shape().end());
    shape[along] = extent_product(shape[along], count, along);
    const MovedResult result(out, shape, a.dtype(), a);
    const TensorView& to = result.view();
    if (to.numel() == 0) return;
    RepeatedDims dims;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::int64_t stride = to.strides()[i];
      const std::int64_t times = i == along ? count : 1;
      if (from.shape()[i] > 1) dims.add(from.shape()[i], times * stride, from.strides()[i]);
      dims.add_repeated(times, stride);
    }
    dims.copy(copies, to, from);
  });
}

/// Fills both borders of an axis from what stands between them, or with `value`.
void fill_borders(const PartCopies& copies, const TensorView& to, std::int64_t axis,
                  const AxisPadding& width, std::int64_t extent, PadMode mode,
                  const TensorView& value) {
  // Elements first ... end - 1 are there; they become more.
  std::int64_t first = width.before, end = width.before + extent;
  const std::int64_t all = end + width.after;
  const auto part = [&](std::int64_t from, std::int64_t until) {
    return to.slice(axis, from, until);
  };
  if (mode == PadMode::reflect && extent == 1) mode = PadMode::edge;
  if (mode == PadMode::constant || mode == PadMode::edge) {
    const bool edge = mode == PadMode::edge;
    if (first > 0) copies.copy(part(0, first), edge ? part(first, first + 1) : value);
    if (end < all) copies.copy(part(end, all), edge ? part(end - 1, end) : value);
    return;
  }
  // Elements repeat after a period, of which as many are copied as there are: each time twice as
  // many, or more.
  const bool backwards = mode != PadMode::wrap;
  const std::int64_t edge = mode == PadMode::reflect ? 1 : 0;  // that is not repeated
  const std::int64_t period = extent - edge;
  const auto at_hand = [&] { return (end - first - edge) / period * period; };
  while (first > 0) {
    const std::int64_t n = std::min(first, at_hand());
    copies.copy(part(first - n, first), backwards ? part(first + edge, first + edge + n).flip(axis)
                                                  : part(first - n + at_hand(), first + at_hand()));
    first -= n;
  }
  while (end < all) {
    const std::int64_t n = std::min(all - end, at_hand());
    copies.copy(part(end, end + n), backwards ? part(end - edge - n, end - edge).flip(axis)
                                              : part(end - at_hand(), end - at_hand() + n));
    end += n;
  }
}

/// Axes from `axis` on, the last one first: the borders of outer ones are copies of whole rows.
void pad_from(const PartCopies& copies, const TensorView& to, const TensorView& from,
              std::span<const AxisPadding> widths, std::size_t axis, PadMode mode,
              const TensorView& value) {
  if (axis == widths.size()) return copies.copy(to, from);
  const std::int64_t before = widths[axis].before, extent = from.shape()[axis];
  pad_from(copies, to.slice(number(axis), before, before + extent), from, widths, axis + 1, mode,
           value);
  fill_borders(copies, to, number(axis), widths[axis], extent, mode, value);
}

void check_width(std::int64_t width, const char* which, std::size_t axis) {
  if (width < 0) {
    fail(ErrorCode::invalid_argument,
         text(which, " axis ", axis, ": expected a width of at least 0, got ", width));
  }
}

void run_pad(const Output& out, TensorView a, std::span<const AxisPadding> widths, PadMode mode,
             const Scalar& given, const PartCopies& copies = {}) {
  with_operation("pad", [&] {
    check_defined(a, 0);
    if (mode > PadMode::symmetric)
      fail(ErrorCode::invalid_argument,
           text("there is no mode of number ", static_cast<int>(mode)));
    if (widths.size() != a.shape().size()) {
      fail(ErrorCode::rank, text("expected widths for ", a.rank(), " axes, got ", widths.size()));
    }
    DimVector shape(a.shape().begin(), a.shape().end());
    std::uint64_t cut = 0;
    std::size_t innermost = 0;
    for (std::size_t axis = 0; axis < widths.size(); ++axis) {
      const auto [before, after] = widths[axis];
      check_width(before, "in front of", axis);
      check_width(after, "behind", axis);
      if (before == 0 && after == 0) continue;
      if (mode != PadMode::constant && shape[axis] == 0) {
        fail(ErrorCode::shape,
             text("axis ", axis, " of extent 0 has no elements to make a border of"));
      }
      shape[axis] = extent_sum(extent_sum(shape[axis], before, axis), after, axis);
      cut |= bit(axis);
      innermost = axis;
    }
    const NumberElement value(given, a.dtype(), "value");
    const MovedResult result(out, shape, a.dtype(), a);
    const TensorView& to = result.view();
    if (to.numel() == 0) return;
    if (cut == 0) return copies.copy(to, a);
    copies.in_blocks(to, innermost, 3, cut, [&](const Block& block) {
      pad_from(copies, block.of(to), block.of(a), widths, 0, mode, value.view());
    });
  });
}

}  // namespace

Explanation explain_flip(const TensorView& out, const TensorView& a, IntSpan axes) {
  ToldCopies told;
  run_flip(out, a, axes, PartCopies(told));
  return told.explanation(out.shape());
}
Explanation explain_roll(const TensorView& out, const TensorView& a, IntSpan shifts, IntSpan axes) {
  ToldCopies told;
  run_roll(out, a, shifts, axes, PartCopies(told));
  return told.explanation(out.shape());
}
Explanation explain_tile(const TensorView& out, const TensorView& a, IntSpan repeats) {
  ToldCopies told;
  run_tile(out, a, repeats, PartCopies(told));
  return told.explanation(out.shape());
}
Explanation explain_repeat(const TensorView& out, const TensorView& a, std::int64_t count,
                           std::int64_t axis) {
  ToldCopies told;
  run_repeat(out, a, count, axis, PartCopies(told));
  return told.explanation(out.shape());
}
Explanation explain_pad(const TensorView& out, const TensorView& a,
                        std::span<const AxisPadding> widths, PadMode mode, const Scalar& value) {
  ToldCopies told;
  run_pad(out, a, widths, mode, value, PartCopies(told));
  return told.explanation(out.shape());
}

void flip_out(const Output& out, const TensorView& a, IntSpan axes) { run_flip(out, a, axes); }
void roll_out(const Output& out, const TensorView& a, IntSpan shifts, IntSpan axes) {
  run_roll(out, a, shifts, axes);
}
void tile_out(const Output& out, const TensorView& a, IntSpan repeats) {
  run_tile(out, a, repeats);
}
void repeat_out(const Output& out, const TensorView& a, std::int64_t count, std::int64_t axis) {
  run_repeat(out, a, count, axis);
}
void pad_out(const Output& out, const TensorView& a, std::span<const AxisPadding> widths,
             PadMode mode, const Scalar& value) {
  run_pad(out, a, widths, mode, value);
}

Tensor flip(const TensorView& a, IntSpan axes) {
  Tensor out;
  flip_out(out, a, axes);
  return out;
}
Tensor roll(const TensorView& a, IntSpan shifts, IntSpan axes) {
  Tensor out;
  roll_out(out, a, shifts, axes);
  return out;
}
Tensor tile(const TensorView& a, IntSpan repeats) {
  Tensor out;
  tile_out(out, a, repeats);
  return out;
}
Tensor repeat(const TensorView& a, std::int64_t count, std::int64_t axis) {
  Tensor out;
  repeat_out(out, a, count, axis);
  return out;
}
Tensor pad(const TensorView& a, std::span<const AxisPadding> widths, PadMode mode,
           const Scalar& value) {
  Tensor out;
  pad_out(out, a, widths, mode, value);
  return out;
}

}  // namespace v0
}  // namespace weft
