// SPDX-License-Identifier: Apache-2.0
/// @file
/// A chain of elementwise steps, run block by block in cache.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/graph/elementwise_builder.hpp>
#include <weft/graph/operator.hpp>

#include <memory>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// Formulas of one or more nodes over one shape, as one list of steps. Terms are what steps read
/// and write; each step writes a term of its own. Their inputs are those of the chain.
struct Chain {
  using Kind = ElementwiseFormula::TermKind;
  using Term = ElementwiseFormula::TermInfo;
  std::vector<Term> terms;
  std::vector<ElementwiseStep> steps;
  int ninputs = 0;
  std::vector<int> outputs;  ///< the terms, written by steps, that are stored

  /// Just output = input.
  static Chain copy(ScalarType type);
  /// Appends a formula; for each of its terms that is an input, `input_terms` has the term of the
  /// chain that it is. Gives the term of its result, which a step writes.
  int append(const ElementwiseFormula& formula, std::span<const int> input_terms);
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

/// A chain ready to run.
class PreparedChain : public Kernel {
 public:
  /// The same as run(), if the chain is one small block of operands that are used in place: calls
  /// to make one after the other, in buffers of this object. Empty if it is not.
  std::span<const DirectCall> direct_calls() const noexcept { return direct_; }
  /// Says that the direct calls are made in place of run(): they are what is explained then.
  void run_by_direct_calls() noexcept { is_direct_ = true; }

 protected:
  std::vector<DirectCall> direct_;
  bool is_direct_ = false;
};

/// Prepares a chain. Outputs are of one shape, to which inputs broadcast; any strides.
std::unique_ptr<PreparedChain> prepare_chain(const Chain& chain,
                                             std::span<const TensorView> outputs,
                                             std::span<const TensorView> inputs);

}  // namespace graph
}  // namespace v0
}  // namespace weft
