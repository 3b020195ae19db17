// SPDX-License-Identifier: Apache-2.0
// Single elements at places that other tensors tell: GatherElements, ScatterElementsUpdate.
#include <weft/ops/indexing.hpp>

#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// Throws Error(shape) unless the ranks of inputs 0 and `input` may be the same.
void expect_same_rank(const InferContext& context, int input, const char* meaning) {
  const PartialShape& data = context.input(0).shape;
  if (data.has_rank()) expect_shape(context, input, meaning, PartialShape::of_rank(data.rank()));
}

/// Operators whose operands may have any strides.
class IndexingOperator : public Operator {
 public:
  bool accepts_input(const Node&, int, const TensorView&) const final { return true; }
  bool accepts_output(const Node&, int, const TensorView&) const final { return true; }

 protected:
  using Operator::Operator;
};

class GatherElementsRun final : public Kernel {
 public:
  explicit GatherElementsRun(const PrepareContext& context)
      : data_(context.input(0)),
        indices_(context.input(1)),
        out_(context.output(0)),
        axis_(context.attributes().integer("axis")) {}

  void run(const KernelArguments& arguments) override {
    gather_out(rebound(out_, arguments.outputs[0]), rebound(data_, arguments.inputs[0]), axis_,
               rebound(indices_, arguments.inputs[1]));
  }

 private:
  TensorView data_, indices_, out_;
  std::int64_t axis_;
};

/// The function gather() along an axis that an attribute tells.
class GatherElements final : public IndexingOperator {
 public:
  GatherElements() : IndexingOperator({.name = "GatherElements"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 2, 2);
    expect_integers(context, 1, "indices");
    const std::int64_t axis = context.attributes().integer("axis");
    const ValueType& data = context.input(0);
    if (data.shape.has_rank()) checked_axis(axis, data.shape.rank(), "attribute 'axis'");
    expect_same_rank(context, 1, "indices");
    context.set_output(0, data.dtype, context.input(1).shape);
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<GatherElementsRun>(context);
  }
};

class ScatterElementsRun final : public Kernel {
 public:
  ScatterElementsRun(const PrepareContext& context, bool adds)
      : data_(context.input(0)),
        indices_(context.input(1)),
        updates_(context.input(2)),
        axis_(context.input(3)),
        out_(context.output(0)),
        adds_(adds) {}

  void run(const KernelArguments& arguments) override {
    const std::vector<std::int64_t> axis = integers_of(rebound(axis_, arguments.inputs[3]), 3);
    if (axis.size() != 1)
      fail(ErrorCode::shape, text("input 3 (axis): expected one integer, got ", axis.size()));
    const TensorView out = rebound(out_, arguments.outputs[0]);
    const TensorView data = rebound(data_, arguments.inputs[0]);
    const TensorView indices = rebound(indices_, arguments.inputs[1]);
    const TensorView updates = rebound(updates_, arguments.inputs[2]);
    const int along = checked_axis(axis[0], data.rank(), "input 3 (axis)");
    if (adds_)
      scatter_add_out(out, data, along, indices, updates);
    else
      scatter_out(out, data, along, indices, updates);
  }

 private:
  TensorView data_, indices_, updates_, axis_, out_;
  bool adds_;
};

/// The function scatter(), or scatter_add(), along the axis that input 3 holds.
class ScatterElementsUpdate final : public IndexingOperator {
 public:
  ScatterElementsUpdate() : IndexingOperator({.name = "ScatterElementsUpdate"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 4, 4);
    expect_integers(context, 1, "indices");
    expect_same_type(context, 0, 2);
    adds(context.attributes());
    expect_same_rank(context, 1, "indices");
    expect_shape(context, 2, "updates", context.input(1).shape);
    const ValueType& data = context.input(0);
    std::int64_t axis = 0;
    if (data.shape.has_rank() && integer_input(context, 3, "axis", axis))
      checked_axis(axis, data.shape.rank(), "input 3 (axis)");
    context.set_output(0, data);
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<ScatterElementsRun>(context, adds(context.attributes()));
  }

 private:
  /// Whether attribute `reduction` is a sum. Throws Error(invalid_argument) for sums that begin
  /// with nothing, which use_init_val = false asks for.
  static bool adds(const Attributes& attributes) {
    constexpr std::string_view reductions[] = {"none", "sum"};
    if (choice_of(attributes, "reduction", reductions, 0) == 0) return false;
    if (attributes.flag("use_init_val", true)) return true;
    fail(ErrorCode::invalid_argument,
         text("attribute 'use_init_val': expected true beside reduction sum, got false"));
  }
};

}  // namespace

void add_indexed_element_operators(OperatorRegistry& registry) {
  registry.add(std::make_shared<GatherElements>());
  registry.add(std::make_shared<ScatterElementsUpdate>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
