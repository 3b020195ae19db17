// SPDX-License-Identifier: Apache-2.0
/// @file
/// Elementwise nodes that run together.
#pragma once

#include "expr/chain.hpp"
#include "graph/frame/value_placer.hpp"

#include <map>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// Groups of elementwise nodes, while it is open which nodes join them. A group becomes a call, or
/// a few, when it is closed.
class ElementwiseGroups {
 public:
  ElementwiseGroups(const ValueUses& uses, FramePlan& plan, SegmentWriter& writer,
                    ValuePlacer& placer)
      : uses_(uses),
        program_(plan.program),
        values_(plan.values),
        writer_(writer),
        placer_(placer) {}

  /// Takes a node that is elementwise; its value is pending from now on.
  void add(int index, const ValueType& output);
  /// Closes the group that computes a value, if it is pending.
  void close_group_of(int value);
  void close_all();

 private:
  /// Nodes of one shape.
  struct Group {
    int id = 0;
    DimVector shape;
    Chain chain;
    /// An input of the chain: which value, and its place among the axes
    /// (ElementwiseBuilder::input).
    struct Input {
      int value;
      int axis;
      friend bool operator==(const Input&, const Input&) = default;
    };
    std::vector<Input> inputs;
    std::vector<int> input_terms;
    std::map<int, int> terms;  ///< value of a member's result -> its term
    std::vector<int> nodes;

    bool computes(int value) const { return terms.contains(value); }
    bool has_node(int index) const;
    bool has_room_for(const ProgramNode& node) const;
    int input_term(const Input& input, ScalarType dtype);
    void append(int index, const ProgramNode& node);
    TensorView input_view(const Input& input, const TensorView& view) const;
  };

  const ProgramNode& node(int index) const {
    return program_.nodes[static_cast<std::size_t>(index)];
  }
  void close_other_shapes(const ProgramNode& node, IntSpan shape);
  int group_to_join(const ProgramNode& node, IntSpan shape) const;
  std::size_t holder_of(int value) const;
  OperandList place_outputs(Group& group);
  void close(std::size_t index);

  const ValueUses& uses_;
  const Program& program_;
  ValueTable& values_;
  SegmentWriter& writer_;
  ValuePlacer& placer_;
  std::vector<Group> open_;
  int next_id_ = 0;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
