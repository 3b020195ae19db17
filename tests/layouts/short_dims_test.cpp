// SPDX-License-Identifier: Apache-2.0
// Operands of different orders where the innermost dim is short, so that what follows it makes
// longer rows: the same elements as of dense copies.
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/ternary.hpp>

#include "support/element.hpp"
#include "support/random_layout.hpp"
#include "support/seed.hpp"
#include "support/tally.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace {

using test::Dims;
using test::Random;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// Short inner and outer dims and long ones between them, a quarter million elements at most.
Dims draw_shape(Random& random) {
  Dims shape = {random.integer(2, 12), random.integer(1, 300), random.integer(16, 40)};
  if (random.chance(40)) shape.insert(shape.begin() + 1, random.integer(1, 6));
  return shape;
}

/// Dense in some order of the axes, or with gaps between rows, or the same along some axes.
Tensor draw_operand(Random& random, ScalarType type, const Dims& shape, bool output) {
  const int rank = static_cast<int>(shape.size());
  std::vector<int> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (random.chance(60)) {
    for (int i = rank - 1; i > 0; --i)
      std::swap(order[static_cast<std::size_t>(i)],
                order[static_cast<std::size_t>(random.integer(0, i))]);
  }
  Dims strides(shape.size());
  std::int64_t step = 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    const auto a = static_cast<std::size_t>(*axis);
    const bool repeated = !output && random.chance(20);
    strides[a] = repeated ? 0 : step;
    if (!repeated) step *= shape[a];
    if (random.chance(15)) step += random.integer(1, 3);
  }
  Tensor t = Tensor::empty_strided(shape, strides, type);
  test::fill(type, t.data(), t.end_byte() / weft::element_size(type), random, test::Values::small);
  return t;
}

bool same(const TensorView& got, const Tensor& want) {
  const Tensor dense = Tensor::copy_of(got);
  const std::int64_t size = weft::element_size(got.dtype());
  for (std::int64_t i = 0; i < dense.nbytes(); i += size) {
    if (!test::same_element(got.dtype(), static_cast<const char*>(dense.data()) + i,
                            static_cast<const char*>(want.data()) + i))
      return false;
  }
  return true;
}

}  // namespace

TEST_CASE("short dims: operands of different orders", "[layouts]") {
  using enum ScalarType;
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<ScalarType> types = {u8, i16, f32, f64};
  for (int round = 0; round < test::rounds(120); ++round) {
    const Dims shape = draw_shape(random);
    const ScalarType type = random.pick(types);
    const ScalarType other = random.chance(30) ? (type == u8 ? u8 : i16) : type;
    const Tensor a = draw_operand(random, type, shape, false);
    const Tensor b = draw_operand(random, other, shape, false);
    const Tensor condition = draw_operand(random, boolean, shape, false);
    const Tensor dense_a = Tensor::copy_of(a);
    const Tensor dense_b = Tensor::copy_of(b);
    const Tensor sum = weft::add(dense_a, dense_b);
    const Tensor choice = weft::where(Tensor::copy_of(condition), dense_a, dense_b);
    const Tensor sum_out = draw_operand(random, sum.dtype(), shape, true);
    const Tensor choice_out = draw_operand(random, choice.dtype(), shape, true);
    test::for_thread_counts([&](int threads) {
      weft::add_out(sum_out, a, b);
      weft::where_out(choice_out, condition, a, b);
      tally.check(same(sum_out, sum) && same(choice_out, choice),
                  [&](auto& out) { out << "round " << round << ", " << threads << " threads"; });
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("short dims: copies of small planes along a long dim", "[layouts]") {
  using enum ScalarType;
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<ScalarType> types = {u8, i16, f32, f64, c128};
  for (int round = 0; round < test::rounds(25); ++round) {
    Dims shape = {random.integer(1500, 3000), random.integer(2, 6), random.integer(2, 16)};
    if (random.chance(40)) shape.insert(shape.begin() + 1, random.integer(2, 4));
    if (random.chance(25)) shape.insert(shape.begin(), random.integer(2, 3));
    const ScalarType type = random.pick(types);
    const Tensor from = draw_operand(random, type, shape, false);
    const Tensor to = draw_operand(random, type, shape, true);
    // Element by element, by flat index.
    const std::int64_t size = weft::element_size(type);
    const auto place = [&](const Tensor& t, std::int64_t index) {
      std::int64_t element = 0;
      for (std::size_t d = shape.size(); d-- > 0; index /= shape[d])
        element += index % shape[d] * t.strides()[d];
      return static_cast<char*>(t.data()) + element * size;
    };
    test::for_thread_counts([&](int threads) {
      std::memset(to.data(), 0x5a, static_cast<std::size_t>(to.end_byte()));
      weft::copy_out(to, from);
      bool right = true;
      for (std::int64_t i = 0; i < to.numel() && right; ++i)
        right = std::memcmp(place(to, i), place(from, i), static_cast<std::size_t>(size)) == 0;
      for (std::int64_t i = 0; i < to.numel(); ++i)
        std::memset(place(to, i), 0x5a, static_cast<std::size_t>(size));
      const auto* bytes = static_cast<const char*>(to.data());
      const bool gaps = std::all_of(bytes, bytes + to.end_byte(), [](char c) { return c == 0x5a; });
      tally.check(right && gaps, [&](auto& out) {
        out << "round " << round << ", " << weft::name(type) << ", " << threads << " threads";
      });
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("short dims: rows that end in single bytes, with gaps and repeated", "[layouts]") {
  using enum ScalarType;
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<ScalarType> types = {u8, i16, f32, f64};
  const auto draw = [&](ScalarType type, std::int64_t rows, std::int64_t row, bool output) {
    const std::int64_t pitch = row + (random.chance(50) ? 0 : random.integer(1, 5));
    const Dims strides = {!output && random.chance(20) ? 0 : pitch,
                          !output && random.chance(15) ? 0 : 1};
    Tensor t = Tensor::empty_strided(Dims{rows, row}, strides, type);
    test::fill(type, t.data(), t.end_byte() / weft::element_size(type), random,
               test::Values::small);
    return t;
  };
  for (std::int64_t row = 5; row <= 70; ++row) {
    const std::int64_t rows = random.integer(1, 6000 / row + 100);
    const ScalarType type = random.pick(types);
    const Tensor a = draw(type, rows, row, false);
    const Tensor b = draw(type, rows, row, false);
    const Tensor less = draw(boolean, rows, row, true);
    const Tensor sum = draw(type, rows, row, true);
    weft::lt_out(less, a, b);
    weft::add_out(sum, a, b);
    const Tensor dense_a = Tensor::copy_of(a);
    const Tensor dense_b = Tensor::copy_of(b);
    tally.check(same(less, weft::lt(dense_a, dense_b)) && same(sum, weft::add(dense_a, dense_b)),
                [&](auto& out) { out << weft::name(type) << ' ' << rows << " x " << row; });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("short dims: rows that repeat while others do not, in several outer dims", "[layouts]") {
  using enum ScalarType;
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<ScalarType> types = {u8, i16, f32, f64};
  for (int round = 0; round < test::rounds(60); ++round) {
    const std::int64_t row = random.integer(2, 16);
    Dims shape = {random.integer(7, 20), random.integer(500 / row, 2000 / row), row};
    if (random.chance(70)) shape.insert(shape.begin(), random.integer(2, 20));
    const ScalarType type = random.pick(types);
    const auto draw = [&] {
      Dims strides(shape.size());
      std::int64_t step = 1;
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        const bool repeats = axis + 1 < shape.size() && random.chance(45);
        strides[axis] = repeats ? 0 : step;
        if (!repeats) step *= shape[axis];
      }
      Tensor t = Tensor::empty_strided(shape, strides, type);
      test::fill(type, t.data(), t.end_byte() / weft::element_size(type), random,
                 test::Values::small);
      return t;
    };
    const Tensor a = draw(), b = draw();
    const Tensor want = weft::add(Tensor::copy_of(a), Tensor::copy_of(b));
    const Tensor sum = Tensor::empty(shape, want.dtype());
    test::for_thread_counts([&](int threads) {
      weft::add_out(sum, a, b);
      tally.check(same(sum, want), [&](auto& out) {
        out << weft::to_string(shape) << ", strides " << weft::to_string(a.strides()) << " and "
            << weft::to_string(b.strides()) << ", " << threads << " threads";
      });
    });
  }
  CHECK_TALLY(tally);
}
