// SPDX-License-Identifier: Apache-2.0
/// @file
/// A span kernel of whose results a mask selects those that are stored.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "engine/elementwise/masked_boxes.hpp"
#include "engine/elementwise/run_spans.hpp"
#include "engine/elementwise/simple_run.hpp"

#include <cstdint>
#include <optional>

namespace weft {
inline namespace v0 {

/// A call of a masked kernel, cut into boxes. Refers to what it is made of.
class MaskedCall {
 public:
  /// Throws Error for what cannot be carried out.
  MaskedCall(const TensorIterator& iter, const SpanKernel& kernel, const RunOptions& options);

  void run() const;
  const MaskedBoxes& boxes() const noexcept { return boxes_; }
  std::int64_t grain() const noexcept { return grain_; }

  /// How boxes of one shape are computed.
  struct BoxPlan {
    BoxPlan(const MaskedCall& call, const TileCursor& box);

    DimVector extents;
    TensorIterator iter;  // without the mask; outputs are dense
    SimpleRun simple;
    TilePlan tiles;  // if it is not simple
  };
  /// Whether the flags of a box are used where they are.
  bool has_mask_in_place(const TileCursor& box) const;

 private:
  class Runner;

  /// Bytes of the outputs' elements.
  SmallVector<std::int64_t, inline_operands> output_sizes() const;

  const TensorIterator& iter_;
  const SpanKernel& kernel_;
  Strategy wanted_;
  SmallVector<std::int64_t, inline_operands> sizes_;
  MaskedBoxes boxes_;
  std::int64_t grain_;  // boxes
};

}  // namespace v0
}  // namespace weft
