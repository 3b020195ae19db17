// SPDX-License-Identifier: Apache-2.0
/// @file
/// A chain that is computed block by block, as the inputs of a reduction are.
#pragma once

#include <weft/core/tensor_view.hpp>

#include "expr/chain.hpp"
#include "expr/fused_steps.hpp"
#include "expr/idle_objects.hpp"
#include "expr/reduced_chain.hpp"
#include "ops/kept_reduction.hpp"

#include <memory>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {

class BlockChains;

/// A chain whose outputs, the inputs of a reduction, are computed as that needs them: block by
/// block, in memory of the thread that reduces.
class WEFT_INTERNAL_API ComputedChain {
 public:
  /// Inputs broadcast to `shape`; of them types, shapes and strides count.
  ComputedChain(Chain chain, IntSpan shape, std::span<const TensorView> inputs);
  ~ComputedChain();
  ComputedChain(const ComputedChain&) = delete;
  ComputedChain& operator=(const ComputedChain&) = delete;

  /// An output as a dense tensor: its address is none.
  TensorView output(std::size_t k = 0) const;
  std::size_t noutputs() const noexcept { return chain_.outputs.size(); }
  /// Prepares for a call whose inputs are the outputs, as KeptReduction does.
  std::unique_ptr<KeptReduction> prepare(ReduceCall&& call, bool serial);
  /// Carries it out. Inputs are at these addresses of their elements (0, 0, ...). Throws
  /// Error(division).
  void reduce(KeptReduction& reduction, const void* const* inputs);
  Explanation::Run explain(const ReduceCall& call) const;
  /// Computes a box of its only output, in elements along the axes, into dense memory. Returns
  /// whether an integer was divided by 0.
  [[nodiscard]] bool compute(IntSpan begin, IntSpan extents, char* to, const void* const* inputs);
  /// Where a box lies dense in memory, if the chain does nothing but copy an input that has it so;
  /// else null. Bools there may be other bytes than 0 and 1.
  const char* in_place(IntSpan begin, IntSpan extents, const void* const* inputs) const;
  /// Of the inputs' elements, each once.
  std::int64_t input_bytes() const;
  /// As Chain says.
  const char* division() const noexcept { return chain_.division(); }
  /// Functions and conversions, and the steps as which they are carried out.
  int functions() const noexcept { return static_cast<int>(chain_.steps.size()); }
  int steps() const { return static_cast<int>(group_steps(chain_).size()); }

 private:
  friend class BlockChains;

  /// What blocks are cut out of.
  struct Axes {
    DimVector shape;
    /// Of an input in bytes, by axis; 0 where it is broadcast.
    std::vector<DimVector> strides;
  };

  void join_axes(const TensorIterator& iter);
  ScalarType output_type(std::size_t k) const {
    return chain_.terms[static_cast<std::size_t>(chain_.outputs[k])].dtype;
  }

  Chain chain_;
  Axes axes_;
  Axes joined_;        // those that are one in the call, as one
  ComputedRows rows_;  // the innermost of them of each dim of the call
  const Axes* walked_ = &axes_;
  std::vector<ScalarType> types_;
  std::unique_ptr<ReducedChain> fused_;  // if it is that
  /// One for each thread that reduces, when it does.
  IdleObjects<BlockChains> idle_;
};

}  // namespace v0
}  // namespace weft
