// SPDX-License-Identifier: Apache-2.0
// cpu_reduce with users' own structs: every set of axes of random layouts, several inputs and
// outputs, indexes, early exit, empty reductions.
#include <weft/iter/config.hpp>
#include <weft/kernel/reduce.hpp>

#include "support/errors.hpp"
#include "support/naive_reduce.hpp"

#include <algorithm>
#include <atomic>

namespace {

using test::Dims;
using test::Memory;
using test::Values;
using weft::ScalarType;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

TensorIterator reduction(const std::vector<TensorView>& outputs,
                         const std::vector<TensorView>& inputs, bool linear = false) {
  TensorIteratorConfig config;
  for (const TensorView& output : outputs)
    config.add_output(output);
  for (const TensorView& input : inputs)
    config.add_input(input);
  config.check_all_same_dtype(false).resize_outputs(false).is_reduction(true);
  return config.enforce_linear_iteration(linear).build();
}

struct SumOfSquares {
  double identity() const { return 0; }
  double accumulate(double acc, float x) const { return acc + static_cast<double>(x) * x; }
  double combine(double a, double b) const { return a + b; }
  float project(double acc) const { return static_cast<float>(acc); }
};

struct Dot {
  std::int64_t identity() const { return 0; }
  std::int64_t accumulate(std::int64_t acc, std::int32_t x, std::int16_t y) const {
    return acc + std::int64_t{x} * y;
  }
  std::int64_t combine(std::int64_t a, std::int64_t b) const { return a + b; }
  std::int64_t project(std::int64_t acc) const { return acc; }
};

/// Least and largest of what was seen; nothing seen shows as 0 and 0.
struct Extremes {
  struct Acc {
    std::int32_t least = 0, most = 0;
    bool any = false;
  };
  Acc identity() const { return {}; }
  Acc accumulate(Acc acc, std::int32_t x) const { return combine(acc, {x, x, true}); }
  Acc combine(Acc a, Acc b) const {
    if (!a.any || !b.any) return a.any ? a : b;
    return {std::min(a.least, b.least), std::max(a.most, b.most), true};
  }
  std::tuple<std::int32_t, double> project(Acc acc) const { return {acc.least, acc.most}; }
};

/// Sum of (index + 1) * x: wrong as soon as one element gets another's index.
struct WeightedByIndex {
  std::int64_t identity() const { return 0; }
  std::int64_t accumulate(std::int64_t acc, std::int32_t x, std::int64_t index) const {
    return acc + (index + 1) * x;
  }
  std::int64_t combine(std::int64_t a, std::int64_t b) const { return a + b; }
  std::int64_t project(std::int64_t acc) const { return acc; }
};

/// An accumulator as large and as strictly aligned as is allowed.
struct Histogram {
  struct alignas(64) Acc {
    std::int64_t counts[16] = {};
  };
  Acc identity() const { return {}; }
  Acc accumulate(const Acc& before, std::uint8_t x) const {
    Acc acc = before;
    ++acc.counts[x % 16];
    return acc;
  }
  Acc combine(const Acc& x, const Acc& b) const {
    Acc a = x;
    for (int i = 0; i < 16; ++i)
      a.counts[i] += b.counts[i];
    return a;
  }
  std::int64_t project(const Acc& acc) const {
    std::int64_t sum = 0;
    for (int i = 0; i < 16; ++i)
      sum = sum * 3 + acc.counts[i];
    return sum;
  }
};

void expect(test::Tally& tally, const Memory& out, const test::Watch& watch,
            const test::Dense& want, const TensorView& in) {
  std::string wrong = test::difference(out.view(), want);
  if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
  tally.check(wrong.empty(), [&](auto& text) {
    test::describe(text, in);
    test::describe(text << " to ", out.view()) << ": " << wrong;
  });
}

/// Calls check(shape, reduced shape) for random shapes of up to four axes, and for all sets of axes
/// of each.
template <class Check>
void for_random_reductions(test::Random& random, int rounds, Check&& check) {
  for (int round = 0; round < test::rounds(rounds); ++round) {
    const std::int64_t most = round % 8 == 0 ? 40 : round % 8 == 1 ? 17 : 6;
    Dims shape = test::random_shape(random, most > 20 ? 3 : 4, most);
    // Sometimes one axis is longer than a block.
    if (most == 6 && !shape.empty() && random.chance(15)) {
      const auto last = static_cast<std::int64_t>(shape.size()) - 1;
      shape[static_cast<std::size_t>(random.integer(0, last))] = random.integer(60, 2500);
    }
    for (unsigned axes = 0; axes < 1u << shape.size(); ++axes) {
      check(shape, test::reduced_shape(shape, axes));
    }
  }
}

Memory input(test::Random& random, ScalarType type, const Dims& shape) {
  return test::random_memory(random, type, test::random_layout(random, shape), Values::small);
}

}  // namespace

TEST_CASE("cpu_reduce: a double accumulator over floats, every set of axes", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for_random_reductions(random, 300, [&](const Dims& shape, const Dims& reduced) {
    const Memory in = input(random, ScalarType::f32, shape);
    const Memory out = test::random_output(random, ScalarType::f32, reduced);
    const test::Watch watch(out);
    weft::cpu_reduce(reduction({out.view()}, {in.view()}), SumOfSquares{});
    const auto sums = test::naive_reduce(shape, reduced, {in.view()}, 0.0,
                                         [](double& acc, const auto* x, std::int64_t) {
                                           const double value = test::load<float>(x[0]);
                                           acc += value * value;
                                         });
    expect(tally, out, watch,
           test::projected<float>(reduced, sums, [](double s) { return static_cast<float>(s); }),
           in.view());
  });
  CHECK_TALLY(tally);
}

TEST_CASE("cpu_reduce: two inputs, which broadcast and are converted", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for_random_reductions(random, 200, [&](const Dims& shape, const Dims& reduced) {
    // One of the inputs has the whole shape, so that the other may be anything.
    const Memory x = input(random, random.chance(50) ? ScalarType::i32 : ScalarType::u8, shape);
    const Memory y = test::random_input(
        random, random.chance(50) ? ScalarType::i16 : ScalarType::i64, shape, Values::small);
    const Memory out =
        test::random_output(random, random.chance(50) ? ScalarType::i64 : ScalarType::f32, reduced);
    const test::Watch watch(out);
    weft::cpu_reduce(reduction({out.view()}, {x.view(), y.view()}), Dot{});
    const auto sums = test::naive_reduce(
        shape, reduced, {x.view(), y.view()}, std::int64_t{0},
        [&](std::int64_t& acc, const auto* elements, std::int64_t) {
          std::int64_t a = 0, b = 0;
          test::convert_element(ScalarType::i64, &a, x.view().dtype(), elements[0]);
          test::convert_element(ScalarType::i64, &b, y.view().dtype(), elements[1]);
          acc += a * b;
        });
    test::Dense want(out.view().dtype(), reduced);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      test::convert_element(want.type, want.at(static_cast<std::int64_t>(i)), ScalarType::i64,
                            &sums[i]);
    }
    expect(tally, out, watch, want, x.view());
  });
  CHECK_TALLY(tally);
}

TEST_CASE("cpu_reduce: two outputs of different types", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for_random_reductions(random, 200, [&](const Dims& shape, const Dims& reduced) {
    const Memory in = input(random, ScalarType::i32, shape);
    const Memory least = test::random_output(random, ScalarType::i32, reduced);
    const Memory most = test::random_output(random, ScalarType::f64, reduced);
    const test::Watch watch_least(least), watch_most(most);
    weft::cpu_reduce(reduction({least.view(), most.view()}, {in.view()}), Extremes{});
    const auto seen = test::naive_reduce(shape, reduced, {in.view()}, std::vector<std::int32_t>{},
                                         [](auto& acc, const auto* x, std::int64_t) {
                                           acc.push_back(test::load<std::int32_t>(x[0]));
                                         });
    expect(tally, least, watch_least,
           test::projected<std::int32_t>(reduced, seen,
                                         [](const auto& all) {
                                           return all.empty()
                                                      ? 0
                                                      : *std::min_element(all.begin(), all.end());
                                         }),
           in.view());
    expect(tally, most, watch_most,
           test::projected<double>(reduced, seen,
                                   [](const auto& all) {
                                     return all.empty() ? 0.0
                                                        : *std::max_element(all.begin(), all.end());
                                   }),
           in.view());
  });
  CHECK_TALLY(tally);
}

TEST_CASE("cpu_reduce_indexed: the index of one axis, or row-major where iteration is linear",
          "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for_random_reductions(random, 300, [&](const Dims& shape, const Dims& reduced) {
    std::ptrdiff_t axes = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      axes += shape[axis] != reduced[axis];
    const Memory in = input(random, ScalarType::i32, shape);
    const Memory out = test::random_output(random, ScalarType::i64, reduced);
    const test::Watch watch(out);
    const bool linear = axes > 1 || random.chance(30);
    weft::cpu_reduce_indexed(reduction({out.view()}, {in.view()}, linear), WeightedByIndex{},
                             random.chance(50) ? 1 : 0);
    const auto sums =
        test::naive_reduce(shape, reduced, {in.view()}, std::int64_t{0},
                           [](std::int64_t& acc, const auto* x, std::int64_t position) {
                             acc += (position + 1) * test::load<std::int32_t>(x[0]);
                           });
    expect(tally, out, watch,
           test::projected<std::int64_t>(reduced, sums, [](std::int64_t sum) { return sum; }),
           in.view());
  });
  CHECK_TALLY(tally);
}

TEST_CASE("cpu_reduce: large, strictly aligned accumulators", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for_random_reductions(random, 120, [&](const Dims& shape, const Dims& reduced) {
    const Memory in = input(random, ScalarType::u8, shape);
    const Memory out = test::random_output(random, ScalarType::i64, reduced);
    const test::Watch watch(out);
    weft::cpu_reduce(reduction({out.view()}, {in.view()}), Histogram{});
    const auto counts = test::naive_reduce(
        shape, reduced, {in.view()}, std::vector<std::int64_t>(16, 0),
        [](auto& acc, const auto* x, std::int64_t) { ++acc[test::load<std::uint8_t>(x[0]) % 16]; });
    expect(tally, out, watch,
           test::projected<std::int64_t>(reduced, counts,
                                         [](const auto& all) {
                                           std::int64_t sum = 0;
                                           for (const std::int64_t count : all)
                                             sum = sum * 3 + count;
                                           return sum;
                                         }),
           in.view());
  });
  CHECK_TALLY(tally);
}

TEST_CASE("cpu_reduce: an output without elements is not written, whatever its strides",
          "[kernel]") {
  // A part of extent 0 that keeps stride 0: its axis cannot be told from one that is reduced.
  for (const std::int64_t stride : {0, 5, -5}) {
    const weft::Tensor around = weft::Tensor::full({4, 5}, ScalarType::f32, 7);
    const weft::TensorView out = around.as_strided({0, 5}, {stride, 1}, 10);
    const weft::Tensor in = weft::Tensor::zeros({0, 5}, ScalarType::f32);
    weft::cpu_reduce(reduction({out}, {in}), SumOfSquares{});
    const weft::Tensor deep = weft::Tensor::zeros({0, 5, 3}, ScalarType::f32);
    weft::cpu_reduce(reduction({out.as_strided({0, 5, 1}, {stride, 1, 0})}, {deep}),
                     SumOfSquares{});
    const float* all = around.data_as<float>();
    CHECK(std::count(all, all + around.numel(), 7.0F) == around.numel());
  }
  // What reduces nothing gets the identity.
  const weft::Tensor out = weft::Tensor::full({1, 5}, ScalarType::f32, 7);
  weft::cpu_reduce(reduction({out}, {weft::Tensor::zeros({0, 5}, ScalarType::f32)}),
                   SumOfSquares{});
  CHECK(out.at<float>({0, 4}) == 0);
}
