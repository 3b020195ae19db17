// SPDX-License-Identifier: Apache-2.0
/// @file
/// Results of a reduction that lie along another dim than they are made.
#pragma once

#include <weft/iter/tensor_iterator.hpp>

#include "engine/reduce/combining_tree.hpp"
#include "engine/reduce/reduce_plan.hpp"

#include <memory>

namespace weft {
inline namespace v0 {

/// Memory in which results are put together one after the other, in the plan's order, to be
/// transposed into the outputs when all are there: written one by one, each would touch a line of
/// its own, and few of these stay in cache until they are full. Holds nothing unless the plan says
/// so.
class TransposedResults {
 public:
  TransposedResults(const TensorIterator& iter, const ReducePlan& plan);

  explicit operator bool() const { return memory_ != nullptr; }
  /// Where the result of output k at `place` among all kept elements goes, as the output's memory
  /// has it.
  char* at(int k, std::int64_t place) const {
    const auto i = static_cast<std::size_t>(k);
    return reinterpret_cast<char*>(memory_.get() + first_line_[i]) +
           place * plan_.operands[i].memory_size;
  }
  /// Copies all of them into the outputs.
  void write() const;

 private:
  const TensorIterator& iter_;
  const ReducePlan& plan_;
  SmallVector<std::size_t, inline_operands> first_line_;  // per output
  std::unique_ptr<Line[]> memory_;
};

}  // namespace v0
}  // namespace weft
