// SPDX-License-Identifier: Apache-2.0
// Masks: what is written, what is not, and reductions of what is selected.
#include <weft/expr/explain_expr.hpp>
#include <weft/expr/expr.hpp>
#include <weft/expr/map.hpp>
#include <weft/expr/masked.hpp>
#include <weft/expr/where.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/division.hpp>
#include <weft/ops/masked_positions.hpp>
#include <weft/ops/masking.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/unary.hpp>
#include <weft/parallel/parallel.hpp>

#include "expr/copies.hpp"
#include "support/arena.hpp"
#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/naive_reduce.hpp"
#include "support/tally.hpp"
#include "support/threads.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <thread>
#include <vector>

namespace {

using test::copied;
using test::difference;
using test::Dims;
using test::Memory;
using weft::Expr;
using weft::expr;
using weft::masked;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

constexpr ScalarType types[] = {
    ScalarType::f32, ScalarType::f64, ScalarType::f16, ScalarType::i32,  ScalarType::i16,
    ScalarType::u8,  ScalarType::i64, ScalarType::c64, ScalarType::c128, ScalarType::boolean};

/// Dense, of random numbers; a mask of such a density in percent, which may broadcast.
Tensor numbers(test::Random& random, const Dims& shape, ScalarType type) {
  return copied(test::random_memory(random, type, test::random_layout(random, shape)).view());
}
Tensor mask_of(test::Random& random, const Dims& shape, int density) {
  Tensor mask = Tensor::zeros(shape, ScalarType::boolean);
  for (std::int64_t i = 0; i < mask.numel(); ++i)
    static_cast<bool*>(mask.data())[i] = random.chance(density);
  return mask;
}

}  // namespace

TEST_CASE("masks: what is selected is written, and nothing else", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(200); ++round) {
    const ScalarType type =
        random.pick(std::vector<ScalarType>(std::begin(types), std::end(types)));
    const Dims shape = round % 10 == 0   ? Dims{random.integer(1, 3), random.integer(1000, 30000)}
                       : round % 10 == 5 ? Dims{random.integer(2, 300), random.integer(2, 170)}
                                         : test::random_shape(random, 4, 12);
    const Memory a = test::random_memory(random, type, test::random_layout(random, shape));
    const Memory b = test::random_input(random, type, shape);
    const int density = static_cast<int>(random.pick(std::vector<std::int64_t>{0, 1, 50, 99, 100}));
    Tensor mask = mask_of(random, shape, density);
    TensorView seen = mask;
    if (shape.size() == 2 && random.chance(30)) {  // laid out in the other order
      mask = copied(TensorView(mask).transpose(0, 1));
      seen = TensorView(mask).transpose(0, 1);
    } else if (!shape.empty() && random.chance(30)) {  // one row for all
      mask = mask_of(random, {shape.back()}, density);
      seen = mask;
    }
    const Memory out = test::random_output(random, type, shape);
    const test::Watch watch(out);
    const TensorView av = a.view(), bv = b.view();
    const bool truth = type == ScalarType::boolean;
    const Tensor before = truth ? weft::ne(out.view(), false) : copied(out.view());
    const Tensor value = truth ? weft::bitwise_xor(av, bv) : weft::add(av, bv);
    const Tensor want = weft::where(seen, value, before);
    const Expr e = truth ? expr(av) ^ bv : expr(av) + bv;
    const Expr all = masked(e, expr(seen));
    test::for_thread_counts([&](int threads) {
      weft::copy_out(out.view(), before);
      weft::evaluate_out(out.view(), all);
      std::string wrong = difference(out.view(), want);
      if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
      tally.check(wrong.empty(), [&](auto& text) {
        text << all.text() << ", " << density << " %, " << threads << " threads: " << wrong;
      });
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masks: threads with masks that have nothing in common", "[expr]") {
  WEFT_RANDOM(random);
  for (const ScalarType type :
       {ScalarType::u8, ScalarType::i16, ScalarType::f32, ScalarType::f64}) {
    const Dims shape{60000};
    const Tensor mask = mask_of(random, shape, 50), other = weft::logical_not(mask);
    const Tensor one = Tensor::full(shape, type, 1), two = Tensor::full(shape, type, 2);
    const Tensor out = Tensor::zeros(shape, type);
    std::thread thread([&] {
      for (int i = 0; i < 20; ++i)
        weft::evaluate_out(out, masked(expr(one), other));
    });
    for (int i = 0; i < 20; ++i)
      weft::evaluate_out(out, masked(expr(two), mask));
    thread.join();
    CHECK(difference(out, weft::where(mask, two, one)) == "");
  }
}

TEST_CASE("masks: in place, divisions, functions of one's own, and several results", "[expr]") {
  const Tensor a = Tensor::of<float>({5}, {4, -1, 9, -4, 16});
  weft::evaluate_out(a, masked(weft::sqrt(expr(a)), expr(a) > 0));
  CHECK(difference(a, Tensor::of<float>({5}, {2, -1, 3, -4, 4})) == "");
  // Integers that are left out are not divided.
  const Tensor n = Tensor::of<std::int32_t>({4}, {7, 8, 9, 10}),
               d = Tensor::of<std::int32_t>({4}, {2, 0, 3, 0});
  const Tensor q = Tensor::full({4}, ScalarType::i32, -1);
  weft::evaluate_out(q, masked(weft::floor_divide(expr(n), d), expr(d) != 0));
  CHECK(difference(q, Tensor::of<std::int32_t>({4}, {3, -1, 3, -1})) == "");
  // A mask that divides as well, of its own and what the values divide.
  const Tensor two = Tensor::full({4}, ScalarType::i32, 2);
  const Expr halves = weft::floor_divide(expr(n), two);
  weft::evaluate_out(q, masked(weft::floor_divide(expr(n), d) + halves, halves * d > 0));
  CHECK(difference(q, Tensor::of<std::int32_t>({4}, {6, -1, 7, -1})) == "");
  CHECK_ERROR(division, ("divided by 0"),
              weft::evaluate_out(q, masked(weft::floor_divide(expr(n), d), expr(n) > 0)));
  const Tensor h = Tensor::full({5}, ScalarType::f64, 7);
  const Tensor mask = Tensor::of<bool>({5}, {true, false, true, false, false});
  Tensor sum;
  weft::evaluate_out({h, sum}, {masked(weft::map([](float x) { return x * 10; }, expr(a)), mask),
                                weft::sum(masked(expr(a), mask))});
  CHECK(difference(h, Tensor::of<double>({5}, {20, 7, 30, 7, 7})) == "");
  CHECK(*static_cast<const float*>(sum.data()) == 5);
  const auto explained = weft::explain_out(h, masked(expr(a) * 2, mask));
  REQUIRE(explained.passes.size() == 1);
  CHECK(explained.passes[0].run.form == "masked-boxes");
  CHECK(explained.passes[0].bytes_read == 5 * 4 + 5);
}

TEST_CASE("masks: reductions of what is selected", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const auto check = [&](const char* what, const Expr& got, const Tensor& want) {
    const std::string wrong = difference(weft::evaluate(got), want);
    tally.check(wrong.empty(), [&](auto& text) { text << what << ": " << wrong; });
  };
  for (int round = 0; round < test::rounds(60); ++round) {
    const ScalarType type = random.pick(
        std::vector<ScalarType>{ScalarType::f32, ScalarType::f64, ScalarType::i32, ScalarType::u8});
    const Dims shape{random.integer(1, 40), random.integer(1, 400)};
    const Tensor x = numbers(random, shape, type);
    const Tensor mask = mask_of(random, random.chance(30) ? Dims{shape[1]} : shape, 60);
    const Dims axes = random.pick(std::vector<Dims>{{}, {0}, {1}});
    const weft::ReduceOptions options{.keepdim = random.chance(50)};
    const Expr m = masked(expr(x), mask);
    const Tensor zeroed = weft::where(mask, x, 0), oned = weft::where(mask, x, 1);
    check("sum", weft::sum(m, axes, options), weft::sum(zeroed, axes, options));
    check("prod", weft::prod(m, axes, options), weft::prod(oned, axes, options));
    check("any", weft::any(m, axes, options), weft::any(zeroed, axes, options));
    check("all", weft::all(m, axes, options), weft::all(oned, axes, options));
    check("count_nonzero", weft::count_nonzero(m, axes, options),
          weft::count_nonzero(zeroed, axes, options));
    check("amax", weft::amax(masked(expr(x), mask, 3), axes, options),
          weft::maximum(weft::amax(weft::where(mask, x, 3), axes, options), 3));
    check("amin", weft::amin(masked(expr(x), mask, 3), axes, options),
          weft::minimum(weft::amin(weft::where(mask, x, 3), axes, options), 3));
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masks: where the largest and the smallest of the selected are", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const auto check = [&](const char* what, const Expr& got, const Tensor& want) {
    const std::string wrong = difference(weft::evaluate(got), want);
    tally.check(wrong.empty(), [&](auto& text) { text << what << ": " << wrong; });
  };
  for (int round = 0; round < test::rounds(60); ++round) {
    const ScalarType type = random.pick(
        std::vector<ScalarType>{ScalarType::f32, ScalarType::f16, ScalarType::i32, ScalarType::u8});
    const Dims shape{random.integer(1, 40), random.integer(1, 400)};
    const Tensor dense = numbers(random, shape, type);
    const TensorView x = dense, turned = x.transpose(0, 1);
    const Tensor mask = mask_of(random, random.chance(30) ? Dims{shape[1]} : shape, 20);
    const TensorView m = TensorView(mask).expand(shape), turned_mask = m.transpose(0, 1);
    const bool keepdim = random.chance(50);
    const auto axis = random.pick(std::vector<std::optional<std::int64_t>>{std::nullopt, 0, 1});
    check("argmax", weft::argmax(masked(expr(x), mask), axis, keepdim),
          weft::masked_argmax(x, mask, axis, keepdim));
    check("argmin turned", weft::argmin(masked(expr(turned), turned_mask), axis, keepdim),
          weft::masked_argmin(turned, turned_mask, axis, keepdim));
    check("argmin, computed",
          weft::argmin(masked(weft::neg(expr(turned)), expr(turned) > 3), axis, keepdim),
          weft::masked_argmin(weft::neg(turned), weft::gt(turned, 3), axis, keepdim));
  }
  CHECK_TALLY(tally);
  const Expr none = masked(expr(Tensor::full({3}, ScalarType::f32, 1)),
                           Tensor::full({3}, ScalarType::boolean, 0));
  CHECK(weft::evaluate(weft::argmax(none)).at<std::int64_t>({}) == -1);
}

TEST_CASE("masks: means and variances divide by what there is", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(60); ++round) {
    const ScalarType type = random.pick(std::vector<ScalarType>{
        ScalarType::f32, ScalarType::f64, ScalarType::f16, ScalarType::i32, ScalarType::u8});
    const std::int64_t rows = random.integer(1, 20), columns = random.integer(1, 300);
    Tensor x = Tensor::empty({rows, columns}, type);
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      const auto value = static_cast<double>(random.integer(0, 100));
      test::convert_element(type, static_cast<std::byte*>(x.data()) + i * weft::element_size(type),
                            ScalarType::f64, reinterpret_cast<const std::byte*>(&value));
    }
    const Tensor mask = mask_of(random, {rows, columns}, 40);
    const Expr m = masked(expr(x), mask);
    const Tensor mean = weft::evaluate(convert(weft::mean(m, 1), ScalarType::f64));
    const Tensor var = weft::evaluate(convert(weft::var(m, 1), ScalarType::f64));
    const Tensor deviation =
        weft::evaluate(convert(weft::std(m, 1, {.correction = 0}), ScalarType::f64));
    const double tolerance = type == ScalarType::f16   ? 1e-2
                             : type == ScalarType::f64 ? 1e-12
                                                       : 1e-5;
    for (std::int64_t r = 0; r < rows; ++r) {
      const Tensor row = weft::contiguous(
          weft::masked_select(TensorView(x).select(0, r), TensorView(mask).select(0, r)));
      const auto near = [&](const char* what, const Tensor& got, const Tensor& exact) {
        const double a = got.at<double>(r), b = *static_cast<const double*>(exact.data());
        tally.check(
            (std::isnan(a) && std::isnan(b)) || a == b ||
                std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b)),
            [&](auto& text) { text << what << " of " << row.numel() << ": " << a << ", " << b; });
      };
      const weft::ReduceOptions wide{.dtype = {}};
      const Tensor exact = weft::contiguous(row, ScalarType::f64);
      near("mean", mean, weft::mean(exact, {}, wide));
      near("var", var, weft::var(exact, {}, wide));
      near("std", deviation, weft::std(exact, {}, {.correction = 0}));
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masks: means of complex numbers divide their parts", "[expr]") {
  using C = std::complex<double>;
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<C> values{{inf, 2}, {1, 4}, {std::nan(""), 0}, {3, -inf}};
  const std::array<bool, 4> selected{true, true, false, true};
  const TensorView x(values, {4}), mask(selected, {4});
  const auto mean_of = [&](std::int64_t n) {
    const TensorView some = x.slice(0, 0, n), chosen = mask.slice(0, 0, n);
    const Tensor mean = weft::evaluate(weft::mean(masked(expr(some), expr(chosen))));
    return mean.at<C>({});
  };
  CHECK(mean_of(2) == C(inf, 3));
  CHECK(mean_of(4) == C(inf, -inf));
  const TensorView one_number = x.slice(0, 1, 3);
  const Tensor mean = weft::evaluate(weft::nanmean(expr(one_number)));
  CHECK(mean.at<C>({}) == C(1, 4));
}

TEST_CASE("masks: means and variances are added in the type that is asked for", "[expr]") {
  const Tensor yes = Tensor::full({2}, ScalarType::boolean, true);
  const weft::ReduceOptions wide{.dtype = ScalarType::f64};
  const Tensor close = Tensor::of<float>({2}, {16777216, 1}),
               far = Tensor::of<float>({2}, {1e30F, -1e30F});
  CHECK(weft::evaluate(weft::mean(masked(expr(close), yes), {}, wide)).at<double>({}) == 8388608.5);
  CHECK(weft::evaluate(weft::var(masked(expr(far), yes), {}, wide)).at<double>({}) ==
        weft::var(far, {}, wide).at<double>({}));
  using C = std::complex<float>;
  const Tensor large = Tensor::of<C>({2}, {C(3e38F, 3e38F), C(3e38F, 3e38F)});
  CHECK(weft::evaluate(weft::mean(masked(expr(large), yes))).at<C>({}) == C(3e38F, 3e38F));
}

TEST_CASE("masks: reductions of what is not NaN", "[expr]") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                  inf = std::numeric_limits<float>::infinity();
  const Tensor a = Tensor::of<float>({4, 3}, {1, nan, 3, nan, nan, nan, inf, nan, 2, 4, 5, 9});
  const auto check = [&](const Expr& got, std::initializer_list<float> want) {
    CHECK(difference(weft::evaluate(got), Tensor::of<float>({4}, want)) == "");
  };
  check(weft::nanmean(expr(a), 1), {2, nan, inf, 6});
  check(weft::nanvar(expr(a), 1), {2, nan, nan, 7});
  check(weft::nanvar(expr(a), 1, {.correction = 0}), {1, nan, nan, 14.0F / 3});
  check(weft::nanstd(expr(a), 1, {.correction = 0}), {1, nan, nan, std::sqrt(14.0F / 3)});
  check(weft::nanprod(expr(a), 1), {3, 1, inf, 180});
  check(weft::nanmin(expr(a), 1), {1, nan, 2, 4});
  check(weft::nanmax(expr(a), 1), {3, nan, inf, 9});
  const Tensor n = Tensor::of<std::int32_t>({3}, {1, 2, 6});
  CHECK(*static_cast<const float*>(weft::evaluate(weft::nanmean(expr(n))).data()) == 3);
  CHECK(*static_cast<const std::int32_t*>(weft::evaluate(weft::nanmax(expr(n))).data()) == 6);
  const Tensor some = Tensor::of<float>({3}, {1, nan, 4});
  using C = std::complex<float>;
  const weft::ReduceOptions complex{.dtype = ScalarType::c64};
  CHECK(weft::evaluate(weft::nanmean(expr(some), {}, complex)).at<C>({}) == C(2.5F));
  CHECK(weft::evaluate(weft::nanprod(expr(some), {}, complex)).at<C>({}) == C(4));
}

TEST_CASE("masks: reductions of what is not NaN, of tensors", "[expr]") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor a = Tensor::of<float>({2, 3}, {1, nan, 3, nan, 8, 4});
  CHECK(difference(weft::nanmean(a, 1), Tensor::of<float>({2}, {2, 6})) == "");
  CHECK(difference(weft::nanprod(a), Tensor::of<float>({}, {96})) == "");
  const Tensor kept = Tensor::empty({2, 1}, ScalarType::f32);
  weft::nanmax_out(kept, a, 1);  // as other reductions, with the axis or without
  CHECK(difference(kept, Tensor::of<float>({2, 1}, {3, 8})) == "");
  const Tensor wide = Tensor::empty({2}, ScalarType::f64);
  weft::nanvar_out(wide, expr(a) * 2, 1);
  CHECK(difference(wide, Tensor::of<double>({2}, {8, 32})) == "");
  Tensor made;
  weft::nanmin_out(made, a, 0, {.keepdim = true});
  CHECK(difference(made, Tensor::of<float>({1, 3}, {1, 8, 3})) == "");
  const Tensor flat = Tensor::empty({2}, ScalarType::f32);
  weft::nanmean_out(flat, a, 1, {.keepdim = true});
  CHECK(difference(flat, Tensor::of<float>({2}, {2, 6})) == "");
  const Tensor all = Tensor::full({2, 3}, ScalarType::boolean, true);
  weft::amax_out(flat, Tensor::full({2, 3}, ScalarType::f32, 7), weft::Where(all, 0), 1,
                 {.keepdim = true});
  CHECK(flat.at<float>(1) == 7);
  const Tensor wrong = Tensor::zeros({3}, ScalarType::f32);
  CHECK_ERROR(shape, ("nanstd: output 0: expected shape [2] or [2, 1], got [3]"),
              weft::nanstd_out(wrong, a, 1));
  CHECK_ERROR(shape, ("std: output 0: expected shape [2] or [2, 1], got [3]"),
              weft::std_out(wrong, a, weft::Where(all), 1));
}

TEST_CASE("masks: variances of what is far from zero", "[expr]") {
  // The mean is no f32, and further from the next one than the elements from it.
  for (const float offset : {1e7F, -3e5F, 0.0F}) {
    const Tensor a = Tensor::empty({20000}, ScalarType::f32),
                 mask = Tensor::empty({20000}, ScalarType::boolean);
    auto* const x = static_cast<float*>(a.data());
    auto* const selected = static_cast<bool*>(mask.data());
    double sum = 0, count = 0, squares = 0;
    for (int i = 0; i < 20000; ++i) {
      x[i] = offset + (i % 7 < 3 ? 1.0F : 0.0F);
      selected[i] = i % 5 != 2;
      if (!selected[i]) continue;
      sum += static_cast<double>(x[i]);
      ++count;
    }
    for (int i = 0; i < 20000; ++i) {
      const double d = static_cast<double>(x[i]) - sum / count;
      if (selected[i]) squares += d * d;
    }
    const double got = weft::evaluate(weft::var(masked(expr(a), mask))).at<float>({});
    CHECK(got == Approx(squares / (count - 1)).epsilon(1e-5));
  }
  const float large = 3e38F;
  const Tensor far = Tensor::of<float>({2}, {large, -large}),
               all = Tensor::full({2}, ScalarType::boolean, true);
  CHECK(weft::evaluate(weft::var(masked(expr(far), all))).at<float>({}) ==
        std::numeric_limits<float>::infinity());
}

TEST_CASE("masks: deviations of halves whose squares are out of their range", "[expr]") {
  const auto value = [](const Tensor& of) {
    return *static_cast<const double*>(weft::contiguous(of, ScalarType::f64).data());
  };
  for (const ScalarType type : {ScalarType::f16, ScalarType::bf16}) {
    for (const double s : {1000.0, 300.0, 1e-3, 1e-4}) {
      CAPTURE(name(type), s);
      const Tensor a = Tensor::empty({64}, type);
      for (std::int64_t i = 0; i < 64; ++i) {
        const double x = i % 2 == 0 ? s : -s;
        weft::cast_elements(static_cast<char*>(a.data()) + 2 * i, type, 0, &x, ScalarType::f64, 0,
                            1);
      }
      const double got = value(weft::evaluate(weft::nanstd(expr(a))));
      const double want = value(weft::std(a));
      CHECK(std::abs(got - want) <= want / 200);
    }
  }
  const Tensor large = Tensor::of<float>({3}, {3e20F, -3e20F, 0});
  const Expr var = weft::nanvar(expr(large), {}, {.dtype = ScalarType::f64});
  CHECK(std::abs(value(weft::evaluate(var)) / 9e40 - 1) < 1e-6);
}

TEST_CASE("masks: parts that are read often do not divide what is left out", "[expr]") {
  const Tensor a = Tensor::full({64, 8}, ScalarType::i32, 5);
  const Tensor n = Tensor::full({8}, ScalarType::i32, 9);
  const Tensor d = Tensor::of<std::int32_t>({8}, {1, 0, 2, 0, 3, 0, 4, 0});
  const Tensor out = Tensor::full({64, 8}, ScalarType::i32, -1);
  evaluate_out(out, masked(expr(a) + floor_divide(expr(n), expr(d)), weft::ne(d, 0)));
  CHECK(out.at<std::int32_t>(63, 2) == 9);
  CHECK(out.at<std::int32_t>(63, 3) == -1);
  // Not left out: then it is an error.
  CHECK_ERROR(division, ("divided by 0"),
              evaluate_out(out, masked(expr(a) + floor_divide(expr(n), expr(d)), weft::ge(d, 0))));
}

TEST_CASE("masks: reductions divide no integer that is left out", "[expr]") {
  const Tensor n = Tensor::of<std::int32_t>({3}, {7, 8, 9}),
               d = Tensor::of<std::int32_t>({3}, {1, 0, 2});
  const Tensor m = Tensor::of<bool>({3}, {true, false, true});
  const Tensor all = Tensor::of<bool>({3}, {true, true, true});
  const auto quotients = [&](const Tensor& mask, std::optional<weft::Scalar> initial = {}) {
    return weft::masked(weft::floor_divide(expr(n), d), expr(mask), initial);
  };
  CHECK(evaluate(weft::sum(quotients(m))).at<std::int64_t>({}) == 11);
  CHECK(evaluate(weft::prod(quotients(m))).at<std::int64_t>({}) == 28);
  CHECK(evaluate(weft::mean(quotients(m))).at<float>({}) == 5.5F);
  CHECK(evaluate(weft::var(quotients(m))).at<float>({}) == 4.5F);
  CHECK(evaluate(weft::amax(quotients(m, -9))).at<std::int32_t>({}) == 7);
  CHECK(evaluate(weft::argmin(quotients(m))).at<std::int64_t>({}) == 2);
  CHECK(evaluate(weft::count_nonzero(quotients(m))).at<std::int64_t>({}) == 2);
  CHECK_ERROR(division, ("divided by 0"), evaluate(weft::sum(quotients(all))));
  // Below other functions, twice, and with a divisor that counts for less in promotion.
  const Tensor few = Tensor::of<std::int8_t>({3}, {5, 6, 7}),
               zero = Tensor::of<std::int32_t>({}, {0});
  const Tensor nothing = Tensor::of<bool>({3}, {false, false, false});
  const weft::Expr q = weft::floor_divide(expr(n), d);
  CHECK(evaluate(weft::sum(weft::masked(q * q + weft::abs(q), expr(m)))).at<std::int64_t>({}) ==
        76);
  const weft::Expr by_zero = weft::floor_divide(expr(few), expr(zero));
  CHECK(evaluate(weft::amax(weft::masked(by_zero, expr(nothing), 3))).dtype() == ScalarType::i8);
  CHECK_ERROR(division, ("divided by 0"), evaluate(weft::sum(weft::masked(by_zero, expr(m)))));
  // With fewer axes than what it is a part of.
  const Tensor rows = Tensor::zeros({2, 3}, ScalarType::i32);
  CHECK(evaluate(weft::sum(weft::masked(expr(rows) + q, expr(m)))).at<std::int64_t>({}) == 22);
}

TEST_CASE("masks: means, variances and extremes of numbers, in any layout", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  struct Sums {
    double sum = 0, squares = 0, count = 0, least = std::nan(""), most = std::nan("");
  };
  for (int round = 0; round < test::rounds(120); ++round) {
    const ScalarType type =
        random.pick(std::vector<ScalarType>{ScalarType::f32, ScalarType::f64, ScalarType::f16});
    const Dims shape{random.integer(1, round % 8 == 0 ? 700 : 30),
                     random.integer(1, round % 8 == 4 ? 1500 : 90)};
    const Memory memory = test::random_memory(random, type, test::random_layout(random, shape));
    const TensorView a = memory.view();
    const int nans = static_cast<int>(random.pick(std::vector<std::int64_t>{0, 5, 60, 99, 100}));
    const bool infinities = random.chance(20);
    test::for_each_index(shape, [&](const Dims& index) {
      double x = static_cast<double>(random.integer(-50, 50)) / 4;
      if (infinities && random.chance(5)) x = random.chance(50) ? inf : -inf;
      if (random.chance(nans)) x = nan;
      test::convert_element(type, test::element_at(a, index), ScalarType::f64, &x);
    });
    const Dims axes = random.pick(std::vector<Dims>{{}, {0}, {1}});
    const unsigned mask = axes.empty() ? 3U : 1U << axes[0];
    const Dims reduced = test::reduced_shape(shape, mask);
    const auto value = [&](const void* element) {
      double x = 0;
      test::convert_element(ScalarType::f64, &x, type, element);
      return x;
    };
    auto sums = test::naive_reduce<Sums>(shape, reduced, {a}, {},
                                         [&](Sums& s, const void* const* e, std::int64_t) {
                                           const double x = value(e[0]);
                                           if (std::isnan(x)) return;
                                           s.sum += x;
                                           s.count += 1;
                                           s.least = std::fmin(s.least, x);
                                           s.most = std::fmax(s.most, x);
                                         });
    test::for_each_index(shape, [&](const Dims& index) {
      const double x = value(test::element_at(a, index));
      Sums& s = sums[test::flat_index(reduced, index)];
      const double d = x - s.sum / s.count;
      if (!std::isnan(x)) s.squares += d * d;
    });
    const weft::ReduceOptions keep{.keepdim = true}, all{.keepdim = true, .correction = 0};
    const Expr x = expr(a);
    const auto check = [&](const char* what, const Expr& e, double tolerance, auto&& wanted) {
      const Tensor got = weft::evaluate(weft::convert(e, ScalarType::f64));
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const double is = static_cast<const double*>(got.data())[i], want = wanted(sums[i]);
        const bool right = is == want || (std::isnan(is) && std::isnan(want)) ||
                           std::fabs(is - want) <= tolerance * std::max(1.0, std::fabs(want));
        tally.check(right, [&](auto& text) {
          test::describe(text << what << " of ", a) << ": " << is << " instead of " << want;
        });
      }
    };
    const double narrow = type == ScalarType::f16 ? 2e-3 : type == ScalarType::f32 ? 2e-6 : 1e-13;
    check("nanmin", weft::nanmin(x, axes, keep), 0, [](const Sums& s) { return s.least; });
    check("nanmax", weft::nanmax(x, axes, keep), 0, [](const Sums& s) { return s.most; });
    check("nanmean", weft::nanmean(x, axes, keep), narrow,
          [](const Sums& s) { return s.sum / s.count; });
    check("nanvar", weft::nanvar(x, axes, keep), 4 * narrow,
          [](const Sums& s) { return s.squares / std::max(s.count - 1, 0.0); });
    check("nanstd", weft::nanstd(x, axes, all), 4 * narrow,
          [](const Sums& s) { return std::sqrt(s.squares / s.count); });
    check("nanmin, computed", weft::nanmin(weft::neg(x), axes, keep), 0,
          [](const Sums& s) { return -s.most; });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masks: reductions of numbers are the same for any number of threads", "[expr]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const Memory a = test::random_memory(random, ScalarType::f32, test::fit({{501, 907}, {1, 501}}),
                                       test::Values::any);
  const TensorView view = a.view();
  for (const Dims& axes : {Dims{}, Dims{0}, Dims{1}}) {
    std::vector<Tensor> first;
    test::for_thread_counts([&](int threads) {
      const Expr x = expr(view);
      const std::vector<Tensor> now = {
          weft::evaluate(weft::nanmean(x, axes)), weft::evaluate(weft::nanmin(x, axes)),
          weft::evaluate(weft::nanmax(x, axes)), weft::evaluate(weft::nanvar(x, axes))};
      if (threads == 1) first = now;
      for (std::size_t i = 0; i < now.size(); ++i) {
        tally.check(difference(now[i], first[i]) == "",
                    [&](auto& text) { text << i << ", " << threads << " threads"; });
      }
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masks: the extreme of nothing is the initial number", "[expr]") {
  for (const ScalarType type : {ScalarType::f32, ScalarType::f16, ScalarType::i16}) {
    const Tensor a = Tensor::zeros({2, 0, 3}, type),
                 mask = Tensor::zeros({2, 0, 3}, ScalarType::boolean);
    const Tensor most = weft::amax(weft::masked(expr(a), expr(mask), 5), 1),
                 least =
                     weft::amin(weft::masked(expr(a), expr(mask), -7), {0, 1}, {.keepdim = true});
    CHECK(most.dtype() == type);
    const Tensor wide =
        weft::amax(weft::masked(expr(a), expr(mask), 5), 1, {.dtype = ScalarType::f64});
    CHECK(wide.dtype() == ScalarType::f64);
    CHECK(wide.at<double>({1, 2}) == 5);
    CHECK(test::difference(most, test::dense_copy(Tensor::full({2, 3}, type, 5))) == "");
    CHECK(test::difference(least, test::dense_copy(Tensor::full({1, 1, 3}, type, -7))) == "");
  }
  const Tensor none = Tensor::zeros({0, 2}, ScalarType::i32),
               no_mask = Tensor::zeros({0, 2}, ScalarType::boolean);
  CHECK_ERROR(cast, ("amax", "initial"),
              weft::amax(weft::masked(expr(none), expr(no_mask), 1.5), 0));
  CHECK_ERROR(axis, ("amax: axis 2"), weft::amax(weft::masked(expr(none), expr(no_mask), 1), 2));
}

TEST_CASE("masks: bools of which some are left out", "[expr]") {
  const Tensor a = Tensor::of<bool>({2}, {false, true}),
               mask = Tensor::of<bool>({2}, {true, false});
  CHECK(evaluate(weft::logsumexp(masked(expr(a), mask))).at<float>({}) == 0);
  const Tensor nothing = Tensor::zeros({2}, ScalarType::boolean);
  CHECK(evaluate(weft::logsumexp(masked(expr(a), nothing))).at<float>({}) ==
        -std::numeric_limits<float>::infinity());
}

TEST_CASE("masks: sums and products with an initial number are rounded once", "[expr]") {
  const Tensor all = Tensor::full({2}, ScalarType::boolean, true);
  const Tensor a = Tensor::empty({2}, ScalarType::bf16);
  weft::copy_out(a, Tensor::of<float>({2}, {2, 0.8515625f}));
  const Tensor sum = weft::sum(masked(expr(a), all, -2.5));
  CHECK(sum.dtype() == ScalarType::bf16);
  CHECK(static_cast<float>(sum.at<weft::bfloat16>({})) == 0.3515625f);
  const Tensor small = Tensor::full({2}, ScalarType::f16, 0.0001);
  const Tensor product = weft::prod(masked(expr(small), all, 10'000));
  CHECK(static_cast<float>(product.at<weft::float16>({})) > 0.00009f);
  // Beyond f32 before the initial number comes.
  const Tensor large = Tensor::of<float>({2}, {1e30F, 1e30F});
  CHECK(evaluate(weft::prod(masked(expr(large), all, 1e-30))).at<float>({}) ==
        Approx(1e30).epsilon(1e-6));
  CHECK(evaluate(weft::prod(masked(expr(large), all, 0))).at<float>({}) == 0);
  // Into a complex result, real numbers are multiplied as such.
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor infinite = Tensor::of<float>({2}, {inf, -3});
  const Tensor complex =
      evaluate(weft::prod(masked(expr(infinite), all, 2.0), {}, {.dtype = ScalarType::c64}));
  CHECK(complex.at<std::complex<float>>({}) == std::complex<float>(-inf, 0));
}

TEST_CASE("masks: what is wrong is refused, and nothing written", "[expr]") {
  CHECK_ERROR(shape, ("nanmin", "extent 0"),
              weft::nanmin(expr(Tensor::zeros({0, 2}, ScalarType::f32)), 0));
  CHECK_ERROR(axis, ("nanmean", "axis 2"),
              weft::nanmean(expr(Tensor::zeros({3, 2}, ScalarType::f32)), 2));
  const Tensor a = Tensor::full({3, 4}, ScalarType::f32, 1);
  const Tensor mask = Tensor::full({3, 4}, ScalarType::boolean, true);
  Tensor none;
  CHECK_ERROR(dtype, ("masked(f32[3, 4], f32[3, 4])", "expected bool, got f32"),
              masked(expr(a), a));
  CHECK_ERROR(shape, ("the mask", "broadcasts to [3, 4]", "[2, 3, 4]"),
              masked(expr(a), Tensor::full({2, 3, 4}, ScalarType::boolean, true)));
  CHECK_ERROR(shape, ("[3, 4]", "[5]"),
              masked(expr(a), Tensor::full({5}, ScalarType::boolean, true)));
  CHECK_ERROR(invalid_argument, ("masked(f32[3, 4], bool[3, 4])", "stays as it is"),
              weft::evaluate_out(none, masked(expr(a), mask)));
  CHECK_ERROR(invalid_argument, ("masked", "function"), masked(expr(a), mask) + 1);
  CHECK_ERROR(invalid_argument, ("amax", "initial"), weft::amax(masked(expr(a), mask)));
  CHECK_ERROR(invalid_argument, ("mean", "initial"), weft::mean(masked(expr(a), mask, 1)));
  CHECK_ERROR(cast, ("amax", "i32"),
              weft::amax(masked(expr(Tensor::full({2}, ScalarType::i32, 1)),
                                Tensor::full({2}, ScalarType::boolean, true), 0.5)));
  CHECK_ERROR(cast, ("sum", "i64"),
              weft::sum(masked(expr(Tensor::full({2}, ScalarType::i32, 1)),
                               Tensor::full({2}, ScalarType::boolean, true), 0.5)));
  CHECK_ERROR(invalid_argument, ("argmax", "initial"), weft::argmax(masked(expr(a), mask, 1)));
  CHECK_ERROR(invalid_argument, ("aminmax"), weft::aminmax(masked(expr(a), mask)));
  // Its elements lie in the output in another way.
  const Tensor bytes = Tensor::full({8}, ScalarType::boolean, true);
  CHECK_ERROR(
      overlap, ("output 0"),
      weft::evaluate_out(bytes.slice(0, 0, 6), masked(expr(Tensor::zeros({6}, ScalarType::boolean)),
                                                      expr(bytes).slice(0, 2, 8))));
  CHECK(bytes.at<bool>(0));
}
