// SPDX-License-Identifier: Apache-2.0
#include "cli/case_operands.hpp"

#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/expr/explain_expr.hpp>
#include <weft/expr/parse_expr.hpp>

#include "cli/fill.hpp"
#include "cli/machine_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

namespace weft::cli {
namespace {

/// The elements that the strides of a tensor reach, counted from its origin.
struct Reach {
  std::int64_t before = 0;  ///< elements in front of the origin
  std::int64_t count = 0;   ///< elements in all
};

Reach reach_of(const TensorSpec& spec) {
  if (numel(spec.shape) == 0) return {};
  std::int64_t low = 0;
  std::int64_t high = 1;
  bool fits = true;
  for (std::size_t axis = 0; axis < spec.shape.size() && fits; ++axis) {
    std::int64_t span = 0;
    fits = checked_mul(spec.shape[axis] - 1, spec.strides[axis], span);
    std::int64_t& edge = span < 0 ? low : high;
    fits = fits && checked_add(edge, span, edge);
  }
  Reach reach;
  std::int64_t bytes = 0;
  fits = fits && checked_sub(0, low, reach.before) &&
         checked_add(high, reach.before, reach.count) &&
         checked_mul(reach.count, element_size(spec.type), bytes);
  if (!fits) {
    fail(ErrorCode::overflow,
         fmt::format("elements of {}{} with strides {} span more than 2^63-1 bytes",
                     name(spec.type), to_string(spec.shape), to_string(spec.strides)));
  }
  return reach;
}

/// Refuses operands that need more memory than the machine has.
void check_operands_fit(const Case& c) {
  std::int64_t bytes = 0;
  bool fits = true;
  const auto add = [&](const TensorSpec& spec) {
    fits = fits && checked_add(bytes, reach_of(spec).count * element_size(spec.type), bytes);
  };
  for (const TensorSpec& spec : c.outputs)
    add(spec);
  for (const auto& input : c.inputs) {
    if (const auto* spec = std::get_if<TensorSpec>(&input)) add(*spec);
  }
  check_memory("operands", fits ? std::optional(bytes) : std::nullopt);
}

/// The view of a tensor inside a buffer that is just large enough.
TensorView view_in(const Tensor& buffer, const TensorSpec& spec) {
  return buffer.as_strided(spec.shape, spec.strides, reach_of(spec).before);
}

/// The number that functions such as addcmul take here.
constexpr double value_of_scaled = 0.5;

/// The operation of a case: clamp with one bound has a name of its own.
std::string_view operation_of(const Case& c) {
  if (c.op != "clamp" || c.min.has_value() == c.max.has_value()) return c.op;
  return c.min ? "clamp_min" : "clamp_max";
}

/// The operation of a case. Throws Error(invalid_argument) if there is none.
const OpEntry& known_op(const Case& c) {
  const auto ops = all_ops();
  const auto found = std::ranges::find(ops, std::string_view(c.op), &OpEntry::name);
  if (found == ops.end()) {
    fail(ErrorCode::invalid_argument,
         fmt::format("unknown operation '{}'; weft info lists those that there are", c.op));
  }
  return *found;
}

/// Throws Error(invalid_argument) for keys that an operation does not take.
void check_keys(const Case& c, const OpEntry& op) {
  const auto refuse = [&](std::string_view keys) {
    fail(ErrorCode::invalid_argument, fmt::format("{} takes no {}", c.op, keys));
  };
  if (c.op != "clamp" && (c.min || c.max)) refuse("min= and no max=");
  if (!op.takes_axes && !c.axes.empty()) refuse("dim=");
  if (!op.takes_keepdim && c.keepdim) refuse("keepdim=1");
  if ((op.numbers == nullptr || *op.numbers == 0) && !c.numbers.empty()) refuse("n=");
}

}  // namespace

BoundCase::BoundCase(const Case& c, Contents contents) {
  // Before any memory is touched: cases of operations that do not exist should cost nothing.
  if (c.expression.empty()) check_keys(c, known_op(c));
  check_operands_fit(c);

  numbers_.reserve(c.inputs.size() + 2);  // inputs_ refers to them
  const auto add_number = [&](const Scalar& number) {
    numbers_.push_back(number);
    inputs_.push_back(numbers_.back().view());
  };
  for (const TensorSpec& spec : c.outputs) {
    const DimVector size{reach_of(spec).count};
    buffers_.push_back(contents == Contents::values ? Tensor::zeros(size, spec.type)
                                                    : Tensor::empty(size, spec.type));
    outputs_.push_back(view_in(buffers_.back(), spec));
  }
  int tensor_input = 0;
  for (const auto& input : c.inputs) {
    if (const auto* spec = std::get_if<TensorSpec>(&input)) {
      buffers_.push_back(Tensor::empty({reach_of(*spec).count}, spec->type));
      if (contents == Contents::values) fill_buffer(buffers_.back(), c.fill, tensor_input);
      inputs_.push_back(view_in(buffers_.back(), *spec));
      ++tensor_input;
    } else {
      add_number(std::get<Scalar>(input));
    }
  }
  if (c.min) add_number(*c.min);
  if (c.max) add_number(*c.max);
  arguments_ = {.outputs = outputs_,
                .inputs = inputs_,
                .axes = c.axes,
                .numbers = c.numbers,
                .keepdim = c.keepdim,
                .value = value_of_scaled};
  if (c.expression.empty()) {
    op_ = &find_op(operation_of(c), arguments_);
    return;
  }
  std::vector<NamedExpr> named;
  for (const TensorView& input : inputs_)
    named.push_back({std::string(1, static_cast<char>('a' + named.size())), Expr(input)});
  expression_ = parse_expr(c.expression, named);
}

void BoundCase::run() const {
  expression_ ? evaluate_out(outputs_[0], *expression_) : op_->run(arguments_);
}

std::string BoundCase::explain(bool json) const {
  if (expression_) {
    const ExprExplanation passes = explain_out(outputs_[0], *expression_);
    return json ? passes.to_json() : passes.to_text();
  }
  const Explanation explanation = op_->explain(arguments_);
  return json ? explanation.to_json() : explanation.to_text();
}

}  // namespace weft::cli
