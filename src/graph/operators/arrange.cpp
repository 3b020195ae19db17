// SPDX-License-Identifier: Apache-2.0
// The elements of a tensor in other places: Roll, Reverse, Pad.
#include <weft/base/checked.hpp>
#include <weft/ops/arrange.hpp>

#include "graph/operators/families.hpp"
#include "graph/operators/integers_input.hpp"

#include <algorithm>
#include <complex>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// Operators of input 0 whose other inputs are short: these come contiguous.
class ArrangeOperator : public Operator {
 public:
  bool accepts_input(const Node&, int input, const TensorView& view) const final {
    return input == 0 || view.is_contiguous();
  }
  bool accepts_output(const Node&, int, const TensorView&) const final { return true; }

 protected:
  using Operator::Operator;
};

void check_roll_axes(IntSpan axes, int rank) {
  for (const std::int64_t axis : axes)
    checked_axis(axis, rank, "input 2 (axes)");
}

class RollRun final : public Kernel {
 public:
  explicit RollRun(const PrepareContext& context)
      : in_(context.input(0)), out_(context.output(0)), shifts_(context, 1), axes_(context, 2) {}

  void run(const KernelArguments& arguments) override {
    const IntSpan axes = axes_.in(arguments);
    check_roll_axes(axes, in_.rank());
    IntSpan shifts = shifts_.in(arguments);
    if (shifts.size() == 1) {
      same_.assign(axes.size(), shifts[0]);
      shifts = same_;
    }
    roll_out(rebound(out_, arguments.outputs[0]), rebound(in_, arguments.inputs[0]), shifts, axes);
  }

 private:
  TensorView in_, out_;
  IntegersInput shifts_, axes_;
  std::vector<std::int64_t> same_;
};

/// Shifted along the axes of input 2 by as many places as input 1 says (weft/ops/arrange.hpp). One
/// shift is that of all axes; shifts of an axis that is named twice add up.
class Roll final : public ArrangeOperator {
 public:
  Roll() : ArrangeOperator({.name = "Roll"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 3, 3);
    expect_integers(context, 1, "shift");
    expect_integers(context, 2, "axes");
    const ValueType& in = context.input(0);
    context.set_output(0, in);
    const PartialShape& shift = context.input(1).shape;
    const PartialShape& axes = context.input(2).shape;
    const std::int64_t shifts = count(shift, 1, "shift"), named = count(axes, 2, "axes");
    if (shifts >= 0 && shifts != 1 && named >= 0 && shifts != named) {
      fail(ErrorCode::shape, text("input 1 (shift): expected one shift, or one for each of ", named,
                                  " axes, got ", shifts));
    }
    const TensorView* value = context.value_if_known(2);
    if (value == nullptr || !in.shape.has_rank()) return;
    check_roll_axes(integers_of(*value, 2), in.shape.rank());
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<RollRun>(context);
  }

 private:
  /// How many integers an input holds, or that this is unknown.
  static std::int64_t count(const PartialShape& shape, int input, const char* meaning) {
    if (!shape.has_rank()) return PartialShape::unknown;
    if (shape.rank() == 0) return 1;
    if (shape.rank() == 1) return shape.extent(0);
    fail(ErrorCode::shape, text("input ", input, " (", meaning,
                                "): expected at most one axis, got ", to_string(shape)));
  }
};

/// Axes of a tensor, each once.
DimVector axes_of(IntSpan list, bool is_mask, int rank) {
  DimVector axes;
  if (is_mask) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] != 0) axes.push_back(static_cast<std::int64_t>(i));
    }
    return axes;
  }
  for (const std::int64_t given : list) {
    const std::int64_t axis = checked_axis(given, rank, "input 1 (axis)");
    if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
  }
  return axes;
}

class ReverseRun final : public Kernel {
 public:
  ReverseRun(const PrepareContext& context, bool is_mask)
      : in_(context.input(0)), out_(context.output(0)), axes_(context, 1), is_mask_(is_mask) {}

  void run(const KernelArguments& arguments) override {
    flip_out(rebound(out_, arguments.outputs[0]), rebound(in_, arguments.inputs[0]),
             axes_of(axes_.in(arguments), is_mask_, in_.rank()));
  }

 private:
  TensorView in_, out_;
  IntegersInput axes_;
  bool is_mask_;
};

/// Turned round along the axes of input 1: their numbers, or, by attribute mode "mask", a bool for
/// each axis. A view where these are constant.
class Reverse final : public ArrangeOperator {
 public:
  Reverse() : ArrangeOperator({.name = "Reverse"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 2, 2);
    const ValueType& in = context.input(0);
    context.set_output(0, in);
    const ValueType& axes = context.input(1);
    if (!is_mask(context.node())) {
      expect_integers(context, 1, "axis");
      const TensorView* value = context.value_if_known(1);
      if (value != nullptr && in.shape.has_rank()) axes_of(list(*value), false, in.shape.rank());
      return;
    }
    if (axes.dtype != ScalarType::boolean) {
      fail(ErrorCode::dtype,
           text("input 1 (axis): expected bools as a mask, got ", weft::name(axes.dtype)));
    }
    if (in.shape.has_rank()) expect_shape(context, 1, "axis", {in.shape.rank()});
  }
  bool view(const PrepareContext& context, std::span<TensorView> outputs) const override {
    const TensorView* value = context.constant(1);
    if (value == nullptr) return false;
    outputs[0] = context.input(0);
    for (const std::int64_t axis :
         axes_of(list(*value), is_mask(context.node()), outputs[0].rank())) {
      outputs[0] = outputs[0].flip(axis);
    }
    return true;
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<ReverseRun>(context, is_mask(context.node()));
  }

 private:
  static DimVector list(const TensorView& view) {
    const std::vector<std::int64_t> integers = integers_of(view, 1);
    return {integers.begin(), integers.end()};
  }
  static bool is_mask(const Node& node) {
    constexpr std::string_view modes[] = {"index", "mask"};
    return choice_of(node.attributes, "mode", modes, 0) == 1;
  }
};

template <class T>
T element_as(const void* element, ScalarType type) {
  T value{};
  cast_elements(&value, scalar_type_of<T>, 0, element, type, 0, 1);
  return value;
}
/// An element as a number of its kind. Integers above those of i64 come back where they go.
Scalar number_at(const void* element, ScalarType type) {
  if (is_complex(type)) return element_as<std::complex<double>>(element, type);
  if (is_floating(type)) return element_as<double>(element, type);
  if (type == ScalarType::boolean) return element_as<bool>(element, type);
  return element_as<std::int64_t>(element, type);
}

/// Widths below 0 cut off.
struct Cut {
  std::int64_t first = 0, end = 0;  ///< what is left of the input's axis
  AxisPadding border;

  Cut(std::int64_t extent, std::int64_t before, std::int64_t after)
      : first(before < 0 ? -before : 0),
        end(after < 0 ? extent + after : extent),
        border{std::max<std::int64_t>(before, 0), std::max<std::int64_t>(after, 0)} {}
};

class PadRun final : public Kernel {
 public:
  PadRun(const PrepareContext& context, PadMode mode)
      : in_(context.input(0)),
        out_(context.output(0)),
        before_(context, 1),
        after_(context, 2),
        mode_(mode),
        has_value_(context.has_input(3)) {}

  void run(const KernelArguments& arguments) override {
    const IntSpan before = before_.in(arguments), after = after_.in(arguments);
    TensorView in = rebound(in_, arguments.inputs[0]);
    borders_.clear();
    for (std::size_t i = 0; i < before.size(); ++i) {
      const auto axis = static_cast<std::int64_t>(i);
      const Cut cut(in.extent(axis), before[i], after[i]);
      in = in.slice(axis, cut.first, cut.end);
      borders_.push_back(cut.border);
    }
    const Scalar value = has_value_ ? number_at(arguments.inputs[3], in.dtype()) : Scalar(false);
    pad_out(rebound(out_, arguments.outputs[0]), in, borders_, mode_, value);
  }

 private:
  TensorView in_, out_;
  IntegersInput before_, after_;
  PadMode mode_;
  bool has_value_;
  std::vector<AxisPadding> borders_;
};

/// With borders as wide as inputs 1 and 2 say for each axis, by attribute pad_mode; below 0 they
/// cut off. Input 3 is what constant ones hold, 0 if it is left out.
class Pad final : public ArrangeOperator {
 public:
  Pad() : ArrangeOperator({.name = "Pad"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 3, 4);
    expect_integers(context, 1, "pads_begin");
    expect_integers(context, 2, "pads_end");
    const PadMode mode = mode_of(context.node());
    if (context.has_input(3)) {
      expect_same_type(context, 0, 3);
      expect_shape(context, 3, "pad_value", PartialShape{});
    }
    const ValueType& in = context.input(0);
    std::vector<std::int64_t> before, after;
    const bool known = static_cast<int>(context.integers(1, before)) +
                           static_cast<int>(context.integers(2, after)) ==
                       2;
    if (!in.shape.has_rank()) return context.set_output(0, in.dtype, PartialShape::unranked());
    const int rank = in.shape.rank();
    expect_shape(context, 1, "pads_begin", {rank});
    expect_shape(context, 2, "pads_end", {rank});
    if (!known) return context.set_output(0, in.dtype, PartialShape::of_rank(rank));
    DimVector shape(in.shape.extents().begin(), in.shape.extents().end());
    for (std::size_t i = 0; i < shape.size(); ++i)
      shape[i] = padded(shape[i], before[i], after[i], i, mode);
    context.set_output(0, in.dtype, shape);
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<PadRun>(context, mode_of(context.node()));
  }

 private:
  static PadMode mode_of(const Node& node) {
    constexpr std::string_view names[] = {"constant", "edge", "reflect", "symmetric", "wrap"};
    constexpr PadMode modes[] = {PadMode::constant, PadMode::edge, PadMode::reflect,
                                 PadMode::symmetric, PadMode::wrap};
    return modes[choice_of(node.attributes, "pad_mode", names, 0)];
  }
  /// The extent of an axis with its borders.
  static std::int64_t padded(std::int64_t extent, std::int64_t before, std::int64_t after,
                             std::size_t axis, PadMode mode) {
    if (extent < 0) return extent;
    const auto cut = [](std::int64_t width) { return width < 0 ? width : 0; };
    std::int64_t left = extent, whole = 0;
    if (!checked_add(left, cut(before), left) || !checked_add(left, cut(after), left) || left < 0) {
      fail(ErrorCode::shape, text("axis ", axis, " of extent ", extent, ": pads of ", before,
                                  " and ", after, " cut off more than there is"));
    }
    if (!checked_add(left, std::max<std::int64_t>(before, 0), whole) ||
        !checked_add(whole, std::max<std::int64_t>(after, 0), whole)) {
      fail(ErrorCode::overflow, text("axis ", axis, " of extent ", extent, ": pads of ", before,
                                     " and ", after, " give it too many elements"));
    }
    if (left == 0 && whole > 0 && mode != PadMode::constant) {
      fail(ErrorCode::shape, text("axis ", axis, " has no elements left to make a border of"));
    }
    return whole;
  }
};

}  // namespace

void add_arrange_operators(OperatorRegistry& registry) {
  registry.add(std::make_shared<Roll>());
  registry.add(std::make_shared<Reverse>());
  registry.add(std::make_shared<Pad>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
