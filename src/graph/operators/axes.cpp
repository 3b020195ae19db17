// SPDX-License-Identifier: Apache-2.0
// Operators that drop, add or permute axes: Squeeze, Unsqueeze, Transpose.
#include "graph/operators/families.hpp"
#include "graph/operators/view_operator.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// Axes as a set, counted from the front. Throws Error(axis) for one out of range or named twice.
std::vector<bool> axis_set(const IntegerList& axes, int rank) {
  std::vector<bool> set(static_cast<std::size_t>(rank));
  for (const std::int64_t axis : axes) {
    const auto at = static_cast<std::size_t>(checked_axis(axis, rank, "input 1 (axes)"));
    if (set[at]) fail(ErrorCode::axis, text("input 1 (axes): axis ", axis, " is named twice"));
    set[at] = true;
  }
  return set;
}

/// Without those axes of input 1 that have extent 1; without input 1, or with an empty one, without
/// all axes of extent 1. An axis whose extent is not known yet is taken for one of extent 1, unless
/// attribute allow_axis_skip says that it may be another.
class Squeeze final : public ViewOperator {
 public:
  Squeeze() : ViewOperator({.name = "Squeeze"}, 1, 2) {}

  void shapes(const Node& node, const PartialShape& in, const IntegerInputs& integers,
              std::span<PartialShape> shapes) const override {
    if (has_axes(node) && !integers[1]) return;
    if (!names_axes(integers)) {
      if (!in.is_static()) return;
      DimVector extents;
      for (const std::int64_t extent : in.extents()) {
        if (extent != 1) extents.push_back(extent);
      }
      shapes[0] = extents;
      return;
    }
    const std::vector<bool> named = axis_set(*integers[1], in.rank());
    DimVector extents;
    for (std::size_t axis = 0; axis < named.size(); ++axis) {
      const std::int64_t extent = in.extents()[axis];
      if (named[axis] && extent == PartialShape::unknown &&
          node.attributes.flag("allow_axis_skip", false))
        return;
      if (!named[axis] || (extent != 1 && extent != PartialShape::unknown))
        extents.push_back(extent);
    }
    shapes[0] = extents;
  }
  void views(const Node&, const TensorView& in, const IntegerInputs& integers,
             std::span<TensorView> outputs) const override {
    std::vector<bool> named(static_cast<std::size_t>(in.rank()), true);
    if (names_axes(integers)) named = axis_set(*integers[1], in.rank());
    DimVector shape, strides;
    for (std::size_t axis = 0; axis < named.size(); ++axis) {
      if (named[axis] && in.shape()[axis] == 1) continue;
      shape.push_back(in.shape()[axis]);
      strides.push_back(in.strides()[axis]);
    }
    outputs[0] = in.as_strided(shape, strides);
  }

 private:
  static bool has_axes(const Node& node) { return node.inputs.size() > 1 && node.inputs[1]; }
  static bool names_axes(const IntegerInputs& integers) {
    return integers.size() > 1 && integers[1] && !integers[1]->empty();
  }
};

/// With axes of extent 1 at the places that input 1 names, counted in the output.
class Unsqueeze final : public ViewOperator {
 public:
  Unsqueeze() : ViewOperator({.name = "Unsqueeze"}, 2, 2) {}

  void shapes(const Node&, const PartialShape& in, const IntegerInputs& integers,
              std::span<PartialShape> shapes) const override {
    if (!integers[1]) return;
    DimVector extents;
    for_each_axis(in.rank(), *integers[1],
                  [&](int from) { extents.push_back(from < 0 ? 1 : in.extent(from)); });
    shapes[0] = extents;
  }
  void views(const Node&, const TensorView& in, const IntegerInputs& integers,
             std::span<TensorView> outputs) const override {
    DimVector shape, strides;
    for_each_axis(in.rank(), *integers[1], [&](int from) {
      shape.push_back(from < 0 ? 1 : in.extent(from));
      strides.push_back(from < 0 ? 1 : in.stride(from));
    });
    outputs[0] = in.as_strided(shape, strides);
  }

 private:
  /// f(axis of the input, or -1) for each axis of the output.
  template <class F>
  static void for_each_axis(int rank, const IntegerList& axes, const F& f) {
    const int total = rank + static_cast<int>(axes.size());
    if (total > max_rank) fail(ErrorCode::rank, text("more than ", max_rank, " axes"));
    const std::vector<bool> added = axis_set(axes, total);
    int from = 0;
    for (const bool is_new : added)
      f(is_new ? -1 : from++);
  }
};

/// Axis i of the output is axis order[i] of the input, order being input 1; without it, or if it is
/// empty, axes are reversed.
class Transpose final : public ViewOperator {
 public:
  Transpose() : ViewOperator({.name = "Transpose"}, 1, 2) {}

  void shapes(const Node& node, const PartialShape& in, const IntegerInputs& integers,
              std::span<PartialShape> shapes) const override {
    if (node.inputs.size() > 1 && node.inputs[1] && !integers[1]) {
      shapes[0] = PartialShape::of_rank(in.rank());
      return;
    }
    DimVector extents;
    for (const std::int64_t axis : order(in.rank(), integers))
      extents.push_back(in.extent(axis));
    shapes[0] = extents;
  }
  void views(const Node&, const TensorView& in, const IntegerInputs& integers,
             std::span<TensorView> outputs) const override {
    outputs[0] = in.permute(order(in.rank(), integers));
  }

 private:
  static IntegerList order(int rank, const IntegerInputs& integers) {
    IntegerList list;
    if (integers.size() > 1 && integers[1]) list = *integers[1];
    if (list.empty()) {
      for (int axis = rank; axis-- > 0;)
        list.push_back(axis);
      return list;
    }
    if (list.size() != static_cast<std::size_t>(rank)) {
      fail(ErrorCode::axis, text("input 1 (order): expected ", rank, " axes, got ", list.size()));
    }
    std::vector<bool> named(list.size());
    for (std::int64_t& axis : list) {
      axis = checked_axis(axis, rank, "input 1 (order)");
      if (named[static_cast<std::size_t>(axis)]) {
        fail(ErrorCode::axis, text("input 1 (order): axis ", axis, " is named twice"));
      }
      named[static_cast<std::size_t>(axis)] = true;
    }
    return list;
  }
};

}  // namespace

void add_axis_operators(OperatorRegistry& registry) {
  registry.add(std::make_shared<Squeeze>());
  registry.add(std::make_shared<Unsqueeze>());
  registry.add(std::make_shared<Transpose>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
