// SPDX-License-Identifier: Apache-2.0
/// @file
/// The functions of the table by enumerator, for callers that learn while they run which is meant.
/// With one of these a program holds the kernels of the whole family.
#pragma once

#include "base/internal_api.hpp"
#include "ops/function.hpp"

namespace weft {
inline namespace v0 {

WEFT_INTERNAL_API const Function<UnaryOp>& any_function(UnaryOp op) noexcept;
WEFT_INTERNAL_API const Function<BinaryOp>& any_function(BinaryOp op) noexcept;
WEFT_INTERNAL_API const Function<CompareOp>& any_function(CompareOp op) noexcept;
WEFT_INTERNAL_API const Function<DivisionOp>& any_function(DivisionOp op) noexcept;
WEFT_INTERNAL_API const Function<TernaryOp>& any_function(TernaryOp op) noexcept;
WEFT_INTERNAL_API const Function<ScaledOp>& any_function(ScaledOp op) noexcept;

}  // namespace v0
}  // namespace weft
