// SPDX-License-Identifier: Apache-2.0
/// @file
/// Formulas over elements, made of functions of the function table.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/scalar_type.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/ops/function_table.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace weft {
inline namespace v0 {

/// An operand or intermediate value of a formula.
struct FormulaTerm {
  int index = -1;
};

/// A function of the table.
using FormulaFunction = std::variant<UnaryOp, BinaryOp, CompareOp, DivisionOp, TernaryOp>;

/// One call of a kernel within a formula.
struct FormulaStep {
  const SpanKernel* kernel;   ///< null: convert terms[1] to the type of terms[0]
  SmallVector<int, 4> terms;  ///< output, then inputs
  bool divides = false;  ///< integers: the kernel notes a division by zero in its context, a bool
  std::optional<FormulaFunction> function = {};  ///< that the kernel computes, in its types
};

/// A formula over elements: inputs, numbers, steps, and the term that is the result.
struct Formula {
  enum class TermKind : std::uint8_t { input, number, step };
  struct TermInfo {
    TermKind kind;
    ScalarType dtype;
    int input = -1;     ///< which input
    double number = 0;  ///< value of a number
    int axis = -1;  ///< of the output, where the input's first axis lies; -1: aligned at the last
  };
  std::vector<TermInfo> terms;
  std::vector<FormulaStep> steps;
  int result = -1;
};

/// Collects a formula of inputs of given types. Functions that have no kernel for f16 or bf16 are
/// computed in f32 and rounded. Throws Error(dtype) for a function that is not defined for a type,
/// or operands of different types.
class WEFT_API FormulaBuilder {
 public:
  explicit FormulaBuilder(std::span<const ScalarType> input_types) : input_types_(input_types) {}

  int ninputs() const noexcept { return static_cast<int>(input_types_.size()); }
  ScalarType input_type(int i) const { return input_types_[static_cast<std::size_t>(i)]; }
  ScalarType dtype(FormulaTerm term) const;

  /// Input i, broadcast as NumPy does; or, if an axis is given, with its own axes at the output's
  /// axes from there on, and 1 after them.
  FormulaTerm input(int i, int axis = -1);
  /// A number converted to `type`.
  FormulaTerm number(double value, ScalarType type);
  FormulaTerm apply(UnaryOp op, FormulaTerm a);
  FormulaTerm apply(BinaryOp op, FormulaTerm a, FormulaTerm b);
  FormulaTerm apply(CompareOp op, FormulaTerm a, FormulaTerm b);
  FormulaTerm apply(DivisionOp op, FormulaTerm a, FormulaTerm b);
  /// where(condition, a, b), clamp(a, low, high), ...
  FormulaTerm apply(TernaryOp op, FormulaTerm a, FormulaTerm b, FormulaTerm c);
  /// A kernel of one output and the inputs' types, which lasts as long as what is made of the
  /// formula.
  FormulaTerm apply(const SpanKernel& kernel, std::span<const FormulaTerm> inputs);
  /// As cast() says, every type to every other.
  FormulaTerm convert(FormulaTerm a, ScalarType type);
  void set_result(FormulaTerm term) { formula_.result = term.index; }

  const Formula& formula() const noexcept { return formula_; }

 private:
  template <class Op>
  FormulaTerm call(Op op, SmallVector<FormulaTerm, 3> operands);
  FormulaTerm add_term(Formula::TermInfo info);

  std::span<const ScalarType> input_types_;
  Formula formula_;
};

}  // namespace v0
}  // namespace weft
