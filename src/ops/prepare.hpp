// SPDX-License-Identifier: Apache-2.0
/// @file
/// From arguments to iterator and kernel, one function a family: what calling and explaining have
/// in common. Private to the compiled part.
#pragma once

#include "kernels/binary/binary.hpp"
#include "kernels/compare/compare.hpp"
#include "kernels/unary/unary.hpp"
#include "ops/elementwise.hpp"

namespace weft::inline v0 {

Elementwise prepare_binary(BinaryOp op, const Output& out, const TensorView& a,
                           const TensorView& b);
Elementwise prepare_compare(CompareOp op, const Output& out, const TensorView& a,
                            const TensorView& b);
Elementwise prepare_unary(UnaryOp op, const Output& out, const TensorView& a);
Elementwise prepare_where(const Output& out, const TensorView& condition, const TensorView& a,
                          const TensorView& b);

}  // namespace weft::inline v0
