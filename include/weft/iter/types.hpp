// SPDX-License-Identifier: Apache-2.0
/// @file
/// Stage "types": the element type that the kernel sees for each operand.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/promotion.hpp>
#include <weft/core/scalar_type.hpp>

#include <optional>
#include <span>

namespace weft {
inline namespace v0 {

/// What the config asks of element types.
struct TypeRules {
  bool check_all_same = true;      ///< all operands share one type
  bool promote_inputs = false;     ///< inputs are read as their common type
  bool integers_to_float = false;  ///< an integer or bool common type becomes default_float
  bool cast_to_outputs = false;    ///< outputs of another type get the common type, converted
  bool safe_casting = false;  ///< the common type must be able to become the output's (can_cast)
  std::optional<ScalarType> undefined_outputs = {};  ///< type for outputs to allocate
  ScalarType default_float = ScalarType::f32;
};

/// One operand as this stage sees it.
struct OperandType {
  bool is_output = false;
  bool defined = false;  ///< false: an output to allocate
  bool weak = false;
  int rank = 0;
  ScalarType storage = ScalarType::f32;  ///< type in memory; set here for an undefined output
  ScalarType dtype = ScalarType::f32;    ///< set here: type that the kernel sees
};

/// Sets storage and dtype of every operand, outputs first, and returns the common type, empty where
/// none was asked for. Throws Error(dtype) where types differ and may not, Error(cast) where an
/// output cannot hold the common type.
/// @post storage of defined operands is unchanged
WEFT_API std::optional<ScalarType> resolve_types(std::span<OperandType> operands,
                                                 const TypeRules& rules);

}  // namespace v0
}  // namespace weft
