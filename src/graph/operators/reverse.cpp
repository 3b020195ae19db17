// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/copy.hpp>

#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// Copies each row of the batch in one or two pieces.
class ReverseRun final : public Kernel {
 public:
  ReverseRun(const PrepareContext& context, int batch_axis, int seq_axis)
      : in_(context.input(0)),
        out_(context.output(0)),
        lengths_(context.input(1)),
        batch_axis_(batch_axis),
        seq_axis_(seq_axis) {}

  void run(const KernelArguments& arguments) override {
    const TensorView in = rebound(in_, arguments.inputs[0]);
    const TensorView out = rebound(out_, arguments.outputs[0]);
    const std::vector<std::int64_t> lengths =
        integers_of(rebound(lengths_, arguments.inputs[1]), 1);
    const std::int64_t extent = in.extent(seq_axis_);
    for (std::size_t b = 0; b < lengths.size(); ++b) {
      const std::int64_t length = lengths[b];
      if (length < 0 || length > extent) {
        fail(ErrorCode::invalid_argument,
             text("input 1 (seq_lengths): expected from 0 to ", extent, ", got ", length));
      }
      const auto row = static_cast<std::int64_t>(b);
      const TensorView from = in.slice(batch_axis_, row, row + 1);
      const TensorView to = out.slice(batch_axis_, row, row + 1);
      copy_out(to.slice(seq_axis_, 0, length), from.slice(seq_axis_, 0, length).flip(seq_axis_));
      copy_out(to.slice(seq_axis_, length, extent), from.slice(seq_axis_, length, extent));
    }
  }

 private:
  TensorView in_, out_, lengths_;
  int batch_axis_, seq_axis_;
};

/// Along seq_axis the first seq_lengths[b] elements backwards, for each b along batch_axis.
class ReverseSequence final : public Operator {
 public:
  ReverseSequence() : Operator({.name = "ReverseSequence"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 2, 2);
    expect_integers(context, 1, "seq_lengths");
    const ValueType& data = context.input(0);
    context.set_output(0, data.dtype, data.shape);
    if (!data.shape.has_rank()) return;
    const int batch = axis(context.attributes(), "batch_axis", 0, data.shape.rank());
    if (batch == axis(context.attributes(), "seq_axis", 1, data.shape.rank())) {
      fail(ErrorCode::axis, "attributes 'batch_axis' and 'seq_axis': expected two axes");
    }
    expect_shape(context, 1, "seq_lengths", {data.shape.extent(batch)});
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    const int rank = context.input(0).rank();
    return std::make_unique<ReverseRun>(context, axis(context.attributes(), "batch_axis", 0, rank),
                                        axis(context.attributes(), "seq_axis", 1, rank));
  }
  bool accepts_input(const Node&, int, const TensorView&) const override { return true; }
  bool accepts_output(const Node&, int, const TensorView&) const override { return true; }

 private:
  static int axis(const Attributes& attributes, const char* name, std::int64_t otherwise,
                  int rank) {
    return checked_axis(attributes.integer(name, otherwise), rank,
                        text("attribute '", name, "'").c_str());
  }
};

}  // namespace

void add_reverse_operator(OperatorRegistry& registry) {
  registry.add(std::make_shared<ReverseSequence>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
