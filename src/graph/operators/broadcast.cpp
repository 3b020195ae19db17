// SPDX-License-Identifier: Apache-2.0
// The same elements over and over: Broadcast, Tile.
#include <weft/base/checked.hpp>

#include "graph/chain/chain_kernel.hpp"
#include "graph/operators/families.hpp"
#include "graph/operators/view_operator.hpp"

#include <algorithm>
#include <cctype>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// To the shape that input 1 holds. Attribute mode: numpy (axes aligned at the last), explicit
/// (input 2: the output's axis for each of the input's), bidirectional (the input's extents may be
/// larger, too), pdpd (from attribute axis on).
class Broadcast final : public ViewOperator {
 public:
  Broadcast() : ViewOperator({.name = "Broadcast"}, 2, 3) {}

  void shapes(const Node& node, const PartialShape& in, const IntegerInputs& integers,
              std::span<PartialShape> shapes) const override {
    const std::string rule = mode(node);
    if (!integers[1] || (rule == "explicit" && integers.size() > 2 && !integers[2])) return;
    for (const std::int64_t extent : *integers[1]) {
      if (extent >= 0) continue;
      fail(ErrorCode::shape, text("input 1 (target_shape): expected 0 or more, got ", extent));
    }
    const PartialShape target = IntSpan(*integers[1]);
    const PartialShape placed = place(node, rule, in, target, integers);
    const PartialShape both = broadcast_shapes(placed, target);
    if (rule == "bidirectional") {
      shapes[0] = both;
      return;
    }
    if (both.rank() != target.rank()) refuse(in, target);
    for (int axis = 0; axis < target.rank(); ++axis) {
      const std::int64_t extent = both.extent(axis);
      if (extent != PartialShape::unknown && extent != target.extent(axis)) refuse(in, target);
    }
    shapes[0] = target;
  }
  void views(const Node& node, const TensorView& in, const IntegerInputs& integers,
             std::span<TensorView> outputs) const override {
    const std::string rule = mode(node);
    const PartialShape shape = in.shape();
    const PartialShape target = IntSpan(*integers[1]);
    const DimVector wanted = [&] {
      const PartialShape both =
          broadcast_shapes(place(node, rule, shape, target, integers), target);
      return DimVector(both.extents().begin(), both.extents().end());
    }();
    if (rule != "explicit" && rule != "pdpd") {
      outputs[0] = in.expand(wanted);
      return;
    }
    DimVector strides(wanted.size(), 0);
    const std::vector<int> axes = mapping(node, rule, shape, target, integers);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (in.shape()[i] != 1) strides[static_cast<std::size_t>(axes[i])] = in.strides()[i];
    }
    outputs[0] = in.as_strided(wanted, strides);
  }

 private:
  static std::string mode(const Node& node) {
    std::string rule = node.attributes.text("mode", "numpy");
    for (char& c : rule)
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (rule == "none") rule = "explicit";
    if (rule == "numpy" || rule == "explicit" || rule == "bidirectional" || rule == "pdpd")
      return rule;
    fail(ErrorCode::invalid_argument,
         text("attribute 'mode': expected numpy, explicit, bidirectional or pdpd, got '", rule,
              "'"));
  }
  [[noreturn]] static void refuse(const PartialShape& in, const PartialShape& target) {
    fail(ErrorCode::shape,
         text("input 0 of shape ", to_string(in), " does not broadcast to ", to_string(target)));
  }
  /// The output's axis for each of the input's, by the rules that do not align at the last.
  static std::vector<int> mapping(const Node& node, const std::string& rule, const PartialShape& in,
                                  const PartialShape& target, const IntegerInputs& integers) {
    std::vector<int> axes;
    if (rule == "pdpd") {
      const std::int64_t given = node.attributes.integer("axis", -1);
      const std::int64_t first = given < 0 ? target.rank() - in.rank() : given;
      if (first < 0 || first + in.rank() > target.rank()) refuse(in, target);
      for (int i = 0; i < in.rank(); ++i)
        axes.push_back(checked_axis(first + i, target.rank(), "attribute 'axis'"));
      return axes;
    }
    if (integers.size() < 3) {
      fail(ErrorCode::invalid_argument, "input 2 (axes_mapping) is missing");
    }
    // One number may name an axis as if it had one.
    const bool names_axis_of_number = in.rank() == 0 && integers[2]->size() == 1;
    if (!names_axis_of_number && integers[2]->size() != static_cast<std::size_t>(in.rank())) {
      fail(ErrorCode::shape, text("input 2 (axes_mapping): expected ", in.rank(), " axes, got ",
                                  integers[2]->size()));
    }
    for (const std::int64_t axis : *integers[2]) {
      const int at = checked_axis(axis, target.rank(), "input 2 (axes_mapping)");
      if (names_axis_of_number) break;
      if (!axes.empty() && at <= axes.back()) {
        fail(ErrorCode::axis, "input 2 (axes_mapping): expected rising axes");
      }
      axes.push_back(at);
    }
    return axes;
  }
  /// The input's shape where it lies in the target.
  static PartialShape place(const Node& node, const std::string& rule, const PartialShape& in,
                            const PartialShape& target, const IntegerInputs& integers) {
    if (rule != "explicit" && rule != "pdpd") return in;
    DimVector extents(static_cast<std::size_t>(target.rank()), 1);
    const std::vector<int> axes = mapping(node, rule, in, target, integers);
    for (std::size_t i = 0; i < axes.size(); ++i)
      extents[static_cast<std::size_t>(axes[i])] = in.extents()[i];
    return extents;
  }
};

/// One copy, the repetitions being axes of their own.
class TileRun final : public Kernel {
 public:
  TileRun(const TensorView& out, const TensorView& in) {
    const auto lead = static_cast<std::size_t>(out.rank() - in.rank());
    DimVector shape, to, from;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(out.rank()); ++axis) {
      const std::int64_t extent = axis < lead ? 1 : in.shape()[axis - lead];
      const std::int64_t stride = axis < lead ? 0 : in.strides()[axis - lead];
      const std::int64_t times = extent == 0 ? 0 : out.shape()[axis] / extent;
      const auto add = [&](std::int64_t count, std::int64_t step_to, std::int64_t step_from) {
        if (count == 1) return;
        shape.push_back(count);
        to.push_back(step_to);
        from.push_back(step_from);
      };
      add(times, out.strides()[axis] * extent, 0);
      add(extent, out.strides()[axis], stride);
    }
    const TensorView outputs[] = {out.as_strided(shape, to)};
    const TensorView inputs[] = {in.as_strided(shape, from)};
    copy_ = prepare_chain(Chain::copy(out.dtype()), outputs, inputs);
  }
  void run(const KernelArguments& arguments) override { copy_->run(arguments); }
  std::vector<Explanation::Run> explain() const override { return copy_->explain(); }

 private:
  std::unique_ptr<Kernel> copy_;
};

/// The input repeats[i] times along axis i, none if that is negative; the shorter of shape and
/// repeats is filled up with ones in front.
class Tile final : public Operator {
 public:
  Tile() : Operator({.name = "Tile"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 2, 2);
    const ValueType& in = context.input(0);
    std::vector<std::int64_t> repeats;
    const bool known = context.integers(1, repeats);
    if (!known || !in.shape.has_rank()) {
      context.set_output(0, in.dtype, PartialShape::unranked());
      return;
    }
    DimVector extents(in.shape.extents().begin(), in.shape.extents().end());
    while (extents.size() < repeats.size())
      extents = with_one_in_front(extents);
    for (std::size_t i = 0; i < repeats.size(); ++i) {
      std::int64_t& extent = extents[extents.size() - repeats.size() + i];
      const std::int64_t times = std::max<std::int64_t>(repeats[i], 0);
      if (times == 0) extent = 0;
      if (extent >= 0 && !checked_mul(extent, times, extent))
        fail(ErrorCode::overflow, "input 1 (repeats): too many elements");
    }
    context.set_output(0, in.dtype, extents);
  }
  bool view(const PrepareContext& context, std::span<TensorView> outputs) const override {
    const TensorView& in = context.input(0);
    if (!std::ranges::equal(in.shape(), context.output(0).shape())) return false;
    outputs[0] = in;
    return true;
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<TileRun>(context.output(0), context.input(0));
  }
  bool accepts_input(const Node&, int, const TensorView&) const override { return true; }
  bool accepts_output(const Node&, int, const TensorView&) const override { return true; }

 private:
  static DimVector with_one_in_front(const DimVector& extents) {
    DimVector more{1};
    for (const std::int64_t extent : extents)
      more.push_back(extent);
    return more;
  }
};

}  // namespace

void add_broadcast_operators(OperatorRegistry& registry) {
  registry.add(std::make_shared<Broadcast>());
  registry.add(std::make_shared<Tile>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
