// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/promotion.hpp>

#include "base/text.hpp"
#include "core/compiled_types.hpp"
#include "expr/expr_node.hpp"
#include "ops/elementwise.hpp"
#include "ops/prepare_reduce.hpp"
#include "ops/reduce_axes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace weft {
inline namespace v0 {
namespace {

std::shared_ptr<const ExprNode> operand_node(Tensor&& elements) {
  if (!elements.defined()) fail(ErrorCode::undefined, "expr: undefined tensor");
  auto node = std::make_shared<ExprOperand>(ExprNode::Kind::operand);
  node->dtype = elements.dtype();
  node->shape.assign(elements.shape());
  node->elements = std::move(elements);
  return node;
}

/// Whether terms of formulas, which are f64, hold a number.
bool is_f64(const Scalar& number) {
  if (number.dtype() == ScalarType::c128 || number.dtype() == ScalarType::u64) return false;
  if (number.dtype() != ScalarType::i64) return true;
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  const auto value = number.to<std::int64_t>();
  return value <= exact && value >= -exact;
}

/// The same operand, seen another way.
template <class Look>
Expr view_of(const Expr& e, const Look& look) {
  const ExprNode& node = e.node();
  if (node.kind != ExprNode::Kind::operand) {
    fail(ErrorCode::invalid_argument,
         text("a view of ", e.text(), ": expected an operand, as of expr(tensor)"));
  }
  const auto& owner = static_cast<const ExprOperand&>(node).elements.owner();
  return ExprNode::made(operand_node(Tensor::share(owner, look(node.view()))));
}

/// Of an expression that is much longer than a line, this much is enough; one whose parts are
/// shared may be as long as two to the power of its depth.
constexpr std::size_t max_text = 1000;

/// `which` is said of a reduction that has two results.
void append_text(const ExprNode& node, std::string& out, const char* which = "[0]") {
  if (out.size() > max_text) {
    if (!out.ends_with("...")) out += "...";
    return;
  }
  switch (node.kind) {
    case ExprNode::Kind::operand:
      out += std::string(name(node.dtype)) + to_string(node.shape);
      return;
    case ExprNode::Kind::number: {
      if (is_complex(node.scalar().dtype())) {
        const auto parts = node.scalar().to<std::complex<double>>();
        out += text("complex(", parts.real(), ", ", parts.imag(), ")");
        return;
      }
      const double value = node.scalar().to<double>();
      out += std::abs(value) <= 1e15 && value == std::trunc(value)
                 ? text(static_cast<std::int64_t>(value))
                 : text(value);
      return;
    }
    case ExprNode::Kind::call: out += node.function().name; break;
    case ExprNode::Kind::convert: out += name(node.dtype); break;
    case ExprNode::Kind::map: out += "map"; break;
    case ExprNode::Kind::masked: out += "masked"; break;
    case ExprNode::Kind::second: return append_text(*node.inputs[0], out, "[1]");
    case ExprNode::Kind::reduce: {
      const auto& reduction = static_cast<const ExprReduction&>(node);
      out += reduction.kernel != nullptr ? reduction.label : info(reduction.reduction).name;
      break;
    }
  }
  const char* between = "(";
  for (const auto& input : node.inputs) {
    if (out.size() > max_text) {
      if (!out.ends_with("...")) out += ", ...";
      break;
    }
    out += between;
    append_text(*input, out);
    between = ", ";
  }
  if (node.kind == ExprNode::Kind::reduce) {
    const auto& reduction = static_cast<const ExprReduction&>(node);
    if (!reduction.axes.empty()) out += ", " + to_string(reduction.axes);
    if (reduction.options.keepdim) out += ", keepdim";
    if (reduction.has_second()) return void(out += text(")", which));
  }
  out += ")";
}

}  // namespace

// ---- Nodes --------------------------------------------------------------------------------------

void ExprNode::add_input(std::shared_ptr<const ExprNode> input) {
  if (input->kind == Kind::masked) {
    fail(ErrorCode::invalid_argument,
         text(text_of(*input),
              ": expected as a whole expression, or right in a reduction that takes a mask (norm, "
              "dot and those that leave NaN out take none), got an input of a function: mask its "
              "result"));
  }
  depth = std::max(depth, input->depth + 1);
  if (depth > max_expr_depth) {
    fail(ErrorCode::limit, text("expr: ", depth, " functions deep, expected at most ",
                                max_expr_depth, ": evaluate a part of it"));
  }
  inputs.push_back(std::move(input));
}

const FunctionInfo& ExprNode::function() const {
  return std::visit([](auto which) -> const FunctionInfo& { return info(which); }, op);
}

void ExprNode::broadcast_with(const ExprNode& input) {
  if (input.kind == Kind::number || same_list(shape, input.shape)) return;
  if (shape.empty()) {
    shape = input.shape;
    return;
  }
  try {
    shape = broadcast_shapes(shape, input.shape);
  } catch (const Error& error) {
    fail(error.code(), text(text_of(*this), ": ", error.what()));
  }
}

void ExprNode::take_inputs(const ScalarType* types) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ExprNode& in = *inputs[i];
    broadcast_with(in);
    if (!can_cast(in.dtype, types[i])) {
      fail(ErrorCode::cast, text(text_of(*this), ": input ", i, ": ", name(in.dtype),
                                 " can't be cast to the function's ", name(types[i])));
    }
  }
}

void ExprNode::infer(const std::shared_ptr<const ExprNode>& self) {
  const FunctionInfo& of = function();
  const auto refuse = [&](ErrorCode code, const std::string& why) {
    fail(code, text(text_of(*self), ": ", why));
  };
  ResultType types;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ExprNode& in = *inputs[i];
    broadcast_with(in);
    if (of.result == ResultRule::chosen && i == 0) {
      if (in.dtype != ScalarType::boolean)
        refuse(ErrorCode::dtype, text("input 0: expected bool, got ", name(in.dtype)));
      continue;
    }
    types.add(in.dtype, static_cast<int>(in.shape.size()), in.kind == Kind::number);
  }
  common = *types.get();
  if (!of.accepts(kinds::of(common)))
    refuse(ErrorCode::dtype, text("not defined for element type ", name(common)));
  if (of.result == ResultRule::floating && (kinds::of(common) & kinds::integral) != 0)
    common = ScalarType::f32;
  check_compiled(common, of.name);
  dtype = of.result == ResultRule::truth  ? ScalarType::boolean
          : of.result == ResultRule::part ? real_part(common)
                                          : common;
}

std::string text_of(const ExprNode& node) {
  std::string out;
  append_text(node, out);
  return out;
}

std::int64_t next_own_number() noexcept {
  static std::atomic<std::int64_t> count{0};
  return ++count;
}

Expr reduced_by(const char* label, std::shared_ptr<const ReductionKernel> kernel,
                const KernelNumber& number, std::initializer_list<Expr> inputs, IntSpan axes,
                bool keepdim) {
  auto node = std::make_shared<ExprReduction>(label, std::move(kernel), number);
  node->dtype = node->kernel->types[0];
  node->axes.assign(axes);
  node->options.keepdim = keepdim;
  for (const Expr& input : inputs)
    node->add_input(ExprNode::shared(input));
  node->take_inputs(node->kernel->types + 1);
  node->reduced_shape = node->shape;
  try {
    node->shape = ReduceAxes(node->reduced_shape, axes).result_shape(keepdim);
  } catch (const Error& error) {
    fail(error.code(), text(text_of(*node), ": ", error.what()));
  }
  return ExprNode::made(std::move(node));
}

// ---- Expr ---------------------------------------------------------------------------------------

Expr::Expr(Tensor operand) : node_(operand_node(std::move(operand))) {}
Expr::Expr(const TensorView& operand) : node_(operand_node(Tensor::share(nullptr, operand))) {}
Expr::Expr(const Scalar& number) {
  if (is_f64(number)) {
    auto node = std::make_shared<ExprNumber>(number);
    node->dtype = number.dtype();
    node_ = std::move(node);
    return;
  }
  auto node = std::make_shared<ExprOperand>(ExprNode::Kind::number);
  node->dtype = number.dtype();
  node->number = number;
  node->elements = Tensor::share(nullptr, node->number.view());
  node_ = std::move(node);
}

ScalarType Expr::dtype() const noexcept { return node_->dtype; }
IntSpan Expr::shape() const noexcept { return node_->shape; }
std::string Expr::text() const { return text_of(*node_); }

Expr Expr::permute(IntSpan order) const {
  return view_of(*this, [&](const TensorView& v) { return v.permute(order); });
}
Expr Expr::transpose(std::int64_t axis0, std::int64_t axis1) const {
  return view_of(*this, [&](const TensorView& v) { return v.transpose(axis0, axis1); });
}
Expr Expr::expand(IntSpan shape) const {
  return view_of(*this, [&](const TensorView& v) { return v.expand(shape); });
}
Expr Expr::slice(std::int64_t axis, std::int64_t start, std::int64_t stop,
                 std::int64_t step) const {
  return view_of(*this, [&](const TensorView& v) { return v.slice(axis, start, stop, step); });
}
Expr Expr::select(std::int64_t axis, std::int64_t i) const {
  return view_of(*this, [&](const TensorView& v) { return v.select(axis, i); });
}
Expr Expr::flip(std::int64_t axis) const {
  return view_of(*this, [&](const TensorView& v) { return v.flip(axis); });
}
Expr Expr::unsqueeze(std::int64_t axis) const {
  return view_of(*this, [&](const TensorView& v) { return v.unsqueeze(axis); });
}

Expr Expr::call(UnaryOp op, Expr a) { return ExprNode::call(op, a); }
Expr Expr::call(BinaryOp op, Expr a, Expr b) { return ExprNode::call(op, a, b); }
Expr Expr::call(CompareOp op, Expr a, Expr b) { return ExprNode::call(op, a, b); }
Expr Expr::call(DivisionOp op, Expr a, Expr b) { return ExprNode::call(op, a, b); }
Expr Expr::call(TernaryOp op, Expr a, Expr b, Expr c) { return ExprNode::call(op, a, b, c); }
Expr Expr::call(Reduction op, Expr a, IntSpan axes, const ReduceOptions& options) {
  if (a.node_->kind == ExprNode::Kind::masked) return masked_reduction(op, a, axes, options);
  auto node = std::make_shared<ExprReduction>(op);
  node->axes.assign(axes);
  node->options = options;
  node->add_input(std::move(a.node_));
  const ExprNode& in = *node->inputs[0];
  try {
    ReducedResult result = result_of(op, in.dtype, in.shape, axes, options);
    node->dtype = result.type;
    node->shape = std::move(result.shape);
    node->reduced_shape = in.shape;
  } catch (const Error& error) {
    fail(error.code(), weft::text(text_of(*node), ": ", error.what()));
  }
  return Expr(std::move(node));
}
std::pair<Expr, Expr> Expr::call_pair(Reduction op, Expr a, IntSpan axes,
                                      const ReduceOptions& options) {
  Expr first = call(op, std::move(a), axes, options);
  auto node = std::make_shared<ExprNode>(ExprNode::Kind::second);
  node->dtype = first.dtype();
  node->shape.assign(first.shape());
  node->add_input(first.node_);
  return {std::move(first), Expr(std::move(node))};
}
Expr Expr::call(std::shared_ptr<const SpanKernel> kernel, std::initializer_list<Expr> inputs) {
  auto node = std::make_shared<ExprMap>(std::move(kernel));
  node->dtype = node->kernel->types[0];
  for (const Expr& input : inputs)
    node->add_input(input.node_);
  node->take_inputs(node->kernel->types + 1);
  return Expr(std::move(node));
}
Expr Expr::call(std::shared_ptr<const ReductionKernel> kernel, std::initializer_list<Expr> inputs,
                IntSpan axes, bool keepdim) {
  return reduced_by("reduce", std::move(kernel), {next_own_number()}, inputs, axes, keepdim);
}
Expr Expr::convert(const Expr& a, ScalarType type) {
  if (a.dtype() == type && a.node_->kind != ExprNode::Kind::number) return a;
  auto node = std::make_shared<ExprNode>(ExprNode::Kind::convert);
  node->dtype = type;
  node->shape = a.node_->shape;
  node->add_input(a.node_);
  return Expr(std::move(node));
}

}  // namespace v0
}  // namespace weft
