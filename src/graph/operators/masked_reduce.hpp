// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions of what a mask selects: input 2 of the operators that reduce.
#pragma once

#include <weft/core/scalar.hpp>
#include <weft/expr/expr.hpp>
#include <weft/graph/operator.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// Checks the mask that is input 2 of a node, if there is one, and the attribute 'initial', a
/// number that takes part as if it was an element. Throws Error: dtype, shape, invalid_argument.
void check_selection(const InferContext& context, Reduction function);

/// Runs masked() of expr/masked.hpp: what is selected, and its bits, are the same. The expression
/// is kept while operands stay where they are.
class MaskedReduceRun final : public Kernel {
 public:
  MaskedReduceRun(const PrepareContext& context, Reduction function, bool keeps);

  void run(const KernelArguments& arguments) override;
  std::vector<Explanation::Run> explain() const override;

 private:
  Expr reduced(const void* in, const void* mask) const;

  TensorView out_, in_, axes_view_, mask_;
  bool is_constant_;  ///< axes are; else they are read in every run
  std::vector<std::int64_t> axes_;
  bool keeps_;
  Reduction function_;
  std::optional<Scalar> initial_;

  std::optional<Expr> kept_;
  const void* kept_in_ = nullptr;
  const void* kept_mask_ = nullptr;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
