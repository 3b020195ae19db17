// SPDX-License-Identifier: Apache-2.0
// Where the largest and the smallest elements are: ArgMax, ArgMin.
#include <weft/ops/masked_positions.hpp>

#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"
#include "graph/operators/reducing_operator.hpp"
#include "ops/kept_reduction.hpp"

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

struct ArgReduceEntry {
  const char* name;
  Reduction function;
  void (*run_masked)(const Output&, const Input&, const TensorView&, std::optional<std::int64_t>,
                     bool keepdim);
};

/// What the attributes say.
struct ArgReduceSettings {
  std::int64_t axis;  ///< negative ones count from the end
  bool keeps;

  explicit ArgReduceSettings(const Attributes& attributes)
      : axis(attributes.integer("axis", 0)), keeps(attributes.flag("keep_dims", false)) {}
};

class ArgReduceRun final : public Kernel {
 public:
  ArgReduceRun(const PrepareContext& context, const ArgReduceEntry& function)
      : in_(context.input(0)),
        out_(context.output(0)),
        function_(function),
        settings_(context.attributes()) {
    if (context.has_input(1))
      mask_ = context.input(1);
    else if (in_.numel() > 0)
      kept_ = KeptReduction::make(call(out_, in_), false);
  }

  void run(const KernelArguments& arguments) override {
    if (kept_ != nullptr) {
      kept_->bind(0, arguments.outputs[0]);
      kept_->bind(1, arguments.inputs[0]);
      return kept_->run();
    }
    const TensorView out = rebound(out_, arguments.outputs[0]);
    const TensorView in = rebound(in_, arguments.inputs[0]);
    if (mask_.defined()) {
      const TensorView mask = rebound(mask_, arguments.inputs[1]);
      function_.run_masked(out, in, mask, settings_.axis, settings_.keeps);
    } else {
      call(out, in).run();
    }
  }
  std::vector<Explanation::Run> explain() const override {
    if (mask_.defined()) return {};
    return {call(out_, in_).explain().run};
  }

 private:
  ReduceCall call(const TensorView& out, const TensorView& in) const {
    return prepare_arg(function_.function, out, in, settings_.axis, settings_.keeps);
  }

  TensorView in_, out_, mask_;
  ArgReduceEntry function_;
  ArgReduceSettings settings_;
  std::unique_ptr<KeptReduction> kept_;
};

/// Along an axis, counted from its beginning (weft/ops/reduce.hpp). Of the elements that input 1
/// selects, if it is there; -1 where that is none.
class ArgReduce final : public ReducingOperator {
 public:
  explicit ArgReduce(const ArgReduceEntry& function)
      : ReducingOperator({.name = function.name}), function_(function) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 1, 2);
    const ValueType& in = context.input(0);
    if (is_complex(in.dtype))
      fail(ErrorCode::dtype, text("input 0: expected a real type, got ", weft::name(in.dtype)));
    if (context.has_input(1)) check_mask(context, 1);
    const ScalarType type =
        index_type_of(context.attributes(), "index_element_type", ScalarType::i64);
    if (!in.shape.has_rank()) return context.set_output(0, type, PartialShape::unranked());
    const ArgReduceSettings settings(context.attributes());
    const int reduced = checked_axis(settings.axis, in.shape.rank(), "attribute 'axis'");
    DimVector extents;
    for (int axis = 0; axis < in.shape.rank(); ++axis) {
      const std::int64_t extent = in.shape.extent(axis);
      if (axis != reduced) {
        extents.push_back(extent);
      } else if (extent == 0) {
        fail(ErrorCode::shape,
             text("input 0: axis ", axis, " has extent 0, and there is no result for no elements"));
      } else if (settings.keeps) {
        extents.push_back(1);
      }
    }
    context.set_output(0, type, extents);
  }
  std::optional<NodeReduction> reduction(const PrepareContext& context) const override {
    if (context.has_input(1)) return std::nullopt;
    const ArgReduceSettings settings(context.attributes());
    return NodeReduction{function_.function, {settings.axis}, settings.keeps};
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<ArgReduceRun>(context, function_);
  }
  bool accepts_input(const Node&, int, const TensorView&) const override { return true; }
  bool accepts_output(const Node&, int, const TensorView&) const override { return true; }

 private:
  ArgReduceEntry function_;
};

}  // namespace

void add_arg_reduce_operators(OperatorRegistry& registry) {
  constexpr ArgReduceEntry functions[] = {
      {"ArgMax", Reduction::argmax, masked_argmax_out},
      {"ArgMin", Reduction::argmin, masked_argmin_out},
  };
  for (const ArgReduceEntry& function : functions)
    registry.add(std::make_shared<ArgReduce>(function));
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
