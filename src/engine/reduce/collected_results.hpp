// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where the results of a reduction are written.
#pragma once

#include <weft/iter/tensor_iterator.hpp>

#include "engine/reduce/reduce_plan.hpp"
#include "machine/scratch_memory.hpp"

#include <optional>

namespace weft {
inline namespace v0 {

/// Operands as the walk has them: the iterator's, or, where the plan collects results, outputs in a
/// block of memory, one result after the other as they are made. They are transposed into the
/// iterator's when all are there: written one by one, each would touch a line of its own, and few
/// of these stay in cache until they are full.
class CollectedResults {
 public:
  /// Throws std::bad_alloc.
  CollectedResults(const TensorIterator& iter, const ReducePlan& plan);

  const Geometry& geometry() const { return collected_ ? collected_->geometry : iter_.geometry(); }
  /// Each operand's first element.
  char* const* data() const { return data_; }
  /// Copies what was collected into the outputs.
  void write() const;

 private:
  struct Collected {
    Collected(const Geometry& all, std::int64_t bytes) : geometry(all), memory(bytes) {}

    Geometry geometry;  // with the outputs in `memory`
    ScratchMemory memory;
  };

  const TensorIterator& iter_;
  const ReducePlan& plan_;
  char* data_[max_operands];
  std::optional<Collected> collected_;
};

}  // namespace v0
}  // namespace weft
