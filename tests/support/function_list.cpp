// SPDX-License-Identifier: Apache-2.0
#include "support/function_list.hpp"

#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/division.hpp>
#include <weft/ops/scaled.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/unary.hpp>

#include "support/naive_functions.hpp"

namespace test {

const std::vector<Function>& all_functions() {
  using weft::BinaryOp, weft::CompareOp, weft::DivisionOp, weft::Output;
  using weft::ScalarType, weft::ScaledOp, weft::TernaryOp, weft::UnaryOp;
  static const std::vector<Function> functions = {
#define WEFT_ORACLE(OP, NAME) \
  [](ScalarType type, const void* const* in, void* out) { naive(OP::NAME, type, in, out); }
#define WEFT_ONE(NAME, ...)                                                               \
  Function{&weft::info(UnaryOp::NAME), [](const Views& in) { return weft::NAME(in[0]); }, \
           [](const Output& out, const Views& in) { weft::NAME##_out(out, in[0]); },      \
           WEFT_ORACLE(UnaryOp, NAME), is_inexact(UnaryOp::NAME)},
#define WEFT_TWO(OP, NAME)                                                                  \
  Function{&weft::info(OP::NAME), [](const Views& in) { return weft::NAME(in[0], in[1]); }, \
           [](const Output& out, const Views& in) { weft::NAME##_out(out, in[0], in[1]); }, \
           WEFT_ORACLE(OP, NAME), is_inexact(OP::NAME)},
#define WEFT_BINARY(NAME, ...) WEFT_TWO(BinaryOp, NAME)
#define WEFT_COMPARISON(NAME, ...) WEFT_TWO(CompareOp, NAME)
#define WEFT_DIVISION(NAME, ...) WEFT_TWO(DivisionOp, NAME)
#define WEFT_THREE(NAME, ...)                                                                      \
  Function{&weft::info(TernaryOp::NAME),                                                           \
           [](const Views& in) { return weft::NAME(in[0], in[1], in[2]); },                        \
           [](const Output& out, const Views& in) { weft::NAME##_out(out, in[0], in[1], in[2]); }, \
           WEFT_ORACLE(TernaryOp, NAME)},
#define WEFT_SCALED(NAME, ...)                                                         \
  Function{&weft::info(ScaledOp::NAME),                                                \
           [](const Views& in) { return weft::NAME(in[0], in[1], in[2], scaled_by); }, \
           [](const Output& out, const Views& in) {                                    \
             weft::NAME##_out(out, in[0], in[1], in[2], scaled_by);                    \
           },                                                                          \
           [](ScalarType type, const void* const* in, void* out) {                     \
             naive(ScaledOp::NAME, scaled_by, type, in, out);                          \
           }},
      WEFT_FOR_EACH_UNARY(WEFT_ONE) WEFT_FOR_EACH_BINARY(WEFT_BINARY)
          WEFT_FOR_EACH_COMPARISON(WEFT_COMPARISON) WEFT_FOR_EACH_DIVISION(WEFT_DIVISION)
              WEFT_FOR_EACH_TERNARY(WEFT_THREE) WEFT_FOR_EACH_SCALED(WEFT_SCALED)
#undef WEFT_ORACLE
#undef WEFT_ONE
#undef WEFT_TWO
#undef WEFT_BINARY
#undef WEFT_COMPARISON
#undef WEFT_DIVISION
#undef WEFT_THREE
#undef WEFT_SCALED
  };
  return functions;
}

}  // namespace test
