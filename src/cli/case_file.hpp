// SPDX-License-Identifier: Apache-2.0
/// @file
/// Case files: one operation on strided operands a line, or one expression.
///
///     NAME OP OPERAND... [KEY=VALUE...]
///     NAME OPERAND... [fill=...] := EXPRESSION
///
/// An operand is `out:DTYPE[SHAPE]{STRIDES}`, `DTYPE[SHAPE]{STRIDES}` or a number; outputs come
/// first, keys last. Lists are separated by commas and have no spaces; strides count elements and
/// may be left out. Keys: `fill=sym|pos|nz`, `dim=0,2`, `keepdim=0|1`, `n=2,3` (shifts, repeats,
/// ... of what moves elements), `min=` and `max=` (numbers, the bounds of clamp). An expression has
/// one output; its inputs are called a, b, c, ... in their order, and parse_expr.hpp says how it is
/// written.
/// A line whose first word begins with `#` is a comment.
#pragma once

#include <weft/core/scalar.hpp>
#include <weft/core/shape.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weft::cli {

/// A tensor to make.
struct TensorSpec {
  ScalarType type = ScalarType::f32;
  DimVector shape;
  DimVector strides;  ///< in elements, one per extent
};

/// What an input's memory holds, see fill.hpp.
enum class Fill : std::uint8_t { sym, pos, nz };

/// One operation or expression with its operands.
struct Case {
  std::string name;  ///< empty where none was asked for
  std::string op;    ///< empty: an expression
  std::string expression;
  std::vector<TensorSpec> outputs;
  std::vector<std::variant<TensorSpec, Scalar>> inputs;
  Fill fill = Fill::sym;
  DimVector axes;  ///< of `dim=`; empty: all
  bool keepdim = false;
  DimVector numbers;  ///< of `n=`
  std::optional<Scalar> min, max;
};

/// A line that is neither empty nor a comment, cut in two.
struct CaseLine {
  int number = 0;  ///< counted from 1
  std::string_view name;
  std::string_view call;  ///< what follows the name
};

/// The lines of a case file; the views point into `text`.
std::vector<CaseLine> split_case_lines(std::string_view text);

/// Reads a line. Throws Error(parse) that names the line's number and the word.
Case parse_case(const CaseLine& line);

/// A line without its name, if it has one.
std::string_view without_name(std::string_view line);
/// Reads a line without its name. Throws Error(parse) that names the word.
Case parse_call(std::string_view call);

}  // namespace weft::cli
