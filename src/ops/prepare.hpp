// SPDX-License-Identifier: Apache-2.0
/// @file
/// From arguments to iterator and kernel, one function a family: what calling and explaining have
/// in common.
#pragma once

#include <weft/core/scalar.hpp>

#include "ops/elementwise.hpp"

namespace weft {
inline namespace v0 {

Elementwise prepare(const Function<UnaryOp>& function, const Output& out, const TensorView& a);
Elementwise prepare(const Function<CompareOp>& function, const Output& out, const TensorView& a,
                    const TensorView& b);
Elementwise prepare(const Function<TernaryOp>& function, const Output& out, const TensorView& a,
                    const TensorView& b, const TensorView& c);

/// A function of two operands, whose kernel may take narrower types than the result's as they are.
struct BinaryCall : Elementwise {
  using Elementwise::Elementwise;

  bool widens = false;  ///< the kernel is one of add_widening_kernel() and so on

  void run() const;
  Explanation explain() const;
};
BinaryCall prepare(const Function<BinaryOp>& function, const Output& out, const TensorView& a,
                   const TensorView& b);

/// A division, which may find integers divided by zero while it runs.
struct DivisionCall : Elementwise {
  using Elementwise::Elementwise;

  const char* operation = nullptr;

  /// Throws Error(division) after all elements have been written.
  void run() const;
};
DivisionCall prepare(const Function<DivisionOp>& function, const Output& out, const TensorView& a,
                     const TensorView& b);

/// A function with a number, which is the context of its kernel.
struct ScaledCall : Elementwise {
  using Elementwise::Elementwise;

  alignas(16) unsigned char value[16];  ///< of the type in which the kernel computes

  void run() const;
};
ScaledCall prepare(const Function<ScaledOp>& function, const Output& out, const TensorView& a,
                   const TensorView& b, const TensorView& c, const Scalar& value);

/// Calls a function, without a plan where there is nothing to plan (run_dense), or little
/// (run_small).
void call(const Function<UnaryOp>& function, const Output& out, const TensorView& a);
void call(const Function<BinaryOp>& function, const Output& out, const TensorView& a,
          const TensorView& b);
void call(const Function<CompareOp>& function, const Output& out, const TensorView& a,
          const TensorView& b);
void call(const Function<TernaryOp>& function, const Output& out, const TensorView& a,
          const TensorView& b, const TensorView& c);

/// The function into a tensor of its own.
template <class Op, class... Views>
Tensor allocating(const Function<Op>& function, const Views&... inputs) {
  Tensor out;
  prepare(function, out, inputs...).run();
  return out;
}

}  // namespace v0
}  // namespace weft
