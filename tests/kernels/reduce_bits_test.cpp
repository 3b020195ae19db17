// SPDX-License-Identifier: Apache-2.0
// Every reduction kernel gives the same bits for any number of threads, any grain, and on avx2 and
// avx512.
#include <weft/iter/config.hpp>

#include "kernels/reduce/reduce.hpp"
#include "machine/tuning.hpp"
#include "support/dense.hpp"
#include "support/naive_reduce.hpp"
#include "support/threads.hpp"

#include <cmath>

namespace {

using test::Dims;
using test::Memory;
using weft::ReduceOp;
using weft::ScalarType;
using weft::TensorIterator;
using weft::TensorView;

constexpr int op_count = static_cast<int>(ReduceOp::nanmin) + 1;

/// What kernels with a number take: a count, a correction or a power.
constexpr double number = 3;

bool takes_number(ReduceOp op) {
  switch (op) {
    case ReduceOp::mean:
    case ReduceOp::var:
    case ReduceOp::std:
    case ReduceOp::var_mean:
    case ReduceOp::std_mean:
    case ReduceOp::norm_p: return true;
    default: return false;
  }
}

/// Values that round when they are added or multiplied, none of them NaN; products stay in range.
Memory uneven(test::Random& random, ScalarType type, const test::Layout& layout) {
  Memory memory(type, layout);
  const std::int64_t size = weft::element_size(type);
  for (std::int64_t i = 0; i < layout.size; ++i) {
    const auto part = [&] {
      const double sign = random.chance(50) ? 1 : -1;
      return sign * (1 + static_cast<double>(random.integer(0, 999)) / 1e4);
    };
    const std::complex<double> value(part(), part());
    test::convert_element(type, memory.data() + i * size, ScalarType::c128, &value);
  }
  return memory;
}

struct Case {
  Dims shape, strides, reduced;
};

}  // namespace

TEST_CASE("reductions: the same bits for threads, grains and levels", "[kernels]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const Case cases[] = {
      {{40'001}, {1}, {1}},                // pieces of one span
      {{20'011}, {3}, {1}},                // gathered spans
      {{3, 20'000}, {20'000, 1}, {3, 1}},  // few long rows
      {{300, 71}, {71, 1}, {300, 1}},      // rows
      {{300, 71}, {71, 1}, {1, 71}},       // columns
      {{9001, 3}, {3, 1}, {1, 3}},         // folded columns
      {{5000, 3}, {3, 1}, {5000, 1}},      // very short rows
      {{1001, 2}, {2, 1}, {1001, 1}},      // several to a register
      {{1001, 7}, {7, 1}, {1001, 1}},
      {{403, 4}, {4, 1}, {403, 1}},
      {{403, 13}, {16, 1}, {403, 1}},
      {{90, 30, 5}, {150, 1, 30}, {90, 30, 1}},    // many gathered spans
      {{1200, 7}, {9, 1}, {1, 7}},                 // few columns with gaps
      {{700, 33}, {40, 1}, {1, 1}},                // rows as pieces
      {{30, 40, 33}, {1320, 33, 1}, {1, 40, 1}},   // kept between reduced
      {{30, 40, 33}, {1, 30, 1200}, {30, 1, 33}},  // columns, the output transposed
      {{30, 40, 33}, {1320, 33, 1}, {30, 1, 33}},
      {{150'001}, {1}, {1}},                                 // spans of more than 8192 elements
      {{2100, 20}, {40, 1}, {1, 20}},                        // columns with gaps
      {{6, 40, 5, 32}, {6400, 160, 32, 1}, {6, 1, 5, 1}},    // short rows between kept ones
      {{6, 40, 5, 32}, {1, 6, 240, 1200}, {1, 40, 5, 32}},   // rows, the output transposed
      {{40, 6, 5, 32}, {1, 40, 240, 1200}, {40, 1, 5, 32}},  // columns, the same
      {{40, 6, 5, 32}, {1, 40, 240, 1200}, {40, 6, 5, 1}},   // and where the first dims are one row
      {{50, 40, 3}, {130, 3, 1}, {1, 40, 1}},                // short rows as columns
      {{300, 4, 5}, {20, 5, 1}, {1, 4, 1}},                  // the same, folded
  };
  for (int i = 0; i < op_count; ++i) {
    const auto op = static_cast<ReduceOp>(i);
    for (const ScalarType type :
         {ScalarType::f32, ScalarType::f64, ScalarType::bf16, ScalarType::i32, ScalarType::u8,
          ScalarType::c64, ScalarType::boolean}) {
      const weft::ReductionKernel* best = weft::reduce_kernel(op, type);
      if (best == nullptr) continue;
      for (const Case& c : cases) {
        if (random.chance(50)) continue;
        const Memory in = uneven(random, type, test::fit({c.shape, c.strides}));
        std::vector<Memory> outs;
        weft::TensorIteratorConfig config;
        for (int k = 0; k < best->noutputs; ++k)
          outs.emplace_back(best->types[k], test::fit({c.reduced, test::row_major(c.reduced)}));
        std::vector<TensorView> views;
        for (const Memory& out : outs)
          views.push_back(out.view());
        const Memory second = uneven(random, type, test::fit({c.shape, c.strides}));
        const TensorView inputs[] = {in.view(), second.view()};
        for (const TensorView& view : views)
          config.add_output(view);
        for (int k = 0; k < best->ninputs; ++k)
          config.add_input(inputs[k]);
        config.check_all_same_dtype(false).resize_outputs(false);
        const TensorIterator iter =
            config.is_reduction(true).enforce_linear_iteration(best->indexed).build();
        const auto run = [&](const weft::ReductionKernel& constant, weft::RunOptions options) {
          weft::ReductionKernel kernel = constant;
          if (takes_number(op)) kernel.context = &number;
          for (const Memory& out : outs)
            std::memset(out.data(), 0x5a, static_cast<std::size_t>(out.size_bytes()));
          weft::run_reduction(iter, kernel, options);
          std::vector<test::Dense> results;
          for (const Memory& out : outs)
            results.push_back(test::dense_copy(out.view()));
          return results;
        };
        const auto want = run(*best, {.serial = true});
        const auto check = [&](const std::vector<test::Dense>& got, const auto& how) {
          for (std::size_t k = 0; k < got.size(); ++k) {
            tally.check(got[k].bytes == want[k].bytes, [&](auto& text) {
              test::describe(text << "kernel " << i << ", ", in.view())
                  << " to " << weft::to_string(c.reduced) << ", output " << k << ": ";
              how(text);
            });
          }
        };
        test::for_thread_counts([&](int threads) {
          for (const std::int64_t grain : {1, 2000, 1'000'000}) {
            check(run(*best, {.grain = grain}),
                  [&](auto& text) { text << threads << " threads, grain " << grain; });
          }
        });
        if (weft::best_level() != weft::Level::avx512) continue;
        const weft::Level other =
            weft::current_level() == weft::Level::avx512 ? weft::Level::avx2 : weft::Level::avx512;
        if (weft::current_level() == weft::Level::baseline) continue;
        check(run(*weft::reduce_kernel.at(other)(op, type), {.serial = true}),
              [](auto& text) { text << "on another level"; });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("reductions of short rows: the same bits straight into outputs and through accumulators",
          "[kernels]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::nansum, ReduceOp::amax, ReduceOp::amin}) {
    for (const ScalarType type : {ScalarType::f32, ScalarType::f64, ScalarType::i32}) {
      const weft::ReductionKernel* kernel = weft::reduce_kernel(op, type);
      for (std::int64_t n = 1; n <= 17; ++n) {
        const Dims shape = {random.integer(60, 700), n};
        const Memory in = uneven(random, type, test::fit({shape, {n, 1}}));
        const Memory out(kernel->types[0], test::fit({{shape[0], 1}, {1, 1}}));
        const TensorView to = out.view(), from = in.view();
        weft::TensorIteratorConfig config;
        config.add_output(to).add_input(from).resize_outputs(false).is_reduction(true);
        const TensorIterator iter = config.check_all_same_dtype(false).build();
        weft::run_reduction(iter, *kernel, {});
        const test::Dense straight = test::dense_copy(to);
        std::vector<double> accumulators(2 * static_cast<std::size_t>(shape[0]));
        weft::run_partial_reduction(iter, *kernel, accumulators.data());
        weft::finalize_reduction(iter, *kernel, accumulators.data());
        tally.check(straight.bytes == test::dense_copy(to).bytes, [&](auto& text) {
          test::describe(text << "kernel " << static_cast<int>(op) << ", ", from);
        });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("reductions: the same bits however the output is laid out", "[kernels]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const auto* kernel = weft::reduce_kernel(ReduceOp::sum, ScalarType::f32);
  for (int round = 0; round < test::rounds(60); ++round) {
    Dims shape;
    for (int axis = 0; axis < 4; ++axis)
      shape.push_back(random.integer(1, random.chance(30) ? 70 : 20));
    const auto axes = static_cast<unsigned>(random.integer(1, 14));
    // Whether an axis is walked backwards is up to all operands.
    const Memory in =
        uneven(random, ScalarType::f32, test::random_layout(random, shape, {.negative = false}));
    const Dims reduced = test::reduced_shape(shape, axes);
    std::vector<test::Dense> results;
    for (const test::Layout& layout :
         {test::fit({reduced, test::row_major(reduced)}),
          test::random_layout(random, reduced, {.negative = false, .zero = false})}) {
      const Memory out(ScalarType::f32, layout);
      const TensorView to = out.view();
      const TensorView from = in.view();
      weft::TensorIteratorConfig config;
      config.add_output(to).add_input(from).resize_outputs(false).is_reduction(true);
      weft::run_reduction(config.build(), *kernel, {});
      results.push_back(test::dense_copy(to));
    }
    tally.check(results[0].bytes == results[1].bytes, [&](auto& text) {
      test::describe(text << "sum of ", in.view()) << " to " << weft::to_string(reduced);
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("transposed results: accumulators are in the order of the iterator's dims", "[kernels]") {
  WEFT_RANDOM(random);
  weft::Tuning tuning = weft::tuning();
  tuning.max_collected_bytes = 0;  // as if there were many results
  const weft::ScopedTuning scope(tuning);
  const auto& kernel = *weft::reduce_kernel(ReduceOp::sum, ScalarType::f32);
  REQUIRE(kernel.accumulator_bytes == sizeof(double));
  const Dims shape = {9, 30, 40, 20}, kept = {1, 30, 40, 1};
  for (const std::int64_t row : {20, 21}) {
    const weft::Tensor a =
        weft::Tensor::empty_strided(shape, {1200 * row, 40 * row, row, 1}, ScalarType::f32);
    test::fill(ScalarType::f32, a.data(), a.end_byte() / 4, random, test::Values::small);
    const auto output = [&] {
      return weft::Tensor::empty_strided(kept, {1, 1, 30, 1}, ScalarType::f32);
    };
    const weft::Tensor want = output(), got = output();
    weft::run_reduction(TensorIterator::reduce_op(want, a), kernel);
    const auto iter = TensorIterator::reduce_op(got, a);
    std::vector<double> accumulators(static_cast<std::size_t>(iter.num_output_elements()));
    weft::run_partial_reduction(iter, kernel, accumulators.data());
    weft::finalize_reduction(iter, kernel, accumulators.data());
    CHECK(test::difference(got, test::dense_copy(want)).empty());
    for (std::int64_t i = 0; i < 30; ++i)
      CHECK(accumulators[static_cast<std::size_t>(40 * i)] == want.at<float>({0, i, 0, 0}));
  }
}
