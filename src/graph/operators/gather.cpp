// SPDX-License-Identifier: Apache-2.0
// Elements at places that other tensors tell: Gather, ScatterUpdate.
#include <weft/core/shape.hpp>
#include <weft/ops/copy.hpp>

#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"
#include "graph/operators/indexed_rows.hpp"

#include <string>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// The axis that an input holds, or an attribute where the node has no such input: a constant, or
/// read in every run.
class AxisInput {
 public:
  AxisInput(const PrepareContext& context, int input, const char* operand)
      : rank_(context.input(0).rank()), input_(input), operand_(operand) {
    if (!context.has_input(input)) {
      axis_ = checked_axis(context.attributes().integer("axis", 0), rank_, "attribute 'axis'");
    } else if (const TensorView* constant = context.constant(input)) {
      axis_ = checked(*constant);
    } else {
      view_ = context.input(input);
    }
  }
  int in(const KernelArguments& arguments) const {
    return view_.defined() ? checked(rebound(view_, arguments.inputs[input_])) : axis_;
  }
  /// In place of a value that turns up later.
  bool is_known() const { return !view_.defined(); }
  int known() const { return axis_; }

 private:
  int checked(const TensorView& axis) const {
    if (axis.numel() != 1)
      fail(ErrorCode::shape, text(operand_, ": expected one integer, got ", axis.numel()));
    return checked_axis(integers_of(axis, input_)[0], rank_, operand_);
  }

  int rank_, input_;
  const char* operand_;
  int axis_ = 0;
  TensorView view_;  // undefined: the axis is known
};
constexpr const char* gather_axis = "input 2 (axis)";
constexpr const char* scatter_axis = "input 3 (axis)";

class GatherRun final : public Kernel {
 public:
  GatherRun(const PrepareContext& context, int batch_dims)
      : axis_(context, 2, gather_axis),
        data_(context.input(0)),
        indices_(context.input(1)),
        indexes_(indices_, 1),
        batch_dims_(batch_dims) {}

  void run(const KernelArguments& arguments) override {
    const IndexedRows rows(data_, indices_, axis_.in(arguments), batch_dims_);
    indexes_.read(arguments.inputs[1], rows.extent);
    auto* const to = static_cast<char*>(arguments.outputs[0]);
    if (rows.extent > 0) rows.gather(to, static_cast<const char*>(arguments.inputs[0]), indexes_);
    for (const std::int64_t number : indexes_.outside())
      rows.clear(to, number);
  }

 private:
  AxisInput axis_;
  TensorView data_, indices_;
  IndexesInput indexes_;
  int batch_dims_;
};

/// data[..., indices[...], ...] along an axis, which input 2 holds (older models: attribute axis).
/// The first batch_dims axes of data and indices go together. Negative indexes count from the end;
/// where one is out of range, there are zeros.
class Gather final : public Operator {
 public:
  Gather() : Operator({.name = "Gather"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 2, 3);
    expect_integers(context, 1, "indices");
    const ValueType& data = context.input(0);
    const PartialShape& indices = context.input(1).shape;
    std::int64_t axis = 0;
    const bool known = read_axis(context, axis);
    if (!data.shape.has_rank() || !indices.has_rank()) {
      context.set_output(0, data.dtype, PartialShape::unranked());
      return;
    }
    const int batch = batch_dims(context.node(), indices.rank());
    if (!known) {
      const int rank = data.shape.rank() - 1 + indices.rank() - batch;
      context.set_output(0, data.dtype, PartialShape::of_rank(rank));
      return;
    }
    const int at = checked_axis(axis, data.shape.rank(), "axis");
    if (batch > at) {
      fail(ErrorCode::axis,
           text("attribute 'batch_dims': expected at most the axis, ", at, ", got ", batch));
    }
    DimVector extents;
    for (int i = 0; i < at; ++i) {
      const std::int64_t extent = data.shape.extent(i);
      const std::int64_t other = i < batch ? indices.extent(i) : extent;
      if (extent >= 0 && other >= 0 && extent != other) {
        fail(ErrorCode::shape, text("inputs 0 and 1: axis ", i, " is one of batch_dims, but ",
                                    to_string(data.shape), " and ", to_string(indices), " differ"));
      }
      extents.push_back(extent < 0 ? other : extent);
    }
    for (int i = batch; i < indices.rank(); ++i)
      extents.push_back(indices.extent(i));
    for (int i = at + 1; i < data.shape.rank(); ++i)
      extents.push_back(data.shape.extent(i));
    context.set_output(0, data.dtype, extents);
  }
  /// A single index that never changes shows a part of the data.
  bool view(const PrepareContext& context, std::span<TensorView> outputs) const override {
    const TensorView* index = context.constant(1);
    if (index == nullptr || index->rank() != 0) return false;
    const AxisInput input(context, 2, gather_axis);
    if (!input.is_known()) return false;
    const int axis = input.known();
    const std::int64_t extent = context.input(0).extent(axis);
    IndexesInput indexes(*index, 1);
    indexes.read(index->data(), extent);
    if (!indexes.outside().empty()) return false;
    outputs[0] = context.input(0).select(axis, integers_of(*index, 1)[0]);
    return true;
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<GatherRun>(context,
                                       batch_dims(context.node(), context.input(1).rank()));
  }

 private:
  static bool read_axis(const InferContext& context, std::int64_t& axis) {
    if (context.has_input(2)) return integer_input(context, 2, "axis", axis);
    axis = context.attributes().integer("axis", 0);
    return true;
  }
  static int batch_dims(const Node& node, int rank) {
    const std::int64_t given = node.attributes.integer("batch_dims", 0);
    const std::int64_t count = given < 0 ? given + rank : given;
    if (count < 0 || count > rank) {
      fail(ErrorCode::axis, text("attribute 'batch_dims': expected at most ", rank,
                                 ", the rank of the indices, got ", given));
    }
    return static_cast<int>(count);
  }
};

/// The extents of ScatterUpdate's updates.
DimVector updates_extents(IntSpan data, IntSpan indices, int axis) {
  const auto at = static_cast<std::size_t>(axis);
  DimVector extents(data.begin(), data.begin() + axis);
  for (const std::int64_t extent : indices)
    extents.push_back(extent);
  for (std::size_t i = at + 1; i < data.size(); ++i)
    extents.push_back(data[i]);
  return extents;
}

class ScatterRun final : public Kernel {
 public:
  explicit ScatterRun(const PrepareContext& context)
      : axis_(context, 3, scatter_axis),
        data_(context.input(0)),
        indices_(context.input(1)),
        updates_(context.input(2)),
        indexes_(indices_, 1) {}

  void run(const KernelArguments& arguments) override {
    const int axis = axis_.in(arguments);
    // infer() has not seen an axis that is known only now.
    const DimVector expected = updates_extents(data_.shape(), indices_.shape(), axis);
    if (!same_list(updates_.shape(), expected)) {
      fail(ErrorCode::shape, text("input 2 (updates): expected ", to_string(IntSpan(expected)),
                                  ", got ", to_string(updates_.shape())));
    }
    const IndexedRows rows(data_, indices_, axis, 0);
    indexes_.read(arguments.inputs[1], rows.extent);
    if (!indexes_.outside().empty()) indexes_.fail_outside(arguments.inputs[1], axis, rows.extent);
    const TensorView to = rebound(data_, arguments.outputs[0]);
    copy_out(to, rebound(data_, arguments.inputs[0]));
    rows.scatter(static_cast<char*>(arguments.outputs[0]),
                 static_cast<const char*>(arguments.inputs[2]), indexes_);
  }

 private:
  AxisInput axis_;
  TensorView data_, indices_, updates_;
  IndexesInput indexes_;
};

/// data with data[..., indices[...], ...] = updates along the axis that input 3 holds; of equal
/// indexes the last one counts.
class ScatterUpdate final : public Operator {
 public:
  ScatterUpdate() : Operator({.name = "ScatterUpdate"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 4, 4);
    expect_same_type(context, 0, 2);
    expect_integers(context, 1, "indices");
    const ValueType& data = context.input(0);
    const PartialShape& indices = context.input(1).shape;
    context.set_output(0, data.dtype, data.shape);
    std::int64_t axis = 0;
    if (!integer_input(context, 3, "axis", axis) || !data.shape.has_rank() || !indices.has_rank()) {
      return;
    }
    const int at = checked_axis(axis, data.shape.rank(), "input 3 (axis)");
    expect_shape(context, 2, "updates",
                 updates_extents(data.shape.extents(), indices.extents(), at));
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<ScatterRun>(context);
  }
};

}  // namespace

void add_gather_operators(OperatorRegistry& registry) {
  registry.add(std::make_shared<Gather>());
  registry.add(std::make_shared<ScatterUpdate>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
