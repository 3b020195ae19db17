// SPDX-License-Identifier: Apache-2.0
#include "kernel/product_axes.hpp"

#include <weft/base/error.hpp>
#include <weft/iter/overlap.hpp>

#include "base/text.hpp"

namespace weft::inline v0 {

void check_product_overlap(const TensorView& c, const TensorView& other, const char* operand) {
  if (overlap(c, other) == Overlap::none) return;
  fail(ErrorCode::overlap,
       text("output 0 shares memory with ", operand, ", or may; a product can't be made in place"));
}

void check_product_output(const TensorView& c) {
  if (c.read_only()) fail(ErrorCode::invalid_argument, "output 0: read-only view");
  if (internal_overlap(c) == Overlap::none) return;
  fail(ErrorCode::overlap, "output 0: elements share memory with each other, or may");
}

}  // namespace weft::inline v0
