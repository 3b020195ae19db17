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
};
FusedSteps fuse(const Chain& chain, const StepGroup& group);

/// A chain of one output as one program, if it can be that.
std::optional<FusedSteps> fuse_whole(const Chain& chain);

}  // namespace v0
}  // namespace weft
