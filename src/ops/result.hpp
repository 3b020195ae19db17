// SPDX-License-Identifier: Apache-2.0
/// @file
/// The output of an operation whose result is no function of its inputs' elements at the same
/// places.
#pragma once

#include <weft/ops/argument.hpp>

#include <initializer_list>
#include <span>

namespace weft {
inline namespace v0 {

/// Where a result goes, and what an output held before it was replaced.
class Result {
 public:
  /// The output itself if it has this shape; a Tensor that is undefined or of another shape gets
  /// new row-major memory, of `type` if undefined. `inputs` may meet it nowhere. Throws Error
  /// before anything is allocated: undefined (a view), shape, invalid_argument (read-only),
  /// overlap.
  Result(const Output& out, IntSpan shape, ScalarType type,
         std::span<const TensorView* const> inputs);
  Result(const Output& out, IntSpan shape, ScalarType type,
         std::initializer_list<const TensorView*> inputs = {})
      : Result(out, shape, type, std::span(inputs.begin(), inputs.size())) {}

  const TensorView& view() const noexcept { return out_->view(); }

 private:
  const Output* out_;
  Tensor replaced_;  // an input may be a view of it
};

/// The type of a result into `out`: that of the output if there is one, else `type`.
inline ScalarType result_type(const Output& out, ScalarType type) noexcept {
  return out.view().defined() ? out.view().dtype() : type;
}

}  // namespace v0
}  // namespace weft
