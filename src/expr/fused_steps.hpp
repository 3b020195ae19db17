// SPDX-License-Identifier: Apache-2.0
/// @file
/// Steps of a chain that are carried out together.
#pragma once

#include "expr/chain.hpp"
#include "kernels/fused/fused.hpp"

#include <optional>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {

/// Steps of a chain, by their number.
using StepGroup = SmallVector<int, FusedProgram::max_temporaries>;

/// All steps of a chain in the order in which they are carried out, those that can be one step
/// together. A step stands behind all that it reads, and one that writes an output of the chain
/// also behind all that stood before it: an output may be where an input is.
std::vector<StepGroup> group_steps(const Chain& chain);

/// A group as one step.
struct FusedSteps {
  FusedProgram program;
  SmallVector<int, 8> terms;  ///< of the chain: those that are read elsewhere, then inputs

  /// Whether exp or its like is among the instructions.
  bool has_functions() const noexcept;
  /// Of one output, which is none of bools: bools, one input more behind the others, select what is
  /// stored.
  void select_output() noexcept;
};
FusedSteps fuse(const Chain& chain, const StepGroup& group);

/// A chain of one output as one program, if it can be that.
std::optional<FusedSteps> fuse_whole(const Chain& chain);

/// Where a program finds a term of its chain that it reads.
struct FusedInput {
  explicit FusedInput(const Chain::Term& term);

  int input = -1;  ///< of the chain; -1: it is the number
  alignas(16) char number[16]{};
  /// Inputs are at these addresses. Programs only read them.
  template <class Pointer>
  char* at(const Pointer* inputs) const noexcept {
    const void* const where = input >= 0 ? inputs[input] : number;
    return static_cast<char*>(const_cast<void*>(where));
  }
};

}  // namespace v0
}  // namespace weft
