// SPDX-License-Identifier: Apache-2.0
// Prefix operations: CumSum, CumProd.
#include <weft/ops/copy.hpp>
#include <weft/ops/cumulative.hpp>
#include <weft/ops/masked_lines.hpp>

#include "engine/axis/along_axis.hpp"
#include "graph/operators/families.hpp"
#include "graph/operators/integers_input.hpp"
#include "ops/prepare_cumulative.hpp"

#include <optional>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

struct CumulativeEntry {
  const char* name;
  CumulativeOp op;
  void (*run)(const Output&, const Input&, std::int64_t axis);
  void (*run_masked)(const Output&, const TensorView&, const TensorView&, std::int64_t axis);
  int of_nothing;  ///< the result of no elements
};

/// Attributes: backwards from the end; and without the element itself.
struct CumulativeSettings {
  bool reverse, exclusive;

  explicit CumulativeSettings(const Attributes& attributes)
      : reverse(attributes.flag("reverse", false)),
        exclusive(attributes.flag("exclusive", false)) {}
};

int cumulative_axis(IntSpan list, int rank) {
  return checked_axis(list[0], rank, "input 1 (axis)");
}

class CumulativeRun final : public Kernel {
 public:
  CumulativeRun(const PrepareContext& context, const CumulativeEntry& function)
      : in_(context.input(0)),
        out_(context.output(0)),
        function_(function),
        settings_(context.attributes()) {
    if (!context.has_input(1)) {
      axis_ = 0;
    } else if (context.constant(1) != nullptr) {
      axis_ = cumulative_axis(integers_of(*context.constant(1), 1), in_.rank());
    } else {
      read_axis_.emplace(context, 1);
    }
    if (context.has_input(2)) mask_ = context.input(2);
  }

  void run(const KernelArguments& arguments) override {
    if (read_axis_) axis_ = cumulative_axis(read_axis_->in(arguments), in_.rank());
    const TensorView out = rebound(out_, arguments.outputs[0]);
    const TensorView in = rebound(in_, arguments.inputs[0]);
    if (out.numel() == 0) return;
    if (mask_.defined()) {
      copy_out(out, 0);
      const TensorView mask = rebound(mask_, arguments.inputs[2]).expand(in.shape());
      function_.run_masked(turned(out), turned(in), turned(mask), *axis_);
      return;
    }
    if (settings_.exclusive) copy_out(turned(out).slice(*axis_, 0, 1), function_.of_nothing);
    function_.run(written(out), read(in), *axis_);
  }
  /// Once the axis is known.
  std::vector<Explanation::Run> explain() const override {
    if (!axis_ || mask_.defined() || out_.numel() == 0) return {};
    const TensorView out = written(out_), in = read(in_);
    return {explain_cumulative(out, in, *axis_, cumulative_kernel_for(function_.op, in, out)).run};
  }

 private:
  TensorView turned(const TensorView& view) const {
    return settings_.reverse ? view.flip(*axis_) : view;
  }
  /// What the prefix operation itself writes and reads, in the direction in which it goes.
  TensorView written(const TensorView& out) const {
    const TensorView all = turned(out);
    return settings_.exclusive ? all.slice(*axis_, 1, all.extent(*axis_)) : all;
  }
  TensorView read(const TensorView& in) const {
    const TensorView all = turned(in);
    return settings_.exclusive ? all.slice(*axis_, 0, all.extent(*axis_) - 1) : all;
  }

  TensorView in_, out_, mask_;
  CumulativeEntry function_;
  CumulativeSettings settings_;
  std::optional<std::int64_t> axis_;
  std::optional<IntegersInput> read_axis_;  ///< where it is no constant
};

/// Along the axis that input 1 holds, 0 if it is left out (weft/ops/cumulative.hpp). The result has
/// the type of input 0. Of the elements that input 2 selects, if it is there, and 0 for the others.
class Cumulative final : public Operator {
 public:
  explicit Cumulative(const CumulativeEntry& function)
      : Operator({.name = function.name}), function_(function) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 1, 3);
    const ValueType& in = context.input(0);
    if (in.dtype == ScalarType::boolean)
      fail(ErrorCode::dtype, "input 0: expected numbers, got bool");
    const CumulativeSettings settings(context.attributes());
    if (context.has_input(2)) {
      check_mask(context, 2);
      if (settings.exclusive) {
        fail(ErrorCode::invalid_argument,
             "attribute 'exclusive': expected false beside a mask, got true");
      }
    }
    if (in.shape.has_rank() && in.shape.rank() == 0)
      fail(ErrorCode::rank, "input 0: expected at least one axis, got a 0-d tensor");
    if (context.has_input(1)) check_axis(context);
    context.set_output(0, in);
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<CumulativeRun>(context, function_);
  }
  bool accepts_input(const Node&, int input, const TensorView& view) const override {
    return input != 1 || view.is_contiguous();
  }
  bool accepts_output(const Node&, int, const TensorView&) const override { return true; }

 private:
  static void check_axis(const InferContext& context) {
    expect_integers(context, 1, "axis");
    const PartialShape& shape = context.input(1).shape;
    if (shape.has_rank() && shape.rank() > 0) expect_shape(context, 1, "axis", {1});
    const TensorView* value = context.value_if_known(1);
    const PartialShape& in = context.input(0).shape;
    if (value != nullptr && in.has_rank()) cumulative_axis(integers_of(*value, 1), in.rank());
  }

  CumulativeEntry function_;
};

}  // namespace

void add_cumulative_operators(OperatorRegistry& registry) {
  constexpr CumulativeEntry functions[] = {
      {"CumSum", CumulativeOp::cumsum, cumsum_out, masked_cumsum_out, 0},
      {"CumProd", CumulativeOp::cumprod, cumprod_out, masked_cumprod_out, 1},
  };
  for (const CumulativeEntry& function : functions)
    registry.add(std::make_shared<Cumulative>(function));
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
