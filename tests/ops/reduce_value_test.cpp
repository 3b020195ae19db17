// SPDX-License-Identifier: Apache-2.0
// sum, amax, argmax: accuracy, special values, outputs, and what they refuse.
#include <weft/expr/where.hpp>
#include <weft/ops/cumulative.hpp>
#include <weft/ops/reduce.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"
#include "support/threads.hpp"

#include <bit>
#include <cmath>
#include <complex>
#include <limits>

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

bool holds(const TensorView& view, const Tensor& values) {
  return test::difference(view, test::dense_copy(values)) == "";
}

}  // namespace

TEST_CASE("sum: millions of small numbers", "[ops]") {
  // In f32 one after the other this comes to 958; values symmetric around 0 give 0 exactly.
  const Tensor a = Tensor::full({1000, 1000}, ScalarType::f32, 0.1);
  CHECK(weft::sum(a).at<float>({}) == static_cast<float>(1e6 * static_cast<double>(0.1f)));
  CHECK(weft::sum(a, {0}).at<float>({7}) == static_cast<float>(1e3 * static_cast<double>(0.1f)));
  Tensor b = Tensor::empty({8 * 80 * 80 * 80}, ScalarType::f32);
  auto* values = static_cast<float*>(b.data());
  for (std::int64_t i = 0; i < b.numel(); ++i) {
    values[i] = static_cast<float>(i - b.numel() / 2) + 0.5f;
  }
  test::for_thread_counts([&](int) { CHECK(weft::sum(b).at<float>({}) == 0); });
}

TEST_CASE("sum: 16-bit types add up in a wider one and are rounded once", "[ops]") {
  // Beyond 2048 an f16, beyond 256 a bf16 does not change by adding 1.
  CHECK(static_cast<float>(
            weft::sum(Tensor::full({5000}, ScalarType::f16, 1)).at<weft::float16>({})) == 5000);
  CHECK(static_cast<float>(
            weft::sum(Tensor::full({4096}, ScalarType::bf16, 1)).at<weft::bfloat16>({})) == 4096);
  const Tensor many = Tensor::full({70, 1000}, ScalarType::f16, 1);
  CHECK(std::isinf(static_cast<float>(weft::sum(many).at<weft::float16>({}))));
  CHECK(weft::sum(many, {}, {.dtype = ScalarType::f32}).at<float>({}) == 70'000);
}

TEST_CASE("sum: integers and bools add up in i64 and wrap", "[ops]") {
  CHECK(weft::sum(Tensor::full({1000}, ScalarType::u8, 255)).at<std::int64_t>({}) == 255'000);
  CHECK(weft::sum(Tensor::full({1000}, ScalarType::boolean, 1)).at<std::int64_t>({}) == 1000);
  const auto large = Tensor::of<std::int64_t>({2}, {std::numeric_limits<std::int64_t>::max(), 1});
  CHECK(weft::sum(large).at<std::int64_t>({}) == std::numeric_limits<std::int64_t>::min());
  const auto u64 = Tensor::of<std::uint64_t>({2}, {~std::uint64_t{0}, 5});
  CHECK(weft::sum(u64).at<std::int64_t>({}) == 4);
  CHECK(weft::sum(Tensor::full({300}, ScalarType::u8, 1), {}, {.dtype = ScalarType::u8})
            .at<std::uint8_t>({}) == 44);
  // The sum is exact before it becomes an f32, each addend is not.
  const auto odd = Tensor::of<std::int32_t>({2}, {16'777'217, 16'777'217});
  CHECK(weft::sum(odd, {}, {.dtype = ScalarType::f32}).at<float>({}) == 33'554'434.0f);
}

TEST_CASE("reductions: real numbers into a complex output", "[ops]") {
  // As real ones: infinity * (2 + 0i) has a part that is NaN.
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor a = Tensor::of<double>({4}, {1, infinity, 2, -1});
  const Tensor large = Tensor::of<double>({3}, {1e200, 1e200, 2});
  const Tensor out = Tensor::zeros({}, ScalarType::c128);
  using Complex = std::complex<double>;
  weft::prod_out(out, a);
  CHECK(out.at<Complex>({}) == Complex(-infinity, 0));
  weft::prod_out(out, large);
  CHECK(out.at<Complex>({}) == Complex(infinity, 0));
  weft::logsumexp_out(out, a);
  CHECK(out.at<Complex>({}) == Complex(infinity, 0));
  weft::dot_out(out, a, Tensor::of<double>({4}, {1, 1, 1, 1}));
  CHECK(out.at<Complex>({}) == Complex(infinity, 0));
  const Tensor products = Tensor::zeros({4}, ScalarType::c128);
  weft::cumprod_out(products, a, 0);
  CHECK(products.at<Complex>({2}) == Complex(infinity, 0));
  CHECK(products.at<Complex>({3}) == Complex(-infinity, 0));
}

TEST_CASE("mean: integers whose sum is beyond i64", "[ops]") {
  const std::int64_t large = std::int64_t{1} << 62;
  const auto a = Tensor::of<std::int64_t>({2}, {large, large + 2048});
  CHECK(weft::mean(a, {}, {.dtype = ScalarType::f64}).at<double>({}) == 0x1p62 + 1024);
  const auto u64 = Tensor::of<std::uint64_t>({3}, {~std::uint64_t{0}, ~std::uint64_t{0}, 0});
  CHECK(weft::mean(u64.slice(0, 0, 1)).at<float>({}) == 0x1p64f);
  CHECK(weft::mean(u64.slice(0, 0, 2)).at<float>({}) == 0x1p64f);
  const Tensor all = Tensor::full({2}, ScalarType::boolean, true);
  CHECK(weft::var(a, weft::Where(all)).at<float>({}) == weft::var(a).at<float>({}));
  CHECK(weft::mean(a, weft::Where(all)).at<float>({}) == 0x1p62f);
}

TEST_CASE("mean: quotients have the bits of a division", "[ops]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(300); ++round) {
    const std::int64_t n = round % 50 == 0 ? random.integer(1, 100'000) : random.integer(1, 300);
    const std::int64_t rows = random.integer(1, 40);
    // The sum of one number and of zeros is that number, any at all.
    const Tensor floats = Tensor::full({rows, n}, ScalarType::f32, -0.0);
    const Tensor doubles = Tensor::full({rows, n}, ScalarType::f64, -0.0);
    const Tensor integers = Tensor::zeros({rows, n}, ScalarType::i32);
    const Tensor of_floats = Tensor::empty({rows}, ScalarType::f32);
    const Tensor of_doubles = Tensor::empty({rows}, ScalarType::f64);
    const Tensor of_integers = Tensor::empty({rows}, ScalarType::f64);
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t at = random.integer(0, n - 1);
      const std::uint64_t bits = random.bits();
      const auto x = std::bit_cast<double>(bits);
      const auto y = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      const auto k = static_cast<std::int32_t>(bits >> (32 + bits % 32));
      const auto divisor = static_cast<double>(n);
      doubles.data_as<double>()[r * n + at] = x;
      floats.data_as<float>()[r * n + at] = y;
      integers.data_as<std::int32_t>()[r * n + at] = k;
      of_doubles.data_as<double>()[r] = x / divisor;
      of_floats.data_as<float>()[r] = static_cast<float>(static_cast<double>(y) / divisor);
      of_integers.data_as<double>()[r] = k / divisor;
    }
    CHECK(holds(weft::mean(doubles, 1), of_doubles));
    CHECK(holds(weft::mean(floats, 1), of_floats));
    CHECK(holds(weft::mean(integers, 1, {.dtype = ScalarType::f64}), of_integers));
  }
}

TEST_CASE("sum: into a narrower type than the input's", "[ops]") {
  const auto a = Tensor::of<double>({3}, {1e300, 1, -1e300});
  CHECK(std::isfinite(weft::sum(a, {}, {.dtype = ScalarType::f32}).at<float>({})));
  const auto c = Tensor::of<std::complex<double>>({2}, {{1e300, 1}, {-1e300, 2}});
  CHECK(weft::sum(c, {}, {.dtype = ScalarType::c64}).at<std::complex<float>>({}) ==
        std::complex<float>(0, 3));
}

TEST_CASE("reductions: the same bits for any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  for (const Dims& strides : {Dims{3500, 70, 1}, Dims{1, 80, 4000}}) {
    const Memory a =
        test::random_memory(random, ScalarType::f64, test::fit({{80, 50, 70}, strides}));
    for (std::int64_t i = 0; i < a.layout().size; ++i) {
      test::store(a.data() + 8 * i, static_cast<double>(random.integer(-1'000'000, 1'000'000)) / 7);
    }
    for (const Dims& axes : {Dims{}, Dims{0}, Dims{1}, Dims{2}, Dims{0, 2}, Dims{1, 2}}) {
      const weft::ThreadLimit one(1);
      const test::Dense sums = test::dense_copy(weft::sum(a.view(), axes));
      test::for_thread_counts(
          [&](int) { CHECK(test::difference(weft::sum(a.view(), axes), sums) == ""); });
    }
    const test::Dense first = test::dense_copy(weft::argmax(a.view()));
    test::for_thread_counts(
        [&](int) { CHECK(test::difference(weft::argmax(a.view()), first) == ""); });
  }
}

TEST_CASE("amax and argmax: NaN, infinities, ties", "[ops]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const auto largest = [](std::initializer_list<float> values) {
    const auto n = static_cast<std::int64_t>(values.size());
    return std::pair(weft::amax(Tensor::of<float>({n}, values)).at<float>({}),
                     weft::argmax(Tensor::of<float>({n}, values)).at<std::int64_t>({}));
  };
  CHECK(largest({1, 3, 2, 3}) == std::pair(3.0f, std::int64_t{1}));
  CHECK(largest({-inf, -inf}) == std::pair(-inf, std::int64_t{0}));
  CHECK(largest({-inf, inf, inf}) == std::pair(inf, std::int64_t{1}));
  CHECK(largest({0.0f, -0.0f}).second == 0);
  CHECK(largest({-0.0f, 0.0f}).second == 0);
  CHECK(std::isnan(largest({1, nan, inf}).first));
  CHECK(largest({1, nan, inf, nan}).second == 1);
  CHECK(largest({nan}).second == 0);
  // Wherever it is among many.
  for (std::int64_t at = 0; at < 5000; at += 37) {
    Tensor a = Tensor::full({5000}, ScalarType::f32, 1);
    static_cast<float*>(a.data())[at] = nan;
    CHECK(std::isnan(weft::amax(a).at<float>({})));
    CHECK(weft::argmax(a).at<std::int64_t>({}) == at);
    static_cast<float*>(a.data())[at] = 2;
    CHECK(weft::amax(a.flip(0)).at<float>({}) == 2);
    CHECK(weft::argmax(a.flip(0)).at<std::int64_t>({}) == 4999 - at);
  }
}

TEST_CASE("argmax: row-major, however the tensor lies", "[ops]") {
  const auto a = Tensor::of<std::int32_t>({2, 3}, {1, 9, 3, 9, 5, 9});
  CHECK(weft::argmax(a).at<std::int64_t>({}) == 1);
  CHECK(weft::argmax(a.transpose(0, 1)).at<std::int64_t>({}) == 1);  // 1 9 | 9 5 | 3 9
  CHECK(weft::argmax(a.flip(0)).at<std::int64_t>({}) == 0);
  CHECK(holds(weft::argmax(a, 0), Tensor::of<std::int64_t>({3}, {1, 0, 1})));
  CHECK(holds(weft::argmax(a, -1, true), Tensor::of<std::int64_t>({2, 1}, {1, 0})));
  CHECK(holds(weft::argmax(a.flip(1), 1), Tensor::of<std::int64_t>({2}, {1, 0})));
  CHECK(weft::argmax(Tensor::of<float>({}, {5})).at<std::int64_t>({}) == 0);
}

TEST_CASE("reductions: nothing to reduce", "[ops]") {
  const Tensor empty = Tensor::empty({2, 0, 3}, ScalarType::f32);
  CHECK(holds(weft::sum(empty, {1}), Tensor::zeros({2, 3}, ScalarType::f32)));
  CHECK(weft::sum(empty).at<float>({}) == 0);
  CHECK(weft::sum(Tensor::empty({0}, ScalarType::u8)).at<std::int64_t>({}) == 0);
  CHECK(weft::sum(empty, {0}).numel() == 0);
  CHECK_ERROR(shape, ("amax", "axis 1", "extent 0"), weft::amax(empty, {1}));
  CHECK_ERROR(shape, ("amax", "axis 1"), weft::amax(empty));
  CHECK_ERROR(shape, ("argmax", "axis 1"), weft::argmax(empty, 1));
  CHECK_ERROR(shape, ("argmax"), weft::argmax(empty));
  CHECK(weft::amax(empty, {0}).numel() == 0);
  CHECK(test::dims(weft::argmax(empty, 0).shape()) == Dims{0, 3});
}

TEST_CASE("reductions: outputs", "[ops]") {
  const auto a = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor sums = Tensor::of<float>({3}, {5, 7, 9});
  Tensor out;
  weft::sum_out(out, a, {0});
  CHECK(holds(out, sums));
  const void* before = out.data();
  weft::sum_out(out, a, {0}, {.keepdim = true});  // fits as it is
  CHECK(out.data() == before);
  Tensor other = Tensor::zeros({7}, ScalarType::f64);
  weft::sum_out(other, a, {0}, {.keepdim = true});
  CHECK(holds(other, Tensor::of<double>({1, 3}, {5, 7, 9})));
  Tensor at = Tensor::zeros({7}, ScalarType::i32);
  weft::argmax_out(at, a, 1);
  CHECK(holds(at, Tensor::of<std::int32_t>({2}, {2, 2})));

  // Replaced memory that holds the input lives until it has been read.
  Tensor x = a.clone();
  weft::sum_out(x, x.transpose(0, 1), {1});
  CHECK(holds(x, sums));
  Tensor y = a.clone();
  weft::amax_out(y, y.slice(1, 0, 2), {0});
  CHECK(holds(y, Tensor::of<float>({2}, {4, 5})));
}

TEST_CASE("reductions: what they refuse, with nothing written", "[ops]") {
  const Tensor a = Tensor::full({2, 3}, ScalarType::f32, 1);
  const Tensor out = Tensor::full({3}, ScalarType::f32, 7);
  CHECK_ERROR(axis, ("sum", "axis 2"), weft::sum(a, {2}));
  CHECK_ERROR(axis, ("sum", "axis -3"), weft::sum_out(out, a, {0, -3}));
  CHECK_ERROR(axis, ("amax", "axis -1", "twice"), weft::amax(a, {1, -1}));
  CHECK_ERROR(axis, ("argmax", "axis 5"), weft::argmax(a, 5));
  CHECK_ERROR(shape, ("sum", "output 0", "[2]", "[2, 1]", "[3]"),
              weft::sum_out(TensorView(out), a, {1}));
  CHECK_ERROR(cast, ("sum", "output 0", "f32", "i32"),
              weft::sum_out(Tensor::zeros({3}, ScalarType::i32).slice(0, 0, 3), a, {0}));
  CHECK_ERROR(cast, ("amax", "output 0"), weft::amax(a, {}, {.dtype = ScalarType::i64}));
  Tensor bools = Tensor::zeros({7}, ScalarType::boolean);
  const void* memory = bools.data();
  CHECK_ERROR(cast, ("sum: output 0: result type i64 can't be cast to the output's bool"),
              weft::sum_out(bools, bools.slice(0, 0, 3)));
  CHECK(bools.data() == memory);  // not replaced either
  CHECK_ERROR(cast, ("argmax", "output 0", "bool"),
              weft::argmax_out(Tensor::zeros({3}, ScalarType::boolean).slice(0, 0, 3), a, 0));
  const Tensor c = Tensor::zeros({2}, ScalarType::c64);
  CHECK_ERROR(dtype, ("amax", "c64"), weft::amax(c));
  CHECK_ERROR(dtype, ("argmax", "c64"), weft::argmax(c));
  CHECK_ERROR(undefined, ("sum", "input 0"), weft::sum(TensorView()));
  CHECK_ERROR(undefined, ("amax", "output 0"), weft::amax_out(TensorView(), a));
  CHECK_ERROR(overlap, ("sum", "output 0", "input 0"), weft::sum_out(a.select(0, 0), a, {0}));
  CHECK_ERROR(overlap, ("sum", "output 0"), weft::sum_out(out.slice(0, 0, 1).expand({3}), a, {0}));
  CHECK(holds(out, Tensor::full({3}, ScalarType::f32, 7)));
  CHECK(holds(a, Tensor::full({2, 3}, ScalarType::f32, 1)));

  Tensor unfitting = Tensor::full({9}, ScalarType::i32, 7);
  CHECK_ERROR(cast, ("sum"), weft::sum_out(unfitting, a, {0}));
  CHECK(holds(unfitting, Tensor::full({9}, ScalarType::i32, 7)));
  Tensor itself = a.clone();
  CHECK_ERROR(shape, ("sum", "output 0"), weft::sum_out(itself, itself, {0}));
  CHECK(holds(itself, a));
}

// A row that becomes one element may take no plan: layouts/small_reductions_test.cpp.
TEST_CASE("row reductions: what is not that simple takes the plan", "[ops]") {
  const Tensor a = Tensor::of<float>({4}, {1, 2, 3, 4});
  Tensor out = Tensor::empty({3}, ScalarType::f32);
  weft::sum_out(out, a);  // replaced by one of the right shape
  CHECK(out.rank() == 0);
  CHECK(out.at<float>({}) == 10);
  Tensor wide = Tensor::empty({}, ScalarType::f64);
  weft::sum_out(wide, a);
  CHECK(wide.at<double>({}) == 10);
  const Tensor square = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  Tensor columns;
  weft::sum_out(columns, square, {0});
  CHECK(columns.at<float>({1}) == 6);
  const Tensor whole = Tensor::empty({}, ScalarType::f32);
  weft::amax_out(whole, square);
  CHECK(whole.at<float>({}) == 4);
}

TEST_CASE("row reductions: errors as ever", "[ops]") {
  const Tensor a = Tensor::of<float>({4}, {1, 2, 3, 4});
  const Tensor out = Tensor::empty({}, ScalarType::f32);
  CHECK_THROWS_AS(weft::sum_out(out, a, {1}), weft::Error);
  CHECK_THROWS_AS(weft::sum_out(out, a, {0, 0}), weft::Error);
  CHECK_THROWS_AS(weft::sum_out(TensorView(a).select(0, 1), a), weft::Error);
  CHECK_THROWS_AS(weft::sum_out(out, TensorView()), weft::Error);
}
