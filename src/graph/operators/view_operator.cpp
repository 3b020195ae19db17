// SPDX-License-Identifier: Apache-2.0
#include "graph/operators/view_operator.hpp"

#include <weft/ops/copy.hpp>

#include "ops/copy_call.hpp"

#include <algorithm>
#include <limits>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// Copies views that are only known when the integers are.
class ViewCopy final : public Kernel {
 public:
  ViewCopy(const ViewOperator& op, const PrepareContext& context)
      : op_(op), node_(context.node()), views_(static_cast<std::size_t>(context.noutputs())) {
    for (int i = 0; i < context.ninputs(); ++i)
      inputs_.push_back(context.input(i));
    for (int i = 0; i < context.noutputs(); ++i)
      outputs_.push_back(context.output(i));
  }

  void run(const KernelArguments& arguments) override {
    const auto input = [&](std::size_t i) { return rebound(inputs_[i], arguments.inputs[i]); };
    IntegerInputs integers(inputs_.size());
    for (std::size_t i = 1; i < inputs_.size(); ++i) {
      if (inputs_[i].defined()) integers[i] = integers_of(input(i), static_cast<int>(i));
    }
    op_.views(node_, input(0), integers, views_);
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      copy_out(rebound(outputs_[i], arguments.outputs[i]), views_[i]);
  }
  /// Once a run has told the views.
  std::vector<Explanation::Run> explain() const override {
    std::vector<Explanation::Run> runs;
    for (std::size_t i = 0; i < outputs_.size() && views_[i].defined(); ++i)
      runs.push_back(CopyCall(outputs_[i], views_[i]).explain().run);
    return runs;
  }

 private:
  const ViewOperator& op_;
  Node node_;
  std::vector<TensorView> inputs_, outputs_, views_;
};

}  // namespace

void ViewOperator::infer(InferContext& context) const {
  expect_inputs(context, least_, most_);
  const ValueType& in = context.input(0);
  IntegerInputs integers(static_cast<std::size_t>(context.ninputs()));
  for (int i = 1; i < context.ninputs(); ++i) {
    IntegerList list;
    if (context.has_input(i) && context.integers(i, list))
      integers[static_cast<std::size_t>(i)] = std::move(list);
  }
  std::vector<PartialShape> list(static_cast<std::size_t>(context.node().noutputs),
                                 PartialShape::unranked());
  if (in.shape.has_rank()) shapes(context.node(), in.shape, integers, list);
  for (std::size_t i = 0; i < list.size(); ++i)
    context.set_output(static_cast<int>(i), in.dtype, list[i]);
}

bool ViewOperator::view(const PrepareContext& context, std::span<TensorView> outputs) const {
  IntegerInputs integers(static_cast<std::size_t>(context.ninputs()));
  for (int i = 1; i < context.ninputs(); ++i) {
    if (!context.has_input(i)) continue;
    const TensorView* constant = context.constant(i);
    if (constant == nullptr) return false;
    integers[static_cast<std::size_t>(i)] = integers_of(*constant, i);
  }
  views(context.node(), context.input(0), integers, outputs);
  return true;
}

std::unique_ptr<Kernel> ViewOperator::prepare(const PrepareContext& context) const {
  return std::make_unique<ViewCopy>(*this, context);
}

AxisRange AxisRange::of(std::int64_t extent, std::optional<std::int64_t> begin,
                        std::optional<std::int64_t> end, std::int64_t step) {
  const std::int64_t low = step > 0 ? 0 : -1;
  const std::int64_t high = step > 0 ? extent : extent - 1;
  const auto position = [&](std::int64_t at) {
    return std::clamp(at < 0 ? at + extent : at, low, high);
  };
  const std::int64_t first = begin ? position(*begin) : step > 0 ? low : high;
  const std::int64_t last = end ? position(*end) : step > 0 ? high : low;
  const std::int64_t length = step > 0 ? last - first : first - last;
  if (length <= 0) return {0, 0, 1};
  const std::int64_t stride =
      step > 0 ? step : -std::max(step, -std::numeric_limits<std::int64_t>::max());
  const std::int64_t count = (length - 1) / stride + 1;
  return {first, count, count == 1 ? 1 : step};
}

TensorView cut(const TensorView& view, int axis, const AxisRange& range) {
  const auto at = static_cast<std::size_t>(axis);
  DimVector shape(view.shape().begin(), view.shape().end());
  DimVector strides(view.strides().begin(), view.strides().end());
  const std::int64_t offset = range.count == 0 ? 0 : range.first * strides[at];
  shape[at] = range.count;
  strides[at] *= range.step;
  return view.as_strided(shape, strides, offset);
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
