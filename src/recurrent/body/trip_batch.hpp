// SPDX-License-Identifier: Apache-2.0
/// @file
/// Operations done for many trips at a time: the same graph with an axis of trips in front of every
/// value that differs from trip to trip.
#pragma once

#include <weft/graph/operator_registry.hpp>

#include "recurrent/body/loop_body.hpp"
#include "recurrent/body/subgraph.hpp"

#include <span>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Whether a node gives its input in another shape, and no more.
bool shows_another_shape(const graph::Node& node);

/// Whether a node can be done so, with the same bits as trip by trip; `batched`: which of its
/// inputs have the axis.
bool can_batch(const TypedGraph& graph, int node, const std::vector<bool>& batched,
               const graph::OperatorRegistry& operators);

/// Whether a node that can be is worth the memory; what only shows elements in another shape is
/// not.
bool is_worth_batching(const TypedGraph& graph, int node, const graph::OperatorRegistry& operators);

/// Builds the graph of a block of trips.
class BatchedGraph {
 public:
  BatchedGraph(const TypedGraph& graph, const graph::OperatorRegistry& operators)
      : from_(graph), operators_(operators), copies_(graph.graph().nodes().size()) {}

  /// A value that is a parameter of the new graph, with the axis of trips or without.
  void add_batched(graph::Value value, const Source& source) { add(value, source, true); }
  void add_fixed(graph::Value value, const Source& source) { add(value, source, false); }
  /// The stage that computes `outputs`, each with the axis of trips.
  Stage finish(const std::vector<graph::Value>& outputs);

 private:
  struct Given {
    graph::Value value;
    Source source;
    bool batched;
    graph::Value parameter = {};  ///< of the new graph, if it is read
  };

  void add(graph::Value value, const Source& source, bool batched) {
    given_.push_back({value, source, batched, {}});
  }
  const Given* find(graph::Value value) const;
  bool is_batched(graph::Value value) const;
  graph::Value copy_of(graph::Value value) const;
  void add_reshaped_slices();
  void translate(int node);
  graph::Value reshaped(graph::Value value, const DimVector& element_shape);

  const TypedGraph& from_;
  const graph::OperatorRegistry& operators_;
  std::vector<Given> given_;
  graph::Graph made_;
  struct Copy {
    int node = -1;
    bool batched = false;
  };
  std::vector<Copy> copies_;  // by node of the graph
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
