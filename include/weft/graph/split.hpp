// SPDX-License-Identifier: Apache-2.0
/// @file
/// Cutting a graph in two: what can be computed ahead, and the rest.
#pragma once

#include <weft/base/export.hpp>
#include <weft/base/function_ref.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/operator_registry.hpp>

#include <span>
#include <vector>

namespace weft::inline v0::graph {

/// A graph in two parts. Running `ahead`, and then `rest` on its own parameters and the results of
/// `ahead`, gives what the whole gives.
struct SplitGraph {
  /// Its parameters are those of the whole that it reads, as listed in `ahead_parameters`.
  Graph ahead;
  std::vector<int> ahead_parameters;
  /// Its parameters are all those of the whole, used or not, and then the results of `ahead`; its
  /// results are those of the whole.
  Graph rest;
  /// Descriptions of the operations in `ahead`, inputs before users.
  std::vector<std::string> moved;

  /// False if there was nothing to be computed ahead: `rest` is the whole.
  bool worthwhile() const noexcept { return !moved.empty(); }
};

/// Splits off what depends on the listed parameters only, for a loop whose other parameters change more
/// often. What depends on constants only is in both parts where needed, so that it can be folded, and
/// operations that are not pure stay in `rest`. With `wanted`, only operations that it returns true for
/// are computed ahead, together with what they depend on. Types of what passes between the parts are
/// inferred. Throws Error as Executable does; O(nodes + edges).
WEFT_API SplitGraph split(const Graph& graph, std::span<const int> parameters,
                          const OperatorRegistry& operators = standard_operators());
WEFT_API SplitGraph split(const Graph& graph, std::span<const int> parameters,
                          const OperatorRegistry& operators, FunctionRef<bool(const Node&)> wanted);

}  // namespace weft::inline v0::graph
