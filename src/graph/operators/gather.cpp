// SPDX-License-Identifier: Apache-2.0
// Elements at places that other tensors tell: Gather, ScatterUpdate.
#include <weft/core/cast.hpp>
#include <weft/core/shape.hpp>

#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

std::int64_t product(IntSpan extents, int first, int last) {
  std::int64_t count = 1;
  for (int i = first; i < last; ++i)
    count *= extents[static_cast<std::size_t>(i)];
  return count;
}

/// Indexes in a dense list. Negative ones count from the end.
class IndexList {
 public:
  IndexList(const TensorView& view, std::int64_t extent, int axis)
      : type_(view.dtype()), extent_(extent), axis_(axis) {}

  /// Index number i, as 0 ... extent - 1. Throws Error(axis).
  std::int64_t at(const void* data, std::int64_t i) const {
    const std::int64_t index = find(data, i);
    if (index < 0) {
      fail(ErrorCode::axis, text("input 1 (indices): index ", text_of(data, i), " for axis ", axis_,
                                 " of extent ", extent_));
    }
    return index;
  }
  /// The same; -1 for one out of range.
  std::int64_t find(const void* data, std::int64_t i) const {
    const std::int64_t index = value(data, i);
    if (index < -extent_ || index >= extent_) return -1;
    return index < 0 ? index + extent_ : index;
  }

 private:
  std::string text_of(const void* data, std::int64_t i) const {
    return type_ == ScalarType::u64 ? text(load<std::uint64_t>(static_cast<const char*>(data), i))
                                    : text(value(data, i));
  }
  /// Of u64 at most the largest i64, which is beyond every axis.
  std::int64_t value(const void* data, std::int64_t i) const {
    const auto* bytes = static_cast<const char*>(data);
    if (type_ == ScalarType::i64) return load<std::int64_t>(bytes, i);
    if (type_ == ScalarType::i32) return load<std::int32_t>(bytes, i);
    if (type_ == ScalarType::u64) {
      constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
      return static_cast<std::int64_t>(std::min(load<std::uint64_t>(bytes, i), most));
    }
    std::int64_t value = 0;
    const std::int64_t size = element_size(type_);
    cast_elements(&value, ScalarType::i64, 8, bytes + i * size, type_, size, 1);
    return value;
  }
  template <class T>
  static T load(const char* data, std::int64_t i) {
    T value;
    std::memcpy(&value, data + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return value;
  }

  ScalarType type_;
  std::int64_t extent_;
  int axis_;
};

/// Dense data seen as [batch, before, extent, inner bytes], and indexes as [batch, count].
struct IndexedBlocks {
  IndexedBlocks(const TensorView& data, const TensorView& indices, int axis, int batch_dims)
      : batch(product(data.shape(), 0, batch_dims)),
        before(product(data.shape(), batch_dims, axis)),
        extent(data.extent(axis)),
        inner(product(data.shape(), axis + 1, data.rank()) * element_size(data.dtype())),
        count(product(indices.shape(), batch_dims, indices.rank())) {}

  /// f(place in the indexed tensor, place among the gathered, number of the index), in bytes.
  template <class F>
  void for_each(const F& f) const {
    if (inner == 0) return;
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t number = b * count + i;
        for (std::int64_t p = 0; p < before; ++p) {
          const std::int64_t row = b * before + p;
          f(row * extent * inner, (row * count + i) * inner, number);
        }
      }
    }
  }

  std::int64_t batch, before, extent, inner, count;
};

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
        batch_dims_(batch_dims) {}

  void run(const KernelArguments& arguments) override {
    const int axis = axis_.in(arguments);
    const IndexedBlocks blocks(data_, indices_, axis, batch_dims_);
    const IndexList indexes(indices_, blocks.extent, axis);
    const auto* from = static_cast<const char*>(arguments.inputs[0]);
    auto* to = static_cast<char*>(arguments.outputs[0]);
    const auto bytes = static_cast<std::size_t>(blocks.inner);
    blocks.for_each([&](std::int64_t source, std::int64_t target, std::int64_t number) {
      const std::int64_t index = indexes.find(arguments.inputs[1], number);
      if (index < 0) {
        std::memset(to + target, 0, bytes);
      } else {
        std::memcpy(to + target, from + source + index * blocks.inner, bytes);
      }
    });
  }

 private:
  AxisInput axis_;
  TensorView data_, indices_;
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
    const IndexList list(*index, context.input(0).extent(axis), axis);
    const std::int64_t place = list.find(index->data(), 0);
    if (place < 0) return false;
    outputs[0] = context.input(0).select(axis, place);
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
        updates_(context.input(2)) {}

  void run(const KernelArguments& arguments) override {
    const int axis = axis_.in(arguments);
    // infer() has not seen an axis that is known only now.
    const DimVector expected = updates_extents(data_.shape(), indices_.shape(), axis);
    if (!same_list(updates_.shape(), expected)) {
      fail(ErrorCode::shape, text("input 2 (updates): expected ", to_string(IntSpan(expected)),
                                  ", got ", to_string(updates_.shape())));
    }
    const IndexedBlocks blocks(data_, indices_, axis, 0);
    const IndexList indexes(indices_, blocks.extent, axis);
    auto* to = static_cast<char*>(arguments.outputs[0]);
    if (data_.nbytes() > 0)
      std::memcpy(to, arguments.inputs[0], static_cast<std::size_t>(data_.nbytes()));
    const auto* from = static_cast<const char*>(arguments.inputs[2]);
    const auto bytes = static_cast<std::size_t>(blocks.inner);
    blocks.for_each([&](std::int64_t target, std::int64_t source, std::int64_t number) {
      const std::int64_t index = indexes.at(arguments.inputs[1], number);
      std::memcpy(to + target + index * blocks.inner, from + source, bytes);
    });
  }

 private:
  AxisInput axis_;
  TensorView data_, indices_, updates_;
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
