// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where the operands of a reduction are.
#pragma once

#include <weft/iter/tensor_iterator.hpp>

#include "engine/reduce/computed_input.hpp"
#include "engine/reduce/reduce_plan.hpp"
#include "machine/scratch_memory.hpp"

#include <optional>

namespace weft {
inline namespace v0 {

/// Operands as the walk has them: the iterator's, but for three. Where the plan collects results,
/// outputs are a block of memory, one result after the other as they are made. They are transposed
/// into the iterator's when all are there: written one by one, each would touch a line of its own,
/// and few of these stay in cache until they are full. Inputs that are computed have the strides of
/// the plan's window; if `rows` computes them, its operands stand in their place.
class WalkedOperands {
 public:
  /// Throws std::bad_alloc.
  WalkedOperands(const TensorIterator& iter, const ReducePlan& plan,
                 const ComputingKernel* rows = nullptr);

  const Geometry& geometry() const { return geometry_ ? *geometry_ : iter_.geometry(); }
  /// Each operand's first element.
  char* const* data() const { return data_; }
  /// Copies what was collected into the outputs.
  void write() const;

 private:
  void take_operands_of(const ComputingKernel& rows);
  void collect();

  const TensorIterator& iter_;
  const ReducePlan& plan_;
  char* data_[max_operands];
  std::optional<Geometry> geometry_;  // where it is another one
  std::optional<ScratchMemory> collected_;
};

}  // namespace v0
}  // namespace weft
