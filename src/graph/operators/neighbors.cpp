// SPDX-License-Identifier: Apache-2.0
// Tril, Triu, Diff: what stands beside a diagonal, or beside an element.
#include <weft/ops/difference.hpp>
#include <weft/ops/triangle.hpp>

#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// A function of input 0, and of numbers that are known.
template <class F>
class FunctionRun final : public Kernel {
 public:
  FunctionRun(const PrepareContext& context, F function)
      : in_(context.input(0)), out_(context.output(0)), function_(std::move(function)) {}

  void run(const KernelArguments& arguments) override {
    function_(rebound(out_, arguments.outputs[0]), rebound(in_, arguments.inputs[0]));
  }

 private:
  TensorView in_, out_;
  F function_;
};
template <class F>
std::unique_ptr<Kernel> run_of(const PrepareContext& context, F function) {
  return std::make_unique<FunctionRun<F>>(context, std::move(function));
}

/// Operators of one input of any strides.
class OneInputOperator : public Operator {
 public:
  bool accepts_input(const Node&, int, const TensorView&) const final { return true; }
  bool accepts_output(const Node&, int, const TensorView&) const final { return true; }

 protected:
  using Operator::Operator;
};

/// The elements on one side of diagonal `k`, an attribute, and on it; zeros elsewhere
/// (weft/ops/triangle.hpp).
class Triangle final : public OneInputOperator {
 public:
  using Write = void (*)(const Output& out, const TensorView& a, std::int64_t k);

  Triangle(const char* name, Write write) : OneInputOperator({.name = name}), write_(write) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 1, 1);
    const ValueType& in = context.input(0);
    if (in.shape.has_rank() && in.shape.rank() < 2) {
      fail(ErrorCode::rank,
           text("input 0: expected two axes or more, got shape ", to_string(in.shape)));
    }
    diagonal(context.node());
    context.set_output(0, in);
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return run_of(context, [write = write_, k = diagonal(context.node())](
                               const TensorView& out, const TensorView& in) { write(out, in, k); });
  }

 private:
  static std::int64_t diagonal(const Node& node) { return node.attributes.integer("k", 0); }

  Write write_;
};

/// Differences of neighbours along attribute `axis`, -1 if not said, `order` times
/// (weft/ops/difference.hpp).
class Diff final : public OneInputOperator {
 public:
  Diff() : OneInputOperator({.name = "Diff"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 1, 1);
    const ValueType& in = context.input(0);
    const std::int64_t order = order_of(context.node());
    if (!in.shape.has_rank()) return context.set_output(0, in);
    const int at = axis(context.node(), in.shape.rank());
    DimVector shape(in.shape.extents().begin(), in.shape.extents().end());
    std::int64_t& extent = shape[static_cast<std::size_t>(at)];
    if (extent >= 0) extent = std::max<std::int64_t>(extent - std::min(order, extent), 0);
    context.set_output(0, in.dtype, shape);
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return run_of(
        context,
        [axis = axis(context.node(), context.input(0).rank()), order = order_of(context.node())](
            const TensorView& out, const TensorView& in) { diff_out(out, in, axis, order); });
  }

 private:
  static int axis(const Node& node, int rank) {
    return checked_axis(node.attributes.integer("axis", -1), rank, "attribute 'axis'");
  }
  static std::int64_t order_of(const Node& node) {
    const std::int64_t order = node.attributes.integer("order", 1);
    if (order >= 0) return order;
    fail(ErrorCode::invalid_argument, text("attribute 'order': expected at least 0, got ", order));
  }
};

}  // namespace

void add_neighbor_operators(OperatorRegistry& registry) {
  registry.add(std::make_shared<Triangle>("Tril", &tril_out));
  registry.add(std::make_shared<Triangle>("Triu", &triu_out));
  registry.add(std::make_shared<Diff>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
