// SPDX-License-Identifier: Apache-2.0
/// @file
/// From arguments to iterator and kernel, one function a family: what calling and explaining have
/// in common.
#pragma once

#include <weft/core/scalar.hpp>

#include "ops/elementwise.hpp"

namespace weft {
inline namespace v0 {

Elementwise prepare(UnaryOp op, const Output& out, const TensorView& a);
Elementwise prepare(CompareOp op, const Output& out, const TensorView& a, const TensorView& b);
Elementwise prepare(TernaryOp op, const Output& out, const TensorView& a, const TensorView& b,
                    const TensorView& c);

/// A function of two operands, whose kernel may take narrower types than the result's as they are.
struct BinaryCall : Elementwise {
  using Elementwise::Elementwise;

  bool widens = false;  ///< the kernel is one of widening_kernel()

  void run() const;
  Explanation explain() const;
};
BinaryCall prepare(BinaryOp op, const Output& out, const TensorView& a, const TensorView& b);

/// A division, which may find integers divided by zero while it runs.
struct DivisionCall : Elementwise {
  using Elementwise::Elementwise;

  const char* operation = nullptr;

  /// Throws Error(division) after all elements have been written.
  void run() const;
};
DivisionCall prepare(DivisionOp op, const Output& out, const TensorView& a, const TensorView& b);

/// A function with a number, which is the context of its kernel.
struct ScaledCall : Elementwise {
  using Elementwise::Elementwise;

  alignas(16) unsigned char value[16];  ///< of the type in which the kernel computes

  void run() const;
};
ScaledCall prepare(ScaledOp op, const Output& out, const TensorView& a, const TensorView& b,
                   const TensorView& c, const Scalar& value);

/// Calls a function, without a plan where there is nothing to plan (run_dense), or little
/// (run_small).
void call(UnaryOp op, const Output& out, const TensorView& a);
void call(BinaryOp op, const Output& out, const TensorView& a, const TensorView& b);
void call(CompareOp op, const Output& out, const TensorView& a, const TensorView& b);
void call(TernaryOp op, const Output& out, const TensorView& a, const TensorView& b,
          const TensorView& c);

/// The function into a tensor of its own.
template <class Op, class... Views>
Tensor allocating(Op op, const Views&... inputs) {
  Tensor out;
  prepare(op, out, inputs...).run();
  return out;
}

}  // namespace v0
}  // namespace weft
