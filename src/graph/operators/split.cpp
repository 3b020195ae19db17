// SPDX-License-Identifier: Apache-2.0
// Cutting a tensor along an axis, and joining tensors: Split, VariadicSplit, Concat.
#include <weft/base/checked.hpp>

#include "graph/chain/chain_kernel.hpp"
#include "graph/operators/families.hpp"
#include "graph/operators/view_operator.hpp"

#include <algorithm>
#include <iterator>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// The axis that input 1 holds, or attribute `axis`, where older models have it.
std::optional<int> split_axis(const Node& node, const IntegerInputs& integers, int rank) {
  if (integers.size() < 2) {
    return checked_axis(node.attributes.integer("axis"), rank, "attribute 'axis'");
  }
  if (!integers[1]) return std::nullopt;
  if (integers[1]->size() != 1) {
    fail(ErrorCode::shape, text("input 1 (axis): expected one integer, got ", integers[1]->size()));
  }
  return checked_axis((*integers[1])[0], rank, "input 1 (axis)");
}

PartialShape with_extent(const PartialShape& shape, int axis, std::int64_t extent) {
  DimVector extents(shape.extents().begin(), shape.extents().end());
  extents[static_cast<std::size_t>(axis)] = extent;
  return extents;
}

/// num_splits equal parts.
class Split final : public ViewOperator {
 public:
  Split() : ViewOperator({.name = "Split"}, 1, 2) {}

  void shapes(const Node& node, const PartialShape& in, const IntegerInputs& integers,
              std::span<PartialShape> shapes) const override {
    const std::int64_t parts = count(node);
    const std::optional<int> axis = split_axis(node, integers, in.rank());
    if (!axis) {
      std::ranges::fill(shapes, PartialShape::of_rank(in.rank()));
      return;
    }
    const std::int64_t extent = in.extent(*axis);
    if (extent >= 0 && extent % parts != 0) {
      fail(ErrorCode::shape, text("input 0: extent ", extent, " of axis ", *axis,
                                  " does not divide into ", parts, " parts"));
    }
    const std::int64_t part = extent < 0 ? PartialShape::unknown : extent / parts;
    std::ranges::fill(shapes, with_extent(in, *axis, part));
  }
  void views(const Node& node, const TensorView& in, const IntegerInputs& integers,
             std::span<TensorView> outputs) const override {
    const int axis = *split_axis(node, integers, in.rank());
    const std::int64_t part = in.extent(axis) / count(node);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      outputs[i] = cut(in, axis, {static_cast<std::int64_t>(i) * part, part, 1});
  }

 private:
  static std::int64_t count(const Node& node) {
    const std::int64_t parts = node.attributes.integer("num_splits", node.noutputs);
    if (parts < 1 || parts != node.noutputs) {
      fail(ErrorCode::invalid_argument, text("attribute 'num_splits': expected ", node.noutputs,
                                             ", the number of outputs, got ", parts));
    }
    return parts;
  }
};

/// Parts of the lengths that input 2 holds; one may be -1: what is left.
class VariadicSplit final : public ViewOperator {
 public:
  VariadicSplit() : ViewOperator({.name = "VariadicSplit"}, 3, 3) {}

  void shapes(const Node& node, const PartialShape& in, const IntegerInputs& integers,
              std::span<PartialShape> shapes) const override {
    const std::optional<int> axis = split_axis(node, integers, in.rank());
    if (!axis || !integers[2]) {
      std::ranges::fill(shapes, PartialShape::of_rank(in.rank()));
      return;
    }
    const IntegerList list = lengths(*integers[2], in.extent(*axis), node.noutputs);
    for (std::size_t i = 0; i < shapes.size(); ++i)
      shapes[i] = with_extent(in, *axis, list[i]);
  }
  void views(const Node& node, const TensorView& in, const IntegerInputs& integers,
             std::span<TensorView> outputs) const override {
    const int axis = *split_axis(node, integers, in.rank());
    const IntegerList list = lengths(*integers[2], in.extent(axis), node.noutputs);
    std::int64_t first = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i] = cut(in, axis, {first, list[i], 1});
      first += list[i];
    }
  }

 private:
  static IntegerList lengths(IntegerList list, std::int64_t extent, int noutputs) {
    const auto refuse = [&](const std::string& why) {
      fail(ErrorCode::shape, text("input 2 (split_lengths): ",
                                  to_string(IntSpan(list.data(), list.size())), ": ", why));
    };
    if (list.size() != static_cast<std::size_t>(noutputs))
      refuse(text("expected ", noutputs, " lengths, one per output"));
    std::int64_t* open = nullptr;
    std::int64_t sum = 0;
    for (std::int64_t& length : list) {
      if (length == -1) {
        if (open != nullptr) refuse("two lengths are -1");
        open = &length;
      } else if (length < 0 || !checked_add(sum, length, sum)) {
        refuse("a length is negative, or they are too large");
      }
    }
    if (extent < 0) return list;
    if (open == nullptr ? sum != extent : sum > extent)
      refuse(text("the axis has extent ", extent));
    if (open != nullptr) *open = extent - sum;
    return list;
  }
};

/// Copies each input to its place.
class ConcatRun final : public Kernel {
 public:
  ConcatRun(const PrepareContext& context, int axis) {
    const TensorView& out = context.output(0);
    std::int64_t first = 0;
    for (int i = 0; i < context.ninputs(); ++i) {
      const TensorView& in = context.input(i);
      const TensorView to = cut(out, axis, {first, in.extent(axis), 1});
      first += in.extent(axis);
      if (in.numel() == 0) continue;
      const TensorView outputs[] = {to}, inputs[] = {in};
      const auto offset =
          static_cast<const char*>(to.data()) - static_cast<const char*>(out.data());
      parts_.push_back({prepare_chain(Chain::copy(out.dtype()), outputs, inputs), i, offset});
    }
  }

  void run(const KernelArguments& arguments) override {
    for (const Part& part : parts_) {
      const void* in = arguments.inputs[part.input];
      void* out = static_cast<char*>(arguments.outputs[0]) + part.offset;
      part.kernel->run({&in, &out, arguments.memory});
    }
  }
  std::vector<Explanation::Run> explain() const override {
    std::vector<Explanation::Run> runs;
    for (const Part& part : parts_)
      std::ranges::move(part.kernel->explain(), std::back_inserter(runs));
    return runs;
  }

 private:
  struct Part {
    std::unique_ptr<Kernel> kernel;
    int input;
    std::int64_t offset;  ///< bytes
  };
  std::vector<Part> parts_;
};

/// All inputs, one after the other along attribute `axis`.
class Concat final : public Operator {
 public:
  Concat() : Operator({.name = "Concat"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 1, 1 << 20);
    PartialShape whole = PartialShape::unranked();
    std::int64_t length = 0;
    for (int i = 0; i < context.ninputs(); ++i) {
      expect_same_type(context, 0, i);
      const PartialShape& shape = context.input(i).shape;
      if (!shape.has_rank()) {
        length = PartialShape::unknown;
        continue;
      }
      const int at = axis(context.node(), shape.rank());
      const std::int64_t extent = shape.extent(at);
      if (length < 0 || extent < 0) {
        length = PartialShape::unknown;
      } else if (std::int64_t sum = 0; checked_add(length, extent, sum)) {
        length = sum;
      } else {
        fail(ErrorCode::overflow, text("input ", i, ": extent ", extent, " of axis ", at,
                                       " does not fit behind those of inputs before it, ", length));
      }
      try {
        whole = whole.merged_with(with_extent(shape, at, PartialShape::unknown));
      } catch (const Error&) {
        fail(ErrorCode::shape, text("input ", i, ": ", to_string(shape), " does not go with ",
                                    to_string(whole), " but for axis ", at));
      }
    }
    const ScalarType type = context.input(0).dtype;
    if (!whole.has_rank()) return context.set_output(0, type, whole);
    context.set_output(0, type, with_extent(whole, axis(context.node(), whole.rank()), length));
  }
  bool view(const PrepareContext& context, std::span<TensorView> outputs) const override {
    if (context.ninputs() != 1) return false;
    outputs[0] = context.input(0);
    return true;
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<ConcatRun>(context, axis(context.node(), context.output(0).rank()));
  }
  bool accepts_input(const Node&, int, const TensorView&) const override { return true; }
  bool accepts_output(const Node&, int, const TensorView&) const override { return true; }

 private:
  static int axis(const Node& node, int rank) {
    return checked_axis(node.attributes.integer("axis"), rank, "attribute 'axis'");
  }
};

}  // namespace

void add_split_operators(OperatorRegistry& registry) {
  registry.add(std::make_shared<Split>());
  registry.add(std::make_shared<VariadicSplit>());
  registry.add(std::make_shared<Concat>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
