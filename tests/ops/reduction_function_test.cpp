// SPDX-License-Identifier: Apache-2.0
// Every reduction against the plainest of loops: random layouts, all element types, every set of
// axes.
#include <weft/ops/copy.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/unary.hpp>

#include "support/errors.hpp"
#include "support/naive_reduce.hpp"
#include "support/reduction_list.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>

namespace {

using test::Dims;
using test::Memory;
using weft::ReduceOptions;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

using Complex = std::complex<long double>;
using Elements = std::vector<Complex>;

constexpr long double infinity = std::numeric_limits<long double>::infinity();

Complex sum_of(const Elements& x) {
  Complex sum = 0;
  for (const Complex& v : x)
    sum += v;
  return sum;
}
Complex mean_of(const Elements& x) { return sum_of(x) / static_cast<long double>(x.size()); }
Complex variance_of(const Elements& x, long double correction) {
  long double sum = 0;
  for (const Complex& v : x)
    sum += std::norm(v - mean_of(x));
  return sum / std::max(static_cast<long double>(x.size()) - correction, 0.0L);
}
Complex norm_of(const Elements& x, double p) {
  long double result = p == -infinity ? infinity : 0;
  for (const Complex& v : x) {
    const long double size = std::abs(v);
    if (p == infinity)
      result = std::max(result, size);
    else if (p == -infinity)
      result = std::min(result, size);
    else if (p == 0)
      result += size != 0 ? 1 : 0;
    else
      result += std::pow(size, static_cast<long double>(p));
  }
  return p == 0 || std::isinf(p) ? result : std::pow(result, 1.0L / p);
}
Complex extreme_of(const Elements& x, bool largest) {
  Complex best = x.front();
  for (const Complex& v : x)
    if (largest ? v.real() > best.real() : v.real() < best.real()) best = v;
  return best;
}
Complex place_of(const Elements& x, bool largest) {
  const Complex best = extreme_of(x, largest);
  return static_cast<long double>(std::find(x.begin(), x.end(), best) - x.begin());
}
Complex count_of(const Elements& x) {
  long double count = 0;
  for (const Complex& v : x)
    count += v != Complex(0) ? 1 : 0;
  return count;
}
Complex product_of(const Elements& x) {
  Complex product = 1;
  for (const Complex& v : x)
    product *= v;
  return product;
}
Complex log_sum_exp(const Elements& x) {
  long double sum = 0;
  for (const Complex& v : x)
    sum += std::exp(v.real());
  return std::log(sum);
}

/// What a reduction of the table should give, `second` of two results.
Complex expected(weft::Reduction op, const Elements& x, bool second) {
  using weft::Reduction;
  switch (op) {
    case Reduction::sum:
    case Reduction::nansum: return sum_of(x);
    case Reduction::mean: return mean_of(x);
    case Reduction::prod: return product_of(x);
    case Reduction::var: return variance_of(x, 1);
    case Reduction::std: return std::sqrt(variance_of(x, 1));
    case Reduction::logsumexp: return log_sum_exp(x);
    case Reduction::amax: return extreme_of(x, true);
    case Reduction::amin: return extreme_of(x, false);
    case Reduction::any: return count_of(x) != Complex(0) ? 1 : 0;
    case Reduction::all: return count_of(x) == Complex(static_cast<long double>(x.size())) ? 1 : 0;
    case Reduction::count_nonzero: return count_of(x);
    case Reduction::argmax: return place_of(x, true);
    case Reduction::argmin: return place_of(x, false);
    case Reduction::aminmax: return extreme_of(x, second);
    case Reduction::var_mean: return second ? mean_of(x) : variance_of(x, 1);
    case Reduction::std_mean: return second ? mean_of(x) : std::sqrt(variance_of(x, 1));
  }
  return 0;
}

Complex value_of(ScalarType type, const void* element) {
  std::complex<double> value;
  test::convert_element(ScalarType::c128, &value, type, element);
  return Complex(value.real(), value.imag());
}

/// How far a result of a type may be off, relative to its size or 1.
long double tolerance(ScalarType type) {
  switch (type) {
    case ScalarType::f16: return 2e-3L;
    case ScalarType::bf16: return 1e-2L;
    case ScalarType::f32:
    case ScalarType::c64: return 2e-6L;
    case ScalarType::f64:
    case ScalarType::c128: return 1e-13L;
    default: return 0;
  }
}

bool near(ScalarType type, const Complex& got, const Complex& want) {
  if (std::isnan(want.real()) || std::isnan(want.imag()))
    return std::isnan(got.real()) || std::isnan(got.imag());
  if (got == want) return true;
  constexpr long double infinite_f16 =
      65520;  // rounds up; what is below becomes the largest number
  if (type == ScalarType::f16 && std::abs(want) >= infinite_f16) return std::isinf(got.real());
  return std::abs(got - want) <= tolerance(type) * std::max(1.0L, std::abs(want));
}

/// The elements that go into each of the result's.
std::vector<Elements> collected(const TensorView& a, const Dims& reduced) {
  return test::naive_reduce(test::dims(a.shape()), reduced, {a}, Elements{},
                            [&](Elements& elements, const auto* x, std::int64_t) {
                              elements.push_back(value_of(a.dtype(), x[0]));
                            });
}

void compare(test::Tally& tally, const TensorView& in, const TensorView& got,
             const std::vector<Elements>& elements, const char* name,
             const std::function<Complex(const Elements&)>& want) {
  const test::Dense results = test::dense_copy(got);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Complex is = value_of(results.type, results.at(static_cast<std::int64_t>(i)));
    const Complex wanted = want(elements[i]);
    const bool right = near(results.type, is, wanted);
    tally.check(right, [&](auto& text) {
      test::describe(text << name << " of ", in)
          << ", " << elements[i].size() << " elements each, result " << i << " is "
          << static_cast<double>(is.real()) << " + " << static_cast<double>(is.imag())
          << "i, expected " << static_cast<double>(wanted.real()) << " + "
          << static_cast<double>(wanted.imag()) << 'i';
    });
    if (!right) return;
  }
}

bool is_second(const test::ReductionCall& call) {
  return &call != &test::all_reductions().front() && (&call)[-1].op == call.op;
}

}  // namespace

TEST_CASE("reductions: every function of the table, all types, random layouts", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const test::ReductionCall& call : test::all_reductions()) {
    for (const ScalarType type : test::all_types()) {
      const auto kind = weft::kinds::of(type);
      if ((call.info().kinds & kind) == 0) {
        CHECK_ERROR(dtype, (call.info().name, std::string(weft::name(type)).c_str()),
                    call.make(Tensor::zeros({2, 2}, type), 0));
        continue;
      }
      for (int round = 0; round < test::rounds(12); ++round) {
        Dims shape = test::random_shape(random, 3, 9);
        if (shape.empty()) shape.push_back(random.integer(1, 9));
        const std::int64_t axis = random.integer(0, static_cast<std::int64_t>(shape.size()) - 1);
        if (random.chance(40))
          shape[static_cast<std::size_t>(axis)] =
              random.integer(1, call.op == weft::Reduction::prod ? 12 : 300);
        if (random.chance(30)) shape.back() = random.integer(1, 70);
        if (call.op == weft::Reduction::prod)
          shape[static_cast<std::size_t>(axis)] =
              std::min<std::int64_t>(shape[static_cast<std::size_t>(axis)], 4);
        if (test::product(shape) == 0) continue;
        const Memory in = test::random_memory(random, type, test::random_layout(random, shape),
                                              test::Values::small);
        const Tensor got = call.make(in.view(), axis);
        if (got.dtype() != test::result_type(call.info(), type))
          FAIL(call.info().name << " of " << weft::name(type) << " gives "
                                << weft::name(got.dtype()));
        const auto elements = collected(in.view(), test::reduced_shape(shape, 1u << axis));
        const bool second = is_second(call);
        compare(tally, in.view(), got, elements, call.info().name,
                [&](const Elements& x) { return expected(call.op, x, second); });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("reductions: norms and corrections", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(150); ++round) {
    const ScalarType type = random.pick(test::all_types());
    const Dims shape = {random.integer(1, 20), random.integer(1, 200)};
    const Memory in =
        test::random_memory(random, type, test::random_layout(random, shape), test::Values::small);
    const auto axes = static_cast<unsigned>(random.integer(1, 3));
    weft::DimVector list;
    for (int axis = 0; axis < 2; ++axis)
      if ((axes >> axis & 1) != 0) list.push_back(axis);
    const auto elements = collected(in.view(), test::reduced_shape(shape, axes));
    for (const double p : {0.0, 1.0, 2.0, 3.0, 0.5, HUGE_VAL, -HUGE_VAL}) {
      compare(tally, in.view(), weft::norm(in.view(), p, list), elements, "norm",
              [&](const Elements& x) { return norm_of(x, p); });
    }
    for (const double correction : {0.0, 1.0, 2.0}) {
      const ReduceOptions options{.correction = correction};
      compare(tally, in.view(), weft::var(in.view(), list, options), elements, "var",
              [&](const Elements& x) { return variance_of(x, correction); });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("reductions: NaN and infinities", "[ops]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  for (const std::int64_t n : {1, 15, 16, 17, 100, 129, 1000, 9000}) {
    for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
      Tensor row = Tensor::full({n}, ScalarType::f32, 0.5);
      Tensor columns = Tensor::full({n, 20}, ScalarType::f32, 0.5);
      row.data_as<float>()[at] = nan;
      columns.data_as<float>()[at * 20 + 7] = nan;
      for (const test::ReductionCall& call : test::all_reductions()) {
        INFO(call.info().name << " of " << n << ", NaN at " << at);
        const Tensor r = call.make(row, 0);
        const Tensor c = call.make(columns, 0);
        if (r.dtype() != ScalarType::f32) continue;
        const bool skips = call.op == weft::Reduction::nansum;
        CHECK(std::isnan(r.at<float>({})) == !skips);
        CHECK(std::isnan(c.at<float>({7})) == !skips);
        CHECK(!std::isnan(c.at<float>({8})) ==
              !((n == 1) && std::isnan(call.make(columns.slice(1, 8, 9), 0).at<float>({0}))));
      }
      CHECK(weft::argmin(row).at<std::int64_t>({}) == at);
      CHECK(weft::argmax(columns, 0).at<std::int64_t>({7}) == at);
      CHECK(weft::any(row).at<bool>({}));
      CHECK(weft::all(row).at<bool>({}));
      CHECK(weft::count_nonzero(row).at<std::int64_t>({}) == n);
      CHECK(std::isnan(weft::norm(row, HUGE_VAL).at<float>({})));
    }
  }
  const auto logs = Tensor::of<float>({2}, {-inf, -inf});
  CHECK(weft::logsumexp(logs).at<float>({}) == -inf);
  CHECK(weft::logsumexp(Tensor::of<float>({2}, {inf, 1})).at<float>({}) == inf);
  Tensor low = Tensor::full({100'000, 2}, ScalarType::f32, -inf);
  low.data_as<float>()[199'998] = -1000;
  CHECK(weft::logsumexp(low, {0}).at<float>({0}) == -1000);
  CHECK(weft::logsumexp(low).at<float>({}) == -1000);
  for (std::int64_t n = 1; n < 40; ++n) {
    // Terms that vanish, in rows and columns of any length.
    const Tensor a = Tensor::full({9, n}, ScalarType::f64, -800);
    a.data_as<double>()[3 * n] = 5;
    a.data_as<double>()[4 * n + n - 1] = nan;
    for (const Tensor& sums :
         {weft::logsumexp(a, {1}), weft::logsumexp(Tensor::copy_of(a.transpose(0, 1)), {0})}) {
      CHECK(sums.at<double>({3}) == 5);
      CHECK(std::isnan(sums.at<double>({4})));
      CHECK(sums.at<double>({8}) == Approx(-800 + std::log(static_cast<double>(n))));
    }
  }
  CHECK(weft::logsumexp(Tensor::of<float>({2}, {1000, 1000})).at<float>({}) ==
        Approx(1000 + std::log(2.0)));
}

TEST_CASE("reductions: norms of any power at the ends of numbers", "[ops]") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> lines[] = {{1, nan, 2},  {nan, 1},     {0, 0, 0, 0, 0}, {0, 2, 0},
                                       {1e35, 1e35}, {inf, 1},     {-inf, 0, 3},    {1e-40, 2e-40},
                                       {3, 1e38, 0}, {1e-30, 1e30}};
  for (const std::vector<double>& line : lines) {
    for (const double p : {-20.0, -1.0, 0.001, 0.5, 1.5, 3.0, 7.5, 10.0, 100.0}) {
      double sum = 0;
      for (const double x : line)
        sum += std::pow(std::abs(static_cast<double>(static_cast<float>(x))), p);
      const auto n = static_cast<std::int64_t>(line.size());
      const auto want = static_cast<float>(std::pow(sum, 1 / p));
      const auto of_ones = static_cast<float>(std::pow(static_cast<double>(n), 1 / p));
      const auto same = [](float got, float wanted) {
        return std::isnan(wanted) ? std::isnan(got)
                                  : got == wanted || std::abs(got / wanted - 1) < 1e-5F;
      };
      // A line, and a column of many.
      for (const ScalarType type : {ScalarType::f32, ScalarType::c64}) {
        const Tensor a = Tensor::full({n, 19}, type, 1);
        for (std::int64_t i = 0; i < n; ++i) {
          const Tensor one =
              Tensor::full({}, type, static_cast<float>(line[static_cast<std::size_t>(i)]));
          weft::copy_out(a.select(0, i).select(0, 7), one);
        }
        CAPTURE(line, p, name(type));
        CHECK(same(weft::norm(a.select(1, 7), p).at<float>({}), want));
        CHECK(same(weft::norm(a, p, 0).at<float>({7}), want));
        CHECK(same(weft::norm(a, p, 0).at<float>({8}), of_ones));
      }
    }
  }
}

TEST_CASE("reductions: rows of few elements, many at a time, have the bits of one", "[ops]") {
  const std::int64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 32, 33};
  for (const ScalarType type :
       {ScalarType::f32, ScalarType::f64, ScalarType::i32, ScalarType::i64, ScalarType::f16}) {
    for (const std::int64_t n : lengths) {
      const Tensor a = Tensor::empty({131, n}, type);
      for (std::int64_t i = 0; i < a.numel(); ++i) {
        // Zeros of both signs in whole rows, infinities and NaN now and then.
        const std::int64_t row = i / n;
        const double value = row % 5 == 0    ? -0.0
                             : row % 7 == 0  ? (i % 2 == 0 ? 0.0 : -0.0)
                             : i % 97 == 13  ? std::numeric_limits<double>::quiet_NaN()
                             : i % 101 == 17 ? -HUGE_VAL
                                             : static_cast<double>(i * 37 % 113 - 56) / 8;
        const bool fits = !is_integer(type) || std::isfinite(value);
        weft::copy_out(a.select(0, row).select(0, i % n),
                       Tensor::full({}, type, fits ? value : 3.0));
      }
      const auto same = [&](const char* what, const Tensor& all, const auto& reduce) {
        std::int64_t wrong = 0;
        for (std::int64_t r = 0; r < 131; ++r) {
          const Tensor one = reduce(a.slice(0, r, r + 1));
          const auto size = static_cast<std::size_t>(element_size(one.dtype()));
          const char* got = static_cast<const char*>(all.data()) + r * element_size(one.dtype());
          const bool both_nan = is_floating(one.dtype()) && weft::isnan(one).at<bool>({0}) &&
                                weft::isnan(all).at<bool>({r});
          wrong += both_nan || std::memcmp(got, one.data(), size) == 0 ? 0 : 1;
        }
        CAPTURE(what, name(type), n);
        CHECK(wrong == 0);
      };
      const auto check = [&](const char* what, const auto& reduce) {
        same(what, reduce(a), reduce);
      };
      check("sum", [](const TensorView& x) { return weft::sum(x, 1); });
      check("mean",
            [](const TensorView& x) { return weft::mean(x, 1, {.dtype = ScalarType::f64}); });
      check("amax", [](const TensorView& x) { return weft::amax(x, 1); });
      check("amin", [](const TensorView& x) { return weft::amin(x, 1); });
      check("prod", [](const TensorView& x) { return weft::prod(x, 1); });
    }
  }
}

TEST_CASE("reductions: no overflow on the way", "[ops]") {
  for (const std::int64_t n : {3, 40, 500, 10'000}) {
    const auto count = static_cast<double>(n);
    for (const double size : {1e30, 1e-30}) {
      const Tensor a = Tensor::full({n, 17}, ScalarType::f32, size);
      CHECK(weft::norm(a, 2, {0}).at<float>({16}) == Approx(size * std::sqrt(count)));
      CHECK(weft::norm(Tensor::copy_of(a.transpose(0, 1)), 2, {1}).at<float>({16}) ==
            Approx(size * std::sqrt(count)));
    }
    for (const double size : {1e300, 1e-300}) {
      const Tensor a = Tensor::full({n, 9}, ScalarType::f64, size);
      CHECK(weft::norm(a, 2, {0}).at<double>({8}) == Approx(size * std::sqrt(count)));
    }
    // Products whose parts leave the range of f32.
    Tensor b = Tensor::full({n}, ScalarType::f32, 1);
    if (n >= 12) {
      for (int i = 0; i < 4; ++i) {
        b.data_as<float>()[i] = 1e20F;
        b.data_as<float>()[n - 1 - i] = 1e-20F;
      }
      CHECK(weft::prod(b).at<float>({}) == Approx(1));
      CHECK(weft::prod(Tensor::copy_of(b.unsqueeze(1).expand({n, 16})), {0}).at<float>({3}) ==
            Approx(1));
    }
    // A variance that is small beside the mean.
    Tensor c = Tensor::full({n}, ScalarType::f32, 1e6);
    for (std::int64_t i = 0; i < n; i += 2)
      c.data_as<float>()[i] = 1e6F + 1;
    const double ones = static_cast<double>((n + 1) / 2);
    const double want = ones * (count - ones) / count / (count - 1);
    CHECK(weft::var(c).at<float>({}) == Approx(want));
    CHECK(weft::var(Tensor::copy_of(c.unsqueeze(1).expand({n, 33})), {0}).at<float>({32}) ==
          Approx(want));
  }
}

TEST_CASE("reductions: products of rows of a few elements, with NaN between them", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const double between = std::numeric_limits<double>::quiet_NaN();
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64}) {
    for (std::int64_t n = 1; n <= 20; ++n) {
      for (const std::int64_t gap : {0, 1, 30}) {
        const std::int64_t rows = random.integer(1, 40);
        const Tensor all = Tensor::full({rows, n + gap}, ScalarType::f64, between);
        std::vector<double> want(static_cast<std::size_t>(rows), 1.0);
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t i = 0; i < n; ++i) {
            const auto x = static_cast<double>(random.integer(1, 3) * (random.chance(50) ? 1 : -1));
            all.data_as<double>()[r * (n + gap) + i] = x;
            want[static_cast<std::size_t>(r)] *= x;
          }
        }
        // No element of the last row's gap: what is read beyond its end is not there.
        const Tensor memory = weft::contiguous(all, type);
        const Tensor tight = Tensor::empty({rows * (n + gap) - gap}, type);
        weft::copy_out(tight, memory.as_strided({tight.numel()}, {1}));
        const TensorView a = TensorView(tight).as_strided({rows, n}, {n + gap, 1});
        const Tensor got = weft::contiguous(weft::prod(a, {1}), ScalarType::f64);
        for (std::int64_t r = 0; r < rows; ++r) {
          double exact = want[static_cast<std::size_t>(r)];
          if (type == ScalarType::f32) exact = static_cast<double>(static_cast<float>(exact));
          tally.check(got.at<double>({r}) == exact, [&](auto& message) {
            message << weft::name(type) << " [" << rows << ", " << n << "], gaps of " << gap
                    << ", row " << r << ": " << got.at<double>({r}) << ", expected " << exact;
          });
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("reductions: symmetric about 0 is 0, for any number of threads", "[ops]") {
  constexpr std::int64_t n = std::int64_t{8} * 80 * 80 * 80;
  const Tensor a = Tensor::empty({n}, ScalarType::f32);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t from_end = i < n / 2 ? i : n - 1 - i;
    const auto value = static_cast<float>(std::sin(static_cast<double>(from_end)) * 1e4);
    a.data_as<float>()[i] = i < n / 2 ? value : -value;
  }
  const TensorView cube = a.as_strided({8, 80, 80, 80}, {512'000, 6400, 80, 1});
  test::for_thread_counts([&](int) {
    CHECK(weft::sum(a).at<float>({}) == 0);
    CHECK(weft::sum(cube).at<float>({}) == 0);
  });
}

TEST_CASE("reductions: nothing and one element", "[ops]") {
  const Tensor nothing = Tensor::empty({0}, ScalarType::f32);
  CHECK(weft::prod(nothing).at<float>({}) == 1);
  CHECK(std::isnan(weft::mean(nothing).at<float>({})));
  CHECK(std::isnan(weft::var(nothing).at<float>({})));
  CHECK(std::isnan(weft::var_mean(nothing).second.at<float>({})));
  CHECK(!weft::any(nothing).at<bool>({}));
  CHECK(weft::all(nothing).at<bool>({}));
  CHECK(weft::count_nonzero(nothing).at<std::int64_t>({}) == 0);
  CHECK(weft::norm(nothing).at<float>({}) == 0);
  CHECK(weft::logsumexp(nothing).at<float>({}) == -std::numeric_limits<float>::infinity());
  CHECK_ERROR(shape, ("aminmax", "axis 0", "extent 0"), weft::aminmax(nothing));
  CHECK_ERROR(shape, ("argmin", "axis 0"), weft::argmin(nothing));

  const Tensor one = Tensor::full({}, ScalarType::f32, 3);
  for (const Tensor& result : {weft::sum(one), weft::mean(one), weft::prod(one), weft::amin(one),
                               weft::norm(one), weft::aminmax(one).second})
    CHECK(result.at<float>({}) == 3);
  CHECK(std::isnan(weft::var(one).at<float>({})));
  CHECK(weft::var(one, {}, {.correction = 0}).at<float>({}) == 0);
}

TEST_CASE("reductions: an output that is refused leaves the other as it was", "[ops]") {
  const auto a = Tensor::of<float>({2, 3}, {3, 1, 2, 7, 9, 8});
  const Tensor nine = Tensor::zeros({9}, ScalarType::f32);
  const auto check = [&](auto call, const char* name) {
    INFO(name);
    Tensor kept = Tensor::full({2, 3}, ScalarType::f32, 7), none;
    const auto is_kept = [&] {
      return test::dims(kept.shape()) == Dims{2, 3} && kept.at<float>(1, 2) == 7;
    };
    CHECK_ERROR(shape, (name, "output 1", "[9]"), call(kept, TensorView(nine)));
    CHECK(is_kept());
    CHECK_ERROR(shape, (name, "output 0", "[9]"), call(TensorView(nine), kept));
    CHECK(is_kept());
    CHECK_ERROR(overlap, (name, "output"), call(kept, a.select(1, 0)));
    CHECK(is_kept());
    CHECK_ERROR(overlap, (name, "output 1", "output 0"), call(kept, kept));
    CHECK(is_kept());
    CHECK_ERROR(undefined, (name, "output 1"), call(none, TensorView()));
    CHECK(!none.defined());
  };
  check([&](const weft::Output& x, const weft::Output& y) { weft::aminmax_out(x, y, a, 1); },
        "aminmax");
  check([&](const weft::Output& x, const weft::Output& y) { weft::var_mean_out(x, y, a, 1); },
        "var_mean");
  check([&](const weft::Output& x, const weft::Output& y) { weft::std_mean_out(x, y, a, 1); },
        "std_mean");
}

TEST_CASE("reductions: two outputs into given memory", "[ops]") {
  const auto a = Tensor::of<float>({2, 3}, {3, 1, 2, 7, 9, 8});
  Tensor least, largest;
  weft::aminmax_out(least, largest, a, {1}, {.keepdim = true});
  CHECK(test::dims(least.shape()) == Dims{2, 1});
  CHECK(least.at<float>({1, 0}) == 7);
  CHECK(largest.at<float>({1, 0}) == 9);
  const Tensor wrong = Tensor::zeros({2}, ScalarType::i32);
  CHECK_ERROR(cast, ("aminmax", "output 1", "f32", "i32"),
              weft::aminmax_out(least, TensorView(wrong), a, {1}));
  CHECK_ERROR(overlap, ("aminmax", "output"),
              weft::aminmax_out(TensorView(least), TensorView(least), a, {1}));
  CHECK(weft::sum(a, {}, {.dtype = ScalarType::f64}).dtype() == ScalarType::f64);
  CHECK(weft::mean(Tensor::full({3}, ScalarType::i32, 2)).at<float>({}) == 2);
}
