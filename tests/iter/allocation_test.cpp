// SPDX-License-Identifier: Apache-2.0
// Up to 8 operands of up to 8 dims, nothing on the way to a loop touches the heap.
#include <weft/iter/config.hpp>

#include "support/allocation_counter.hpp"
#include "support/catch.hpp"
#include "support/random_layout.hpp"

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
