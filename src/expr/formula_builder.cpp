// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/expr/formula.hpp>

#include "base/index.hpp"
#include "base/text.hpp"
#include "core/compiled_types.hpp"
#include "ops/any_function.hpp"
#include "ops/elementwise.hpp"

#include <type_traits>

namespace weft {
inline namespace v0 {

FormulaTerm FormulaBuilder::add_term(Formula::TermInfo info) {
  formula_.terms.push_back(info);
  return {static_cast<int>(formula_.terms.size()) - 1};
}

ScalarType FormulaBuilder::dtype(FormulaTerm term) const {
  return formula_.terms[checked_index(term.index, formula_.terms.size(), "term")].dtype;
}

FormulaTerm FormulaBuilder::input(int i, int axis) {
  if (i < 0 || i >= ninputs()) fail(ErrorCode::invalid_argument, text("input ", i, " is missing"));
  for (std::size_t t = 0; t < formula_.terms.size(); ++t) {
    if (formula_.terms[t].input == i && formula_.terms[t].axis == axis)
      return {static_cast<int>(t)};
  }
  return add_term({Formula::TermKind::input, input_type(i), i, 0, axis});
}

FormulaTerm FormulaBuilder::number(double value, ScalarType type) {
  return add_term({Formula::TermKind::number, type, -1, value, -1});
}

FormulaTerm FormulaBuilder::convert(FormulaTerm a, ScalarType type) {
  if (dtype(a) == type) return a;
  const FormulaTerm out = add_term({Formula::TermKind::step, type});
  formula_.steps.push_back({nullptr, {out.index, a.index}});
  return out;
}

template <class Op>
FormulaTerm FormulaBuilder::call(Op op, SmallVector<FormulaTerm, 3> operands) {
  // The type of the last operand: the condition of where comes first.
  const ScalarType type = dtype(operands.back());
  const FunctionInfo& function = info(op);
  const std::size_t first = function.result == ResultRule::chosen ? 1 : 0;
  for (std::size_t i = first; i < operands.size(); ++i) {
    if (dtype(operands[i]) != type) {
      fail(ErrorCode::dtype, text(function.name, ": element types differ: ",
                                  name(dtype(operands[i])), " and ", name(type)));
    }
  }
  if (first == 1 && dtype(operands[0]) != ScalarType::boolean) {
    fail(ErrorCode::dtype,
         text(function.name, ": the condition: expected bool, got ", name(dtype(operands[0]))));
  }
  const SpanKernel* kernel =
      (function.kinds & kinds::of(type)) != 0 ? any_function(op).kernel(type) : nullptr;
  if (kernel != nullptr) {
    const FormulaTerm out = add_term({Formula::TermKind::step, kernel->types[0]});
    FormulaStep step{kernel, {out.index}, std::is_same_v<Op, DivisionOp> && is_integer(type), op};
    for (const FormulaTerm operand : operands)
      step.terms.push_back(operand.index);
    formula_.steps.push_back(step);
    return out;
  }
  check_compiled(type, function.name);
  const ScalarType wider = compute_type(type);
  if (wider == type) fail_no_kernel(type, function.name);
  for (std::size_t i = first; i < operands.size(); ++i)
    operands[i] = convert(operands[i], wider);
  const FormulaTerm out = call(op, operands);
  return function.result == ResultRule::truth ? out : convert(out, type);
}

FormulaTerm FormulaBuilder::apply(const SpanKernel& kernel, std::span<const FormulaTerm> inputs) {
  const FormulaTerm out = add_term({Formula::TermKind::step, kernel.types[0]});
  FormulaStep step{&kernel, {out.index}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (dtype(inputs[i]) != kernel.types[i + 1]) {
      fail(ErrorCode::dtype, text("kernel: input ", i, ": expected ", name(kernel.types[i + 1]),
                                  ", got ", name(dtype(inputs[i]))));
    }
    step.terms.push_back(inputs[i].index);
  }
  formula_.steps.push_back(std::move(step));
  return out;
}

FormulaTerm FormulaBuilder::apply(UnaryOp op, FormulaTerm a) { return call(op, {a}); }
FormulaTerm FormulaBuilder::apply(BinaryOp op, FormulaTerm a, FormulaTerm b) {
  return call(op, {a, b});
}
FormulaTerm FormulaBuilder::apply(CompareOp op, FormulaTerm a, FormulaTerm b) {
  return call(op, {a, b});
}
FormulaTerm FormulaBuilder::apply(DivisionOp op, FormulaTerm a, FormulaTerm b) {
  return call(op, {a, b});
}
FormulaTerm FormulaBuilder::apply(TernaryOp op, FormulaTerm a, FormulaTerm b, FormulaTerm c) {
  return call(op, {a, b, c});
}

}  // namespace v0
}  // namespace weft
