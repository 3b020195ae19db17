// SPDX-License-Identifier: Apache-2.0
// cpu_reduce: the same bits for any threads and grain, accuracy, early exit, and what goes wrong.
#include <weft/iter/config.hpp>
#include <weft/kernel/reduce.hpp>

#include "kernel/masked_reduction.hpp"
#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/threads.hpp"

#include <atomic>
#include <cmath>
#include <vector>

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

/// Rounds at every step, so that every change of order shows.
struct FloatSum {
  float identity() const { return 0; }
  float accumulate(float acc, float x) const { return acc + x; }
  float combine(float a, float b) const { return a + b; }
  float project(float acc) const { return acc; }
};

/// Counts the accumulators given to it that no call of its own made.
struct OwnAccumulators {
  struct Acc {
    float sum;
    std::int32_t mark;
  };
  std::int32_t mark;
  std::atomic<std::int64_t>* foreign;
  Acc identity() const { return {0, mark}; }
  Acc accumulate(Acc acc, float x) const { return {acc.sum + x, acc.mark}; }
  Acc combine(Acc a, Acc b) const {
    if (a.mark != mark || b.mark != mark) foreign->fetch_add(1, std::memory_order_relaxed);
    return {a.sum + b.sum, mark};
  }
  float project(Acc acc) const { return acc.sum; }
};

/// An accumulator wider than elements, of which a block has more rows.
struct WideSum {
  struct Acc {
    float sum, largest;
  };
  Acc identity() const { return {0, 0}; }
  Acc accumulate(Acc acc, float x) const {
    return {acc.sum + x, x > acc.largest ? x : acc.largest};
  }
  Acc combine(Acc a, Acc b) const {
    return {a.sum + b.sum, a.largest > b.largest ? a.largest : b.largest};
  }
  float project(Acc acc) const { return acc.sum + acc.largest; }
};
/// Depends on where an element stands.
struct WeightedByIndex {
  float identity() const { return 0; }
  float accumulate(float acc, float x, std::int64_t index) const {
    return acc + x * static_cast<float>(index % 7);
  }
  float combine(float a, float b) const { return a + b; }
  float project(float acc) const { return acc; }
};

Memory uneven(test::Random& random, const test::Layout& layout) {
  Memory memory(ScalarType::f32, layout);
  for (std::int64_t i = 0; i < layout.size; ++i) {
    const auto value = static_cast<float>(random.integer(-1'000'000, 1'000'000));
    test::store(memory.data() + 4 * i, value / static_cast<float>(random.integer(1, 1000)));
  }
  return memory;
}

}  // namespace

TEST_CASE("cpu_reduce: the same bits for any number of threads and any grain", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  struct Case {
    Dims shape, strides, reduced;
  };
  const Case cases[] = {
      {{300'000}, {1}, {1}},                         // spans in place
      {{100'000}, {-2}, {1}},                        // packed
      {{50, 5000}, {5000, 1}, {50, 1}},              // rows
      {{5000, 50}, {50, 1}, {1, 50}},                // columns in place
      {{5000, 50}, {1, 5000}, {1, 50}},              // rows, kept outside
      {{40'000, 5}, {5, 1}, {1, 5}},                 // few columns, gathered
      {{5, 40'000}, {40'000, 1}, {5, 1}},            // few long rows
      {{70, 33, 65}, {33 * 65, 65, 1}, {1, 33, 1}},  // kept between reduced
      {{70, 33, 65}, {33 * 65, 65, 1}, {70, 1, 65}},
      {{33, 70, 65}, {1, 33, 33 * 70}, {33, 1, 1}},
      {{20'000, 3, 4}, {12, 4, 1}, {1, 3, 4}},
      {{3, 4, 20'000}, {80'000, 20'000, 1}, {3, 4, 1}},
      {{20'000, 9}, {9, 1}, {20'000, 1}},  // very short rows
      {{100, 300, 5}, {1505, 5, 1}, {100, 1, 5}},
      {{60, 70, 6, 5}, {2130, 30, 5, 1}, {60, 1, 6, 1}},  // short rows as columns
      {{500, 4, 5}, {20, 5, 1}, {1, 4, 1}},
      {{80, 100, 5}, {1, 80, 8000}, {80, 100, 1}},  // results transposed, put together first
      {{5, 80, 100}, {1, 5, 400}, {1, 80, 100}},    // the same of rows
      {{20, 70, 90, 9}, {1, 20, 1400, 126000}, {1, 70, 90, 1}},  // of short rows as columns
      {{300, 400, 3}, {1, 300, 120000}, {300, 400, 1}},          // too many for that
  };
  for (const Case& c : cases) {
    const Memory in = uneven(random, test::fit({c.shape, c.strides}));
    const Memory out(ScalarType::f32, test::fit({c.reduced, test::row_major(c.reduced)}));
    const TensorIterator iter = TensorIterator::reduce_op(out.view(), in.view());
    const FloatSum reduction;
    const weft::ReductionKernel kernel = weft::reduction_kernel(reduction);
    weft::run_reduction(iter, kernel, {.serial = true});
    const test::Dense want = test::dense_copy(out.view());
    std::vector<float> accumulators(static_cast<std::size_t>(iter.num_output_elements()));
    test::for_thread_counts([&](int threads) {
      test::fill(ScalarType::f32, out.data(), out.layout().size, random);
      weft::run_partial_reduction(iter, kernel, accumulators.data());
      weft::finalize_reduction(iter, kernel, accumulators.data());
      tally.check(test::difference(out.view(), want).empty(), [&](auto& text) {
        text << weft::to_string(c.shape) << " in two parts, " << threads << " threads";
      });
      for (const std::int64_t grain : {0, 1, 1000, 1'000'000'000}) {
        test::fill(ScalarType::f32, out.data(), out.layout().size, random);
        weft::cpu_reduce(iter, FloatSum{}, grain);
        const std::string wrong = test::difference(out.view(), want);
        tally.check(wrong.empty(), [&](auto& text) {
          text << weft::to_string(c.shape) << " to " << weft::to_string(c.reduced) << ", "
               << threads << " threads, grain " << grain << ": " << wrong;
        });
      }
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("cpu_reduce: up to a block of elements, the bits are those of a plan", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const auto check = [&](const TensorIterator& iter, const weft::ReductionKernel& kernel,
                         const TensorView& out, const TensorView& in, const auto& name) {
    weft::run_reduction(iter, kernel);
    const test::Dense got = test::dense_copy(out);
    std::vector<char> accumulators(
        static_cast<std::size_t>(iter.num_output_elements() * kernel.accumulator_bytes));
    weft::run_partial_reduction(iter, kernel, accumulators.data());  // which always has a plan
    weft::finalize_reduction(iter, kernel, accumulators.data());
    const std::string wrong = test::difference(out, got);
    tally.check(wrong.empty(), [&](auto& text) {
      text << name << " of " << weft::to_string(in.shape()) << ", strides "
           << weft::to_string(in.strides()) << ": " << wrong;
    });
  };
  const auto random_strides = [&](const Dims& shape) {
    const std::int64_t pad = random.chance(30) ? random.integer(1, 9) : 0;
    Dims strides = {shape[1] + pad, 1};
    if (random.chance(25)) strides = {1, shape[0] + pad};
    if (random.chance(10)) strides = {2 * shape[1], 2};
    if (random.chance(15)) strides[random.chance(50) ? 0 : 1] = 0;
    return strides;
  };
  for (int round = 0; round < test::rounds(600); ++round) {
    const std::int64_t all =
        random.chance(50) ? random.integer(1, 17'000) : random.integer(1, 3000);
    const std::int64_t side = random.integer(1, random.chance(50) ? 20 : 400);
    Dims shape = {side, all / side + 1};
    if (random.chance(50)) std::swap(shape[0], shape[1]);
    Dims reduced = shape;
    reduced[random.chance(50) ? 0 : 1] = 1;
    const Memory x = uneven(random, test::fit({shape, random_strides(shape)}));
    const Memory y = uneven(random, test::fit({shape, random_strides(shape)}));
    const Memory out(ScalarType::f32, test::fit({reduced, test::row_major(reduced)}));
    const auto one = TensorIterator::reduce_op(out.view(), x.view());
    check(one, weft::reduction_kernel(FloatSum{}), out.view(), x.view(), "a sum");
    check(one, weft::reduction_kernel(WideSum{}), out.view(), x.view(), "a wide sum");
    check(one, weft::reduction_kernel<true>(WeightedByIndex{}), out.view(), x.view(), "an index");
    TensorIteratorConfig config;
    const TensorView result = out.view(), first = x.view(), second = y.view();
    config.add_output(result).add_input(first).add_input(second).is_reduction(true);
    const auto two = config.resize_outputs(false).build();
    check(two, weft::reduction_kernel(test::Dot<float>{}), out.view(), x.view(), "a product");
  }
  CHECK_TALLY(tally);
}

TEST_CASE("cpu_reduce: combine sees what accumulate made, and nothing else", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  std::atomic<std::int64_t> foreign = 0;
  std::int32_t mark = 0;
#if defined(WEFT_TEST_SANITIZED)
  const int rounds = test::rounds(15);  // each access of accumulate() is looked at: 20 s, or 80
#else
  const int rounds = test::rounds(60);
#endif
  for (int round = 0; round < rounds; ++round) {
    // Few tiles of kept elements, whose last one is narrower, and many rows, for threads to share.
    Dims shape = {random.integer(2000, 9000), random.integer(1, 300)}, kept = {1, shape[1]};
    if (random.chance(50)) std::swap(shape[0], shape[1]), std::swap(kept[0], kept[1]);
    const Memory in = uneven(random, test::random_layout(random, shape));
    const Memory out(ScalarType::f32, test::fit({kept, test::row_major(kept)}));
    test::for_thread_counts([&](int threads) {
      const std::int64_t grain = random.integer(0, 2000);
      // Another mark each time: scratch memory may hold those of the time before.
      weft::cpu_reduce(TensorIterator::reduce_op(out.view(), in.view()),
                       OwnAccumulators{++mark, &foreign}, grain);
      tally.check(foreign.exchange(0) == 0, [&](auto& text) {
        text << weft::to_string(shape) << " to " << weft::to_string(kept) << ", strides "
             << weft::to_string(in.view().strides()) << ", " << threads << " threads, grain "
             << grain;
      });
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("cpu_reduce: sums are pairwise over everything reduced", "[kernel]") {
  // One after the other, a million times 0.1f is off by 958; pairwise by less than 1.
  for (const Dims& shape : {Dims{1'000'000, 1}, Dims{1000, 1000}, Dims{125'000, 8}}) {
    const Tensor a = Tensor::full(shape, ScalarType::f32, 0.1);
    for (const bool transposed : {false, true}) {
      const TensorView view = transposed ? a.transpose(0, 1) : TensorView(a);
      const Tensor out = Tensor::zeros({1, 1}, ScalarType::f32);
      weft::cpu_reduce(TensorIterator::reduce_op(out, view), FloatSum{});
      CHECK(std::fabs(out.at<float>({0, 0}) - 1e6 * 0.1f) < 0.1);

      const Tensor columns = Tensor::zeros({1, view.extent(1)}, ScalarType::f32);
      weft::cpu_reduce(TensorIterator::reduce_op(columns, view), FloatSum{});
      const double want = static_cast<double>(view.extent(0)) * 0.1f;
      CHECK(std::fabs(columns.at<float>({0, 0}) - want) < want * 1e-6);
    }
  }
}

namespace {

struct AnyNegative {
  std::atomic<std::int64_t>* calls;

  bool identity() const { return false; }
  bool accumulate(bool acc, std::int8_t x) const {
    if (calls != nullptr) ++*calls;
    return acc || x < 0;
  }
  bool combine(bool a, bool b) const { return a || b; }
  bool project(bool acc) const { return acc; }
  bool done(bool acc) const { return acc; }
};

}  // namespace

TEST_CASE("cpu_reduce: stops early where nothing can change any more", "[kernel]") {
  Tensor a = Tensor::zeros({400'000}, ScalarType::i8);
  const Tensor out = Tensor::zeros({1}, ScalarType::boolean);
  test::for_thread_counts([&](int) {
    for (const std::int64_t at : {0, 1, 2047, 2048, 200'000, 399'999}) {
      auto* value = static_cast<std::int8_t*>(a.data()) + at;
      *value = -1;
      weft::cpu_reduce(TensorIterator::reduce_op(out, a), AnyNegative{nullptr}, 1);
      CHECK(out.at<bool>({0}));
      *value = 0;
    }
    weft::cpu_reduce(TensorIterator::reduce_op(out, a), AnyNegative{nullptr}, 1);
    CHECK(!out.at<bool>({0}));
  });

  static_cast<std::int8_t*>(a.data())[5] = -1;
  std::atomic<std::int64_t> calls = 0;
  const weft::ThreadLimit one(1);
  weft::cpu_reduce(TensorIterator::reduce_op(out, a), AnyNegative{&calls});
  CHECK(out.at<bool>({0}));
  CHECK(calls > 0);
  CHECK(calls < 10'000);
}

TEST_CASE("cpu_reduce: nothing to reduce gives the identity, no outputs give nothing", "[kernel]") {
  const Tensor empty = Tensor::empty({3, 0, 2}, ScalarType::f32);
  const Tensor out = Tensor::full({3, 1, 2}, ScalarType::f32, 9);
  weft::cpu_reduce(TensorIterator::reduce_op(out, empty), FloatSum{});
  CHECK(test::difference(out, test::dense_copy(Tensor::zeros({3, 1, 2}, ScalarType::f32))) == "");

  const Tensor all = Tensor::full({1, 1, 1}, ScalarType::f32, 9);
  weft::cpu_reduce(TensorIterator::reduce_op(all, empty), FloatSum{});
  CHECK(all.at<float>({0, 0, 0}) == 0);

  const Tensor kept_empty = Tensor::empty({1, 0, 2}, ScalarType::f32);
  CHECK_NOTHROW(weft::cpu_reduce(TensorIterator::reduce_op(kept_empty, empty), FloatSum{}));

  // Very many outputs.
  const Tensor wide = Tensor::full({1, 5000}, ScalarType::f32, 9);
  weft::cpu_reduce(TensorIterator::reduce_op(wide, Tensor::empty({0, 5000}, ScalarType::f32)),
                   FloatSum{});
  CHECK(test::difference(wide, test::dense_copy(Tensor::zeros({1, 5000}, ScalarType::f32))) == "");
}

namespace {

struct Throwing {
  float identity() const { return 0; }
  float accumulate(float acc, float x) const {
    if (x == 77) throw std::runtime_error("77");
    return acc + x;
  }
  float combine(float a, float b) const { return a + b; }
  float project(float acc) const { return acc; }
};

}  // namespace

TEST_CASE("cpu_reduce: an exception reaches the caller", "[kernel]") {
  const Tensor a = Tensor::full({100'000}, ScalarType::f32, 1);
  const Tensor out = Tensor::zeros({1}, ScalarType::f32);
  const TensorIterator iter = TensorIterator::reduce_op(out, a);
  test::for_thread_counts([&](int) {
    auto* value = static_cast<float*>(a.data()) + 70'000;
    *value = 77;
    CHECK_THROWS_AS(weft::cpu_reduce(iter, Throwing{}, 1), std::runtime_error);
    *value = 1;
    weft::cpu_reduce(iter, Throwing{}, 1);
    CHECK(out.at<float>({0}) == 100'000);
  });
}

TEST_CASE("cpu_reduce: operands that do not fit", "[kernel]") {
  const Tensor f32 = Tensor::full({3, 4}, ScalarType::f32, 1);
  const Tensor c64 = Tensor::full({3, 4}, ScalarType::c64, 1);
  const Tensor out = Tensor::full({3, 1}, ScalarType::f32, 7);
  const Tensor i32 = Tensor::full({3, 1}, ScalarType::i32, 7);
  const Tensor column = Tensor::full({3, 1}, ScalarType::f32, 7);
  const Tensor row = Tensor::full({1, 4}, ScalarType::f32, 7);
  const auto run = [](const TensorView& to, const TensorView& from) {
    TensorIteratorConfig config;
    config.add_output(to).add_input(from).check_all_same_dtype(false).resize_outputs(false);
    weft::cpu_reduce(config.is_reduction(true).build(), FloatSum{});
  };
  CHECK_ERROR(cast, ("input 0", "c64", "f32"), run(out, c64));
  CHECK_ERROR(cast, ("output 0", "f32", "i32"), run(i32, f32));
  CHECK_ERROR(invalid_argument, ("1 output and 1 input", "2 and 1"),
              weft::cpu_reduce(TensorIterator::reduce_op(column, out, f32), FloatSum{}));

  struct Two {
    float identity() const { return 0; }
    float accumulate(float acc, float x) const { return acc + x; }
    float combine(float a, float b) const { return a + b; }
    std::tuple<float, float> project(float acc) const { return {acc, acc}; }
  };
  const auto different = TensorIteratorConfig()
                             .add_output(column)
                             .add_output(row)
                             .add_input(f32)
                             .resize_outputs(false)
                             .is_reduction(true)
                             .build();
  CHECK_ERROR(shape, ("outputs 0 and 1"), weft::cpu_reduce(different, Two{}));
  for (const Tensor* t : {&out, &column, &row}) {
    CHECK(test::difference(*t, test::dense_copy(Tensor::full(t->shape(), ScalarType::f32, 7))) ==
          "");
  }
}
