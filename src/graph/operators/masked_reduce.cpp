// SPDX-License-Identifier: Apache-2.0
#include "graph/operators/masked_reduce.hpp"

#include <weft/expr/explain_expr.hpp>
#include <weft/expr/masked.hpp>

#include "graph/operators/checks.hpp"

#include <utility>

namespace weft {
inline namespace v0 {
namespace graph {

namespace {

std::optional<Scalar> initial_of(const Attributes& attributes, ScalarType type) {
  if (!attributes.has("initial")) return std::nullopt;
  if (is_integer(type)) return Scalar(attributes.integer("initial"));
  return Scalar(attributes.number("initial"));
}

}  // namespace

void check_selection(const InferContext& context, Reduction function) {
  const bool has_initial = context.attributes().has("initial");
  if (!context.has_input(2)) {
    if (!has_initial) return;
    fail(ErrorCode::invalid_argument,
         "attribute 'initial': expected a mask as input 2 beside it, got none");
  }
  const bool needs_initial = function == Reduction::amax || function == Reduction::amin;
  if (needs_initial && !has_initial) {
    fail(ErrorCode::invalid_argument,
         "expected an attribute 'initial' beside a mask, which may select nothing; got none");
  }
  const bool takes_initial =
      needs_initial || function == Reduction::sum || function == Reduction::prod;
  if (has_initial && !takes_initial)
    fail(ErrorCode::invalid_argument, "attribute 'initial': expected none of this reduction");
  check_mask(context, 2);
}

MaskedReduceRun::MaskedReduceRun(const PrepareContext& context, Reduction function, bool keeps)
    : out_(context.output(0)),
      in_(context.input(0)),
      axes_view_(context.input(1)),
      mask_(context.input(2)),
      is_constant_(context.constant(1) != nullptr),
      keeps_(keeps),
      function_(function),
      initial_(initial_of(context.attributes(), in_.dtype())) {
  if (is_constant_) axes_ = integers_of(*context.constant(1), 1);
}

void MaskedReduceRun::run(const KernelArguments& arguments) {
  if (!is_constant_) {
    std::vector<std::int64_t> axes = integers_of(rebound(axes_view_, arguments.inputs[1]), 1);
    if (axes != axes_) kept_.reset();
    axes_ = std::move(axes);
  }
  if (!kept_ || kept_in_ != arguments.inputs[0] || kept_mask_ != arguments.inputs[2]) {
    kept_ = reduced(arguments.inputs[0], arguments.inputs[2]);
    kept_in_ = arguments.inputs[0];
    kept_mask_ = arguments.inputs[2];
  }
  evaluate_out(rebound(out_, arguments.outputs[0]), *kept_);
}

std::vector<Explanation::Run> MaskedReduceRun::explain() const {
  std::vector<Explanation::Run> runs;
  if (axes_.empty()) return runs;
  for (ExprExplanation::Pass& pass : explain_out(out_, reduced(in_.data(), mask_.data())).passes)
    runs.push_back(std::move(pass.run));
  return runs;
}

Expr MaskedReduceRun::reduced(const void* in, const void* mask) const {
  if (axes_.empty())
    fail(ErrorCode::invalid_argument,
         "input 1 (axes): expected one at least beside a mask, got none");
  const TensorView elements = rebound(in_, in), selected = rebound(mask_, mask);
  return Expr::call(function_, masked(Expr(elements), Expr(selected), initial_), axes_,
                    {.keepdim = keeps_});
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
