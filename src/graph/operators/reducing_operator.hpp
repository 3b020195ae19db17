// SPDX-License-Identifier: Apache-2.0
/// @file
/// Operators that are reductions.
#pragma once

#include <weft/graph/operator.hpp>
#include <weft/ops/reduce.hpp>

#include <optional>
#include <utility>

namespace weft {
inline namespace v0 {
namespace graph {

/// Output 0 as a function of reduce.hpp of input 0.
struct NodeReduction {
  Reduction function;
  DimVector axes;  ///< one at least
  bool keepdim = false;
};

/// An operator of one output that reduces its first input: what a chain computes for it need not be
/// stored before.
class ReducingOperator : public Operator {
 public:
  /// None while the axes are not known, or nothing is reduced. The context has no outputs.
  virtual std::optional<NodeReduction> reduction(const PrepareContext& context) const = 0;

 protected:
  explicit ReducingOperator(OperatorName name) : Operator(std::move(name)) {}
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
