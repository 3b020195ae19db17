// SPDX-License-Identifier: Apache-2.0
#include "recurrent/sequence/direction_run.hpp"

#include <weft/core/tensor.hpp>
#include <weft/ops/copy.hpp>

#include "graph/operators/checks.hpp"
#include "recurrent/sequence/sequence_loop.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

using graph::PartialShape;
using graph::Value;

namespace {

/// From the first byte of the whole to that of a part.
std::int64_t offset_of(const TensorView& part, const TensorView& whole) {
  if (part.numel() == 0) return 0;  // there may be no memory
  return static_cast<const char*>(part.data()) - static_cast<const char*>(whole.data());
}

}  // namespace

DirectionRun::DirectionRun(const graph::Node& node, const SequenceOperands& operands,
                           const DirectionForm& form, const graph::OperatorRegistry& operators)
    : form_(form), frame_(make_program(node, operands, operators)) {}

/// X is the same for all directions; states have them along axis 1, weights along axis 0.
TensorView DirectionRun::part_of(const SequenceOperands& operands, int input) const {
  const TensorView& whole = operands.view(input);
  if (input == operands.at.x) return whole;
  const bool is_state = input == operands.at.h || input == operands.at.c;
  return whole.select(is_state ? 1 : 0, form_.number);
}

[[gnu::cold]] graph::Executable DirectionRun::make_program(
    const graph::Node& node, const SequenceOperands& operands,
    const graph::OperatorRegistry& operators) {
  graph::Graph graph(node.name);
  const auto parameter = [&](ScalarType dtype, int rank, int input) {
    feeds_.push_back({input, 0});
    return graph.add_parameter({dtype, PartialShape::of_rank(rank)});
  };
  const auto value = [&](int input) -> Value {
    if (!operands.has(input)) return {};
    const TensorView part = part_of(operands, input);
    const auto weights = operands.at.weights();
    const bool is_weights = std::ranges::find(weights, input) != weights.end();
    // They stay where they are while there is a kernel, which this belongs to.
    if (is_weights && operands.is_constant(input))
      return graph.add_constant(Tensor::share(nullptr, part));
    return parameter(part.dtype(), part.rank(), input);
  };
  const SequenceInputs& at = operands.at;
  SequenceLoop loop{.kind = operands.kind,
                    .name = node.name,
                    .attributes = node.attributes,
                    .dtype = operands.view(at.x).dtype(),
                    .backwards = form_.backwards,
                    .x = value(at.x),
                    .h = value(at.h),
                    .c = value(at.c),
                    .w = value(at.w),
                    .r = value(at.r),
                    .b = value(at.b),
                    .p = value(at.p),
                    .mask = {}};
  if (form_.masked) loop.mask = parameter(ScalarType::boolean, 3, -1);
  const std::vector<Value> outputs = add_sequence_loop(graph, loop);
  loop_ = graph.node(outputs[0].node);
  for (std::size_t i = 0; i < operands.outputs.size(); ++i)
    graph.add_result(outputs[i]);
  return graph::Executable(graph, {.operators = &operators});
}

void DirectionRun::plan(const SequenceOperands& operands, const TensorView& mask) {
  views_.clear();
  for (Feed& feed : feeds_) {
    if (feed.input < 0) {
      views_.push_back(mask);
      continue;
    }
    views_.push_back(part_of(operands, feed.input));
    feed.offset_bytes = offset_of(views_.back(), operands.view(feed.input));
  }
  targets_.clear();
  places_.clear();
  for (const TensorView& output : operands.outputs) {
    const TensorView part = output.select(1, form_.number);
    targets_.push_back({part, offset_of(part, output), part.is_contiguous()});
    places_.push_back({.external = part.is_contiguous()});
  }
  frame_.plan(views_, places_);
}

void DirectionRun::run(const graph::KernelArguments& arguments, const void* mask) {
  for (std::size_t p = 0; p < feeds_.size(); ++p) {
    const Feed& feed = feeds_[p];
    const void* whole = feed.input < 0 ? mask : arguments.inputs[feed.input];
    frame_.bind_parameter(static_cast<int>(p), static_cast<const char*>(whole) + feed.offset_bytes);
  }
  const auto address = [&](std::size_t r) -> void* {
    return static_cast<char*>(arguments.outputs[r]) + targets_[r].offset_bytes;
  };
  for (std::size_t r = 0; r < targets_.size(); ++r) {
    if (targets_[r].in_place) frame_.bind_result(static_cast<int>(r), address(r));
  }
  frame_.run();
  for (std::size_t r = 0; r < targets_.size(); ++r) {
    if (!targets_[r].in_place)
      copy_out(graph::rebound(targets_[r].part, address(r)), frame_.result(static_cast<int>(r)));
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
