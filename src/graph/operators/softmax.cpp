// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/copy.hpp>
#include <weft/ops/masked_lines.hpp>
#include <weft/ops/softmax.hpp>

#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"
#include "ops/prepare_softmax.hpp"

#include <limits>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// Of softmax, or of its logarithm.
struct SoftmaxEntry {
  const char* name;
  SoftmaxOp op;
  void (*run)(const Output&, const Input&, std::int64_t axis);
  void (*run_masked)(const Output&, const TensorView&, const TensorView&, std::int64_t axis);
  double left_out;  ///< stands where a mask selects nothing
};

class SoftmaxRun final : public Kernel {
 public:
  SoftmaxRun(const PrepareContext& context, const SoftmaxEntry& function, int axis)
      : out_(context.output(0)), in_(context.input(0)), function_(function), axis_(axis) {}

  void run(const KernelArguments& arguments) override {
    function_.run(rebound(out_, arguments.outputs[0]), rebound(in_, arguments.inputs[0]), axis_);
  }
  std::vector<Explanation::Run> explain() const override {
    return {explain_softmax(out_, in_, axis_, softmax_kernel_for(function_.op, in_, out_)).run};
  }

 private:
  TensorView out_, in_;
  SoftmaxEntry function_;
  int axis_;
};

/// Of the elements that a mask selects.
class MaskedSoftmaxRun final : public Kernel {
 public:
  MaskedSoftmaxRun(const PrepareContext& context, const SoftmaxEntry& function, int axis)
      : out_(context.output(0)),
        in_(context.input(0)),
        mask_(context.input(1)),
        function_(function),
        axis_(axis) {}

  void run(const KernelArguments& arguments) override {
    const TensorView out = rebound(out_, arguments.outputs[0]);
    copy_out(out, function_.left_out);
    function_.run_masked(out, rebound(in_, arguments.inputs[0]),
                         rebound(mask_, arguments.inputs[1]), axis_);
  }

 private:
  TensorView out_, in_, mask_;
  SoftmaxEntry function_;
  int axis_;
};

/// e^x over its sum along an axis, or the logarithm of that (weft/ops/softmax.hpp), of what input 1
/// selects if it is there.
class Softmax final : public Operator {
 public:
  explicit Softmax(const SoftmaxEntry& function)
      : Operator({.name = function.name}), function_(function) {}

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
    if (context.has_input(1)) return std::make_unique<MaskedSoftmaxRun>(context, function_, along);
    return std::make_unique<SoftmaxRun>(context, function_, along);
  }
  bool accepts_input(const Node&, int, const TensorView&) const override { return true; }
  bool accepts_output(const Node&, int, const TensorView&) const override { return true; }

 private:
  static int axis(const Node& node, int rank) {
    return checked_axis(node.attributes.integer("axis", 1), rank, "attribute 'axis'");
  }

  SoftmaxEntry function_;
};

}  // namespace

void add_softmax_operators(OperatorRegistry& registry) {
  constexpr SoftmaxEntry functions[] = {
      {"Softmax", SoftmaxOp::softmax, softmax_out, masked_softmax_out, 0},
      {"LogSoftmax", SoftmaxOp::log_softmax, log_softmax_out, masked_log_softmax_out,
       -std::numeric_limits<double>::infinity()},
  };
  for (const SoftmaxEntry& function : functions)
    registry.add(std::make_shared<Softmax>(function));
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
