// SPDX-License-Identifier: Apache-2.0
/// @file
/// From a case to memory and arguments.
#pragma once

#include <weft/core/tensor.hpp>
#include <weft/expr/expr.hpp>
#include <weft/ops/registry.hpp>

#include "cli/case_file.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::cli {

/// The operation or expression of a case, with its operands in memory of their own.
class BoundCase {
 public:
  /// What the memory is to hold. With `nothing` it is reserved but never touched.
  enum class Contents : std::uint8_t { nothing, values };

  /// Makes the operands. Each lies in a buffer of exactly the elements that its strides reach;
  /// outputs are zero bytes, inputs filled as fill.hpp says. `min=` and `max=` become inputs of
  /// clamp; a function with a number (addcmul) gets 0.5. Throws Error: what parse_expr throws;
  /// invalid_argument (no
  /// such operation, wrong number of operands, a key that it does not take), rank, overflow, limit
  /// (more memory than the machine has).
  BoundCase(const Case& c, Contents contents);
  BoundCase(const BoundCase&) = delete;
  BoundCase& operator=(const BoundCase&) = delete;

  bool is_expression() const noexcept { return expression_.has_value(); }
  std::span<const TensorView> outputs() const noexcept { return outputs_; }
  /// Of an operation.
  const OpArguments& arguments() const noexcept { return arguments_; }
  void run() const;
  /// How it would be carried out, for a person or as one JSON object.
  std::string explain(bool json) const;

 private:
  std::vector<Tensor> buffers_;
  std::vector<Scalar> numbers_;
  std::vector<TensorView> outputs_, inputs_;
  OpArguments arguments_;
  const OpEntry* op_ = nullptr;
  std::optional<Expr> expression_;
};

}  // namespace weft::cli
