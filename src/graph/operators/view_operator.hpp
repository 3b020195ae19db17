// SPDX-License-Identifier: Apache-2.0
/// @file
/// Operators whose outputs are views of input 0, told by lists of integers in the other inputs.
#pragma once

#include "graph/operators/checks.hpp"

#include <optional>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

using IntegerList = std::vector<std::int64_t>;

/// Input i as integers; nothing if it is left out or not known yet. Entry 0 is empty.
using IntegerInputs = std::vector<std::optional<IntegerList>>;

/// Nothing is copied where the integers are constants; where they are computed, the view that they
/// tell is copied in each run.
class ViewOperator : public Operator {
 public:
  /// Input 0, and from `least` to `most` inputs in all.
  ViewOperator(OperatorName name, int least, int most)
      : Operator(std::move(name)), least_(least), most_(most) {}

  void infer(InferContext& context) const final;
  bool view(const PrepareContext& context, std::span<TensorView> outputs) const final;
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const final;
  bool accepts_input(const Node&, int, const TensorView&) const final { return true; }
  bool accepts_output(const Node&, int, const TensorView&) const final { return true; }

  /// The outputs' shapes as far as they follow, one each in `shapes`; `in` has a rank. Throws as
  /// infer().
  virtual void shapes(const Node& node, const PartialShape& in, const IntegerInputs& integers,
                      std::span<PartialShape> shapes) const = 0;
  /// The outputs, all integers being known and shapes() having thrown nothing.
  virtual void views(const Node& node, const TensorView& in, const IntegerInputs& integers,
                     std::span<TensorView> outputs) const = 0;

 private:
  int least_, most_;
};

/// Elements first, first + step, ... of an axis, `count` of them.
struct AxisRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t step = 1;

  /// As Python's [begin:end:step] of `extent` elements; nothing stands for the end in question.
  /// step is not 0.
  static AxisRange of(std::int64_t extent, std::optional<std::int64_t> begin,
                      std::optional<std::int64_t> end, std::int64_t step);
};

/// The view with one of its axes cut down.
TensorView cut(const TensorView& view, int axis, const AxisRange& range);

}  // namespace graph
}  // namespace v0
}  // namespace weft
