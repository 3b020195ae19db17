// SPDX-License-Identifier: Apache-2.0
// Outputs: allocated, replaced, or written as they are.
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/unary.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"

namespace {

using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

Dims strides_of(const TensorView& view) { return test::dims(view.strides()); }
Dims shape_of(const TensorView& view) { return test::dims(view.shape()); }

const Tensor a = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor b = Tensor::of<float>({3}, {10, 20, 30});
const Tensor sums = Tensor::of<float>({2, 3}, {11, 22, 33, 14, 25, 36});

bool holds(const TensorView& view, const Tensor& values) {
  return test::difference(view, test::dense_copy(values)) == "";
}

}  // namespace

TEST_CASE("outputs: an undefined Tensor is allocated", "[ops]") {
  Tensor out;
  weft::add_out(out, a, b);
  CHECK(holds(out, sums));
  Tensor flags;
  weft::lt_out(flags, a, b);
  CHECK(flags.dtype() == ScalarType::boolean);
  CHECK(shape_of(flags) == Dims{2, 3});
  Tensor chosen;
  weft::where_out(chosen, flags, a, 0);
  CHECK(holds(chosen, a));
  Tensor negative;
  weft::neg_out(negative, a);
  CHECK(negative.at<float>({1, 2}) == -6);
}

TEST_CASE("outputs: a Tensor of the right shape is written where it is", "[ops]") {
  Tensor out = Tensor::empty_strided({2, 3}, {1, 2}, ScalarType::f64);
  const void* before = out.data();
  weft::add_out(out, a, b);
  CHECK(out.data() == before);
  CHECK(strides_of(out) == Dims{1, 2});
  CHECK(out.dtype() == ScalarType::f64);
  CHECK(out.at<double>({1, 2}) == 36);
}

TEST_CASE("outputs: a Tensor of another shape is replaced, and keeps its type", "[ops]") {
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{6}, Dims{3, 2}, Dims{2, 3, 1}}) {
    Tensor out = Tensor::full(shape, ScalarType::f64, 7);
    const Tensor old = out;
    weft::add_out(out, a, b);
    CHECK(shape_of(out) == Dims{2, 3});
    CHECK(out.dtype() == ScalarType::f64);
    CHECK(out.at<double>({1, 2}) == 36);
    CHECK(holds(old, Tensor::full(shape, ScalarType::f64, 7)));
  }
  Tensor flags = Tensor::full({9}, ScalarType::f32, 7);
  weft::gt_out(flags, a, 3);
  CHECK(holds(flags, Tensor::of<float>({2, 3}, {0, 0, 0, 1, 1, 1})));
  Tensor root = Tensor::full({9}, ScalarType::f64, 7);
  weft::sqrt_out(root, Tensor::of<std::int32_t>({2}, {4, 9}));
  CHECK(holds(root, Tensor::of<double>({2}, {2, 3})));
}

TEST_CASE("outputs: a view of another shape is refused", "[ops]") {
  const Tensor out = Tensor::full({3, 2}, ScalarType::f32, 7);
  const TensorView view = out;
  CHECK_ERROR(shape, ("output 0", "[3, 2]", "[2, 3]"), weft::add_out(view, a, b));
  CHECK_ERROR(shape, ("output 0", "[3, 2]"), weft::lt_out(view, a, b));
  CHECK_ERROR(shape, ("output 0", "[3, 2]"), weft::neg_out(view, a));
  // A larger output is not filled by broadcasting.
  const Tensor large = Tensor::full({4, 2, 3}, ScalarType::f32, 7);
  CHECK_ERROR(shape, ("output 0", "[4, 2, 3]"), weft::add_out(TensorView(large), a, b));
  CHECK(holds(out, Tensor::full({3, 2}, ScalarType::f32, 7)));
  CHECK(holds(large, Tensor::full({4, 2, 3}, ScalarType::f32, 7)));
}

TEST_CASE("outputs: an undefined view is refused", "[ops]") {
  const TensorView none;
  const Tensor mask = Tensor::full({3, 2}, ScalarType::boolean, true);
  CHECK_ERROR(undefined, ("add", "output 0"), weft::add_out(none, a, b));
  CHECK_ERROR(undefined, ("abs", "output 0"), weft::abs_out(none, a));
  CHECK_ERROR(undefined, ("where", "output 0"), weft::where_out(none, mask, a, b));
  CHECK_ERROR(undefined, ("copy", "output 0"), weft::copy_out(none, a));
}

TEST_CASE("outputs: nothing changes where an operation is refused", "[ops]") {
  Tensor undefined;
  CHECK_ERROR(shape, ("3", "4"), weft::add_out(undefined, a, Tensor::zeros({4}, ScalarType::f32)));
  CHECK(!undefined.defined());
  CHECK_ERROR(dtype, ("sub", "bool"),
              weft::sub_out(undefined, Tensor::of<bool>({1}, {true}), true));
  CHECK_ERROR(dtype, ("lt", "c64"), weft::lt_out(undefined, a, std::complex<float>(0, 1)));
  CHECK_ERROR(dtype, ("neg", "bool"), weft::neg_out(undefined, Tensor::of<bool>({1}, {true})));
  CHECK(!undefined.defined());

  Tensor wrong_shape = Tensor::full({5}, ScalarType::i32, 7);
  const void* before = wrong_shape.data();
  CHECK_ERROR(cast, ("output 0", "f32", "i32"), weft::add_out(wrong_shape, a, b));
  CHECK(wrong_shape.data() == before);
  CHECK(shape_of(wrong_shape) == Dims{5});
}

TEST_CASE("outputs: an output that is replaced may hold an input", "[ops]") {
  // The replaced memory has to live until it has been read.
  Tensor x = Tensor::of<float>({4}, {1, 2, 3, 4});
  weft::add_out(x, x.slice(0, 1, 3), Tensor::of<float>({2}, {10, 20}));
  CHECK(holds(x, Tensor::of<float>({2}, {12, 23})));

  Tensor y = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  weft::exp_out(y, y.select(0, 0));
  CHECK(shape_of(y) == Dims{2});
  CHECK(y.at<float>({0}) == Approx(2.7182818));

  // Very output and input at once: it cannot change its shape.
  Tensor z = Tensor::of<float>({3}, {1, 2, 3});
  CHECK_ERROR(shape, ("output 0", "[3]"), weft::add_out(z, z, a));
  CHECK(holds(z, Tensor::of<float>({3}, {1, 2, 3})));
}

TEST_CASE("outputs: a new result is dense in the order of the inputs", "[ops]") {
  const Tensor x = Tensor::zeros({4, 5, 6}, ScalarType::f32);
  const TensorView permuted = x.permute({2, 0, 1});  // [6, 4, 5], strides 1, 30, 6
  CHECK(strides_of(weft::add(x, x)) == Dims{30, 6, 1});
  CHECK(strides_of(weft::add(permuted, permuted)) == Dims{1, 30, 6});
  CHECK(strides_of(weft::mul(permuted, 2)) == Dims{1, 30, 6});
  CHECK(strides_of(weft::lt(permuted, permuted)) == Dims{1, 30, 6});
  CHECK(strides_of(weft::neg(permuted)) == Dims{1, 30, 6});
  CHECK(strides_of(weft::where(true, permuted, permuted)) == Dims{1, 30, 6});
  // Gaps are not kept.
  CHECK(strides_of(weft::neg(x.slice(2, 0, 6, 2))) == Dims{15, 3, 1});
  // Whichever comes first.
  const Tensor straight = Tensor::zeros({6, 4, 5}, ScalarType::f32);
  CHECK(strides_of(weft::add(permuted, straight)) == strides_of(weft::add(straight, permuted)));
}

TEST_CASE("outputs: read-only memory is refused", "[ops]") {
  const std::vector<float> memory(6, 7.0f);
  const TensorView fixed(std::span<const float>(memory), {2, 3});
  CHECK_ERROR(invalid_argument, ("output 0", "read-only"), weft::add_out(fixed, a, b));
  CHECK_ERROR(invalid_argument, ("output 0", "read-only"), weft::add_out(fixed, fixed, fixed));
  CHECK(std::count(memory.begin(), memory.end(), 7.0f) == 6);
}
