// SPDX-License-Identifier: Apache-2.0
/// @file
/// A chain of elementwise steps.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/expr/formula.hpp>

#include "base/internal_api.hpp"

#include <span>
#include <vector>

namespace weft {
inline namespace v0 {

/// Formulas of one or more nodes over one shape, as one list of steps. Terms are what steps read
/// and write; each step writes a term of its own. Their inputs are those of the chain.
struct WEFT_INTERNAL_API Chain {
  using Kind = Formula::TermKind;
  using Term = Formula::TermInfo;
  std::vector<Term> terms;
  std::vector<FormulaStep> steps;
  int ninputs = 0;
  std::vector<int> outputs;  ///< the terms, written by steps, that are stored

  /// Just output = input.
  static Chain copy(ScalarType type);
  /// Appends a formula; for each of its terms that is an input, `input_terms` has the term of the
  /// chain that it is. Gives the term of its result, which a step writes.
  int append(const Formula& formula, std::span<const int> input_terms);
  /// The same for several results, each of which gets a term of its own.
  std::vector<int> append(const Formula& formula, std::span<const int> input_terms,
                          std::span<const FormulaTerm> results);
  /// The name of the function that divides integers, or "a division" if there are several; null if
  /// none does.
  const char* division() const noexcept;
  /// The same, but outputs are stored behind all other steps.
  Chain storing_last() const;
};

/// One call of a chain with nothing left to decide but where its operands are.
struct DirectCall {
  struct Operand {
    int operand;          ///< of the chain, outputs first; -1: it is at `fixed`
    std::int64_t offset;  ///< bytes from the operand's element (0, 0, ...)
    std::int64_t row_bytes;
    char* fixed;
  };
  SpanKernel::Run run;
  const void* context;
  std::int64_t n, rows;
  std::uint32_t broadcast;
  SmallVector<Operand, 4> operands;
};

}  // namespace v0
}  // namespace weft
