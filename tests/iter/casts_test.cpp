// SPDX-License-Identifier: Apache-2.0
// Converting whole operands ahead of a raw loop, and outputs back after it.
#include <weft/iter/config.hpp>

#include "support/errors.hpp"
#include "support/visit.hpp"

namespace {

using test::dims;
using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;

template <class T>
void add(const TensorIterator& iter) {
  iter.serial_for_each([](char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      T a, b;
      std::memcpy(&a, data[1] + i * strides[1], sizeof(T));
      std::memcpy(&b, data[2] + i * strides[2], sizeof(T));
      a = static_cast<T>(a + b);
      std::memcpy(data[0] + i * strides[0], &a, sizeof(T));
    }
  });
}

}  // namespace

TEST_CASE("casts: a loop in the common type over operands of three others", "[iter]") {
  const Tensor a = Tensor::of<std::int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = Tensor::of<double>({3}, {0.5, 0.25, 0.125});
  Tensor out = Tensor::zeros({2, 3}, ScalarType::f32);
  TensorIterator iter = TensorIterator::binary_op(out, a, b);
  CHECK(iter.common_dtype() == ScalarType::f64);
  iter.materialize_casts();
  for (int k = 0; k < 3; ++k) {
    CHECK(iter.storage_dtype(k) == ScalarType::f64);
    CHECK(iter.dtype(k) == ScalarType::f64);
  }
  add<double>(iter);
  CHECK(out.at<float>({1, 2}) == 0);  // not written yet
  iter.cast_outputs();
  CHECK(out.at<float>({0, 0}) == 1.5f);
  CHECK(out.at<float>({1, 2}) == 6.125f);
  CHECK(iter.tensor(0).data() == out.data());  // still the tensor as given
}

TEST_CASE("casts: strides, flips and broadcasts of what is converted", "[iter]") {
  const Tensor a = Tensor::of<std::int16_t>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor b = Tensor::of<std::int64_t>({2, 1}, {10, 20});
  const Tensor wide = Tensor::full({2, 6}, ScalarType::i32, -1);
  const weft::TensorView transposed = a.transpose(0, 1).flip(1);
  const weft::TensorView out = wide.slice(1, 0, 6, 2).flip(0);
  TensorIterator iter = TensorIterator::binary_op(out, transposed, b);
  iter.materialize_casts();
  add<std::int64_t>(iter);
  iter.cast_outputs();
  // out[i][j] = a[2 - j][i] + b[i]; in memory the rows are the other way round, with gaps.
  const std::vector<std::int32_t> got(wide.data_as<std::int32_t>(),
                                      wide.data_as<std::int32_t>() + 12);
  CHECK(got == std::vector<std::int32_t>{26, -1, 24, -1, 22, -1, 15, -1, 13, -1, 11, -1});
}

TEST_CASE("casts: a copy begins where it is walked from", "[iter]") {
  const Tensor a = Tensor::of<std::int16_t>({4}, {1, 2, 3, 4});
  const Tensor b = Tensor::of<std::int64_t>({4}, {5, 6, 7, 8});
  const weft::TensorView views[] = {a.flip(0), b.flip(0)};
  TensorIterator iter = TensorIteratorConfig()
                            .add_input(views[0])
                            .add_input(views[1])
                            .promote_inputs_to_common_dtype(true)
                            .build();
  REQUIRE(iter.data_ptr(0) == a.data());  // walked from the other end
  iter.materialize_casts();
  CHECK(iter.operand(0).origin_offset_bytes == 0);
  CHECK(*static_cast<std::int64_t*>(iter.data_ptr(0)) == 1);
  // Bound anew, the copy's place is taken by something of its own type.
  iter.bind(0, b.data());
  CHECK(iter.data_ptr(0) == b.data());
}

TEST_CASE("casts: in place, the old values are there to be read", "[iter]") {
  const Tensor a = Tensor::of<std::int32_t>({2}, {1, 2});
  const Tensor b = Tensor::of<std::int64_t>({2}, {10, 20});
  TensorIterator iter = TensorIterator::binary_op(a, a, b);
  iter.materialize_casts();
  add<std::int64_t>(iter);
  iter.cast_outputs();
  CHECK(a.at<std::int32_t>({0}) == 11);
  CHECK(a.at<std::int32_t>({1}) == 22);
}

TEST_CASE("casts: the output of a reduction keeps its identity", "[iter]") {
  const Tensor a = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor out =
      Tensor::of<weft::float16>({2, 1}, {weft::float16(100.0f), weft::float16(200.0f)});
  TensorIterator iter = TensorIteratorConfig()
                            .add_output(out)
                            .add_input(a)
                            .is_reduction(true)
                            .resize_outputs(false)
                            .promote_inputs_to_common_dtype(true)
                            .cast_common_dtype_to_outputs(true)
                            .build();
  REQUIRE(iter.dtype(0) == ScalarType::f32);
  iter.materialize_casts();
  iter.serial_for_each([](char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      *reinterpret_cast<float*>(data[0] + i * strides[0]) +=
          *reinterpret_cast<float*>(data[1] + i * strides[1]);
    }
  });
  iter.cast_outputs();
  CHECK(static_cast<float>(out.at<weft::float16>({0, 0})) == 106);
  CHECK(static_cast<float>(out.at<weft::float16>({1, 0})) == 215);
}

TEST_CASE("casts: nothing to do, nothing done", "[iter]") {
  const Tensor a = Tensor::of<float>({2}, {1, 2});
  Tensor out;
  TensorIterator iter = TensorIterator::binary_op(out, a, a);
  const void* before = iter.data_ptr(1);
  iter.materialize_casts();
  iter.cast_outputs();
  CHECK(iter.data_ptr(1) == before);
  CHECK(iter.allocated_output().data() == out.data());
}

TEST_CASE("casts: an allocated output is found again among the copies", "[iter]") {
  const Tensor a = Tensor::of<std::int32_t>({2}, {1, 2});
  Tensor out;
  TensorIterator iter = TensorIterator::comparison_op(out, a, a);
  iter.materialize_casts();
  CHECK(iter.allocated_output().data() == out.data());
  CHECK(out.dtype() == ScalarType::boolean);
  Tensor bytes = Tensor::zeros({2}, ScalarType::u8);
  TensorIterator cast = TensorIterator::comparison_op(bytes, a, a);
  cast.materialize_casts();
  CHECK_ERROR(undefined, ("output 0"), cast.allocated_output());
}

TEST_CASE("casts: the caller's tensors may be gone but for outputs", "[iter]") {
  Tensor out = Tensor::zeros({3}, ScalarType::f32);
  TensorIterator iter = [&] {
    const Tensor a = Tensor::of<std::int32_t>({3}, {1, 2, 3});
    const Tensor b = Tensor::of<double>({3}, {1, 1, 1});
    TensorIteratorConfig config;
    config.add_output(out).add_owned_input(a).add_owned_input(b);
    config.promote_inputs_to_common_dtype(true).cast_common_dtype_to_outputs(true);
    return config.build();
  }();
  iter.materialize_casts();
  add<double>(iter);
  iter.cast_outputs();
  CHECK(out.at<float>({2}) == 4);
}
