// SPDX-License-Identifier: Apache-2.0
// The prefix operations on all types, along every axis of random layouts, for any number of
// threads.
#include <weft/core/promotion.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/cumulative.hpp>

#include "support/errors.hpp"
#include "support/naive_cumulative.hpp"
#include "support/threads.hpp"

#include <cstring>
#include <limits>

namespace {

using test::Dims;
using test::Memory;
using test::Total;
using test::Values;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// Mostly small, sometimes with more lines than one piece has, or longer ones than one block.
Dims random_extents(test::Random& random, int round) {
  Dims shape = test::random_shape(random, 4, round % 8 == 0 ? 12 : 5);
  if (!shape.empty() && random.chance(15)) shape.back() = random.integer(60, 900);
  if (!shape.empty() && random.chance(15)) shape.front() = random.integer(60, 300);
  if (round == 1) return random.chance(50) ? Dims{3, 4100} : Dims{4100, 3};  // beyond any buffer
  return test::product(shape) > 20'000 ? Dims{7, 500} : shape;
}

struct Tested {
  test::Tally& tally;
  test::Random& random;
  const TensorView& a;
  std::int64_t axis;

  void check(const std::string& wrong, const char* what) {
    tally.check(wrong.empty(), [&](auto& text) {
      test::describe(text << what << ' ', a) << " along " << axis << ": " << wrong;
    });
  }
  /// Runs `call` into memory of its own, with gaps.
  template <class Call>
  void check_out(const test::Dense& expected, const char* what, Call&& call) {
    const Memory out = test::random_output(random, expected.type, expected.shape);
    const test::Watch watch(out);
    call(out.view());
    check(test::difference(out.view(), expected), what);
    check(watch.gaps_untouched() ? "" : "wrote between elements", what);
  }
};

}  // namespace

TEST_CASE("cumsum and cumprod: all types, every axis, into all types", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(20); ++round) {
      const Dims shape = random_extents(random, round);
      for (std::size_t axis = 0; axis < std::max<std::size_t>(shape.size(), 1); ++axis) {
        const Values values = random.chance(50) ? Values::any : Values::small;
        const Memory memory =
            test::random_memory(random, type, test::random_layout(random, shape), values);
        const TensorView a = memory.view();
        const auto along =
            static_cast<std::int64_t>(axis) -
            (random.chance(50) && !shape.empty() ? static_cast<std::int64_t>(shape.size()) : 0);
        Tested tested{tally, random, a, along};
        const ScalarType result = test::kind_of(type) < 2 ? ScalarType::i64 : type;
        const auto sums = test::naive_totals(Total::sum, a, axis, result);
        const auto products = test::naive_totals(Total::product, a, axis, result);
        tested.check(test::difference(weft::cumsum(a, along), sums), "cumsum");
        tested.check(test::difference(weft::cumprod(a, along), products), "cumprod");

        const ScalarType other = random.pick(test::all_types());
        if (!weft::can_cast(result, other)) continue;
        const auto wider = test::naive_totals(Total::sum, a, axis, other);
        tested.check(test::difference(weft::cumsum(a, along, other), wider), "cumsum");
        tested.check_out(wider, "cumsum",
                         [&](const TensorView& out) { weft::cumsum_out(out, a, along); });
        tested.check_out(test::naive_totals(Total::product, a, axis, other), "cumprod",
                         [&](const TensorView& out) { weft::cumprod_out(out, a, along); });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("cumprod: the sign of zero goes from block to block", "[ops]") {
  const Tensor a = Tensor::full({1000}, ScalarType::f16, -1);
  weft::copy_out(a.select(0, 0), 0.0);
  const Tensor out = weft::cumprod(a, 0);
  test::Tally tally;
  for (std::int64_t i = 0; i < 1000; ++i) {
    tally.check(std::signbit(static_cast<float>(out.at<weft::float16>({i}))) == (i % 2 == 1),
                [&](auto& text) { text << i; });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("cummax and cummin: values and positions of all real types", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (weft::is_complex(type)) continue;
    for (int round = 0; round < test::rounds(40); ++round) {
      const Dims shape = random_extents(random, round);
      for (std::size_t axis = 0; axis < std::max<std::size_t>(shape.size(), 1); ++axis) {
        const bool least = random.chance(50);
        const Values values =
            random.chance(50) || type == ScalarType::boolean ? Values::small : Values::any;
        const Memory memory =
            test::random_memory(random, type, test::random_layout(random, shape), values);
        const TensorView a = memory.view();
        const auto along = static_cast<std::int64_t>(axis);
        Tested tested{tally, random, a, along};
        const auto extremes = test::naive_extremes(a, axis, least, false, type);
        const auto places = test::naive_extremes(a, axis, least, true, ScalarType::i64);
        const char* name = least ? "cummin" : "cummax";
        const auto got = least ? weft::cummin(a, along) : weft::cummax(a, along);
        tested.check(test::difference(got.values, extremes), name);
        tested.check(test::difference(got.indices, places), name);
        tested.check_out(extremes, name, [&](const TensorView& out) {
          least ? weft::cummin_out(out, a, along) : weft::cummax_out(out, a, along);
        });
        const Memory indices = test::random_output(random, ScalarType::i64, shape);
        const Tensor in_place = Tensor::copy_of(a);
        const TensorView both = in_place;
        least ? weft::cummin_out(both, indices.view(), in_place, along)
              : weft::cummax_out(both, indices.view(), in_place, along);
        tested.check(test::difference(both, extremes), "in place");
        tested.check(test::difference(indices.view(), places), "in place");
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("logcumsumexp: within 2 ulp of the exact value", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64}) {
    for (int round = 0; round < test::rounds(20); ++round) {
      Memory memory(type, test::random_layout(random, {random.integer(1, 40), random.integer(1, 9)},
                                              {.zero = false}));
      const TensorView a = memory.view();
      const double spread = random.chance(50) ? 1 : 900;
      test::for_each_index(memory.layout().shape, [&](const Dims& index) {
        const double x = spread * static_cast<double>(random.integer(-1000, 1000)) / 1000;
        test::convert_element(type, test::element_at(a, index), ScalarType::f64, &x);
      });
      const std::size_t axis = random.chance(50) ? 0 : 1;
      const Tensor got = weft::logcumsumexp(a, static_cast<std::int64_t>(axis));
      const auto sums = test::naive_lines(
          a, axis, ScalarType::f64, [&](std::size_t n, const void* const* in, void* const* out) {
            for (std::size_t i = 0; i < n; ++i) {
              long double largest = -std::numeric_limits<long double>::infinity(), sum = 0;
              std::vector<double> x(i + 1);
              for (std::size_t k = 0; k <= i; ++k) {
                test::convert_element(ScalarType::f64, &x[k], type, in[k]);
                largest = std::max<long double>(largest, x[k]);
              }
              for (const double value : x)
                sum += std::exp(value - largest);
              test::store(out[i], static_cast<double>(largest + std::log(sum)));
            }
          });
      std::int64_t flat = 0;
      test::for_each_index(memory.layout().shape, [&](const Dims& index) {
        double is = 0;
        test::convert_element(ScalarType::f64, &is, type, test::element_at(got, index));
        const auto wanted = test::load<double>(sums.at(flat++));
        const bool narrow = type == ScalarType::f32;
        // Close to 0 what counts is the largest term, which is about 1.
        const double unit = std::ldexp(std::max(std::fabs(wanted), 1.0), narrow ? -23 : -52);
        tally.check(std::fabs(is - wanted) <= 2 * unit,
                    [&](auto& text) { text << is << " instead of " << wanted; });
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("logcumsumexp: infinities, NaN and other types", "[ops]") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor a = Tensor::of<double>({6}, {-inf, 1, -inf, inf, 5, nan});
  const Tensor out = weft::logcumsumexp(a, 0);
  CHECK(out.at<double>({0}) == -inf);
  CHECK(out.at<double>({1}) == 1);
  CHECK(out.at<double>({2}) == 1);
  CHECK(out.at<double>({3}) == inf);
  CHECK(out.at<double>({4}) == inf);
  CHECK(std::isnan(out.at<double>({5})));
  CHECK(weft::logcumsumexp(Tensor::of<double>({2}, {inf, inf}), 0).at<double>({1}) == inf);
  CHECK(weft::logcumsumexp(Tensor::of<double>({2}, {1000, 1000}), 0).at<double>({1}) ==
        Approx(1000 + std::log(2.0)));
  CHECK(weft::logcumsumexp(Tensor::zeros({2}, ScalarType::i32), 0).dtype() == ScalarType::f32);
  // Into complex numbers, for which it is not defined, it is converted.
  const Tensor parts = Tensor::full({2}, ScalarType::c64, 7);
  weft::logcumsumexp_out(TensorView(parts), Tensor::zeros({2}, ScalarType::f32), 0);
  CHECK(parts.at<std::complex<float>>({1}) == std::complex<float>(std::log(2.0F), 0));
  CHECK(weft::logcumsumexp(Tensor::zeros({2}, ScalarType::bf16), 0).dtype() == ScalarType::bf16);
  CHECK_ERROR(dtype, ("logcumsumexp", "c64"),
              weft::logcumsumexp(Tensor::zeros({2}, ScalarType::c64), 0));
}

TEST_CASE("prefix operations: the same bits for any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : {ScalarType::f32, ScalarType::f16, ScalarType::i64}) {
    for (const Dims& strides : {Dims{4200, 70, 1}, Dims{1, 50, 3000}, Dims{-4200, 70, -1}}) {
      const Memory a = test::random_memory(random, type, test::fit({{50, 60, 70}, strides}));
      for (std::int64_t axis = 0; axis < 3; ++axis) {
        std::vector<Tensor> first;
        test::for_thread_counts([&](int threads) {
          const std::vector<Tensor> now = {
              weft::cumsum(a.view(), axis), weft::cumprod(a.view(), axis),
              weft::cummax(a.view(), axis).values, weft::cummin(a.view(), axis).indices};
          if (threads == 1) first = now;
          for (std::size_t i = 0; i < now.size(); ++i) {
            tally.check(std::memcmp(now[i].data(), first[i].data(),
                                    static_cast<std::size_t>(now[i].nbytes())) == 0,
                        [&](auto& text) {
                          text << "operation " << i << ", axis " << axis << ", " << threads
                               << " threads";
                        });
          }
        });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("cummax: what it refuses, with nothing written", "[ops]") {
  const Tensor a = Tensor::full({2, 3}, ScalarType::f32, 1);
  const Tensor values = Tensor::full({2, 3}, ScalarType::f32, 7);
  const Tensor indices = Tensor::full({2, 3}, ScalarType::i64, 7);
  CHECK_ERROR(dtype, ("cummax", "c64"), weft::cummax(Tensor::zeros({2}, ScalarType::c64), 0));
  CHECK_ERROR(axis, ("cummin", "axis 2"), weft::cummin_out(values, indices, a, 2));
  CHECK_ERROR(shape, ("cummax", "[2, 3]", "[3]"),
              weft::cummax_out(values, indices.select(0, 0), a, 0));
  CHECK_ERROR(shape, ("cummax", "[2, 3]", "[3]"),
              weft::cummax_out(values.select(0, 0), indices, a, 0));
  CHECK_ERROR(cast, ("cummax", "i64", "bool"),
              weft::cummax_out(values, Tensor::zeros({2, 3}, ScalarType::boolean), a, 0));
  CHECK_ERROR(overlap, ("cummax", "output 1", "output 0"),
              weft::cummax_out(TensorView(indices), TensorView(indices),
                               Tensor::zeros({2, 3}, ScalarType::i32), 0));
  CHECK_ERROR(overlap, ("cummin", "output 1", "input 0"),
              weft::cummin_out(values, TensorView(indices), indices, 0));
  CHECK_ERROR(undefined, ("cummax", "input 0"), weft::cummax(TensorView(), 0));
  CHECK(test::difference(values, test::dense_copy(Tensor::full({2, 3}, ScalarType::f32, 7))) == "");
  CHECK(test::difference(indices, test::dense_copy(Tensor::full({2, 3}, ScalarType::i64, 7))) ==
        "");
}
