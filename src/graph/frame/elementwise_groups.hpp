// SPDX-License-Identifier: Apache-2.0
/// @file
/// Elementwise nodes that run together.
#pragma once

#include "expr/chain.hpp"
#include "graph/frame/value_placer.hpp"

#include <algorithm>
#include <map>
#include <optional>
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
  /// A part of a group that computes one value for one reader.
  struct Part {
    Chain chain;
    DimVector shape;
    OperandList inputs;
    std::vector<int> nodes;
  };
  /// Takes out of its group what computes a pending value that is stored for no other node than
  /// `reader`, so that it need not be stored at all. Nodes that others need as well stay in the
  /// group and are computed twice, if they are plain arithmetic. None if all is better stored:
  /// those are not plain, or the first level of cache has it anyway.
  [[gnu::cold]] std::optional<Part> take_part(int value, int reader);
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
  class Cut;

  const ProgramNode& node(int index) const {
    return program_.nodes[static_cast<std::size_t>(index)];
  }
  /// Whether a result is this value, or a node for which `is_other` holds reads it when it runs.
  template <class F>
  bool is_needed(int value, F&& is_other) const {
    return uses_.is_needed(value, [&](int reader) {
      return std::ranges::find(taken_, reader) == taken_.end() && is_other(reader);
    });
  }
  void close_other_shapes(const ProgramNode& node, IntSpan shape);
  int group_to_join(const ProgramNode& node, IntSpan shape) const;
  std::size_t holder_of(int value) const;
  OperandList inputs_of(const Group& group) const;
  OperandList place_outputs(Group& group);
  void close(std::size_t index);

  const ValueUses& uses_;
  const Program& program_;
  ValueTable& values_;
  SegmentWriter& writer_;
  ValuePlacer& placer_;
  std::vector<Group> open_;
  std::vector<int> taken_;  ///< nodes that are in parts alone
  int next_id_ = 0;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
