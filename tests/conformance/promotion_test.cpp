// SPDX-License-Identifier: Apache-2.0
// PyTorch's test_type_promotion.py, as far as building an iterator goes.
#include <weft/core/scalar.hpp>
#include <weft/iter/config.hpp>

#include "support/errors.hpp"

namespace {

using enum weft::ScalarType;
using weft::Scalar;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorView;

/// Type of a op b with an output to allocate.
ScalarType result(const TensorView& a, const TensorView& b) {
  Tensor out;
  TensorIterator::binary_op(out, a, b);
  return out.dtype();
}
Tensor vector(ScalarType type) { return Tensor::zeros({3}, type); }
Tensor point(ScalarType type) { return Tensor::zeros({}, type); }

}  // namespace

TEST_CASE("promotion: in place", "[conformance]") {
  const Tensor ints = vector(i32);
  CHECK_ERROR(cast, ("can't be cast to", "f32", "i32"),
              TensorIterator::binary_op(ints, ints, Scalar(1.5).view()));
  const TensorIterator wider = TensorIterator::binary_op(ints, ints, vector(i64));
  CHECK(wider.common_dtype() == i64);
  CHECK(wider.storage_dtype(0) == i32);
  const Tensor booleans = vector(boolean);
  CHECK_ERROR(cast, ("u8", "bool"), TensorIterator::binary_op(booleans, booleans, vector(u8)));
  const Tensor bytes = vector(u8);
  CHECK(TensorIterator::binary_op(bytes, bytes, vector(i16)).common_dtype() == i16);
}

TEST_CASE("promotion: numbers of the language", "[conformance]") {
  CHECK(result(vector(u8), Scalar(5).view()) == u8);
  CHECK(result(vector(u8), Scalar(1000).view()) == u8);
  CHECK(result(vector(u8), Scalar(5.5).view()) == f32);
  CHECK(result(vector(f16), Scalar(5.5).view()) == f16);
  CHECK(result(vector(c64), Scalar(5).view()) == c64);
  CHECK(result(vector(boolean), Scalar(1.0).view()) == f32);
  CHECK(result(vector(boolean), Scalar(true).view()) == boolean);
  CHECK(result(vector(f64), Scalar(std::complex<float>(1, 2)).view()) == c128);
  CHECK(result(vector(f32), Scalar(std::complex<double>(1, 2)).view()) == c64);
  CHECK(result(point(i64), Scalar(1.0).view()) == f32);
  CHECK(result(point(i32), Scalar(1).view()) == i32);
  // Between numbers only: their own default types.
  CHECK(result(Scalar(1).view(), Scalar(2).view()) == i64);
  CHECK(result(Scalar(1).view(), Scalar(2.5).view()) == f32);
}

TEST_CASE("promotion: 0-d tensors", "[conformance]") {
  CHECK(result(vector(u8), point(f64)) == f64);
  CHECK(result(vector(f32), point(f64)) == f32);
  CHECK(result(point(f64), vector(f32)) == f32);
  CHECK(result(vector(f16), point(i64)) == f16);
  CHECK(result(point(i64), vector(i32)) == i32);
  CHECK(result(vector(c64), point(f64)) == c64);
  CHECK(result(vector(c64), point(c128)) == c64);
  CHECK(result(point(i32), point(f64)) == f64);
}

TEST_CASE("promotion: tensors, both orders", "[conformance]") {
  struct Row {
    ScalarType a, b, out;
  };
  for (const Row& row :
       {Row{i32, i64, i64}, Row{i32, f32, f32}, Row{f32, f64, f64}, Row{f16, bf16, f32},
        Row{u8, i8, i16}, Row{u16, boolean, u16}, Row{i64, f16, f16}, Row{c64, f64, c128}}) {
    CAPTURE(weft::name(row.a), weft::name(row.b));
    CHECK(result(vector(row.a), vector(row.b)) == row.out);
    CHECK(result(vector(row.b), vector(row.a)) == row.out);
  }
}

TEST_CASE("promotion: a given output", "[conformance]") {
  const Tensor a = vector(f32);
  CHECK_ERROR(cast, ("can't be cast to"), TensorIterator::binary_op(vector(i64), a, a));
  CHECK(TensorIterator::binary_op(vector(f64), a, a).common_dtype() == f32);
}

TEST_CASE("promotion: comparisons of all pairs are bool and leave their inputs alone",
          "[conformance]") {
  for (int i = 0; i < weft::scalar_type_count; ++i) {
    for (int j = 0; j < weft::scalar_type_count; ++j) {
      for (const bool points : {false, true}) {
        const auto ta = static_cast<ScalarType>(i);
        const auto tb = static_cast<ScalarType>(j);
        CAPTURE(weft::name(ta), weft::name(tb), points);
        const Tensor a = points ? point(ta) : vector(ta);
        const Tensor b = points ? point(tb) : vector(tb);
        Tensor out;
        const TensorIterator iter = TensorIterator::comparison_op(out, a, b);
        CHECK(out.dtype() == boolean);
        CHECK(iter.storage_dtype(1) == ta);
        CHECK(iter.storage_dtype(2) == tb);
        CHECK(iter.dtype(1) == iter.dtype(2));
        CHECK(iter.dtype(1) == weft::promote_types(ta, tb));
      }
    }
  }
}
