// SPDX-License-Identifier: Apache-2.0
// Reductions: ReduceSum, ReduceMean, ReduceProd, ReduceMax, ReduceMin, ReduceLogicalAnd,
// ReduceLogicalOr.
#include <weft/ops/copy.hpp>

#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"
#include "graph/operators/masked_reduce.hpp"
#include "graph/operators/reducing_operator.hpp"
#include "ops/kept_reduction.hpp"

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// What elements have to be.
enum class Elements : std::uint8_t { any_number, real, floating, boolean };

struct ReduceEntry {
  const char* name;
  Reduction function;
  Elements elements;
};

class ReduceRun final : public Kernel {
 public:
  ReduceRun(const PrepareContext& context, Reduction function, bool keeps)
      : out_(context.output(0)),
        in_(context.input(0)),
        axes_view_(context.input(1)),
        is_constant_(context.constant(1) != nullptr),
        keeps_(keeps),
        function_(function) {
    if (!is_constant_) return;
    axes_ = integers_of(*context.constant(1), 1);
    // Of no elements there may be no result, which is an error of those that run it alone.
    if (axes_.empty() || in_.numel() == 0) return;
    kept_ =
        KeptReduction::make(weft::prepare(function_, out_, in_, axes_, {.keepdim = keeps_}), false);
  }

  void run(const KernelArguments& arguments) override {
    if (kept_ != nullptr) {
      kept_->bind(0, arguments.outputs[0]);
      kept_->bind(1, arguments.inputs[0]);
      return kept_->run();
    }
    if (!is_constant_) axes_ = integers_of(rebound(axes_view_, arguments.inputs[1]), 1);
    const TensorView out = rebound(out_, arguments.outputs[0]);
    const TensorView in = rebound(in_, arguments.inputs[0]);
    if (axes_.empty()) {
      copy_out(out, in);
    } else {
      call(function_, out, in, axes_, {.keepdim = keeps_});
    }
  }
  /// Once the axes are known.
  std::vector<Explanation::Run> explain() const override {
    if (axes_.empty()) return {};
    if (kept_ != nullptr) return {kept_->call().explain().run};
    return {explain_call(function_, out_, in_, axes_, {.keepdim = keeps_}).run};
  }

 private:
  TensorView out_, in_, axes_view_;
  bool is_constant_;  ///< axes are; else they are read in every run
  std::vector<std::int64_t> axes_;
  bool keeps_;
  Reduction function_;
  std::unique_ptr<KeptReduction> kept_;  // where the axes are known
};

/// Over the axes that input 1 holds; over none, the elements are as they were. With keep_dims a
/// reduced axis stays with extent 1. Of the elements that input 2 selects, if it is there.
class Reduce final : public ReducingOperator {
 public:
  explicit Reduce(const ReduceEntry& reduction)
      : ReducingOperator({.name = reduction.name}), reduction_(reduction) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 2, 3);
    const ValueType& in = context.input(0);
    check_type(in.dtype);
    check_selection(context, reduction_.function);
    std::vector<std::int64_t> axes;
    const bool known = context.integers(1, axes);
    const bool keeps = context.attributes().flag("keep_dims", false);
    if (!in.shape.has_rank()) return context.set_output(0, in.dtype, PartialShape::unranked());
    if (!known) {
      context.set_output(0, in.dtype,
                         keeps ? PartialShape::of_rank(in.shape.rank()) : PartialShape::unranked());
      return;
    }
    const std::vector<bool> reduced = reduced_axes(axes, in.shape.rank());
    DimVector extents;
    for (std::size_t axis = 0; axis < reduced.size(); ++axis) {
      if (!reduced[axis]) {
        extents.push_back(in.shape.extents()[axis]);
      } else if (keeps) {
        extents.push_back(1);
      }
    }
    context.set_output(0, in.dtype, extents);
  }
  bool view(const PrepareContext& context, std::span<TensorView> outputs) const override {
    const TensorView* axes = context.constant(1);
    if (axes == nullptr || context.has_input(2)) return false;
    TensorView in = context.input(0);
    if (axes->numel() != 0) {
      if (!is_itself(in.dtype())) return false;
      const std::vector<bool> reduced = reduced_axes(integers_of(*axes, 1), in.rank());
      for (int axis = in.rank(); axis-- > 0;) {
        if (!reduced[static_cast<std::size_t>(axis)]) continue;
        if (in.extent(axis) != 1) return false;
        if (!keeps(context)) in = in.select(axis, 0);
      }
    }
    outputs[0] = in;
    return true;
  }
  std::optional<NodeReduction> reduction(const PrepareContext& context) const override {
    const TensorView* axes = context.constant(1);
    if (axes == nullptr || axes->numel() == 0 || context.has_input(2)) return std::nullopt;
    const std::vector<std::int64_t> list = integers_of(*axes, 1);
    return NodeReduction{reduction_.function, DimVector(list.begin(), list.end()), keeps(context)};
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    if (context.has_input(2))
      return std::make_unique<MaskedReduceRun>(context, reduction_.function, keeps(context));
    return std::make_unique<ReduceRun>(context, reduction_.function, keeps(context));
  }
  bool accepts_input(const Node&, int, const TensorView&) const override { return true; }
  bool accepts_output(const Node&, int, const TensorView&) const override { return true; }

 private:
  static bool keeps(const PrepareContext& context) {
    return context.attributes().flag("keep_dims", false);
  }
  /// Whether the result of a single element is that element. A sum of -0 is 0, and bools may be
  /// other bytes than 0 and 1.
  bool is_itself(ScalarType type) const {
    switch (reduction_.function) {
      case Reduction::amax:
      case Reduction::amin:
      case Reduction::prod: return is_integer(type) || is_floating(type);
      case Reduction::sum: return is_integer(type);
      default: return false;
    }
  }
  void check_type(ScalarType type) const {
    const auto expect = [&](bool right, const char* what) {
      if (right) return;
      fail(ErrorCode::dtype, text("input 0: expected ", what, ", got ", weft::name(type)));
    };
    const bool boolean = type == ScalarType::boolean;
    switch (reduction_.elements) {
      case Elements::any_number: return expect(!boolean, "numbers");
      case Elements::real: return expect(!is_complex(type), "a real type");
      case Elements::floating:
        return expect(is_floating(type) || is_complex(type), "a floating type");
      case Elements::boolean: return expect(boolean, "bool");
    }
  }
  static std::vector<bool> reduced_axes(const std::vector<std::int64_t>& axes, int rank) {
    std::vector<bool> reduced(static_cast<std::size_t>(rank));
    for (const std::int64_t axis : axes) {
      const auto at = static_cast<std::size_t>(checked_axis(axis, rank, "input 1 (axes)"));
      if (reduced[at])
        fail(ErrorCode::axis, text("input 1 (axes): axis ", axis, " is named twice"));
      reduced[at] = true;
    }
    return reduced;
  }

  ReduceEntry reduction_;
};

}  // namespace

void add_reduce_operators(OperatorRegistry& registry) {
  constexpr ReduceEntry reductions[] = {
      {"ReduceSum", Reduction::sum, Elements::any_number},
      {"ReduceMean", Reduction::mean, Elements::floating},
      {"ReduceProd", Reduction::prod, Elements::any_number},
      {"ReduceMax", Reduction::amax, Elements::real},
      {"ReduceMin", Reduction::amin, Elements::real},
      {"ReduceLogicalAnd", Reduction::all, Elements::boolean},
      {"ReduceLogicalOr", Reduction::any, Elements::boolean},
  };
  for (const ReduceEntry& reduction : reductions)
    registry.add(std::make_shared<Reduce>(reduction));
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
