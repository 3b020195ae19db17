// SPDX-License-Identifier: Apache-2.0
// Operands that share memory in a way that would change the result.
#include <weft/iter/config.hpp>

#include "support/errors.hpp"
#include "support/untouched.hpp"

namespace {

using test::Dims;
using test::Untouched;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

}  // namespace

TEST_CASE("bad input: operands that share memory", "[iter]") {
  Untouched out;
  const TensorView lower = out.tensor.slice(0, 0, 2);
  const TensorView upper = out.tensor.slice(0, 1, 3);
  const TensorView transposed = out.tensor.slice(1, 0, 3).transpose(0, 1);
  const TensorView square = out.tensor.slice(1, 0, 3);
  const TensorView expanded = out.tensor.select(0, 0).expand({3, 4});
  const auto build = [](const TensorView& to, const TensorView& from) {
    return TensorIteratorConfig().add_output(to).add_input(from).build();
  };
  CHECK_ERROR(overlap, ("output 0", "input 0", "unsupported operation", "[4, 1]", "[2, 4]"),
              build(lower, upper));
  CHECK_ERROR(overlap, ("output 0", "input 0", "[4, 1]", "[1, 4]"), build(square, transposed));
  CHECK_ERROR(overlap, ("output 0", "unsupported operation", "[0, 1]"), build(expanded, expanded));
  CHECK_ERROR(overlap, ("output 0", "output 1"),
              TensorIteratorConfig().add_output(lower).add_output(upper).build());
  CHECK_ERROR(overlap, ("output 0", "output 1"),
              TensorIteratorConfig().add_output(lower).add_output(lower).build());
  CHECK(out.holds());
}

TEST_CASE("bad input: operands that share memory only under the declared shape", "[iter]") {
  const Tensor d = Tensor::full({10}, ScalarType::f32, 7.25);
  const TensorView still = d.as_strided({1}, {0});
  const TensorView low = d.as_strided({1}, {1});
  const TensorView high = d.as_strided({1}, {1}, 1);
  const auto build = [](const TensorView& to, const TensorView& from, const Dims& squash) {
    return TensorIteratorConfig()
        .add_output(to)
        .add_input(from)
        .resize_outputs(false)
        .declare_static_shape({5}, squash)
        .build();
  };
  CHECK_ERROR(overlap, ("output 0", "[5]", "[0]"), build(still, high, {}));
  CHECK_ERROR(overlap, ("output 0", "input 0", "[5]"), build(low, high, {}));
  CHECK(build(low, d.as_strided({1}, {1}, 5), {}).numel() == 5);
  CHECK(build(low, low, {}).numel() == 5);
  // An output of fewer axes than the shape would be written again and again.
  const Tensor rows = Tensor::zeros({4, 5}, ScalarType::f32);
  const auto whole = [&](const TensorView& to, const Dims& shape) {
    return TensorIteratorConfig()
        .add_output(to)
        .add_input(rows)
        .resize_outputs(false)
        .declare_static_shape(shape)
        .build();
  };
  const Tensor five = Tensor::zeros({5}, ScalarType::f32);
  CHECK_ERROR(overlap, ("output 0", "[5]"), whole(five, {4, 5}));
  CHECK(whole(five, {1, 5}).numel() == 5);
  // A squashed axis is the kernel's, with the operand's own extent.
  CHECK(build(low, high, {0}).numel() == 1);
}

TEST_CASE("bad input: a reduction of its own output", "[iter]") {
  const Tensor sums = Tensor::of<float>({3, 1}, {1, 2, 3});
  const TensorView repeated = sums.expand({3, 4});
  const auto build = [&](weft::OverlapPolicy policy) {
    return TensorIteratorConfig()
        .add_output(sums)
        .add_input(repeated)
        .is_reduction(true)
        .resize_outputs(false)
        .set_overlap_policy(policy)
        .build();
  };
  CHECK_ERROR(overlap, ("output 0", "input 0", "[3, 1]", "[3, 4]"),
              build(weft::OverlapPolicy::error));
  build(weft::OverlapPolicy::copy)
      .serial_for_each([](char** data, const std::int64_t* strides, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
          *reinterpret_cast<float*>(data[0] + i * strides[0]) +=
              *reinterpret_cast<float*>(data[1] + i * strides[1]);
        }
      });
  CHECK(sums.at<float>({0, 0}) == 5);
  CHECK(sums.at<float>({2, 0}) == 15);
  // Where nothing is reduced it works in place.
  const TensorView all = sums;
  CHECK(TensorIterator::reduce_op(sums, all).numel() == 3);
}
