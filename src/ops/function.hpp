// SPDX-License-Identifier: Apache-2.0
/// @file
/// A function of the table together with its kernels.
#pragma once

#include <weft/ops/function_table.hpp>

#include "kernels/binary/binary.hpp"
#include "kernels/binary/widening.hpp"
#include "kernels/compare/compare.hpp"
#include "kernels/division/division.hpp"
#include "kernels/scaled/scaled.hpp"
#include "kernels/ternary/ternary.hpp"
#include "kernels/unary/unary.hpp"

namespace weft {
inline namespace v0 {

/// Which function, and its kernels by element type. Who hands one on, rather than an enumerator of
/// which any kernel may follow, lets linkers leave out the kernels of all others.
template <class Op>
struct Function {
  Op op;
  const LevelTable<const SpanKernel*(ScalarType)>* kernels;
  /// For inputs of narrower types than the result; null where there are none.
  const LevelTable<WideningKernelOf>* widening = nullptr;

  constexpr const FunctionInfo& info() const { return weft::info(op); }
  const SpanKernel* kernel(ScalarType type) const { return (*kernels)(type); }
  /// The one of a level, which the machine must have.
  const SpanKernel* kernel(ScalarType type, Level level) const { return kernels->at(level)(type); }
};

/// function_of<BinaryOp::add> and so on.
template <auto op>
inline constexpr Function<decltype(op)> function_of;
#define WEFT_FUNCTION(OP, NAME) \
  template <>                   \
  inline constexpr Function<OP> function_of<OP::NAME>{OP::NAME, &NAME##_kernel};
#define WEFT_UNARY(NAME, ...) WEFT_FUNCTION(UnaryOp, NAME)
WEFT_FOR_EACH_UNARY(WEFT_UNARY)
#undef WEFT_UNARY
template <BinaryOp op>
inline constexpr const LevelTable<WideningKernelOf>* widening_of = nullptr;
#define WEFT_WIDENING(NAME)                                                          \
  template <>                                                                        \
  inline constexpr const LevelTable<WideningKernelOf>* widening_of<BinaryOp::NAME> = \
      &NAME##_widening_kernel;
WEFT_FOR_EACH_WIDENING(WEFT_WIDENING)
#undef WEFT_WIDENING
#define WEFT_BINARY(NAME, ...)                                                                    \
  template <>                                                                                     \
  inline constexpr Function<BinaryOp> function_of<BinaryOp::NAME>{BinaryOp::NAME, &NAME##_kernel, \
                                                                  widening_of<BinaryOp::NAME>};
WEFT_FOR_EACH_BINARY(WEFT_BINARY)
#undef WEFT_BINARY
#define WEFT_COMPARISON(NAME, ...) WEFT_FUNCTION(CompareOp, NAME)
WEFT_FOR_EACH_COMPARISON(WEFT_COMPARISON)
#undef WEFT_COMPARISON
#define WEFT_DIVISION(NAME, ...) WEFT_FUNCTION(DivisionOp, NAME)
WEFT_FOR_EACH_DIVISION(WEFT_DIVISION)
#undef WEFT_DIVISION
#define WEFT_TERNARY(NAME, ...) WEFT_FUNCTION(TernaryOp, NAME)
WEFT_FOR_EACH_TERNARY(WEFT_TERNARY)
#undef WEFT_TERNARY
#define WEFT_SCALED(NAME, ...) WEFT_FUNCTION(ScaledOp, NAME)
WEFT_FOR_EACH_SCALED(WEFT_SCALED)
#undef WEFT_SCALED
#undef WEFT_FUNCTION

}  // namespace v0
}  // namespace weft
