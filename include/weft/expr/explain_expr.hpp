// SPDX-License-Identifier: Apache-2.0
/// @file
/// How expressions are carried out.
#pragma once

#include <weft/base/export.hpp>
#include <weft/expr/expr.hpp>
#include <weft/iter/explain.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft {
inline namespace v0 {

/// The passes over memory that evaluating expressions takes, in their order: one for each
/// reduction, and one for what elementwise functions make of operands and of results, for all
/// outputs of a shape.
struct ExprExplanation {
  struct Pass {
    std::string what;                ///< what is computed, with commas between several results
    DimVector shape;                 ///< of each result
    std::int64_t functions = 0;      ///< functions and conversions of each element
    std::int64_t steps = 0;          ///< as which they are carried out: several are one loop
    std::int64_t bytes_read = 0;     ///< of operands and of results of earlier passes, each once
    std::int64_t bytes_written = 0;  ///< of the results
    Explanation::Run run;
  };
  std::vector<Pass> passes;
  /// Not 0: all passes are carried out for so many rows along an axis at a time, and one element of
  /// each axis before it, so that what they read again is in cache. What stands in `run` is how
  /// they would be for all rows at once.
  std::int64_t rows = 0;
  int rows_axis = 0;

  /// Some lines for a person.
  WEFT_API std::string to_text() const;
  /// One JSON object with the fields above.
  WEFT_API std::string to_json() const;
};

/// What evaluate() would do, and evaluate_out(); of `out`, type and layout count. Plans, as these
/// do, and throws what they throw, but for overlap.
WEFT_API ExprExplanation explain(const Expr& expression);
WEFT_API ExprExplanation explain_out(const TensorView& out, const Expr& expression);
WEFT_API ExprExplanation explain(std::span<const Expr> expressions);
WEFT_API ExprExplanation explain_out(std::span<const TensorView> outs,
                                     std::span<const Expr> expressions);

}  // namespace v0
}  // namespace weft
