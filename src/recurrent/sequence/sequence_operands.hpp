// SPDX-License-Identifier: Apache-2.0
/// @file
/// The operands that a sequence is prepared for.
#pragma once

#include <weft/graph/operator.hpp>

#include "recurrent/sequence/sequence_inputs.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// What a sequence is prepared for.
struct SequenceOperands {
  SequenceOperands(graph::CellKind kind, const graph::PrepareContext& context);

  /// Whether what is made of the weights of the one holds for the other: those that are constants
  /// are the very same, and others are no constants in either.
  bool has_weights_of(const SequenceOperands& other) const;
  /// Takes an X of other steps and strides, and gives Y as many. False, with nothing done, if more
  /// is different. Inputs that are left out are null.
  bool set_steps(std::span<const TensorView* const> given);

  bool has(int input) const {
    return input >= 0 && static_cast<std::size_t>(input) < inputs.size() && view(input).defined();
  }
  bool is_constant(int input) const { return constants[static_cast<std::size_t>(input)] != 0; }
  const TensorView& view(int input) const { return inputs[static_cast<std::size_t>(input)]; }
  std::int64_t steps() const { return view(at.x).extent(1); }

  graph::CellKind kind;
  SequenceInputs at;
  std::vector<TensorView> inputs;  ///< at placeholders; undefined where left out
  std::vector<char> constants;     ///< by input: whether it may be read now, and never changes
  std::vector<TensorView> outputs;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
