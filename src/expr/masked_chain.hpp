// SPDX-License-Identifier: Apache-2.0
/// @file
/// A chain of whose elements a mask selects those that are written.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/iter/explain.hpp>

#include "expr/computed_chain.hpp"

#include <cstdint>
#include <span>

namespace weft {
inline namespace v0 {

/// Values and the mask are computed box by box, each in memory of the thread, and what is selected
/// is copied from there: no strategy of the engine writes some elements of an output only. Where a
/// box has nothing to write, its values are not computed.
class MaskedChain {
 public:
  /// Of inputs, which broadcast to `shape`, types, shapes and strides count, as of the output.
  MaskedChain(const Chain& values, std::span<const TensorView> value_inputs, const Chain& mask,
              std::span<const TensorView> mask_inputs, IntSpan shape, const TensorView& out);

  /// Inputs are at these addresses of their elements (0, 0, ...). `serial`: as part of what a
  /// thread does. Throws Error(division).
  void run(const TensorView& out, const void* const* value_inputs, const void* const* mask_inputs,
           bool serial);
  Explanation::Run explain() const;
  const ComputedChain& values() const noexcept { return values_; }

 private:
  struct Box {
    DimVector begin, extents;
  };

  /// The minimum of boxes for a thread.
  std::int64_t grain() const noexcept;
  void cut(const TensorView& out, std::span<const TensorView> inputs);
  Box box(std::int64_t number) const;
  void write(const TensorView& out, const Box& box, const char* values, const char* mask) const;

  ComputedChain values_, mask_;
  DimVector shape_;
  DimVector box_;  // extents of a box, but for the last ones along an axis
  std::int64_t boxes_ = 1, box_elements_ = 1, element_size_;
};

}  // namespace v0
}  // namespace weft
