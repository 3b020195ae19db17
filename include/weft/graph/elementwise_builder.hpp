// SPDX-License-Identifier: Apache-2.0
/// @file
/// How an elementwise operator says what it computes: in functions of the function table.
#pragma once

#include <weft/expr/formula.hpp>
#include <weft/graph/graph.hpp>

#include <span>

namespace weft {
inline namespace v0 {
namespace graph {

using Term = FormulaTerm;
using ElementwiseStep = FormulaStep;
using ElementwiseFormula = Formula;

/// Collects the formula of a node. All inputs broadcast to the shape of the node's output; types
/// are those of the node's inputs.
class ElementwiseBuilder : public FormulaBuilder {
 public:
  ElementwiseBuilder(const Node& node, std::span<const ScalarType> input_types)
      : FormulaBuilder(input_types), node_(node) {}

  const Node& node() const noexcept { return node_; }

 private:
  const Node& node_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
