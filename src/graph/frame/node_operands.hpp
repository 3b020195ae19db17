// SPDX-License-Identifier: Apache-2.0
/// @file
/// What is known of a node's operands while it is planned.
#pragma once

#include <weft/graph/operator.hpp>

#include "graph/compile/program.hpp"
#include "graph/frame/value_table.hpp"

#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// What a node gives, as far as it is known, and what that follows from.
struct NodeInference {
  Inferred inferred;
  SmallVector<const TensorView*, 4> values;  ///< of inputs; null where not known
  std::vector<TensorView> read;              ///< those that earlier segments have computed

  bool has_shapes() const;
  bool has_values() const;
};

/// Asks the operator of a node that is planned in this segment.
NodeInference infer_now(const ProgramNode& node, const Program& program, const ValueTable& values,
                        int segment);

/// The operands of a node as its operator is shown them: inputs where they are planned.
struct NodeOperands {
  NodeOperands(const ProgramNode& node, const ValueTable& values);
  PrepareContext context(const ProgramNode& node, const Program& program,
                         Variables& variables) const {
    return {node.node, inputs, outputs, constants, program.operators, variables};
  }

  std::vector<TensorView> inputs;  ///< undefined where left out
  std::vector<TensorView> outputs;
  std::vector<const TensorView*> constants;  ///< by input; null if it is none
};

/// Makes the outputs of a node views of its first input and returns true, if its operator can do
/// that for this geometry.
bool make_views(const ProgramNode& node, std::span<const ValueType> outputs, const Program& program,
                ValueTable& values, Variables& variables);

}  // namespace graph
}  // namespace v0
}  // namespace weft
