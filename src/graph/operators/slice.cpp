// SPDX-License-Identifier: Apache-2.0
// Parts of a tensor: StridedSlice, Slice.
#include "graph/operators/families.hpp"
#include "graph/operators/view_operator.hpp"

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// What becomes of the axes of the input, from the first on.
struct AxisCut {
  enum class Kind : std::uint8_t { keep, range, index, added };
  Kind kind = Kind::keep;
  std::optional<std::int64_t> begin, end;  ///< range; begin is the index
  std::int64_t step = 1;
};

void fail_step(const char* input) {
  fail(ErrorCode::invalid_argument, text(input, ": a step is 0"));
}

/// The shape that is left, as far as it is known.
PartialShape cut_shape(const PartialShape& in, const std::vector<AxisCut>& cuts) {
  DimVector extents;
  int axis = 0;
  for (const AxisCut& cut : cuts) {
    if (cut.kind == AxisCut::Kind::added) {
      extents.push_back(1);
      continue;
    }
    const std::int64_t extent = in.extent(axis++);
    if (cut.kind == AxisCut::Kind::keep) extents.push_back(extent);
    if (cut.kind == AxisCut::Kind::index && extent >= 0 &&
        (*cut.begin < -extent || *cut.begin >= extent)) {
      fail(ErrorCode::axis, text("input 1 (begin): index ", *cut.begin, " for axis ", axis - 1,
                                 " of extent ", extent));
    }
    if (cut.kind != AxisCut::Kind::range) continue;
    const bool whole = !cut.begin && !cut.end && (cut.step == 1 || cut.step == -1);
    extents.push_back(whole        ? extent
                      : extent < 0 ? PartialShape::unknown
                                   : AxisRange::of(extent, cut.begin, cut.end, cut.step).count);
  }
  return extents;
}

TensorView cut_view(const TensorView& in, const std::vector<AxisCut>& cuts) {
  DimVector shape, strides;
  std::int64_t offset = 0;
  int axis = 0;
  for (const AxisCut& cut : cuts) {
    if (cut.kind == AxisCut::Kind::added) {
      shape.push_back(1);
      strides.push_back(1);
      continue;
    }
    const std::int64_t extent = in.extent(axis);
    const std::int64_t stride = in.stride(axis++);
    if (cut.kind == AxisCut::Kind::index) {
      offset += (*cut.begin < 0 ? *cut.begin + extent : *cut.begin) * stride;
      continue;
    }
    const AxisRange range = AxisRange::of(extent, cut.begin, cut.end, cut.step);
    if (range.count > 0) offset += range.first * stride;
    shape.push_back(range.count);
    strides.push_back(stride * range.step);
  }
  return in.as_strided(shape, strides, numel(shape) == 0 ? 0 : offset);
}

/// Inputs begin, end and perhaps strides have an entry for each axis from the first on, and the
/// masks say what it means: begin_mask, end_mask (from the end of the axis), new_axis_mask (an axis
/// of extent 1 more), shrink_axis_mask (the axis goes, its element `begin` stays), ellipsis_mask
/// (as many axes as are not spoken of).
class StridedSlice final : public ViewOperator {
 public:
  StridedSlice() : ViewOperator({.name = "StridedSlice"}, 3, 4) {}

  void shapes(const Node& node, const PartialShape& in, const IntegerInputs& integers,
              std::span<PartialShape> shapes) const override {
    if (!integers[1] || !integers[2] || (has_strides(node) && !integers[3])) return;
    shapes[0] = cut_shape(in, cuts(node, in.rank(), integers));
  }
  void views(const Node& node, const TensorView& in, const IntegerInputs& integers,
             std::span<TensorView> outputs) const override {
    outputs[0] = cut_view(in, cuts(node, in.rank(), integers));
  }

 private:
  static bool has_strides(const Node& node) { return node.inputs.size() > 3 && node.inputs[3]; }

  static std::vector<AxisCut> cuts(const Node& node, int rank, const IntegerInputs& integers) {
    const IntegerList& begin = *integers[1];
    const IntegerList& end = *integers[2];
    const std::size_t count = begin.size();
    IntegerList steps(count, 1);
    if (integers.size() > 3 && integers[3]) steps = *integers[3];
    if (end.size() != count || steps.size() != count) {
      fail(ErrorCode::shape,
           text("inputs 1 to 3 (begin, end, strides): expected equal lengths, got ", count, ", ",
                end.size(), " and ", steps.size()));
    }
    const auto mask = [&](const char* name) {
      std::vector<std::int64_t> bits = node.attributes.integers(name, {});
      bits.resize(count, 0);
      return bits;
    };
    const auto from_first = mask("begin_mask"), to_last = mask("end_mask");
    const auto added = mask("new_axis_mask"), shrunk = mask("shrink_axis_mask");
    const auto ellipsis = mask("ellipsis_mask");
    int spoken_of = 0, ellipses = 0;
    for (std::size_t i = 0; i < count; ++i) {
      ellipses += ellipsis[i] != 0 ? 1 : 0;
      spoken_of += ellipsis[i] == 0 && added[i] == 0 ? 1 : 0;
    }
    if (ellipses > 1) {
      fail(ErrorCode::invalid_argument, "attribute 'ellipsis_mask': more than one ellipsis");
    }
    if (spoken_of > rank) {
      fail(ErrorCode::shape, text("input 1 (begin): ", spoken_of, " axes for an input of ", rank));
    }
    std::vector<AxisCut> list;
    for (std::size_t i = 0; i < count; ++i) {
      AxisCut cut;
      if (ellipsis[i] != 0) {
        list.insert(list.end(), static_cast<std::size_t>(rank - spoken_of), cut);
        continue;
      }
      if (added[i] != 0) {
        cut.kind = AxisCut::Kind::added;
      } else if (shrunk[i] != 0) {
        cut.kind = AxisCut::Kind::index;
        cut.begin = begin[i];  // whatever begin_mask says
      } else {
        cut.kind = AxisCut::Kind::range;
        if (from_first[i] == 0) cut.begin = begin[i];
        if (to_last[i] == 0) cut.end = end[i];
        cut.step = steps[i];
        if (cut.step == 0) fail_step("input 3 (strides)");
      }
      list.push_back(cut);
    }
    if (ellipses == 0) list.insert(list.end(), static_cast<std::size_t>(rank - spoken_of), {});
    return list;
  }
};

/// Inputs start, stop, step and perhaps axes: as Python's start:stop:step along each of the axes.
class Slice final : public ViewOperator {
 public:
  Slice() : ViewOperator({.name = "Slice", .first_opset = 8}, 4, 5) {}

  void shapes(const Node& node, const PartialShape& in, const IntegerInputs& integers,
              std::span<PartialShape> shapes) const override {
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
      if (node.inputs[i] && !integers[i]) {
        shapes[0] = PartialShape::of_rank(in.rank());
        return;
      }
    }
    shapes[0] = cut_shape(in, cuts(in.rank(), integers));
  }
  void views(const Node&, const TensorView& in, const IntegerInputs& integers,
             std::span<TensorView> outputs) const override {
    outputs[0] = cut_view(in, cuts(in.rank(), integers));
  }

 private:
  static std::vector<AxisCut> cuts(int rank, const IntegerInputs& integers) {
    const std::size_t count = integers[1]->size();
    IntegerList axes;
    if (integers.size() > 4 && integers[4]) {
      axes = *integers[4];
    } else {
      for (std::size_t i = 0; i < count; ++i)
        axes.push_back(static_cast<std::int64_t>(i));
    }
    if (integers[2]->size() != count || integers[3]->size() != count || axes.size() != count) {
      fail(ErrorCode::shape,
           text("inputs 1 to 4 (start, stop, step, axes): expected equal lengths, got ", count,
                ", ", integers[2]->size(), ", ", integers[3]->size(), " and ", axes.size()));
    }
    std::vector<AxisCut> list(static_cast<std::size_t>(rank));
    for (std::size_t i = 0; i < count; ++i) {
      AxisCut& cut = list[static_cast<std::size_t>(checked_axis(axes[i], rank, "input 4 (axes)"))];
      if (cut.kind == AxisCut::Kind::range) {
        fail(ErrorCode::axis, text("input 4 (axes): axis ", axes[i], " is named twice"));
      }
      cut = {AxisCut::Kind::range, (*integers[1])[i], (*integers[2])[i], (*integers[3])[i]};
      if (cut.step == 0) fail_step("input 3 (step)");
    }
    return list;
  }
};

}  // namespace

void add_slice_operators(OperatorRegistry& registry) {
  registry.add(std::make_shared<StridedSlice>());
  registry.add(std::make_shared<Slice>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
