// SPDX-License-Identifier: Apache-2.0
// What promises not to touch the heap does not: plans, bound plans, and operations into given
// outputs, of up to eight operands and eight axes.
#include <weft/expr/expr.hpp>
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/cumulative.hpp>
#include <weft/kernel/reduce.hpp>
#include <weft/linalg/packed_matrix.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/ops/arrange.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/cumulative.hpp>
#include <weft/ops/difference.hpp>
#include <weft/ops/join.hpp>
#include <weft/ops/masked_lines.hpp>
#include <weft/ops/masked_positions.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/searching.hpp>
#include <weft/ops/sorting.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/triangle.hpp>
#include <weft/ops/unary.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/allocation_counter.hpp"
#include "support/dense.hpp"

namespace {

using test::allocations;
using test::Dims;
using test::later_allocations;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIteratorConfig;
using weft::TensorView;

}  // namespace

TEST_CASE("allocations: the counter counts", "[kernel]") {
  CHECK(allocations([] { ::operator delete(::operator new(3)); }) == 1);
  CHECK(allocations([] {
          const std::vector<int> v(10);
          // Or the compiler may leave the allocation out.
          [[maybe_unused]] const int* const volatile seen = v.data();
        }) == 1);
  CHECK(allocations([] { Tensor::empty({3}, ScalarType::f32); }) > 0);
}

TEST_CASE("allocations: none for a mask", "[kernel]") {
  const weft::ThreadLimit one(1);
  const Tensor a = Tensor::full({200, 60}, ScalarType::f32, 1);
  const Tensor out = Tensor::zeros({200, 60}, ScalarType::f32);
  const Tensor mask = Tensor::full({60, 200}, ScalarType::boolean, true);
  const TensorView flags = TensorView(mask).transpose(0, 1);
  CHECK(later_allocations([&] {
          auto iter = TensorIteratorConfig()
                          .add_output(out)
                          .add_input(a)
                          .add_input(flags)
                          .check_all_same_dtype(false)
                          .build();
          weft::cpu_kernel(iter, weft::masked([](float x) { return x + 1; }));
        }) == 0);
}

TEST_CASE("allocations: none for a plan of three contiguous operands, and for running it",
          "[kernel]") {
  const weft::ThreadLimit one(1);
  static_cast<void>(weft::cpu_info());  // is read once a process
  const Tensor a = Tensor::full({50, 60}, ScalarType::f32, 1);
  const Tensor b = Tensor::full({50, 60}, ScalarType::f32, 2);
  const Tensor out = Tensor::zeros({50, 60}, ScalarType::f32);
  const Tensor other = Tensor::zeros({50, 60}, ScalarType::f32);
  CHECK(later_allocations([&] {
          auto iter = TensorIteratorConfig().add_output(out).add_input(a).add_input(b).build();
          const auto add = [](float x, float y) { return x + y; };
          weft::cpu_kernel(iter, add);
          iter.bind(0, other.data());
          weft::cpu_kernel(iter, add);
        }) == 0);
  CHECK(out.at<float>({49, 59}) == 3);
  CHECK(other.at<float>({49, 59}) == 3);
}

TEST_CASE("allocations: none for running a plan with staging, up to 8 operands of 8 dims",
          "[kernel]") {
  const weft::ThreadLimit one(1);
  WEFT_RANDOM(random);
  const Dims shape = {2, 3, 2, 3, 2, 3, 2, 3};
  std::vector<Memory> inputs;
  for (const ScalarType type : {ScalarType::f32, ScalarType::i16, ScalarType::f64, ScalarType::u8,
                                ScalarType::f16, ScalarType::boolean, ScalarType::i64}) {
    inputs.push_back(test::random_memory(
        random, type, test::random_layout(random, shape, {.zero = false}), test::Values::small));
  }
  const Memory out = test::random_output(random, ScalarType::f16, shape);
  std::vector<TensorView> views;
  for (const Memory& input : inputs)
    views.push_back(input.view());
  const TensorView to = out.view();
  CHECK(later_allocations([&] {
          TensorIteratorConfig config;
          config.add_output(to).check_all_same_dtype(false).resize_outputs(false);
          for (const TensorView& view : views)
            config.add_input(view);
          const auto iter = config.build();
          weft::cpu_kernel(iter,
                           [](float a, float b, double c, float d, float e, float f, float g) {
                             return a + b + static_cast<float>(c) + d + e + f + g;
                           });
        }) == 0);
}

TEST_CASE("allocations: none for operations into given outputs", "[kernel]") {
  const weft::ThreadLimit one(1);
  static_cast<void>(weft::cpu_info());  // is read once a process
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(60); ++round) {
    Dims shape = test::random_shape(random, 8, 3);
    if (random.chance(30)) shape = {random.integer(1, 70), random.integer(1, 70)};
    const bool mixed = random.chance(50);
    const ScalarType b_type = mixed ? ScalarType::i16 : ScalarType::f32;
    const Memory a = test::random_memory(random, ScalarType::f32,
                                         test::random_layout(random, shape), test::Values::small);
    const Memory b = test::random_input(random, b_type, shape, test::Values::small);
    const Memory c = test::random_input(random, ScalarType::boolean, shape);
    const Memory out =
        test::random_output(random, mixed ? ScalarType::f64 : ScalarType::f32, shape);
    const Memory flags = test::random_output(random, ScalarType::boolean, shape);
    const TensorView va = a.view(), vb = b.view(), vc = c.view(), to = out.view();
    const TensorView to_flags = flags.view();
    INFO("shape " << weft::to_string(shape) << ", a " << weft::to_string(va.strides()) << ", b "
                  << weft::to_string(vb.strides()) << ", out " << weft::to_string(to.strides()));
    CHECK(later_allocations([&] { weft::add_out(to, va, vb); }) == 0);
    CHECK(later_allocations([&] { weft::mul_out(to, va, 2.5); }) == 0);
    CHECK(later_allocations([&] { weft::div_out(to, 1, va); }) == 0);
    CHECK(later_allocations([&] { weft::lt_out(to_flags, va, vb); }) == 0);
    CHECK(later_allocations([&] { weft::where_out(to, vc, va, vb); }) == 0);
    CHECK(later_allocations([&] { weft::copy_out(to, va); }) == 0);
    CHECK(later_allocations([&] { weft::exp_out(to, va); }) == 0);
    CHECK(later_allocations([&] { weft::neg_out(to, va); }) == 0);
    CHECK(later_allocations([&] { weft::add_out(to, to, va); }) == 0);
  }
}

TEST_CASE("allocations: none for sorting into given outputs", "[kernel]") {
  const weft::ThreadLimit one(1);
  static_cast<void>(weft::cpu_info());  // is read once a process
  WEFT_RANDOM(random);
  for (const Dims& shape :
       {Dims{3, 4}, Dims{70, 60}, Dims{3, 1000}, Dims{2, 3, 2, 3, 2, 3, 2, 3}}) {
    for (const ScalarType type : {ScalarType::f32, ScalarType::f64, ScalarType::u8}) {
      const Memory a =
          test::random_memory(random, type, test::random_layout(random, shape, {.zero = false}));
      const TensorView view = a.view();
      const Tensor same = Tensor::empty(shape, type), where = Tensor::empty(shape, ScalarType::i64);
      const Tensor middle = Tensor::empty(shape, ScalarType::f64);
      const TensorView to = same, to_positions = where, to_middle = middle.select(-1, 0);
      INFO("shape " << weft::to_string(shape));
      CHECK(later_allocations([&] { weft::sort_out(to, view); }) == 0);
      CHECK(later_allocations([&] { weft::sort_out(to, to_positions, view, 0); }) == 0);
      CHECK(later_allocations([&] { weft::topk_out(to, to_positions, view, shape.back()); }) == 0);
      CHECK(later_allocations([&] { weft::partition_out(to, view, 1); }) == 0);
      CHECK(later_allocations([&] { weft::median_out(to_middle, view); }) == 0);
    }
  }
}

TEST_CASE("allocations: none for what a mask selects of lines", "[kernel]") {
  const weft::ThreadLimit one(1);
  static_cast<void>(weft::cpu_info());  // is read once a process
  WEFT_RANDOM(random);
  for (const Dims& shape :
       {Dims{3, 4}, Dims{70, 60}, Dims{3, 9000}, Dims{2, 400'000}, Dims{2, 3, 2, 3, 2, 3, 2, 3}}) {
    const Memory a = test::random_memory(random, ScalarType::f32,
                                         test::random_layout(random, shape, {.zero = false}));
    const Tensor mask = Tensor::full(shape, ScalarType::boolean, 1);
    const Tensor same = Tensor::empty(shape, ScalarType::f32);
    const Tensor where = Tensor::empty(shape, ScalarType::i64);
    const TensorView view = a.view(), to = same, to_places = where, of = mask;
    const TensorView to_place = to_places.select(-1, 0);
    const auto last = static_cast<std::int64_t>(shape.size()) - 1;
    INFO("shape " << weft::to_string(shape));
    for (const std::int64_t axis : {std::int64_t{0}, last}) {
      CHECK(later_allocations([&] { weft::masked_cumsum_out(to, view, of, axis); }) == 0);
      CHECK(later_allocations([&] { weft::masked_cummax_out(to, to_places, view, of, axis); }) ==
            0);
      CHECK(later_allocations([&] { weft::nancumsum_out(to, view, axis); }) == 0);
      if (shape.back() < 20'000)
        CHECK(later_allocations([&] { weft::masked_softmax_out(to, view, of, axis); }) == 0);
    }
    CHECK(later_allocations([&] { weft::masked_argmax_out(to_place, view, of, last); }) == 0);
    CHECK(later_allocations([&] { weft::nanargmin_out(to_place, view, last); }) == 0);
  }
}

TEST_CASE("allocations: none for moving elements into given outputs", "[kernel]") {
  const weft::ThreadLimit one(1);
  static_cast<void>(weft::cpu_info());  // is read once a process
  WEFT_RANDOM(random);
  for (const Dims& shape :
       {Dims{3, 4}, Dims{70, 60}, Dims{9000, 3}, Dims{2, 3, 2, 3, 2, 3, 2, 3}}) {
    const Memory a = test::random_memory(random, ScalarType::f32,
                                         test::random_layout(random, shape, {.zero = false}));
    const TensorView view = a.view();
    const auto output = [&](std::int64_t times, std::int64_t more) {
      Dims larger = shape;
      larger.back() = larger.back() * times + more;
      return Tensor::empty(larger, ScalarType::f32);
    };
    const Tensor same = output(1, 0), twice = output(2, 0), wider = output(1, 3);
    const Tensor narrower = output(1, -1);
    const Tensor places = Tensor::empty(shape, ScalarType::i64);
    const TensorView to_places = places;
    const TensorView to = same, to_twice = twice, to_wider = wider, to_narrower = narrower;
    std::vector<weft::AxisPadding> widths(shape.size());
    widths.back() = {1, 2};
    const std::span<const weft::AxisPadding> borders(widths);
    INFO("shape " << weft::to_string(shape));
    CHECK(later_allocations([&] { weft::flip_out(to, view, -1); }) == 0);
    CHECK(later_allocations([&] { weft::roll_out(to, view, {1, 1}, {0, 1}); }) == 0);
    CHECK(later_allocations([&] { weft::pad_out(to_wider, view, borders); }) == 0);
    CHECK(later_allocations([&] { weft::pad_out(to_wider, view, borders, weft::PadMode::wrap); }) ==
          0);
    CHECK(later_allocations([&] { weft::concat_out(to_twice, {view, view}, -1); }) == 0);
    CHECK(later_allocations([&] { weft::tril_out(to, view); }) == 0);
    CHECK(later_allocations([&] { weft::diff_out(to_narrower, view); }) == 0);
    CHECK(later_allocations([&] { weft::searchsorted_out(to_places, view, view); }) == 0);
    // An axis that is repeated counts twice.
    if (shape.size() == 8) continue;
    CHECK(later_allocations([&] { weft::tile_out(to_twice, view, 2); }) == 0);
    CHECK(later_allocations([&] { weft::repeat_out(to_twice, view, 2, -1); }) == 0);
  }
}

TEST_CASE("allocations: none for small reductions and prefix sums", "[kernel]") {
  const weft::ThreadLimit one(1);
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(60); ++round) {
    Dims shape = test::random_shape(random, 8, 3);
    if (random.chance(30)) shape = {random.integer(1, 70), random.integer(1, 70)};
    if (shape.empty()) continue;
    const ScalarType type = random.chance(50) ? ScalarType::f32 : ScalarType::f16;
    const Memory a =
        test::random_memory(random, type, test::random_layout(random, shape), test::Values::small);
    const std::int64_t axis = random.integer(0, static_cast<std::int64_t>(shape.size()) - 1);
    Dims reduced = shape;
    reduced[static_cast<std::size_t>(axis)] = 1;
    const Memory out = test::random_output(random, type, reduced);
    const Memory indexes = test::random_output(random, ScalarType::i64, reduced);
    const Memory scanned = test::random_output(random, type, shape);
    const TensorView va = a.view(), to = out.view(), to_index = indexes.view(),
                     to_scan = scanned.view();
    const bool none = shape[static_cast<std::size_t>(axis)] == 0;
    INFO("shape " << weft::to_string(shape) << ", axis " << axis << ", strides "
                  << weft::to_string(va.strides()));
    CHECK(later_allocations([&] { weft::sum_out(to, va, {axis}, {.keepdim = true}); }) == 0);
    if (!none) {
      CHECK(later_allocations([&] { weft::amax_out(to, va, {axis}, {.keepdim = true}); }) == 0);
      CHECK(later_allocations([&] { weft::argmax_out(to_index, va, axis, true); }) == 0);
    }
    CHECK(later_allocations([&] { weft::cumsum_out(to_scan, va, axis); }) == 0);
  }
}

TEST_CASE("allocations: two for a new result", "[kernel]") {
  const weft::ThreadLimit one(1);
  const Tensor a = Tensor::full({5, 6}, ScalarType::f32, 1);
  CHECK(allocations([&] { weft::add(a, a); }) <= 3);
  CHECK(allocations([&] { weft::sum(a); }) <= 3);
}

TEST_CASE("allocations: none for a product with a packed matrix", "[kernel]") {
  const weft::ThreadLimit one(1);
  for (const ScalarType type : {ScalarType::f32, ScalarType::f16}) {
    const weft::PackedMatrix packed(Tensor::full({70, 300}, type, 1));
    for (const std::int64_t rows : {1, 2, 40}) {
      const Tensor dense = Tensor::full({rows, 70}, type, 1);
      const Tensor turned = Tensor::full({70, rows}, type, 1);
      const TensorView a[] = {dense, turned.transpose(0, 1)};
      const Tensor out = Tensor::zeros({300, rows}, type);
      const TensorView c = out.transpose(0, 1);
      for (const TensorView& left : a)
        CHECK(later_allocations([&] { weft::multiply_out(c, left, packed); }) == 0);
    }
  }
}

TEST_CASE("allocations: none for a reduction of an expression that is kept", "[kernel]") {
  using weft::Expr, weft::expr;
  const weft::ThreadLimit one(1);
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64}) {
    for (const std::int64_t n : {2, 4, 8, 15, 20, 60, 400}) {
      const Dims shape{120000 / n, n};
      const Tensor a = Tensor::full(shape, type, 0.5), b = Tensor::full(shape, type, 0.25);
      const Expr e = (expr(a) - b) * a;
      for (const Expr& reduced : {weft::sum(e, {1}), weft::prod(e, {1}), weft::var(e, {1}),
                                  weft::sum(e, {0}), weft::amax(e, {0})}) {
        const Tensor out = weft::evaluate(reduced);
        INFO(reduced.text() << " of " << weft::to_string(shape));
        CHECK(later_allocations([&] { weft::evaluate_out(out, reduced); }) == 0);
      }
    }
  }
}
