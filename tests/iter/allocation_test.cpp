// SPDX-License-Identifier: Apache-2.0
// Up to 8 operands of up to 8 dims, nothing on the way to a loop touches the heap.
#include <weft/iter/config.hpp>

#include "support/allocation_counter.hpp"
#include "support/catch.hpp"
#include "support/random_layout.hpp"

#include <cstring>
#include <list>

namespace {

using test::Dims;
using weft::ScalarType;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

/// One output and `inputs` inputs of one shape, laid out by `layout`.
struct Operands {
  std::list<test::Memory> memory;
  std::vector<TensorView> views;

  template <class Layout>
  Operands(int count, const Dims& shape, Layout layout) {
    for (int k = 0; k < count; ++k) {
      memory.emplace_back(ScalarType::f32, layout(k, shape));
      views.push_back(memory.back().view());
    }
  }

  TensorIterator build(bool pytorch = false, bool linear = false) const {
    TensorIteratorConfig config;
    config.add_output(views[0]);
    for (std::size_t k = 1; k < views.size(); ++k)
      config.add_input(views[k]);
    return config.pytorch_order(pytorch).enforce_linear_iteration(linear).build();
  }
};

test::Layout dense(int, const Dims& shape) { return test::fit({shape, test::row_major(shape)}); }

/// Each operand with its axes in another order, the second backwards, the third expanded.
test::Layout mixed(int k, const Dims& shape) {
  test::Layout layout{shape, Dims(shape.size(), 0)};
  std::int64_t step = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = (i + static_cast<std::size_t>(k)) % shape.size();
    layout.strides[axis] = k == 1 ? -step : step;
    step *= shape[axis] + 1;
  }
  if (k == 2) layout.strides[0] = 0;
  return test::fit(layout);
}

}  // namespace

TEST_CASE("allocation: building and running a plan of 8 operands and 8 dims", "[iter]") {
  const Dims shape = {2, 3, 1, 2, 2, 1, 2, 2};
  for (const bool is_dense : {true, false}) {
    for (const bool pytorch : {false, true}) {
      for (const bool linear : {false, true}) {
        CAPTURE(is_dense, pytorch, linear);
        const Operands operands(8, shape, is_dense ? dense : mixed);
        CHECK(test::allocations([&] { operands.build(pytorch, linear); }) == 0);
        TensorIterator iter = operands.build(pytorch, linear);
        std::int64_t elements = 0;
        const long while_running = test::allocations([&] {
          iter.serial_for_each([&](char**, const std::int64_t*, std::int64_t n) { elements += n; });
          iter.for_each([&](char**, const std::int64_t*, std::int64_t n0, std::int64_t n1) {
            elements += n0 * n1;
          });
          iter.bind(3, operands.views[3].data());
          elements += iter.get_strides()[0] == 0 ? 1 : 0;
        });
        CHECK(while_running == 0);
        CHECK(elements >= 2 * iter.numel());
      }
    }
  }
}

TEST_CASE("allocation: views of rank 8", "[iter]") {
  const Operands operands(2, {2, 3, 1, 2, 2, 1, 2, 2}, mixed);
  const TensorView& view = operands.views[0];
  std::int64_t sum = 0;
  CHECK(test::allocations([&] {
          const TensorView copy = view;
          sum += copy.permute({7, 6, 5, 4, 3, 2, 1, 0}).slice(0, 0, 2).flip(1).numel();
          sum += copy.select(0, 0).unsqueeze(0).transpose(0, 1).numel();
        }) == 0);
  CHECK(sum > 0);
}

TEST_CASE("allocation: an output takes one for its memory and one for its owners", "[iter]") {
  const Operands operands(2, {3, 4}, mixed);
  const TensorView& in = operands.views[1];
  // And one for the list of what the iterator keeps.
  CHECK(test::allocations([&] { TensorIteratorConfig().add_output().add_input(in).build(); }) <= 3);
}

TEST_CASE("allocation failures: a view or tensor assigned to keeps what it showed", "[iter]") {
  const weft::Tensor large = weft::Tensor::zeros({1, 1, 1, 1, 1, 1, 1, 1, 2}, ScalarType::f32);
  weft::Tensor tensor = weft::Tensor::of<float>({2}, {3, 4});
  TensorView view = tensor;
  const auto as_before = [&] {
    CHECK(tensor.rank() == 1);
    CHECK(tensor.at<float>({1}) == 4);
    CHECK(view.rank() == 1);
    CHECK(view.data() == tensor.data());
  };
  CHECK(test::fail_each_allocation([&] { view = large; }, as_before) == 1);
  view = tensor;
  CHECK(test::fail_each_allocation([&] { tensor = large; }, as_before) == 1);
  CHECK(tensor.rank() == 9);
}

TEST_CASE("allocation failures: build() keeps the caller's output", "[iter]") {
  const weft::Tensor in = weft::Tensor::full({4, 5}, ScalarType::f32, 1);
  weft::Tensor out = weft::Tensor::full({2}, ScalarType::f32, 7);
  const auto build = [&] { TensorIteratorConfig().add_output(out).add_input(in).build(); };
  const long failures = test::fail_each_allocation(build, [&] {
    CHECK(out.numel() == 2);
    CHECK(out.at<float>({1}) == 7);
  });
  CHECK(failures > 0);  // memory for elements is asked for twice
  CHECK(out.numel() == 20);
}

TEST_CASE("allocation failures: casts are materialized or refused", "[iter]") {
  const weft::Tensor a = weft::Tensor::full({6, 7}, ScalarType::f64, 2);
  const weft::Tensor b = weft::Tensor::full({6, 7}, ScalarType::i32, 3);
  const weft::Tensor out = weft::Tensor::zeros({6, 7}, ScalarType::f32);
  const auto fresh = [&] {
    return TensorIteratorConfig()
        .add_output(out)
        .add_input(a)
        .add_input(b)
        .promote_inputs_to_common_dtype(true)
        .cast_common_dtype_to_outputs(true)
        .build();
  };
  TensorIterator iter = fresh();
  const long failures = test::fail_each_allocation(
      [&] {
        iter = fresh();
        iter.materialize_casts();
      },
      [&] {
        // What is left can be tried again, and reads no memory that is gone.
        iter.materialize_casts();
        double sum = 0;
        iter.serial_for_each([&](char** data, const std::int64_t* strides, std::int64_t n) {
          for (std::int64_t i = 0; i < n; ++i) {
            double value = 0;
            std::memcpy(&value, data[1] + i * strides[1], sizeof(value));
            sum += value;
          }
        });
        CHECK(sum == 84);
      });
  CHECK(failures > 2);
}
