// SPDX-License-Identifier: Apache-2.0
/// @file
/// A chain of whose elements a mask selects those that are written.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/iter/explain.hpp>

#include "engine/elementwise/masked_boxes.hpp"
#include "expr/computed_chain.hpp"
#include "expr/selecting_chain.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace weft {
inline namespace v0 {

/// Values and the mask are computed box by box, by chains (MaskedBoxes); values in the output's
/// memory, where they can be.
class MaskedChain {
 public:
  /// Of inputs, which broadcast to `shape`, types, shapes and strides count, as of the output.
  MaskedChain(const Chain& values, std::span<const TensorView> value_inputs, const Chain& mask,
              std::span<const TensorView> mask_inputs, IntSpan shape, const TensorView& out);
  MaskedChain(const MaskedChain&) = delete;
  MaskedChain& operator=(const MaskedChain&) = delete;

  /// Inputs are at these addresses of their elements (0, 0, ...). `serial`: as part of what a
  /// thread does. Throws Error(division).
  void run(const TensorView& out, const void* const* value_inputs, const void* const* mask_inputs,
           bool serial);
  Explanation::Run explain() const;
  const ComputedChain& values() const noexcept { return values_; }

 private:
  /// The minimum of boxes for a thread.
  std::int64_t grain() const noexcept;

  ComputedChain values_, mask_;
  Geometry geometry_;  // of the output and the values' inputs; the last axis is dim 0
  std::int64_t element_size_;
  std::unique_ptr<SelectingChain> selecting_;  // if the values are that
  MaskedBoxes boxes_;
};

}  // namespace v0
}  // namespace weft
