// SPDX-License-Identifier: Apache-2.0
// cpu_reduce over several inputs, some of which stand still along rows: a weight for each row, a
// mean, one number. They are read where they are, as one value in a row.
#include <weft/core/views.hpp>
#include <weft/iter/config.hpp>
#include <weft/kernel/reduce.hpp>

#include "support/arena.hpp"
#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/random_axes.hpp"
#include "support/tally.hpp"

#include <cstdlib>
#include <vector>

namespace {

using test::Dims;
using test::Memory;
using weft::ReductionKernel;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

/// Exact, whatever the order: of small integers.
struct SumOfProducts {
  std::int64_t identity() const { return 0; }
  std::int64_t accumulate(std::int64_t acc, std::int32_t x, std::int16_t y, std::int32_t z) const {
    return acc + std::int64_t{x} * y - z;
  }
  std::int64_t combine(std::int64_t a, std::int64_t b) const { return a + b; }
  std::int64_t project(std::int64_t acc) const { return acc; }
};

/// With an index, so that one which gets lost shows.
struct SumByIndex {
  std::int64_t identity() const { return 0; }
  std::int64_t accumulate(std::int64_t acc, std::int32_t x, std::int32_t y,
                          std::int64_t index) const {
    return acc + (index + 1) * x + y;
  }
  std::int64_t combine(std::int64_t a, std::int64_t b) const { return a + b; }
  std::int64_t project(std::int64_t acc) const { return acc; }
};

/// Floats whose order of addition shows in the last bits.
struct SumOfSquares {
  float identity() const { return 0; }
  float accumulate(float acc, float x, float mean) const { return acc + (x - mean) * (x - mean); }
  float combine(float a, float b) const { return a + b; }
  float project(float acc) const { return acc; }
};

TensorIterator reduction(const TensorView& output, const std::vector<TensorView>& inputs,
                         bool linear = false) {
  TensorIteratorConfig config;
  config.add_output(output);
  for (const TensorView& input : inputs)
    config.add_input(input);
  config.check_all_same_dtype(false).resize_outputs(false).is_reduction(true);
  return config.enforce_linear_iteration(linear).build();
}

/// Memory in a random layout that stands still along some axes of the shape.
struct Expanded {
  Memory memory;
  TensorView view;

  Expanded(test::Random& random, ScalarType type, const Dims& shape, int still_percent)
      : memory(test::random_memory(
            random, type, test::random_layout(random, narrowed(random, shape, still_percent)),
            test::Values::small)),
        view(memory.view().expand(shape)) {}

 private:
  static Dims narrowed(test::Random& random, Dims shape, int still_percent) {
    for (std::int64_t& extent : shape)
      if (random.chance(still_percent)) extent = 1;
    return shape;
  }
};

Dims random_shape(test::Random& random) {
  if (random.chance(50)) return test::random_shape(random, 4, 6);
  return {random.integer(1, 90), random.integer(1, 300)};
}

/// The shape with extent 1 along random axes.
Dims reduced_shape(test::Random& random, Dims shape) {
  for (std::int64_t& extent : shape)
    if (random.chance(50)) extent = 1;
  return shape;
}

}  // namespace

TEST_CASE("cpu_reduce: inputs that stand still, in any layout, on any number of threads",
          "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(400); ++round) {
    const Dims shape = random_shape(random), kept = reduced_shape(random, shape);
    const Expanded x(random, ScalarType::i32, shape, 20);
    const Expanded y(random, random.chance(80) ? ScalarType::i16 : ScalarType::i8, shape, 60);
    const Expanded z(random, ScalarType::i32, shape, 60);
    const Tensor wanted = Tensor::zeros(kept, ScalarType::i64);
    test::for_each_index(shape, [&](const Dims& index) {
      Dims at = index;
      for (std::size_t axis = 0; axis < at.size(); ++axis)
        if (kept[axis] == 1) at[axis] = 0;
      auto& sum = wanted.data_as<std::int64_t>()[wanted.element_offset(at)];
      const auto get = [&](const TensorView& view) {
        return view.dtype() == ScalarType::i32   ? std::int64_t{view.at<std::int32_t>(index)}
               : view.dtype() == ScalarType::i16 ? std::int64_t{view.at<std::int16_t>(index)}
                                                 : std::int64_t{view.at<std::int8_t>(index)};
      };
      sum += get(x.view) * get(y.view) - get(z.view);
    });
    const int threads = static_cast<int>(random.integer(1, 4));
    const std::int64_t grain = random.chance(50) ? 0 : random.integer(1, 500);
    const Tensor got = Tensor::full(kept, ScalarType::i64, 77);
    test::in_arena(threads, [&] {
      weft::cpu_reduce(reduction(got, {x.view, y.view, z.view}), SumOfProducts(), grain);
    });
    const bool is_right =
        std::equal(got.data_as<std::int64_t>(), got.data_as<std::int64_t>() + got.numel(),
                   wanted.data_as<std::int64_t>());
    tally.check(is_right, [&](auto& text) {
      text << weft::to_string(shape) << " to " << weft::to_string(kept) << ", strides "
           << weft::to_string(x.view.strides()) << weft::to_string(y.view.strides())
           << weft::to_string(z.view.strides()) << ", " << threads << " threads, grain " << grain;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("cpu_reduce: still inputs keep indexes, and the order of addition", "[kernel]") {
  WEFT_RANDOM(random);
  const Tensor x = Tensor::empty({37, 411}, ScalarType::i32);
  for (std::int64_t i = 0; i < x.numel(); ++i)
    x.data_as<std::int32_t>()[i] = static_cast<std::int32_t>(random.integer(-9, 9));
  for (const Dims& still : {Dims{37, 1}, Dims{1, 411}, Dims{1, 1}}) {
    const Tensor y = Tensor::full(still, ScalarType::i32, 3);
    for (const Dims& kept : {Dims{37, 1}, Dims{1, 411}, Dims{1, 1}}) {
      const Tensor got = Tensor::zeros(kept, ScalarType::i64);
      const Tensor full = Tensor::zeros(kept, ScalarType::i64);
      weft::cpu_reduce_indexed(reduction(got, {x, y.expand({37, 411})}, true), SumByIndex());
      weft::cpu_reduce_indexed(
          reduction(full, {x, Tensor::full({37, 411}, ScalarType::i32, 3)}, true), SumByIndex());
      INFO(weft::to_string(still) << " reduced to " << weft::to_string(kept));
      CHECK(std::equal(got.data_as<std::int64_t>(), got.data_as<std::int64_t>() + got.numel(),
                       full.data_as<std::int64_t>()));
    }
  }
  // A mean that is a tensor adds up as a full-size copy of it does.
  const Tensor a = Tensor::empty({300, 700}, ScalarType::f32);
  for (std::int64_t i = 0; i < a.numel(); ++i)
    a.data_as<float>()[i] = static_cast<float>(random.integer(-999, 999)) * 0.37F;
  const Tensor mean = Tensor::full({1, 1}, ScalarType::f32, 0.3);
  const Tensor copy = Tensor::full({300, 700}, ScalarType::f32, 0.3);
  for (const Dims& kept : {Dims{300, 1}, Dims{1, 700}, Dims{1, 1}}) {
    const Tensor got = Tensor::zeros(kept, ScalarType::f32);
    const Tensor full = Tensor::zeros(kept, ScalarType::f32);
    weft::cpu_reduce(reduction(got, {a, mean.expand({300, 700})}), SumOfSquares());
    weft::cpu_reduce(reduction(full, {a, copy}), SumOfSquares());
    CHECK(std::memcmp(got.data(), full.data(), static_cast<std::size_t>(got.nbytes())) == 0);
  }
}

TEST_CASE("cpu_reduce: explain says what is read as one value", "[kernel]") {
  const Tensor a = Tensor::zeros({64, 500}, ScalarType::f32);
  const Tensor weight = Tensor::zeros({64, 1}, ScalarType::f32);
  const auto access = [&](const Dims& kept, const TensorView& second) {
    const Tensor out = Tensor::zeros(kept, ScalarType::f32);
    const SumOfSquares op;
    return weft::explain_reduction(reduction(out, {a, second}), weft::reduction_kernel(op))
        .operands[2]
        .access;
  };
  CHECK(access({64, 1}, weight.expand({64, 500})) == "broadcast");
  CHECK(access({1, 500}, weight.expand({64, 500})) == "broadcast");
  CHECK(access({1, 500}, Tensor::zeros({1, 500}, ScalarType::f32).expand({64, 500})) == "direct");
  CHECK(access({64, 1}, a) == "direct");
}

TEST_CASE("cpu_reduce: inputs that have to be staged are staged alone", "[kernel]") {
  const Tensor a = Tensor::zeros({8, 40, 100}, ScalarType::f32);
  const auto accesses = [&](const Dims& kept, const TensorView& second) {
    const Tensor out = Tensor::zeros(kept, ScalarType::f32);
    const SumOfSquares op;
    const weft::Explanation e =
        weft::explain_reduction(reduction(out, {a, second}), weft::reduction_kernel(op));
    return e.operands[1].access + " and " + e.operands[2].access;
  };
  const Tensor bytes = Tensor::zeros({8, 40, 100}, ScalarType::i8);
  const Tensor turned = Tensor::zeros({8, 100, 40}, ScalarType::f32);
  const Tensor weights = Tensor::zeros({1, 40, 1}, ScalarType::i8);
  CHECK(accesses({8, 1, 100}, bytes) == "direct and staged: cast");
  CHECK(accesses({8, 1, 100}, turned.transpose(1, 2)) == "direct and staged: packed");
  CHECK(accesses({8, 1, 100}, weights.expand({8, 40, 100})) == "direct and broadcast: cast");
  CHECK(accesses({8, 40, 1}, bytes) == "direct and staged: cast");
  CHECK(accesses({8, 40, 1}, turned.transpose(1, 2)) == "direct and staged: packed");
}
