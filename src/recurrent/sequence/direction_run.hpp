// SPDX-License-Identifier: Apache-2.0
/// @file
/// One direction of a sequence, planned and run.
#pragma once

#include <weft/graph/executable.hpp>
#include <weft/graph/operator.hpp>

#include "recurrent/sequence/sequence_operands.hpp"

#include <cstdint>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Which loop runs a direction.
struct DirectionForm {
  int number = 0;  ///< among the directions of the operands
  bool backwards = false;
  bool masked = false;  ///< rows may end before the last step
};

/// The program of one loop, and a frame that reads and writes the operands of the sequence where
/// they are. Weights that are constants are constants of the program.
class DirectionRun {
 public:
  DirectionRun(const graph::Node& node, const SequenceOperands& operands, const DirectionForm& form,
               const graph::OperatorRegistry& operators);

  /// Before run(), and for operands of another geometry. `mask`: bool [steps, batch, 1], undefined
  /// if the form has none.
  void plan(const SequenceOperands& operands, const TensorView& mask);
  /// `mask`: the elements of such a mask.
  void run(const graph::KernelArguments& arguments, const void* mask);
  /// The loop of the program: it knows what it did.
  const graph::Node& loop() const noexcept { return loop_; }

 private:
  /// What a parameter of the program is: a part of an input, or the mask (-1).
  struct Feed {
    int input;
    std::int64_t offset_bytes;
  };
  /// Where an output of the program goes: into a part of the sequence's, in place or by a copy.
  struct Target {
    TensorView part;  ///< at a placeholder
    std::int64_t offset_bytes;
    bool in_place;
  };

  graph::Executable make_program(const graph::Node& node, const SequenceOperands& operands,
                                 const graph::OperatorRegistry& operators);
  TensorView part_of(const SequenceOperands& operands, int input) const;

  DirectionForm form_;
  // make_program() fills these.
  std::vector<Feed> feeds_;  // by parameter
  graph::Node loop_;
  graph::Frame frame_;
  std::vector<Target> targets_;  // by result
  // Kept for the memory of their lists.
  std::vector<TensorView> views_;
  std::vector<graph::ResultPlace> places_;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
