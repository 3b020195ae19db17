// SPDX-License-Identifier: Apache-2.0
// PyTorch's own tests of its iterator, with values checked. Kernels are raw loops here.
#include <weft/core/dispatch_types.hpp>
#include <weft/iter/config.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/errors.hpp"
#include "support/visit.hpp"

#include <thread>

namespace {

using test::dims;
using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;

/// 5 x 5 of small numbers.
template <class T>
Tensor numbers(int first) {
  const Tensor t = Tensor::empty({5, 5}, weft::scalar_type_of<T>);
  for (int i = 0; i < 25; ++i)
    t.data_as<T>()[i] = weft::cast<T>((first + 3 * i) % 7);
  return t;
}

/// Any number of inputs added up, in the element type or, for the 16-bit types, in float.
template <class T>
void add_all(const TensorIterator& iter) {
  iter.serial_for_each([&](char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      auto sum = T{} + T{};
      for (int k = 1; k < iter.ntensors(); ++k) {
        sum += *reinterpret_cast<T*>(data[k] + i * strides[k]);
      }
      *reinterpret_cast<T*>(data[0] + i * strides[0]) = static_cast<T>(sum);
    }
  });
}

template <class F>
void for_all_types(F&& f) {
  for (int i = 0; i < weft::scalar_type_count; ++i) {
    const auto type = static_cast<ScalarType>(i);
    CAPTURE(weft::name(type));
    weft::dispatch_all_types(type, f);
  }
}

}  // namespace

TEST_CASE("methods: serial loops over one, two and three inputs, all types", "[conformance]") {
  for_all_types([]<class T>() {
    const Tensor inputs[] = {numbers<T>(0), numbers<T>(2), numbers<T>(5)};
    for (int count = 1; count <= 3; ++count) {
      CAPTURE(count);
      Tensor out;
      TensorIteratorConfig config;
      config.add_output(out);
      for (int k = 0; k < count; ++k)
        config.add_input(inputs[k]);
      const TensorIterator iter = config.build();
      add_all<T>(iter);
      CHECK(out.dtype() == weft::scalar_type_of<T>);
      int wrong = 0;
      for (std::int64_t i = 0; i < 5; ++i) {
        for (std::int64_t j = 0; j < 5; ++j) {
          auto sum = T{} + T{};
          for (int k = 0; k < count; ++k)
            sum += inputs[k].template at<T>({i, j});
          wrong += out.at<T>({i, j}) == static_cast<T>(sum) ? 0 : 1;
        }
      }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("methods: without outputs a loop sees every element", "[conformance]") {
  for_all_types([]<class T>() {
    const Tensor inputs[] = {numbers<T>(0), numbers<T>(1), numbers<T>(2)};
    for (int count = 1; count <= 3; ++count) {
      TensorIteratorConfig config;
      for (int k = 0; k < count; ++k)
        config.add_input(inputs[k]);
      int calls = 0;
      config.build().serial_for_each(
          [&](char**, const std::int64_t*, std::int64_t n) { calls += static_cast<int>(n); });
      CHECK(calls == 25);
    }
  });
}

TEST_CASE("methods: comparisons of all types into a bool tensor that is resized", "[conformance]") {
  for_all_types([]<class T>() {
    if constexpr (!weft::is_complex_type<T>) {
      const Tensor a = numbers<T>(0);
      const Tensor b = numbers<T>(4);
      Tensor out = Tensor::zeros({0}, ScalarType::boolean);
      const TensorIterator iter = TensorIterator::comparison_op(out, a, b);
      CHECK(dims(out.shape()) == Dims{5, 5});
      iter.serial_for_each([](char** data, const std::int64_t* strides, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
          *reinterpret_cast<bool*>(data[0] + i * strides[0]) =
              *reinterpret_cast<T*>(data[1] + i * strides[1]) <
              *reinterpret_cast<T*>(data[2] + i * strides[2]);
        }
      });
      int wrong = 0;
      for (std::int64_t i = 0; i < 25; ++i) {
        const Dims at = {i / 5, i % 5};
        wrong += out.at<bool>(at) == (a.at<T>(at) < b.at<T>(at)) ? 0 : 1;
      }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("methods: a serial loop stays on the calling thread", "[conformance]") {
  const Tensor a = Tensor::zeros({50000}, ScalarType::i32);
  const TensorIterator iter = TensorIteratorConfig().add_input(a).build();
  test::in_arena(4, [&] {
    const auto caller = std::this_thread::get_id();
    iter.serial_for_each([&](char**, const std::int64_t*, std::int64_t) {
      CHECK(std::this_thread::get_id() == caller);
    });
  });
}

TEST_CASE("methods: input types", "[conformance]") {
  const Tensor out = Tensor::zeros({1, 1}, ScalarType::boolean);
  const Tensor a = Tensor::zeros({1, 1}, ScalarType::f32);
  const Tensor b = Tensor::zeros({1, 1}, ScalarType::f64);
  const TensorIterator iter = TensorIteratorConfig()
                                  .add_output(out)
                                  .add_input(a)
                                  .add_input(b)
                                  .check_all_same_dtype(false)
                                  .build();
  CHECK(iter.input_dtype() == ScalarType::f32);
  CHECK(iter.input_dtype(0) == ScalarType::f32);
  CHECK(iter.input_dtype(1) == ScalarType::f64);
  const TensorIterator promoted = TensorIteratorConfig()
                                      .add_output(out)
                                      .add_input(a)
                                      .add_input(b)
                                      .promote_inputs_to_common_dtype(true)
                                      .build();
  CHECK(promoted.dtype(0) == ScalarType::boolean);
  CHECK(promoted.dtype(1) == ScalarType::f64);
  CHECK(promoted.dtype(2) == ScalarType::f64);
  CHECK(promoted.common_dtype() == ScalarType::f64);
  const Tensor longs = Tensor::zeros({1, 1}, ScalarType::i64);
  const TensorIterator plain = TensorIteratorConfig()
                                   .add_output(longs)
                                   .add_input(a)
                                   .add_input(b)
                                   .check_all_same_dtype(false)
                                   .build();
  CHECK(plain.dtype(0) == ScalarType::i64);
  CHECK(plain.dtype(1) == ScalarType::f32);
  CHECK(plain.dtype(2) == ScalarType::f64);
}

TEST_CASE("methods: two types without promotion fail", "[conformance]") {
  const Tensor a = Tensor::zeros({5, 5}, ScalarType::f64);
  const Tensor b = Tensor::zeros({5, 5}, ScalarType::i32);
  Tensor out;
  CHECK_ERROR(dtype, ("input 1", "i32", "f64"),
              TensorIteratorConfig().add_output(out).add_input(a).add_input(b).build());
  CHECK_FALSE(out.defined());
}

TEST_CASE("methods: a const input through raw strides", "[conformance]") {
  const Tensor out = Tensor::of<float>({10}, {9, 9, 9, 9, 9, 9, 9, 9, 9, 9});
  const std::vector<float> constant = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const weft::TensorView in(std::span<const float>(constant), {10});
  const TensorIterator iter = TensorIteratorConfig().add_output(out).add_const_input(in).build();
  CHECK(iter.data_ptr(1) == static_cast<const void*>(constant.data()));  // nothing was copied
  iter.for_each([](char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      *reinterpret_cast<float*>(data[0] + i * strides[0]) +=
          *reinterpret_cast<const float*>(data[1] + i * strides[1]);
    }
  });
  for (std::int64_t i = 0; i < 10; ++i)
    CHECK(out.at<float>({i}) == 9 + static_cast<float>(i));
}

TEST_CASE("methods: two outputs from one loop, all types", "[conformance]") {
  for_all_types([]<class T>() {
    const Tensor a = numbers<T>(1);
    const Tensor b = numbers<T>(3);
    Tensor sum = Tensor::zeros({0}, weft::scalar_type_of<T>);
    Tensor product = Tensor::zeros({0}, weft::scalar_type_of<T>);
    const TensorIterator iter = TensorIteratorConfig()
                                    .add_output(sum)
                                    .add_output(product)
                                    .add_input(a)
                                    .add_input(b)
                                    .build();
    iter.serial_for_each([](char** data, const std::int64_t* s, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        const T x = *reinterpret_cast<T*>(data[2] + i * s[2]);
        const T y = *reinterpret_cast<T*>(data[3] + i * s[3]);
        *reinterpret_cast<T*>(data[0] + i * s[0]) = static_cast<T>(x + y);
        *reinterpret_cast<T*>(data[1] + i * s[1]) = static_cast<T>(x * y);
      }
    });
    CHECK(dims(sum.shape()) == Dims{5, 5});
    CHECK(dims(product.shape()) == Dims{5, 5});
    int wrong = 0;
    for (std::int64_t i = 0; i < 25; ++i) {
      const Dims at = {i / 5, i % 5};
      const T x = a.at<T>(at);
      const T y = b.at<T>(at);
      wrong += sum.at<T>(at) == static_cast<T>(x + y) ? 0 : 1;
      wrong += product.at<T>(at) == static_cast<T>(x * y) ? 0 : 1;
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("methods: shapes of the build-pipeline tests", "[conformance]") {
  struct Row {
    Dims a, b, out;
  };
  for (const Row& row : {Row{{3, 1}, {1, 4}, {3, 4}}, Row{{1}, {5}, {5}},
                         Row{{2, 3, 4}, {3, 4}, {2, 3, 4}}, Row{{1, 1, 5}, {4, 1, 5}, {4, 1, 5}}}) {
    const Tensor a = Tensor::zeros(row.a, ScalarType::f32);
    const Tensor b = Tensor::zeros(row.b, ScalarType::f32);
    Tensor out;
    const TensorIterator iter = TensorIterator::binary_op(out, a, b);
    CHECK(dims(out.shape()) == row.out);
    CHECK(iter.numel() == test::product(row.out));
  }
  const Tensor base = Tensor::zeros({2, 3}, ScalarType::f32);
  const weft::TensorView expanded = base.expand({4, 2, 3});
  const Tensor in = Tensor::zeros({4, 2, 3}, ScalarType::f32);
  const auto config = TensorIteratorConfig().add_output(expanded).add_input(in);
  CHECK_ERROR(overlap, ("output 0"), config.build());
  CHECK(TensorIteratorConfig(config).set_check_mem_overlap(false).build().numel() == 24);
}
