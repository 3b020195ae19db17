// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a plan notes of its decisions.
#pragma once

#include <weft/base/small_vector.hpp>
#include <weft/core/tensor_view.hpp>
#include <weft/graph/explanation.hpp>

#include "graph/compile/program.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

struct FrameStep;

/// The notes of a segment, before their text is made: that is for those who ask.
class PlanNotes {
 public:
  /// `outputs`: what is written, undefined where that is not known; `step`: what carries it out,
  /// and lives as long as the notes; `result`: that a copy puts into its place.
  void add(PlanNote::Kind kind, std::span<const int> nodes,
           std::span<const TensorView> outputs = {}, const FrameStep* step = nullptr,
           int result = -1);
  /// What the kernel of a node writes is of another size.
  void set_kernel_bytes(int node, std::int64_t bytes);
  /// Appends them as they are told.
  void tell(const Program& program, std::vector<PlanNote>& out) const;

 private:
  struct Raw {
    PlanNote::Kind kind;
    SmallVector<int, 4> nodes;
    const FrameStep* step = nullptr;
    int result = -1;
    std::int64_t bytes = 0;
  };
  std::vector<Raw> notes_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
