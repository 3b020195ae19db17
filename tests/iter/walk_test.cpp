// SPDX-License-Identifier: Apache-2.0
// serial_for_each: which blocks, in which order. That they cover everything exactly is checked over
// random plans in properties/build_test.cpp.
#include <weft/iter/config.hpp>

#include "support/errors.hpp"
#include "support/visit.hpp"

namespace {

using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;

/// Three dims of extents 4, 3, 2 from the inside that do not merge.
TensorIterator three_dims() {
  const Tensor a = Tensor::zeros({2, 5, 7}, ScalarType::f32);
  const weft::TensorView view = a.slice(1, 0, 3).slice(2, 0, 4);
  return TensorIteratorConfig().add_owned_input(Tensor::share(a.owner(), view)).build();
}

}  // namespace

TEST_CASE("walk: whole rows are handed out together", "[iter]") {
  const TensorIterator iter = three_dims();
  REQUIRE(test::dims(iter.shape()) == Dims{4, 3, 2});
  std::vector<Dims> blocks;
  iter.serial_for_each(
      [&](char** data, const std::int64_t* strides, std::int64_t n0, std::int64_t n1) {
        blocks.push_back({data[0] - static_cast<char*>(iter.data_ptr(0)), n0, n1});
        CHECK(strides[0] == 4);
        CHECK(strides[1] == 28);
      });
  CHECK(blocks == std::vector<Dims>{{0, 4, 3}, {140, 4, 3}});
}

TEST_CASE("walk: a 1-D loop gets one row at a time", "[iter]") {
  const TensorIterator iter = three_dims();
  std::vector<Dims> rows;
  iter.serial_for_each([&](char** data, const std::int64_t*, std::int64_t n) {
    rows.push_back({data[0] - static_cast<char*>(iter.data_ptr(0)), n});
    data[0] = nullptr;  // a loop may change the pointers
  });
  CHECK(rows == std::vector<Dims>{{0, 4}, {28, 4}, {56, 4}, {140, 4}, {168, 4}, {196, 4}});
}

TEST_CASE("walk: every part of the range is that part of the whole", "[iter]") {
  const TensorIterator iter = three_dims();
  const std::vector<Dims> all = test::visited(iter);
  REQUIRE(all.size() == 24);
  for (std::int64_t begin = 0; begin <= 24; ++begin) {
    for (std::int64_t end = begin; end <= 24; ++end) {
      const std::vector<Dims> part(all.begin() + begin, all.begin() + end);
      if (test::visited(iter, {begin, end}) != part) FAIL_CHECK(begin << " to " << end);
    }
  }
}

TEST_CASE("walk: ranges outside the iteration are errors", "[iter]") {
  const TensorIterator iter = three_dims();
  const auto loop = [](char**, const std::int64_t*, std::int64_t) { FAIL("called"); };
  CHECK_ERROR(invalid_argument, ("serial_for_each", "range"), iter.serial_for_each(loop, {-1, 3}));
  CHECK_ERROR(invalid_argument, ("range"), iter.serial_for_each(loop, {0, 25}));
  CHECK_ERROR(invalid_argument, ("range"), iter.serial_for_each(loop, {5, 4}));
  iter.serial_for_each(loop, {24, 24});
}

TEST_CASE("walk: one element, and none", "[iter]") {
  const Tensor point = Tensor::of<float>({}, {1});
  const TensorIterator one = TensorIteratorConfig().add_input(point).build();
  std::vector<Dims> blocks;
  const auto record = [&](char**, const std::int64_t* strides, std::int64_t n0, std::int64_t n1) {
    blocks.push_back({n0, n1, strides[0], strides[1]});
  };
  one.serial_for_each(record);
  CHECK(blocks == std::vector<Dims>{{1, 1, 0, 0}});
  const Tensor empty = Tensor::zeros({3, 0, 2}, ScalarType::f32);
  const TensorIterator none = TensorIteratorConfig().add_input(empty).build();
  CHECK(none.numel() == 0);
  none.serial_for_each(record);
  none.for_each(record);
  CHECK(blocks.size() == 1);
}

TEST_CASE("walk: a plain function is a loop, too", "[iter]") {
  static std::int64_t elements;
  struct Loops {
    static void one(char**, const std::int64_t*, std::int64_t n) { elements += n; }
    static void two(char**, const std::int64_t*, std::int64_t n0, std::int64_t n1) {
      elements += n0 * n1;
    }
  };
  const TensorIterator iter = three_dims();
  elements = 0;
  iter.serial_for_each(Loops::one);
  iter.serial_for_each(Loops::two);
  iter.for_each(&Loops::two);
  CHECK(elements == 72);
}

TEST_CASE("walk: loops get memory as it is, so types have to be converted before", "[iter]") {
  const Tensor a = Tensor::zeros({3}, ScalarType::i32);
  const Tensor b = Tensor::zeros({3}, ScalarType::f64);
  Tensor out;
  const TensorIterator iter = TensorIterator::binary_op(out, a, b);
  const auto loop = [](char**, const std::int64_t*, std::int64_t) { FAIL("called"); };
  CHECK_ERROR(dtype, ("serial_for_each", "input 0", "i32", "f64", "materialize_casts"),
              iter.serial_for_each(loop));
  CHECK_ERROR(dtype, ("for_each", "input 0"), iter.for_each(loop));
}
