// SPDX-License-Identifier: Apache-2.0
// ONNX's cases of prefix operations.
#include <weft/ops/copy.hpp>
#include <weft/ops/cumulative.hpp>

#include "onnx_cases.hpp"
#include "support/catch.hpp"

namespace {

using test::OnnxCall;
using test::Tensors;
using weft::Tensor;
using weft::TensorView;

/// `reverse` begins at the far end, `exclusive` leaves an element out of its own sum: the sums
/// stand one place further, behind a zero.
Tensors cumsum(const OnnxCall& call) {
  const std::int64_t axis = call.values(1).at(0);
  const bool backwards = call.integer("reverse", 0) != 0;
  const auto turned = [&](const TensorView& view) { return backwards ? view.flip(axis) : view; };
  const TensorView& x = call.in(0);
  Tensor result = Tensor::zeros(x.shape(), x.dtype());
  if (call.integer("exclusive", 0) != 0) {
    const std::int64_t last = x.extent(axis) - 1;
    weft::cumsum_out(turned(result).slice(axis, 1, last + 1), turned(x).slice(axis, 0, last), axis);
  } else {
    weft::cumsum_out(turned(result), turned(x), axis);
  }
  return {result};
}

}  // namespace

TEST_CASE("ONNX: prefix operators") {
  test::check_onnx_cases("cumulative", {{"CumSum", cumsum}}, {});
}
