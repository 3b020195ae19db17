// SPDX-License-Identifier: Apache-2.0
// The ready-made configurations: what each promotes, checks, casts and allocates.
#include <weft/iter/config.hpp>

#include "support/errors.hpp"
#include "support/visit.hpp"

namespace {

using test::dims;
using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorView;

Tensor zeros(const Dims& shape, ScalarType type) { return Tensor::zeros(shape, type); }

}  // namespace

TEST_CASE("factories: binary_op", "[conformance]") {
  const Tensor a = zeros({3, 1}, ScalarType::i32);
  const Tensor b = zeros({4}, ScalarType::f32);
  Tensor out;
  const TensorIterator iter = TensorIterator::binary_op(out, a, b);
  CHECK(dims(out.shape()) == Dims{3, 4});
  CHECK(out.dtype() == ScalarType::f32);
  CHECK(iter.common_dtype() == ScalarType::f32);
  CHECK(iter.ntensors() == 3);
  // Casts to outputs, safely only.
  Tensor wide = zeros({3, 4}, ScalarType::f64);
  CHECK(TensorIterator::binary_op(wide, a, b).dtype(0) == ScalarType::f32);
  Tensor integers = zeros({3, 4}, ScalarType::i32);
  CHECK_ERROR(cast, ("output 0", "f32", "i32"), TensorIterator::binary_op(integers, a, b));
  // Checks overlap.
  const Tensor base = zeros({8}, ScalarType::f32);
  const TensorView low = base.slice(0, 0, 4);
  const TensorView high = base.slice(0, 1, 5);
  CHECK_ERROR(overlap, ("output 0", "input 1"), TensorIterator::binary_op(low, b, high));
  // A view is written as it is.
  CHECK_ERROR(shape, ("[8]", "[3, 4]"), TensorIterator::binary_op(base.slice(0, 0, 8), a, b));
  Tensor replaced = zeros({8}, ScalarType::f32);
  TensorIterator::binary_op(replaced, a, b);
  CHECK(dims(replaced.shape()) == Dims{3, 4});
}

TEST_CASE("factories: binary_op on an undefined view", "[conformance]") {
  const Tensor a = zeros({3}, ScalarType::f32);
  const TensorIterator iter = TensorIterator::binary_op(TensorView(), a, a);
  CHECK(dims(iter.allocated_output().shape()) == Dims{3});
}

TEST_CASE("factories: binary_float_op", "[conformance]") {
  const Tensor a = zeros({3}, ScalarType::i32);
  const Tensor b = zeros({3}, ScalarType::i64);
  Tensor out;
  CHECK(TensorIterator::binary_float_op(out, a, b).common_dtype() == ScalarType::f32);
  CHECK(out.dtype() == ScalarType::f32);
  const Tensor d = zeros({3}, ScalarType::f64);
  Tensor wide;
  CHECK(TensorIterator::binary_float_op(wide, a, d).common_dtype() == ScalarType::f64);
  Tensor integers = zeros({3}, ScalarType::i64);
  CHECK_ERROR(cast, ("f32", "i64"), TensorIterator::binary_float_op(integers, a, b));
}

TEST_CASE("factories: comparison_op", "[conformance]") {
  const Tensor a = zeros({3}, ScalarType::i32);
  const Tensor b = zeros({3}, ScalarType::f32);
  Tensor out;
  const TensorIterator iter = TensorIterator::comparison_op(out, a, b);
  CHECK(out.dtype() == ScalarType::boolean);
  CHECK(iter.dtype(0) == ScalarType::boolean);
  CHECK(iter.dtype(1) == ScalarType::f32);
  CHECK(iter.common_dtype() == ScalarType::f32);
  // A given bool output is written directly.
  Tensor given = zeros({3}, ScalarType::boolean);
  CHECK(TensorIterator::comparison_op(given, a, b).dtype(0) == ScalarType::boolean);
  // Another one is cast to; there is no rule of safe casting, so i8 can hold the answers.
  Tensor bytes = zeros({3}, ScalarType::i8);
  const TensorIterator cast = TensorIterator::comparison_op(bytes, a, b);
  CHECK(cast.dtype(0) == ScalarType::f32);
  CHECK(cast.storage_dtype(0) == ScalarType::i8);
}

TEST_CASE("factories: unary ops", "[conformance]") {
  const Tensor a = zeros({3}, ScalarType::f64);
  Tensor out;
  CHECK(TensorIterator::unary_op(out, a).dtype(0) == ScalarType::f64);
  CHECK(out.dtype() == ScalarType::f64);
  Tensor other = zeros({3}, ScalarType::f32);
  CHECK_ERROR(dtype, ("f64", "f32"), TensorIterator::unary_op(other, a));
  const Tensor i = zeros({3}, ScalarType::i16);
  Tensor floating;
  TensorIterator::unary_float_op(floating, i);
  CHECK(floating.dtype() == ScalarType::f32);
  Tensor integers = zeros({3}, ScalarType::i16);
  CHECK_ERROR(cast, ("f32", "i16"), TensorIterator::unary_float_op(integers, i));
  Tensor boolean;
  const TensorIterator forced = TensorIterator::unary_force_boolean_op(boolean, a);
  CHECK(boolean.dtype() == ScalarType::boolean);
  CHECK(forced.dtype(1) == ScalarType::f64);
}

TEST_CASE("factories: ternary_op", "[conformance]") {
  const Tensor a = zeros({3, 1}, ScalarType::i32);
  const Tensor b = zeros({4}, ScalarType::f32);
  const Tensor c = zeros({2, 1, 1}, ScalarType::f64);
  Tensor out;
  const TensorIterator iter = TensorIterator::ternary_op(out, a, b, c);
  CHECK(dims(out.shape()) == Dims{2, 3, 4});
  CHECK(out.dtype() == ScalarType::f64);
  CHECK(iter.ninputs() == 3);
  for (int k = 0; k < 4; ++k)
    CHECK(iter.dtype(k) == ScalarType::f64);
}

TEST_CASE("factories: nullary_op", "[conformance]") {
  const Tensor out = zeros({2, 3}, ScalarType::u8);
  const TensorIterator iter = TensorIterator::nullary_op(out);
  CHECK(iter.ntensors() == 1);
  CHECK(iter.ninputs() == 0);
  CHECK(iter.numel() == 6);
  const TensorView expanded = out.select(0, 0).expand({5, 3});
  CHECK_ERROR(overlap, ("output 0"), TensorIterator::nullary_op(expanded));
  CHECK_ERROR(undefined, ("no defined operand"), TensorIterator::nullary_op(TensorView()));
}

TEST_CASE("factories: reduce_op", "[conformance]") {
  const Tensor a = zeros({3, 4}, ScalarType::i32);
  const Tensor out = zeros({3, 1}, ScalarType::i64);
  const TensorIterator iter = TensorIterator::reduce_op(out, a);
  CHECK(iter.ntensors() == 2);
  CHECK(iter.noutputs() == 1);
  CHECK(iter.is_reduction());
  CHECK(iter.num_output_elements() == 3);
  CHECK(iter.dtype(0) == ScalarType::i64);
  CHECK_ERROR(undefined, ("output 0"), TensorIterator::reduce_op(TensorView(), a));
  // Not resized: all shapes broadcast together, and a 0-d output takes everything.
  CHECK_ERROR(shape, ("[2, 1]"), TensorIterator::reduce_op(zeros({2, 1}, ScalarType::i64), a));
  CHECK(TensorIterator::reduce_op(zeros({}, ScalarType::i64), a).num_output_elements() == 1);
  CHECK(TensorIterator::reduce_op(zeros({4}, ScalarType::i64), a).num_output_elements() == 4);
}

TEST_CASE("factories: reduce_op with two outputs of one layout", "[conformance]") {
  const Tensor a = zeros({3, 4}, ScalarType::f32);
  const Tensor values = zeros({3, 1}, ScalarType::f32);
  const Tensor places = zeros({3, 1}, ScalarType::i64);
  const TensorIterator iter = TensorIterator::reduce_op(values, places, a);
  CHECK(iter.noutputs() == 2);
  CHECK(iter.dtype(1) == ScalarType::i64);
  CHECK_ERROR(rank, ("output 1", "rank 2", "got 1"),
              TensorIterator::reduce_op(values, zeros({1}, ScalarType::i64), a));
  CHECK_ERROR(shape, ("output 1", "[3, 1]", "[1, 4]"),
              TensorIterator::reduce_op(values, zeros({1, 4}, ScalarType::i64), a));
  const Tensor pitched = Tensor::empty_strided({3, 1}, {2, 1}, ScalarType::i64);
  CHECK_ERROR(shape, ("output 1", "strides", "[2, 1]"),
              TensorIterator::reduce_op(values, pitched, a));
  CHECK_ERROR(undefined, ("output 1"), TensorIterator::reduce_op(values, TensorView(), a));
}
