// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/unary.hpp>

#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"
#include "kernel/run_product.hpp"

namespace weft::inline v0::graph {
namespace {

/// e^(x - max), divided by its sum along an axis; in f32 for f16 and bf16.
class SoftmaxRun final : public Kernel {
 public:
  SoftmaxRun(const TensorView& out, const TensorView& in, int axis)
      : out_(out), in_(in), axis_(axis) {
    const ScalarType type = product_type(in.dtype());
    if (type != in.dtype()) wide_ = Tensor::empty(in.shape(), type);
    DimVector line(in.shape().begin(), in.shape().end());
    line[static_cast<std::size_t>(axis)] = 1;
    line_ = Tensor::empty(line, type);
  }

  void run(const KernelArguments& arguments) override {
    if (out_.numel() == 0) return;
    const auto bound = [](const TensorView& view, const void* data) {
      return TensorView::trusted(const_cast<void*>(data), view.dtype(), view.shape(),
                                 view.strides());
    };
    const TensorView out = bound(out_, arguments.outputs[0]);
    const TensorView in = bound(in_, arguments.inputs[0]);
    const TensorView work = wide_.defined() ? TensorView(wide_) : out;
    const TensorView line = line_;
    amax_out(line, in, {axis_}, {.keepdim = true});
    if (wide_.defined()) {
      copy_out(work, in);
      sub_out(work, work, line);
    } else {
      sub_out(work, in, line);
    }
    exp_out(work, work);
    sum_out(line, work, {axis_}, {.keepdim = true});
    div_out(work, work, line);
    if (wide_.defined()) copy_out(out, work);
  }

 private:
  TensorView out_, in_;
  std::int64_t axis_;
  Tensor wide_, line_;
};

class Softmax final : public Operator {
 public:
  Softmax() : Operator({.name = "Softmax"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 1, 1);
    const ValueType& in = context.input(0);
    if (!is_floating(in.dtype)) {
      fail(ErrorCode::dtype, text("input 0: expected a floating type, got ", weft::name(in.dtype)));
    }
    if (in.shape.has_rank()) axis(context.node(), in.shape.rank());
    context.set_output(0, in);
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<SoftmaxRun>(context.output(0), context.input(0),
                                        axis(context.node(), context.input(0).rank()));
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

}  // namespace weft::inline v0::graph
