// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/copy.hpp>
#include <weft/ops/masked_lines.hpp>
#include <weft/ops/softmax.hpp>

#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"
#include "ops/prepare_softmax.hpp"

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

class SoftmaxRun final : public Kernel {
 public:
  SoftmaxRun(const TensorView& out, const TensorView& in, int axis)
      : out_(out), in_(in), axis_(axis) {}

  void run(const KernelArguments& arguments) override {
    softmax_out(rebound(out_, arguments.outputs[0]), rebound(in_, arguments.inputs[0]), axis_);
  }
  std::vector<Explanation::Run> explain() const override {
    const SoftmaxKernel& kernel = softmax_kernel_for(SoftmaxOp::softmax, in_, out_);
    return {explain_softmax(out_, in_, axis_, kernel).run};
  }

 private:
  TensorView out_, in_;
  int axis_;
};

/// Of the elements that a mask selects; 0 for the others.
class MaskedSoftmaxRun final : public Kernel {
 public:
  MaskedSoftmaxRun(const PrepareContext& context, int axis)
      : out_(context.output(0)), in_(context.input(0)), mask_(context.input(1)), axis_(axis) {}

  void run(const KernelArguments& arguments) override {
    const TensorView out = rebound(out_, arguments.outputs[0]);
    copy_out(out, 0);
    masked_softmax_out(out, rebound(in_, arguments.inputs[0]), rebound(mask_, arguments.inputs[1]),
                       axis_);
  }

 private:
  TensorView out_, in_, mask_;
  int axis_;
};

/// e^x over its sum along an axis (weft/ops/softmax.hpp), of what input 1 selects if it is there.
class Softmax final : public Operator {
 public:
  Softmax() : Operator({.name = "Softmax"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 1, 2);
    if (context.has_input(1)) check_mask(context, 1);
    const ValueType& in = context.input(0);
    if (!is_floating(in.dtype)) {
      fail(ErrorCode::dtype, text("input 0: expected a floating type, got ", weft::name(in.dtype)));
    }
    if (in.shape.has_rank()) axis(context.node(), in.shape.rank());
    context.set_output(0, in);
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    const int along = axis(context.node(), context.input(0).rank());
    if (context.has_input(1)) return std::make_unique<MaskedSoftmaxRun>(context, along);
    return std::make_unique<SoftmaxRun>(context.output(0), context.input(0), along);
  }
  bool accepts_input(const Node&, int, const TensorView&) const override { return true; }
  bool accepts_output(const Node&, int, const TensorView&) const override { return true; }

 private:
  static int axis(const Node& node, int rank) {
    return checked_axis(node.attributes.integer("axis", 1), rank, "attribute 'axis'");
  }
};

}  // namespace

void add_softmax_operator(OperatorRegistry& registry) { registry.add(std::make_shared<Softmax>()); }

}  // namespace graph
}  // namespace v0
}  // namespace weft
