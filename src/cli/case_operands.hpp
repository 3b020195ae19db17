// SPDX-License-Identifier: Apache-2.0
/// @file
/// From a case to memory and arguments.
#pragma once

#include <weft/core/tensor.hpp>
#include <weft/ops/registry.hpp>

#include "cli/case_file.hpp"

#include <vector>

namespace weft::cli {

/// The operation of a case, with its operands in memory of their own.
class BoundCase {
 public:
  /// What the memory is to hold. With `nothing` it is reserved but never touched.
  enum class Contents : std::uint8_t { nothing, values };

  /// Makes the operands. Each lies in a buffer of exactly the elements that its strides reach;
  /// outputs are zero bytes, inputs filled as fill.hpp says. `min=` and `max=` become inputs of
  /// clamp; a function with a number (addcmul) gets 0.5. Throws Error: invalid_argument (no
  /// such operation, wrong number of operands, a key that it does not take), rank, overflow, limit
  /// (more memory than the machine has).
  BoundCase(const Case& c, Contents contents);
  BoundCase(const BoundCase&) = delete;
  BoundCase& operator=(const BoundCase&) = delete;

  const OpEntry& op() const noexcept { return *op_; }
  const OpArguments& arguments() const noexcept { return arguments_; }
  void run() const { op_->run(arguments_); }

 private:
  std::vector<Tensor> buffers_;
  std::vector<Scalar> numbers_;
  std::vector<TensorView> outputs_, inputs_;
  OpArguments arguments_;
  const OpEntry* op_ = nullptr;
};

}  // namespace weft::cli
