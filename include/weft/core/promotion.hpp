// SPDX-License-Identifier: Apache-2.0
/// @file
/// The common element type of several operands.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/scalar_type.hpp>

#include <optional>

namespace weft {
inline namespace v0 {

/// The smallest type that both convert to by PyTorch's rules:
/// - equal types give themselves; bool gives way to everything;
/// - signed integers widen; u8 with a signed integer widens to the next signed type that holds
/// both;
/// - an integer with a floating type gives the floating type, whatever the widths (i64 with f16
/// gives f16);
/// - f16 with bf16 gives f32, other floating types the wider one; complex absorbs, and widens with
/// f64. Where PyTorch refuses (u16, u32, u64 with other integers) NumPy's rule holds: the smallest
/// integer type that holds both, and f64 for u64 with a signed integer.
WEFT_API ScalarType promote_types(ScalarType a, ScalarType b) noexcept;

/// False where a conversion loses the kind of a value: complex to real, floating to integer,
/// anything else to bool. Losing range or precision within a kind is allowed.
WEFT_API bool can_cast(ScalarType from, ScalarType to) noexcept;

/// Computes the common type of operands of three strengths, PyTorch's rule: tensors with axes
/// decide over 0-d tensors, and these over language scalars, unless the weaker one is of a higher
/// kind (bool < integer < floating < complex).
class ResultType {
 public:
  /// @param default_float  what a language scalar with a fraction, or an integer turned into
  /// floating, counts as
  explicit ResultType(ScalarType default_float = ScalarType::f32) noexcept
      : default_float_(default_float) {}

  /// An operand of `rank` axes. `weak`: a language scalar (PyTorch's wrapped number), whose width
  /// does not count.
  WEFT_API void add(ScalarType type, int rank, bool weak) noexcept;
  /// The common type of all operands added; empty if there was none.
  WEFT_API std::optional<ScalarType> get() const noexcept;

 private:
  ScalarType default_float_;
  std::optional<ScalarType> with_axes_, without_axes_, weak_;
};

}  // namespace v0
}  // namespace weft
