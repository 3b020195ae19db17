// SPDX-License-Identifier: Apache-2.0
// How a config treats its operands: lending, owning, building again. What each rule means is in
// conformance/config_flags_test.cpp.
#include <weft/iter/config.hpp>

#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/visit.hpp"

#include <memory>

namespace {

using test::dims;
using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

template <class T>
concept LentAsInput = requires(TensorIteratorConfig c, T t) { c.add_input(std::forward<T>(t)); };
template <class T>
concept LentAsConstInput =
    requires(TensorIteratorConfig c, T t) { c.add_const_input(std::forward<T>(t)); };
template <class T>
concept LentAsOutput = requires(TensorIteratorConfig c, T t) { c.add_output(std::forward<T>(t)); };
template <class T>
concept BorrowedAsInput =
    requires(TensorIteratorConfig c, T t) { c.add_borrowed_input(std::forward<T>(t)); };
template <class T>
concept BorrowedAsOutput =
    requires(TensorIteratorConfig c, T t) { c.add_borrowed_output(std::forward<T>(t)); };

}  // namespace

TEST_CASE("config: temporaries cannot be lent", "[iter]") {
  STATIC_REQUIRE_FALSE(LentAsInput<TensorView>);
  STATIC_REQUIRE_FALSE(LentAsInput<Tensor>);
  STATIC_REQUIRE_FALSE(LentAsConstInput<TensorView>);
  STATIC_REQUIRE_FALSE(LentAsOutput<TensorView>);
  STATIC_REQUIRE_FALSE(LentAsOutput<Tensor>);
  STATIC_REQUIRE_FALSE(BorrowedAsInput<TensorView>);
  STATIC_REQUIRE_FALSE(BorrowedAsOutput<Tensor>);
  STATIC_REQUIRE(LentAsInput<const TensorView&>);
  STATIC_REQUIRE(LentAsInput<Tensor&>);
  STATIC_REQUIRE(LentAsOutput<Tensor&>);
  STATIC_REQUIRE(LentAsOutput<const TensorView&>);
  STATIC_REQUIRE(BorrowedAsOutput<Tensor&>);
}

TEST_CASE("config: lent views may go once it is built", "[iter]") {
  const Tensor a = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor out = Tensor::zeros({3, 2}, ScalarType::f32);
  const TensorIterator iter = [&] {
    const TensorView transposed = a.transpose(0, 1);
    const TensorView view = out;
    return TensorIteratorConfig().add_output(view).add_input(transposed).build();
  }();
  iter.for_each([](char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      std::memcpy(data[0] + i * strides[0], data[1] + i * strides[1], sizeof(float));
    }
  });
  CHECK(out.at<float>({1, 1}) == 5);
  CHECK(out.at<float>({2, 0}) == 3);
}

TEST_CASE("config: an output to allocate", "[iter]") {
  const Tensor a = Tensor::zeros({2, 3}, ScalarType::i16);
  SECTION("without a handle") {
    const TensorIterator iter = TensorIteratorConfig().add_output().add_input(a).build();
    const Tensor out = iter.allocated_output();
    CHECK(dims(out.shape()) == Dims{2, 3});
    CHECK(out.dtype() == ScalarType::i16);
    CHECK(iter.operand(0).allocated);
    CHECK(out.data() == iter.data_ptr(0));
  }
  SECTION("into an undefined tensor") {
    Tensor out;
    const TensorIterator iter = TensorIteratorConfig().add_output(out).add_input(a).build();
    CHECK(out.defined());
    CHECK(out.data() == iter.allocated_output(0).data());
  }
  SECTION("the iterator keeps it alive, and lets it go") {
    std::weak_ptr<void> memory;
    {
      const TensorIterator iter = TensorIteratorConfig().add_output().add_input(a).build();
      memory = iter.allocated_output().owner();
      const TensorIterator copy = iter;
      CHECK_FALSE(memory.expired());
    }
    CHECK(memory.expired());
  }
}

TEST_CASE("config: a given output was not allocated", "[iter]") {
  const Tensor a = Tensor::zeros({2, 3}, ScalarType::f32);
  Tensor out = Tensor::zeros({2, 3}, ScalarType::f32);
  const TensorIterator given = TensorIteratorConfig().add_output(out).add_input(a).build();
  CHECK_ERROR(undefined, ("output 0"), given.allocated_output());
  // Neither if the iterator owns it; here in a layout without and with a plan of its own.
  const TensorIterator dense = TensorIteratorConfig().add_owned_output(out).add_input(a).build();
  CHECK_ERROR(undefined, ("output 0"), dense.allocated_output());
  const TensorView rows = a.select(0, 0).expand({2, 3});
  const TensorIterator owned = TensorIteratorConfig().add_owned_output(out).add_input(rows).build();
  CHECK_ERROR(undefined, ("output 0"), owned.allocated_output());
  CHECK_ERROR(undefined, ("output 1"), given.allocated_output(1));
}

TEST_CASE("config: owned operands live as long as the iterator", "[iter]") {
  // Contiguous operands of one shape take another way through build() than the rest.
  for (const bool broadcast : {false, true}) {
    CAPTURE(broadcast);
    Tensor a = Tensor::full({2, 3}, ScalarType::f32, 2);
    Tensor b = Tensor::full(broadcast ? Dims{3} : Dims{2, 3}, ScalarType::f32, 3);
    Tensor out = Tensor::zeros({2, 3}, ScalarType::f32);
    const std::weak_ptr<void> memory[] = {out.owner(), a.owner(), b.owner()};
    {
      TensorIteratorConfig config;
      config.add_owned_output(std::move(out));
      config.add_owned_input(std::move(a)).add_owned_const_input(std::move(b));
      const TensorIterator iter = std::make_unique<TensorIteratorConfig>(config)->build();
      config = TensorIteratorConfig();
      for (const auto& m : memory)
        CHECK_FALSE(m.expired());
      CHECK(iter.operand(2).is_const);
      CHECK_FALSE(iter.operand(1).is_const);
    }
    for (const auto& m : memory)
      CHECK(m.expired());
  }
}

TEST_CASE("config: may be built any number of times", "[iter]") {
  const Tensor a = Tensor::zeros({2, 3}, ScalarType::f32);
  const Tensor b = Tensor::zeros({3}, ScalarType::f32);
  Tensor out;
  const auto config = TensorIteratorConfig().add_output(out).add_input(a).add_input(b);
  const TensorIterator first = config.build();
  const void* memory = out.data();
  const TensorIterator second = config.build();
  CHECK(out.data() == memory);  // by now it is defined and fits
  CHECK(test::visited(first) == test::visited(second));
  CHECK_ERROR(undefined, ("output 0"), second.allocated_output());
}

TEST_CASE("config: a failed build changes nothing and can be mended", "[iter]") {
  const Tensor a = Tensor::zeros({2, 3}, ScalarType::f32);
  const Tensor b = Tensor::zeros({2, 4}, ScalarType::f32);
  Tensor out;
  TensorIteratorConfig config;
  config.add_output(out).add_input(a).add_input(b);
  CHECK_ERROR(shape, ("input 1", "input 0", "[2, 3]", "[2, 4]", "3 and 4", "axis 1"),
              config.build());
  CHECK_FALSE(out.defined());
  TensorIteratorConfig rules;
  rules.add_output(out).add_input(a).declare_static_shape({6, 6});
  CHECK_ERROR(invalid_argument, ("resize_outputs(false)"), rules.build());
  CHECK_FALSE(out.defined());
}

TEST_CASE("config: an output of the wrong shape", "[iter]") {
  const Tensor a = Tensor::zeros({2, 3}, ScalarType::f32);
  Tensor out = Tensor::zeros({7}, ScalarType::f32);
  const Tensor before = out;
  SECTION("a tensor is replaced") {
    const TensorIterator iter = TensorIteratorConfig().add_output(out).add_input(a).build();
    CHECK(dims(out.shape()) == Dims{2, 3});
    CHECK(out.data() != before.data());
    CHECK(dims(before.shape()) == Dims{7});
    CHECK(iter.allocated_output().data() == out.data());
  }
  SECTION("a view cannot be") {
    const TensorView view = out;
    CHECK_ERROR(shape, ("output 0", "[7]", "[2, 3]"),
                TensorIteratorConfig().add_output(view).add_input(a).build());
  }
  SECTION("unless resizing is off") {
    CHECK_ERROR(shape, ("[7]", "[2, 3]"),
                TensorIteratorConfig().add_output(out).add_input(a).resize_outputs(false).build());
    CHECK(out.data() == before.data());
  }
  SECTION("or it is an input as well") {
    const Tensor c = Tensor::zeros({2, 1}, ScalarType::f32);
    CHECK_ERROR(shape, ("output 0", "[7]", "[2, 7]"),
                TensorIteratorConfig().add_output(out).add_input(out).add_input(c).build());
  }
}

TEST_CASE("config: outputs, inputs and operands are counted", "[iter]") {
  const Tensor a = Tensor::zeros({3}, ScalarType::f32);
  const TensorIterator iter =
      TensorIteratorConfig().add_output().add_output().add_input(a).add_const_input(a).build();
  CHECK(iter.ntensors() == 4);
  CHECK(iter.noutputs() == 2);
  CHECK(iter.ninputs() == 2);
  CHECK(iter.operand(0).is_output);
  CHECK_FALSE(iter.operand(2).is_output);
  CHECK_FALSE(iter.operand(2).is_const);
  CHECK(iter.operand(3).is_const);
  const TensorIterator no_output = TensorIteratorConfig().add_input(a).build();
  CHECK(no_output.noutputs() == 0);
  CHECK(no_output.numel() == 3);
}

TEST_CASE("config: in place", "[iter]") {
  const Tensor a = Tensor::zeros({2, 3}, ScalarType::f32);
  const Tensor full = Tensor::zeros({2, 3}, ScalarType::f32);
  const Tensor row = Tensor::zeros({3}, ScalarType::f32);
  for (const bool broadcast : {false, true}) {
    CAPTURE(broadcast);
    const TensorView other = broadcast ? row : full;
    const TensorIterator iter =
        TensorIteratorConfig().add_output(a).add_input(a).add_input(other).build();
    CHECK(iter.operand(0).is_read_write);
    CHECK_FALSE(iter.operand(1).is_read_write);
  }
}
