// SPDX-License-Identifier: Apache-2.0
/// @file
/// How an elementwise operator says what it computes: in functions of the function table.
#pragma once

#include <weft/base/export.hpp>
#include <weft/graph/graph.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/ops/function_table.hpp>

#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// An operand or intermediate value of a formula.
struct Term {
  int index = -1;
};

/// One call of a kernel within a formula.
struct ElementwiseStep {
  const SpanKernel* kernel;   ///< null: convert terms[1] to the type of terms[0]
  SmallVector<int, 4> terms;  ///< output, then inputs
  bool divides = false;  ///< integers: the kernel notes a division by zero in its context, a bool
};

/// A formula over elements: inputs, numbers, steps, and the term that is the result.
struct ElementwiseFormula {
  enum class TermKind : std::uint8_t { input, number, step };
  struct TermInfo {
    TermKind kind;
    ScalarType dtype;
    int input = -1;     ///< which input of the node
    double number = 0;  ///< value of a number
    int axis = -1;  ///< of the output, where the input's first axis lies; -1: aligned at the last
  };
  std::vector<TermInfo> terms;
  std::vector<ElementwiseStep> steps;
  int result = -1;
};

/// Collects a formula. All inputs broadcast to the shape of the node's output; types are those of
/// the node's inputs. Functions that have no kernel for f16 or bf16 are computed in f32 and
/// rounded. Throws Error(dtype) for a function that is not defined for a type, or operands of
/// different types.
class WEFT_API ElementwiseBuilder {
 public:
  ElementwiseBuilder(const Node& node, std::span<const ScalarType> input_types)
      : node_(node), input_types_(input_types) {}

  const Node& node() const noexcept { return node_; }
  int ninputs() const noexcept { return static_cast<int>(input_types_.size()); }
  ScalarType input_type(int i) const { return input_types_[static_cast<std::size_t>(i)]; }
  ScalarType dtype(Term term) const;

  /// Input i, broadcast as NumPy does; or, if an axis is given, with its own axes at the output's
  /// axes from there on, and 1 after them.
  Term input(int i, int axis = -1);
  /// A number converted to `type`.
  Term number(double value, ScalarType type);
  Term apply(UnaryOp op, Term a);
  Term apply(BinaryOp op, Term a, Term b);
  Term apply(CompareOp op, Term a, Term b);
  Term apply(DivisionOp op, Term a, Term b);
  /// where(condition, a, b), clamp(a, low, high), ...
  Term apply(TernaryOp op, Term a, Term b, Term c);
  /// As cast() says, every type to every other.
  Term convert(Term a, ScalarType type);
  void set_result(Term term) { formula_.result = term.index; }

  const ElementwiseFormula& formula() const noexcept { return formula_; }

 private:
  template <class Op>
  Term call(Op op, SmallVector<Term, 3> operands);
  Term add_term(ElementwiseFormula::TermInfo info);

  const Node& node_;
  std::span<const ScalarType> input_types_;
  ElementwiseFormula formula_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
