// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/graph/elementwise_builder.hpp>

#include "base/index.hpp"
#include "base/text.hpp"
#include "kernels/binary/binary.hpp"
#include "kernels/compare/compare.hpp"
#include "kernels/division/division.hpp"
#include "kernels/ternary/ternary.hpp"
#include "kernels/unary/unary.hpp"
#include "ops/elementwise.hpp"

namespace weft {
inline namespace v0 {
namespace graph {

using Formula = ElementwiseFormula;

Term ElementwiseBuilder::add_term(Formula::TermInfo info) {
  formula_.terms.push_back(info);
  return {static_cast<int>(formula_.terms.size()) - 1};
}

ScalarType ElementwiseBuilder::dtype(Term term) const {
  return formula_.terms[checked_index(term.index, formula_.terms.size(), "term")].dtype;
}

Term ElementwiseBuilder::input(int i, int axis) {
  if (i < 0 || i >= ninputs()) fail(ErrorCode::invalid_argument, text("input ", i, " is missing"));
  for (std::size_t t = 0; t < formula_.terms.size(); ++t) {
    if (formula_.terms[t].input == i && formula_.terms[t].axis == axis)
      return {static_cast<int>(t)};
  }
  return add_term({Formula::TermKind::input, input_type(i), i, 0, axis});
}

Term ElementwiseBuilder::number(double value, ScalarType type) {
  return add_term({Formula::TermKind::number, type, -1, value, -1});
}

Term ElementwiseBuilder::convert(Term a, ScalarType type) {
  if (dtype(a) == type) return a;
  const Term out = add_term({Formula::TermKind::step, type, -1, 0, -1});
  formula_.steps.push_back({nullptr, {out.index, a.index}, false});
  return out;
}

template <class Op, class Kernels>
Term ElementwiseBuilder::call(Op op, const Kernels& kernel_of, std::span<const Term> operands,
                              bool divides) {
  // The type of the last operand: the condition of where comes first.
  const ScalarType type = dtype(operands.back());
  const bool chooses = info(op).result == ResultRule::chosen;
  for (std::size_t i = chooses ? 1 : 0; i < operands.size(); ++i) {
    if (dtype(operands[i]) != type) {
      fail(ErrorCode::dtype, text(info(op).name, ": element types differ: ",
                                  name(dtype(operands[i])), " and ", name(type)));
    }
  }
  const SpanKernel* kernel =
      (info(op).kinds & kinds::of(type)) != 0 ? kernel_of(op, type) : nullptr;
  if (kernel != nullptr) {
    ElementwiseStep step{kernel, {}, divides && is_integer(type)};
    const Term out = add_term({Formula::TermKind::step, kernel->types[0], -1, 0, -1});
    step.terms.push_back(out.index);
    for (const Term operand : operands)
      step.terms.push_back(operand.index);
    formula_.steps.push_back(step);
    return out;
  }
  const ScalarType wider = compute_type(type);
  if (wider == type) fail_no_kernel(info(op).name, type);
  SmallVector<Term, 3> wide;
  for (std::size_t i = 0; i < operands.size(); ++i)
    wide.push_back(i == 0 && chooses ? operands[i] : convert(operands[i], wider));
  const Term out = call(op, kernel_of, std::span<const Term>(wide));
  return info(op).result == ResultRule::truth ? out : convert(out, type);
}

Term ElementwiseBuilder::apply(UnaryOp op, Term a) {
  const Term operands[] = {a};
  return call(op, unary_kernel, operands);
}
Term ElementwiseBuilder::apply(BinaryOp op, Term a, Term b) {
  const Term operands[] = {a, b};
  return call(op, binary_kernel, operands);
}
Term ElementwiseBuilder::apply(CompareOp op, Term a, Term b) {
  const Term operands[] = {a, b};
  return call(op, compare_kernel, operands);
}
Term ElementwiseBuilder::apply(DivisionOp op, Term a, Term b) {
  const Term operands[] = {a, b};
  return call(op, division_kernel, operands, true);
}
Term ElementwiseBuilder::apply(TernaryOp op, Term a, Term b, Term c) {
  const Term operands[] = {a, b, c};
  return call(op, ternary_kernel, operands);
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
