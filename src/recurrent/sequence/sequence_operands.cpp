// SPDX-License-Identifier: Apache-2.0
#include "recurrent/sequence/sequence_operands.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {
namespace {

bool lie_alike(const TensorView& a, const TensorView& b) {
  return a.dtype() == b.dtype() && same_list(a.shape(), b.shape()) &&
         same_list(a.strides(), b.strides());
}

}  // namespace

SequenceOperands::SequenceOperands(graph::CellKind of, const graph::PrepareContext& context)
    : kind(of), at(of) {
  for (int i = 0; i < context.ninputs(); ++i) {
    const TensorView* constant = context.constant(i);
    inputs.push_back(constant != nullptr ? *constant : context.input(i));
    constants.push_back(constant != nullptr ? 1 : 0);
  }
  for (int i = 0; i < context.noutputs(); ++i)
    outputs.push_back(context.output(i));
}

bool SequenceOperands::has_weights_of(const SequenceOperands& other) const {
  if (inputs.size() != other.inputs.size() || outputs.size() != other.outputs.size()) return false;
  return std::ranges::all_of(at.weights(), [&](int input) {
    if (has(input) != other.has(input)) return false;
    if (!has(input)) return true;
    if (is_constant(input) != other.is_constant(input)) return false;
    return !is_constant(input) || (view(input).data() == other.view(input).data() &&
                                   lie_alike(view(input), other.view(input)));
  });
}

bool SequenceOperands::set_steps(std::span<const TensorView* const> given) {
  if (given.size() != inputs.size()) return false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool is_given = given[i] != nullptr;
    if (is_given != inputs[i].defined()) return false;
    if (is_given && static_cast<int>(i) != at.x && !lie_alike(*given[i], inputs[i])) return false;
  }
  const auto x = static_cast<std::size_t>(at.x);
  if (given[x]->extent(0) != inputs[x].extent(0) || given[x]->extent(2) != inputs[x].extent(2))
    return false;
  inputs[x] = *given[x];
  TensorView& y = outputs[0];
  DimVector shape(y.shape().begin(), y.shape().end());
  shape[2] = steps();
  y = TensorView::trusted(y.data(), y.dtype(), shape);
  return true;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
