// SPDX-License-Identifier: Apache-2.0
/// @file
/// The plan of a frame: where every value is, and the steps that compute them.
#pragma once

#include <weft/graph/executable.hpp>

#include "graph/chain/chain.hpp"
#include "graph/compile/program.hpp"
#include "graph/frame/dynamic_outputs.hpp"
#include "graph/frame/frame_geometry.hpp"
#include "graph/frame/frame_memory.hpp"
#include "graph/frame/segment.hpp"
#include "graph/frame/value_table.hpp"
#include "graph/frame/value_uses.hpp"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// Elementwise nodes of one shape that are to run together.
struct OpenGroup {
  int id = 0;
  DimVector shape;
  Chain chain;
  /// An input of the chain: which value, and its place among the axes (ElementwiseBuilder::input).
  struct Input {
    int value;
    int axis;
    friend bool operator==(const Input&, const Input&) = default;
  };
  std::vector<Input> inputs;
  std::vector<int> input_terms;
  std::map<int, int> terms;  ///< value of a member's result -> its term
  std::vector<int> nodes;
};

class Frame::Impl {
 public:
  explicit Impl(Executable executable);

  void plan(std::span<const TensorView> parameters, std::span<const ResultPlace> places);
  void bind(int root, void* origin) noexcept;
  void hold(int root);
  bool can_step_rows(int root, const TensorView& view) const;
  void step_rows(int root, std::int64_t bytes) noexcept;
  const TensorView& view_of(int value) const { return values_[value].view; }
  bool is_at(int value, int root) const { return values_[value].root == root; }
  void run();
  // Throw Error(invalid_argument): if nothing is planned, which `what` needs, and if there is no
  // parameter or result of that number, or the result is not external. They return the number,
  // planned_external() the result's root.
  void check_planned(std::string_view what) const;
  int planned_parameter(int i, std::string_view what) const;
  int planned_result(int i, std::string_view what) const;
  int planned_external(int i, std::string_view what) const;
  TensorView result(int i) const;
  void* result_data(int i) const;
  int result_parameter(int i) const;

  const Executable& executable() const noexcept { return executable_; }
  const Program& program() const noexcept { return program_; }
  int external_root(int i) const noexcept { return values_.result_root(i); }
  int nparameters() const noexcept { return static_cast<int>(program_.parameters.size()); }
  int nresults() const noexcept { return static_cast<int>(program_.results.size()); }
  bool is_static() const noexcept { return is_static_; }
  FrameExplanation explain() const;

  FrameCounters counters;
  Variables variables;

 private:
  // ---- planning: frame_plan.cpp and its kin
  void start_plan();
  void plan_segment();
  void plan_nodes(int end);
  bool plan_node(int index);
  Inferred infer(int index, std::vector<TensorView>& read,
                 SmallVector<const TensorView*, 4>& values) const;
  bool plan_view(int index, std::span<const TensorView> inputs, std::span<const ValueType> outputs);
  bool plan_elementwise(int index, const ValueType& output);
  void plan_kernel(int index, std::span<const ValueType> outputs);
  IntSpan pending_shape(int value) const;
  bool fold_node(int index, std::span<const ValueType> outputs);
  void close_group(std::size_t index);
  void close_group_of(int value);
  void close_groups();
  void place_results();
  void finish_segment();
  void truncate(std::size_t first);
  void retire_kernels(std::size_t first_segment) noexcept;
  std::unique_ptr<Kernel> prepare_kernel(int index, const PrepareContext& context);
  bool resize(std::span<const TensorView> parameters);
  bool resize_node(int index, bool& moved);
  bool infer_shapes(int index);
  void prepare_again(int index, FrameStep& step);
  bool resize_view(int index);
  bool may_change(int value) const;
  void set_view(int value, const TensorView& like);

  Segment& segment() { return *segments_.back(); }
  int segment_index() const { return static_cast<int>(segments_.size()) - 1; }
  /// Memory for a value that is about to be computed; the strides are those of its external place
  /// if the kernel takes them.
  void make_output(int value, const ValueType& type, const ProgramNode* node, int output);
  void use_root(const ValueState& value);
  ValueState dense_copy(const ValueState& from, int for_node);
  FrameStep& add_step(FrameStep step, int node, std::span<const ValueState* const> inputs,
                      std::span<const ValueState* const> outputs);
  void add_direct_calls(std::span<const DirectCall> calls, int node,
                        std::span<const ValueState* const> inputs,
                        std::span<const ValueState* const> outputs);
  /// A place in the table of pointers that follows a value.
  void add_pointer(const ValueState& value, std::int64_t offset);
  void add_chain(const Chain& chain, int node, std::span<const TensorView> output_views,
                 std::span<const TensorView> input_views, std::span<const ValueState* const> inputs,
                 std::span<const ValueState* const> outputs);

  // ---- running: frame.cpp
  /// Throws Error(undefined) naming a parameter or external result that is read or written, and at
  /// null.
  void check_bound();

  Executable executable_;
  const Program& program_;
  ValueUses uses_;
  FrameGeometry geometry_;  // that is planned for
  FrameMemory memory_;

  bool planned_ = false;
  /// No pointer that a run needs is null. Looked at in the first run after a plan, or after a null
  /// was bound.
  bool all_bound_ = false;
  bool stepped_ = false;  ///< rows are not as far apart as planned
  bool is_static_ = true;
  ValueTable values_;
  DynamicOutputs dynamic_outputs_;
  std::vector<std::unique_ptr<Segment>> segments_;
  std::vector<OpenGroup> open_;
  /// Pointers of the segment that is being planned: index in its table, and what they follow.
  struct NewPointer {
    std::size_t at;
    int root;
    std::int64_t offset;
  };
  std::vector<NewPointer> new_pointers_;
  std::vector<ValueState> copied_results_;  // external ones that are copies
  int next_node_ = 0;
  int next_group_ = 0;
  bool cut_ = false;       // the segment ends: a shape is not known yet
  bool complete_ = false;  // all nodes and results are planned
  /// Kernels of plans that are given up, by node: the next plan may adapt them. There is room for
  /// all from the start, so that giving up a plan cannot fail half-way.
  std::vector<std::unique_ptr<Kernel>> retired_;
  /// How a node is planned, if it can be planned again by itself.
  struct PlannedAs {
    bool is_view = false;
    FrameStep* step = nullptr;  ///< of a kernel that reads its inputs where they are
  };
  std::vector<PlannedAs> planned_as_;  // by node
  // Scratch of resize().
  std::vector<char> changed_;  // by value
  std::vector<const TensorView*> resized_inputs_;
  std::vector<DimVector> resized_shapes_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
