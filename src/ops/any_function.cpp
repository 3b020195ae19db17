// SPDX-License-Identifier: Apache-2.0
#include "ops/any_function.hpp"

namespace weft {
inline namespace v0 {

#define WEFT_POINTER(NAME, ...) &function_of<UnaryOp::NAME>,
const Function<UnaryOp>& any_function(UnaryOp op) noexcept {
  static constexpr const Function<UnaryOp>* list[] = {WEFT_FOR_EACH_UNARY(WEFT_POINTER)};
  return *list[static_cast<int>(op)];
}
#undef WEFT_POINTER

#define WEFT_POINTER(NAME, ...) &function_of<BinaryOp::NAME>,
const Function<BinaryOp>& any_function(BinaryOp op) noexcept {
  static constexpr const Function<BinaryOp>* list[] = {WEFT_FOR_EACH_BINARY(WEFT_POINTER)};
  return *list[static_cast<int>(op)];
}
#undef WEFT_POINTER

#define WEFT_POINTER(NAME, ...) &function_of<CompareOp::NAME>,
const Function<CompareOp>& any_function(CompareOp op) noexcept {
  static constexpr const Function<CompareOp>* list[] = {WEFT_FOR_EACH_COMPARISON(WEFT_POINTER)};
  return *list[static_cast<int>(op)];
}
#undef WEFT_POINTER

#define WEFT_POINTER(NAME, ...) &function_of<DivisionOp::NAME>,
const Function<DivisionOp>& any_function(DivisionOp op) noexcept {
  static constexpr const Function<DivisionOp>* list[] = {WEFT_FOR_EACH_DIVISION(WEFT_POINTER)};
  return *list[static_cast<int>(op)];
}
#undef WEFT_POINTER

#define WEFT_POINTER(NAME, ...) &function_of<TernaryOp::NAME>,
const Function<TernaryOp>& any_function(TernaryOp op) noexcept {
  static constexpr const Function<TernaryOp>* list[] = {WEFT_FOR_EACH_TERNARY(WEFT_POINTER)};
  return *list[static_cast<int>(op)];
}
#undef WEFT_POINTER

#define WEFT_POINTER(NAME, ...) &function_of<ScaledOp::NAME>,
const Function<ScaledOp>& any_function(ScaledOp op) noexcept {
  static constexpr const Function<ScaledOp>* list[] = {WEFT_FOR_EACH_SCALED(WEFT_POINTER)};
  return *list[static_cast<int>(op)];
}
#undef WEFT_POINTER

}  // namespace v0
}  // namespace weft
