// SPDX-License-Identifier: Apache-2.0
// Prefix operations and softmax of what a mask selects, and of what is not NaN.
#include <weft/core/promotion.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/masked_lines.hpp>
#include <weft/ops/softmax.hpp>
#include <weft/ops/unary.hpp>

#include "ops/masked_elements.hpp"
#include "support/errors.hpp"
#include "support/naive_cumulative.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <thread>

namespace {

using test::AnyElement;
using test::Dense;
using test::Dims;
using test::Memory;
using test::Total;
using test::Values;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// Mostly small, sometimes with more lines than one group has, or longer ones than one block.
Dims random_extents(test::Random& random, int round) {
  Dims shape = test::random_shape(random, 4, round % 8 == 0 ? 12 : 5);
  if (!shape.empty() && random.chance(15)) shape.back() = random.integer(60, 900);
  if (!shape.empty() && random.chance(15)) shape.front() = random.integer(60, 300);
  if (round == 1) return random.chance(50) ? Dims{3, 5100} : Dims{5100, 3};
  return test::product(shape) > 20'000 ? Dims{7, 600} : shape;
}

struct Case {
  test::Random& random;
  test::Tally& tally;
  const TensorView& a;
  const TensorView& mask;
  std::int64_t axis;

  void check(const std::string& wrong, const char* what) const {
    tally.check(wrong.empty(), [&](auto& text) {
      test::describe(test::describe(text << what << ' ', a) << " under ", mask)
          << " along " << axis << ": " << wrong;
    });
  }
  /// Runs `call` into memory of its own, with gaps, that holds anything.
  template <class Call>
  void check_out(const Dense& expected, const char* what, Call&& call,
                 test::Tolerance tolerance = {}) const {
    const Memory out = test::random_output(random, expected.type, expected.shape);
    const Dense before = test::dense_copy(out.view());
    const test::Watch watch(out);
    call(out.view());
    check(test::difference(out.view(), test::merged(expected, before, mask), tolerance), what);
    check(watch.gaps_untouched() ? "" : "wrote between elements", what);
  }
  /// That these are logarithms of shares, and -infinity where the mask is false.
  void check_logs(const Tensor& got, const Dense& shares) const {
    const double unit = std::ldexp(1.0, shares.type == ScalarType::f64   ? -49
                                        : shares.type == ScalarType::f32 ? -20
                                        : shares.type == ScalarType::f16 ? -9
                                                                         : -6);
    std::int64_t flat = 0;
    test::for_each_index(shares.shape, [&](const Dims& index) {
      double is = 0, share = 0;
      test::convert_element(ScalarType::f64, &is, got.dtype(), test::element_at(got, index));
      test::convert_element(ScalarType::f64, &share, shares.type, shares.at(flat++));
      const bool left_out = !test::selects(mask, index);
      const bool right = left_out            ? is == -std::numeric_limits<double>::infinity()
                         : std::isnan(share) ? std::isnan(is)
                                             : std::fabs(std::exp(is) - share) <= unit;
      check(right ? "" : "another logarithm", "log_softmax");
    });
  }
  /// What a function returns: `nothing` where the mask is false.
  void check_new(const Tensor& got, const Dense& expected, double nothing, const char* what,
                 test::Tolerance tolerance = {}) const {
    Dense rest(expected.type, expected.shape);
    for (std::int64_t i = 0; i < test::product(expected.shape); ++i)
      test::convert_element(expected.type, rest.at(i), ScalarType::f64, &nothing);
    check(test::difference(got, test::merged(expected, rest, mask), tolerance), what);
  }
};

/// f(case) for random elements, masks and axes.
template <class F>
void for_random_cases(test::Random& random, test::Tally& tally, ScalarType type, int rounds,
                      F&& f) {
  for (int round = 0; round < test::rounds(rounds); ++round) {
    const Dims shape = random_extents(random, round);
    const int density = static_cast<int>(random.pick(std::vector<std::int64_t>{0, 5, 50, 95, 100}));
    for (std::size_t axis = 0; axis < std::max<std::size_t>(shape.size(), 1); ++axis) {
      const Values values = random.chance(50) ? Values::any : Values::small;
      const Memory memory =
          test::random_memory(random, type, test::random_layout(random, shape), values);
      const Memory mask = test::random_mask(random, shape, density);
      const TensorView a = memory.view(), m = mask.view();
      const auto along =
          static_cast<std::int64_t>(axis) -
          (random.chance(50) && !shape.empty() ? static_cast<std::int64_t>(shape.size()) : 0);
      f(Case{random, tally, a, m, along}, axis);
    }
  }
}

AnyElement number_of(ScalarType type, double x) {
  AnyElement number{};
  test::convert_element(type, number.bytes, ScalarType::f64, &x);
  return number;
}

Tensor mask_of(test::Random& random, const Dims& shape, int density) {
  Tensor mask = Tensor::zeros(shape, ScalarType::boolean);
  for (std::int64_t i = 0; i < mask.numel(); ++i)
    static_cast<bool*>(mask.data())[i] = random.chance(density);
  return mask;
}

}  // namespace

TEST_CASE("masked lines: sums and products of all types, into all types", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for_random_cases(random, tally, type, 14, [&](const Case& c, std::size_t axis) {
      const ScalarType result = test::kind_of(type) < 2 ? ScalarType::i64 : type;
      const Tensor zeros = test::filled(c.a, c.mask, number_of(type, 0));
      const Tensor ones = test::filled(c.a, c.mask, number_of(type, 1));
      c.check_new(weft::masked_cumsum(c.a, c.mask, c.axis),
                  test::naive_totals(Total::sum, zeros, axis, result), 0, "cumsum");
      c.check_new(weft::masked_cumprod(c.a, c.mask, c.axis),
                  test::naive_totals(Total::product, ones, axis, result), 0, "cumprod");
      const ScalarType other = random.pick(test::all_types());
      if (!weft::can_cast(result, other)) return;
      const Dense sums = test::naive_totals(Total::sum, zeros, axis, other);
      c.check_new(weft::masked_cumsum(c.a, c.mask, c.axis, other), sums, 0, "cumsum");
      c.check_out(sums, "cumsum", [&](const TensorView& out) {
        weft::masked_cumsum_out(out, c.a, c.mask, c.axis);
      });
      c.check_out(
          test::naive_totals(Total::product, ones, axis, other), "cumprod",
          [&](const TensorView& out) { weft::masked_cumprod_out(out, c.a, c.mask, c.axis); });
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masked lines: extremes so far of all real types, and where they are", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (weft::is_complex(type)) continue;
    for_random_cases(random, tally, type, 20, [&](const Case& c, std::size_t axis) {
      const bool least = random.chance(50);
      const Tensor ends = test::filled(c.a, c.mask, test::end_of(type, least));
      const Dense extremes = test::naive_extremes(ends, axis, least, false, type);
      const Dense places = test::naive_extremes(ends, axis, least, true, ScalarType::i64);
      const auto got = least ? weft::masked_cummin(c.a, c.mask, c.axis)
                             : weft::masked_cummax(c.a, c.mask, c.axis);
      c.check_new(got.values, extremes, 0, "values");
      c.check_new(got.indices, places, -1, "indices");
      c.check_out(extremes, "values alone", [&](const TensorView& out) {
        least ? weft::masked_cummin_out(out, c.a, c.mask, c.axis)
              : weft::masked_cummax_out(out, c.a, c.mask, c.axis);
      });
      const Tensor in_place = Tensor::copy_of(c.a);
      const Dense before = test::dense_copy(in_place);
      c.check_out(places, "indices of elements in place", [&](const TensorView& out) {
        const TensorView both = in_place;
        least ? weft::masked_cummin_out(both, out, in_place, c.mask, c.axis)
              : weft::masked_cummax_out(both, out, in_place, c.mask, c.axis);
      });
      c.check(test::difference(in_place, test::merged(extremes, before, c.mask)), "in place");
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masked lines: softmax and logcumsumexp have no share of what is left out", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64, ScalarType::f16, ScalarType::bf16,
                                ScalarType::i32, ScalarType::boolean}) {
    for_random_cases(random, tally, type, 12, [&](const Case& c, std::size_t) {
      const ScalarType result = weft::is_floating(type) ? type : ScalarType::f32;
      // The last bits depend on how lines are worked on.
      const test::Tolerance few{4, type == ScalarType::f64 ? type : ScalarType::f32};
      const Tensor ends =
          test::filled(weft::contiguous(c.a, result), c.mask, number_of(result, -infinity));
      const int rank = c.a.rank(), along = static_cast<int>(rank == 0 ? 0 : (c.axis + rank) % rank);
      const auto dense_lines = [&](auto&& f) {
        if (rank == 0) return test::dense_copy(f(TensorView(ends), 0));
        const Tensor turned = Tensor::copy_of(TensorView(ends).transpose(along, rank - 1));
        const Tensor values = f(TensorView(turned), rank - 1);
        return test::dense_copy(TensorView(values).transpose(along, rank - 1));
      };
      const Dense shares =
          dense_lines([](const TensorView& a, int i) { return weft::softmax(a, i); });
      const Dense totals =
          dense_lines([](const TensorView& a, int i) { return weft::logcumsumexp(a, i); });
      c.check_new(weft::masked_softmax(c.a, c.mask, c.axis), shares, 0, "softmax", few);
      c.check_logs(weft::masked_log_softmax(c.a, c.mask, c.axis), shares);
      c.check_new(weft::masked_logcumsumexp(c.a, c.mask, c.axis), totals, 0, "logcumsumexp");
      c.check_out(
          shares, "softmax",
          [&](const TensorView& out) { weft::masked_softmax_out(out, c.a, c.mask, c.axis); }, few);
      if (type != result) return;
      const Tensor in_place = Tensor::copy_of(c.a);
      const Dense before = test::dense_copy(in_place);
      weft::masked_softmax_out(TensorView(in_place), in_place, c.mask, c.axis);
      c.check(test::difference(in_place, test::merged(shares, before, c.mask), few), "in place");
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masked lines: shares add up to 1 among the selected", "[ops]") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const Tensor a = Tensor::of<double>({2, 4}, {1, inf, 1, nan, 5, 6, 7, 8});
  const Tensor mask =
      Tensor::of<bool>({2, 4}, {true, false, true, false, false, false, false, false});
  const Tensor shares = weft::masked_softmax(a, mask, 1);
  CHECK(test::difference(shares, test::dense_copy(Tensor::of<double>(
                                     {2, 4}, {0.5, 0, 0.5, 0, 0, 0, 0, 0}))) == "");
  const Tensor logs = weft::masked_log_softmax(a, mask, 1);
  CHECK(logs.at<double>({0, 0}) == std::log(0.5));
  CHECK(logs.at<double>({0, 1}) == -inf);
  CHECK(logs.at<double>({1, 0}) == -inf);
}

TEST_CASE("masked lines: NaN counts as 0 in nancumsum", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for_random_cases(random, tally, type, 14, [&](const Case& c, std::size_t axis) {
      Tensor given = Tensor::copy_of(c.a);
      if (test::kind_of(type) >= 2)
        given = test::filled(c.a, c.mask, number_of(type, std::nan("")));
      const Tensor is = weft::isnan(given);
      const Tensor numbers = test::filled(given, weft::logical_not(is), number_of(type, 0));
      const ScalarType result = test::kind_of(type) < 2 ? ScalarType::i64 : type;
      c.check(test::difference(weft::nancumsum(given, c.axis),
                               test::naive_totals(Total::sum, numbers, axis, result)),
              "nancumsum");
      const ScalarType other = random.pick(test::all_types());
      if (!weft::can_cast(result, other)) return;
      const Dense sums = test::naive_totals(Total::sum, numbers, axis, other);
      c.check(test::difference(weft::nancumsum(given, c.axis, other), sums), "nancumsum");
      const Memory out = test::random_output(random, other, test::dims(c.a.shape()));
      weft::nancumsum_out(out.view(), given, c.axis);
      c.check(test::difference(out.view(), sums), "nancumsum into");
      if (other != type) return;
      weft::nancumsum_out(TensorView(given), given, c.axis);
      c.check(test::difference(given, sums), "nancumsum in place");
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masked lines: the same bits for any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : {ScalarType::f32, ScalarType::f16}) {
    for (const Dims& strides : {Dims{4200, 70, 1}, Dims{1, 50, 3000}, Dims{-4200, 70, -1}}) {
      const Memory a =
          test::random_memory(random, type, test::fit({{50, 60, 70}, strides}), Values::small);
      const Memory mask = test::random_mask(random, {50, 60, 70}, 50);
      for (std::int64_t axis = 0; axis < 3; ++axis) {
        std::vector<Tensor> first;
        test::for_thread_counts([&](int threads) {
          const TensorView v = a.view(), m = mask.view();
          const std::vector<Tensor> now = {
              weft::masked_cumsum(v, m, axis),         weft::masked_cumprod(v, m, axis),
              weft::masked_logcumsumexp(v, m, axis),   weft::masked_cummax(v, m, axis).values,
              weft::masked_cummin(v, m, axis).indices, weft::masked_softmax(v, m, axis),
              weft::masked_log_softmax(v, m, axis),    weft::nancumsum(v, axis)};
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

TEST_CASE("masked lines: threads with masks that have nothing in common", "[ops]") {
  WEFT_RANDOM(random);
  const Dims shape{40, 500};
  for (const ScalarType type : {ScalarType::u8, ScalarType::f16, ScalarType::f32}) {
    const Tensor a = Tensor::full(shape, type, 1), mask = mask_of(random, shape, 50);
    const Tensor other = weft::logical_not(mask), out = Tensor::zeros(shape, type);
    const TensorView to = out;
    std::thread thread([&] {
      for (int i = 0; i < 20; ++i)
        weft::masked_cummax_out(to, a, other, 1);
    });
    for (int i = 0; i < 20; ++i)
      weft::masked_cummin_out(to, a, mask, 0);
    thread.join();
    CHECK(test::difference(out, test::dense_copy(a)) == "");
  }
}

TEST_CASE("masked lines: what they refuse, with nothing written", "[ops]") {
  const Tensor a = Tensor::full({2, 3}, ScalarType::f32, 1);
  const Tensor mask = Tensor::full({2, 3}, ScalarType::boolean, 1);
  const Tensor kept = Tensor::full({2, 3}, ScalarType::f32, 7);
  const Tensor indices = Tensor::full({2, 3}, ScalarType::i64, 7);
  const TensorView out = kept, places = indices;
  Tensor none, row = Tensor::full({3}, ScalarType::f32, 7);
  CHECK_ERROR(axis, ("masked_cumsum", "axis 2"), weft::masked_cumsum_out(out, a, mask, 2));
  CHECK_ERROR(dtype, ("masked_cumsum", "the mask", "expected bool, got f32"),
              weft::masked_cumsum_out(out, a, a, 0));
  CHECK_ERROR(shape, ("masked_softmax", "the mask", "[2, 3]", "[2]"),
              weft::masked_softmax_out(out, a, mask.select(1, 0), 0));
  CHECK_ERROR(shape, ("masked_cumsum", "the mask", "[3]", "[2, 3]"),
              weft::masked_cumsum(a.select(0, 0), mask, 0));
  CHECK_ERROR(invalid_argument, ("masked_cumsum", "output 0", "[2, 3]", "undefined"),
              weft::masked_cumsum_out(none, a, mask, 0));
  CHECK_ERROR(invalid_argument, ("masked_log_softmax", "output 0", "[2, 3]", "[3]"),
              weft::masked_log_softmax_out(row, a, mask, 0));
  CHECK_ERROR(invalid_argument, ("masked_cummax", "output 1", "undefined"),
              weft::masked_cummax_out(out, none, a, mask, 0));
  CHECK_ERROR(shape, ("masked_cumsum", "output 0", "[2, 3]", "[3]"),
              weft::masked_cumsum_out(out.select(0, 0), a, mask, 0));
  CHECK_ERROR(undefined, ("masked_cumsum", "output 0"),
              weft::masked_cumsum_out(TensorView(), a, mask, 0));
  CHECK_ERROR(undefined, ("masked_cumsum", "input 0"), weft::masked_cumsum(TensorView(), mask, 0));
  CHECK_ERROR(undefined, ("masked_softmax", "the mask"), weft::masked_softmax(a, TensorView(), 0));
  CHECK_ERROR(dtype, ("masked_cummin", "c64"),
              weft::masked_cummin(Tensor::zeros({2}, ScalarType::c64), mask.select(1, 0), 0));
  CHECK_ERROR(dtype, ("masked_softmax", "c64"),
              weft::masked_softmax(Tensor::zeros({2}, ScalarType::c64), mask.select(1, 0), 0));
  CHECK_ERROR(cast, ("masked_cumsum", "f32", "i64"), weft::masked_cumsum_out(places, a, mask, 0));
  const Tensor square = Tensor::full({3, 3}, ScalarType::f32, 7);
  const TensorView turned = TensorView(square).transpose(0, 1);
  const Tensor all = Tensor::full({3, 3}, ScalarType::boolean, 1);
  CHECK_ERROR(overlap, ("masked_cumsum"), weft::masked_cumsum_out(turned, square, all, 0));
  CHECK_ERROR(overlap, ("masked_cummax"),
              weft::masked_cummax_out(TensorView(all).transpose(0, 1), all, all, 0));
  CHECK_ERROR(
      overlap, ("masked_cummax", "output 1", "output 0"),
      weft::masked_cummax_out(places, places, Tensor::zeros({2, 3}, ScalarType::i32), mask, 0));
  CHECK_ERROR(overlap, ("masked_cummin", "output 1", "input 0"),
              weft::masked_cummin_out(out, places, indices, mask, 0));
  CHECK_ERROR(axis, ("nancumsum", "axis 2"), weft::nancumsum(a, 2));
  CHECK_ERROR(undefined, ("nancumsum", "input 0"), weft::nancumsum(TensorView(), 0));
  CHECK(test::difference(kept, test::dense_copy(Tensor::full({2, 3}, ScalarType::f32, 7))) == "");
  CHECK(test::difference(row, test::dense_copy(Tensor::full({3}, ScalarType::f32, 7))) == "");
  CHECK(test::difference(indices, test::dense_copy(Tensor::full({2, 3}, ScalarType::i64, 7))) ==
        "");
}
