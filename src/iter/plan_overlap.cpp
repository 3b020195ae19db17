// SPDX-License-Identifier: Apache-2.0
// The stages that check which memory operands reach, and share.
#include <weft/base/checked.hpp>

#include "base/text.hpp"
#include "iter/plan_builder.hpp"

namespace weft {
inline namespace v0 {

/// No element along a squashed axis: a kernel that walks that axis touches none.
bool PlanBuilder::has_nothing_to_walk(const Operand& op) const {
  const int lead = iter_.geometry_.ndim() - op.view.rank();
  for (int axis = 0; axis < op.view.rank(); ++axis) {
    if (op.view.shape()[static_cast<std::size_t>(axis)] == 0 && is_squashed(lead + axis))
      return true;
  }
  return false;
}

/// A declared shape makes operands' reach differ from what their own views were checked for.
/// Squashed axes are the kernel's to walk, with each operand's own extents.
void PlanBuilder::check_reach() const {
  const Geometry& geometry = iter_.geometry_;
  // Squashed axes of extent 0 do not make the iteration empty.
  for (int d = 0; d < geometry.ndim(); ++d) {
    if (geometry.extent(d) == 0 && !is_squashed(d)) return;
  }
  for (int k = 0; k < geometry.noperands; ++k) {
    const Operand& op = iter_.operands_[static_cast<std::size_t>(k)];
    if (is_new(static_cast<std::size_t>(k)) || has_nothing_to_walk(op)) continue;
    std::int64_t first = 0;
    std::int64_t end = 0;
    bool fits = true;
    for (int d = 0; d < geometry.ndim(); ++d) {
      if (is_squashed(d) || geometry.extent(d) == 1) continue;
      std::int64_t span = 0;
      fits = fits && checked_mul(geometry.extent(d) - 1, geometry.stride(d, k), span);
      std::int64_t& edge = span < 0 ? first : end;
      fits = fits && checked_add(edge, span, edge);
    }
    fits = fits && checked_add(end, element_size(op.storage), end);
    const auto label = [&] { return operand_label(static_cast<std::size_t>(k)); };
    if (!fits) {
      fail(ErrorCode::overflow, text(label(), ": byte offsets under the declared shape ",
                                     to_string(iter_.common_shape_), " exceed 2^63-1"));
    }
    // Memory of unknown extent counts as what the view itself reaches.
    std::int64_t low = op.view.first_byte();
    std::int64_t high = op.view.end_byte();
    if (const ByteRange range = op.view.range(); range.begin != nullptr) {
      low = range.begin - static_cast<const std::byte*>(op.view.data());
      high = range.end - static_cast<const std::byte*>(op.view.data());
    }
    if (first < low || end > high) {
      fail(ErrorCode::bounds, text(label(), ": under the declared shape ",
                                   to_string(iter_.common_shape_), " reaches bytes ", first, " to ",
                                   end, " of its origin, expected ", low, " to ", high));
    }
  }
}

/// What of an operand's memory is touched. With a declared shape that is not its own view: walked
/// axes have the declared extents, squashed ones its own.
TensorView PlanBuilder::touched(const TensorView& view) const {
  DimVector shape(view.shape().begin(), view.shape().end());
  const int lead = iter_.geometry_.ndim() - view.rank();
  for (int axis = 0; axis < view.rank(); ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (is_squashed(lead + axis)) continue;
    const bool reduced = config_.reduction_ && view.strides()[at] == 0;
    shape[at] = reduced ? 1 : iter_.common_shape_[static_cast<std::size_t>(lead) + at];
  }
  return view.as_strided(shape, view.strides());
}

/// Whether an output has fewer axes than the declared shape, and is written again and again along
/// one that it lacks.
bool PlanBuilder::is_repeated(const TensorView& view) const {
  const int lead = iter_.geometry_.ndim() - view.rank();
  for (int axis = 0; axis < lead && !config_.reduction_; ++axis) {
    if (!is_squashed(axis) && iter_.common_shape_[static_cast<std::size_t>(axis)] > 1)
      return view.numel() > 0;
  }
  return false;
}

void PlanBuilder::check_overlap() {
  if (config_.overlap_ == OverlapPolicy::ignore) return;
  for (std::size_t k = 0; k < iter_.operands_.size() && config_.has_static_shape_; ++k) {
    touched_.push_back(is_new(k) ? TensorView() : touched(iter_.operands_[k].view));
  }
  for (std::size_t out = 0; out < static_cast<std::size_t>(iter_.noutputs_); ++out) {
    if (is_new(out)) continue;
    const TensorView& view = touched(out);
    switch (is_repeated(view) ? Overlap::full : internal_overlap(view)) {
      case Overlap::none: break;
      case Overlap::too_hard:
        fail(ErrorCode::overlap,
             text(operand_label(out),
                  ": could not decide within the work limit whether elements of shape ",
                  to_string(view.shape()), " with strides ", to_string(view.strides()),
                  " share memory"));
      default:
        fail(ErrorCode::overlap,
             text(operand_label(out), ": unsupported operation: elements of shape ",
                  to_string(view.shape()), " with strides ", to_string(view.strides()),
                  " share memory; expected each to have its own"));
    }
    for (std::size_t other = 0; other < iter_.operands_.size(); ++other) {
      if (other == out || is_new(other) || (other < out && iter_.operands_[other].is_output))
        continue;
      check_pair(out, other);
    }
  }
}

void PlanBuilder::check_pair(std::size_t out, std::size_t other) {
  const TensorView& a = touched(out);
  const TensorView& b = touched(other);
  const bool is_output = iter_.operands_[other].is_output;
  const Overlap found = overlap(a, b);
  if (found == Overlap::none) return;
  // In place. Not so where an output is reduced into: its element would be read again after that.
  const bool elementwise = !config_.reduction_ || same_list(a.shape(), b.shape());
  if (found == Overlap::full && !is_output && elementwise) return;
  if (config_.overlap_ == OverlapPolicy::copy && !is_output) {
    copy_ |= 1u << other;
    return;
  }
  if (found == Overlap::too_hard) {
    fail(ErrorCode::overlap,
         text(operand_label(out), " and ", operand_label(other),
              ": could not decide within the work limit whether they share memory"));
  }
  const std::int64_t distance =
      static_cast<const char*>(b.data()) - static_cast<const char*>(a.data());
  fail(ErrorCode::overlap,
       text(operand_label(out), " and ", operand_label(other), ": unsupported operation: shape ",
            to_string(a.shape()), " with strides ", to_string(a.strides()), " and shape ",
            to_string(b.shape()), " with strides ", to_string(b.strides()), ", ", distance,
            " bytes behind it, share memory; expected ",
            is_output ? "outputs that share none" : "the same elements or none"));
}

}  // namespace v0
}  // namespace weft
