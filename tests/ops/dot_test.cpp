// SPDX-License-Identifier: Apache-2.0
// dot: every type, lengths around vector widths, strides, types of the output, threads, errors.
#include <weft/ops/reduce.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <complex>
#include <limits>

namespace {

using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

using Complex = std::complex<long double>;

Complex value_of(ScalarType type, const void* element) {
  std::complex<double> value;
  test::convert_element(ScalarType::c128, &value, type, element);
  return Complex(value.real(), value.imag());
}

/// The sum of products, and how far it may be off in a result of a type: each product and the sum
/// are rounded a few times.
struct Expected {
  Complex sum = 0;
  long double magnitude = 0;
};
Expected expected(const TensorView& a, const TensorView& b) {
  const test::Dense x = test::dense_copy(a), y = test::dense_copy(b);
  Expected e;
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    const Complex product = value_of(x.type, x.at(i)) * value_of(y.type, y.at(i));
    e.sum += product;
    e.magnitude += std::abs(product);
  }
  return e;
}

long double unit_of(ScalarType type) {
  switch (type) {
    case ScalarType::f16: return 0x1p-10L;
    case ScalarType::bf16: return 0x1p-7L;
    case ScalarType::f32:
    case ScalarType::c64: return 0x1p-22L;
    case ScalarType::f64:
    case ScalarType::c128: return 0x1p-48L;
    default: return 0;
  }
}

bool right(const TensorView& got, const Expected& want) {
  const test::Dense result = test::dense_copy(got);
  const Complex is = value_of(result.type, result.at(0));
  if (weft::is_integer(result.type)) {
    // The sum modulo 2^bits.
    const std::int64_t bits = 8 * weft::element_size(result.type);
    const auto off = static_cast<std::int64_t>(want.sum.real() - is.real());
    return bits == 64 ? off == 0 : off % (std::int64_t{1} << bits) == 0;
  }
  return std::abs(is - want.sum) <= unit_of(result.type) * std::max(want.magnitude, 1.0L);
}

}  // namespace

TEST_CASE("dot: all types, lengths and strides", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (type == ScalarType::boolean) continue;
    for (const std::int64_t n :
         {0, 1, 7, 8, 15, 16, 17, 31, 33, 64, 127, 128, 129, 255, 1000, 5003}) {
      const Memory a =
          test::random_memory(random, type, test::random_layout(random, {n}), test::Values::small);
      const Memory b =
          test::random_memory(random, type, test::random_layout(random, {n}), test::Values::small);
      const Tensor got = weft::dot(a.view(), b.view());
      CHECK(got.dtype() == type);
      CHECK(got.rank() == 0);
      tally.check(right(got, expected(a.view(), b.view())), [&](auto& text) {
        test::describe(text << "dot of ", a.view());
        test::describe(text << " and ", b.view());
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("dot: of one vector with itself, reversed and repeated", "[ops]") {
  const auto a = Tensor::of<float>({4}, {1, 2, 3, 4});
  CHECK(weft::dot(a, a).at<float>({}) == 30);
  CHECK(weft::dot(a, a.flip(0)).at<float>({}) == 20);
  CHECK(weft::dot(a, Tensor::full({1}, ScalarType::f32, 2).expand({4})).at<float>({}) == 20);
  const auto c = Tensor::of<std::complex<float>>({2}, {{1, 2}, {3, -1}});
  CHECK(weft::dot(c, c).at<std::complex<float>>({}) == std::complex<float>(5, -2));
}

TEST_CASE("dot: types of inputs and outputs", "[ops]") {
  const auto i = Tensor::of<std::int8_t>({3}, {100, 100, 100});
  const auto f = Tensor::of<float>({3}, {0.5, 1.5, 2});
  CHECK(weft::dot(i, f).at<float>({}) == 400);
  CHECK(weft::dot(i, i).at<std::int8_t>({}) == 48);  // 30000 wraps
  const Tensor wide = Tensor::zeros({}, ScalarType::i64);
  weft::dot_out(TensorView(wide), i, i);
  CHECK(wide.at<std::int64_t>({}) == 30'000);
  const Tensor real = Tensor::zeros({}, ScalarType::f64);
  weft::dot_out(TensorView(real), i, i);
  CHECK(real.at<double>({}) == 30'000);
  // u64 above i64 stays above it.
  const auto large = Tensor::of<std::uint64_t>({2}, {std::uint64_t{1} << 63, 1});
  const auto pair = Tensor::of<std::uint64_t>({2}, {1, 1});
  weft::dot_out(TensorView(real), large, pair);
  CHECK(real.at<double>({}) == 0x1p63);
  Tensor out;
  weft::dot_out(out, f, f);
  CHECK(out.at<float>({}) == 6.5F);
  const Tensor one = Tensor::zeros({1}, ScalarType::f32);
  weft::dot_out(TensorView(one), f, f);  // with the axis kept
  CHECK(one.at<float>({0}) == 6.5F);
  // Halves are added in f32.
  const Tensor ones = Tensor::full({4097}, ScalarType::f16, 1);
  const Tensor single = Tensor::zeros({}, ScalarType::f32);
  weft::dot_out(TensorView(single), ones, ones);
  CHECK(single.at<float>({}) == 4097);
}

TEST_CASE("dot: NaN, infinities and nothing", "[ops]") {
  const float inf = std::numeric_limits<float>::infinity();
  for (const std::int64_t n : {3, 40, 500}) {
    const Tensor a = Tensor::full({n}, ScalarType::f32, 1);
    const Tensor b = Tensor::full({n}, ScalarType::f32, 2);
    a.data_as<float>()[n - 2] = inf;
    CHECK(weft::dot(a, b).at<float>({}) == inf);
    b.data_as<float>()[n - 2] = 0;
    CHECK(std::isnan(weft::dot(a, b).at<float>({})));
  }
  const Tensor nothing = Tensor::empty({0}, ScalarType::f32);
  CHECK(weft::dot(nothing, nothing).at<float>({}) == 0);
}

TEST_CASE("dot: the same bits for any number of threads", "[ops]") {
  constexpr std::int64_t n = 400'003;
  const Tensor a = Tensor::empty({n}, ScalarType::f32);
  const Tensor b = Tensor::empty({n}, ScalarType::f32);
  for (std::int64_t i = 0; i < n; ++i) {
    a.data_as<float>()[i] = static_cast<float>(std::sin(static_cast<double>(i)));
    b.data_as<float>()[i] = static_cast<float>(std::cos(static_cast<double>(3 * i)));
  }
  weft::set_num_threads(1);
  const float want = weft::dot(a, b).at<float>({});
  test::for_thread_counts([&](int) { CHECK(weft::dot(a, b).at<float>({}) == want); });
}

TEST_CASE("dot: errors", "[ops]") {
  const Tensor a = Tensor::zeros({3}, ScalarType::f32);
  const Tensor square = Tensor::zeros({3, 3}, ScalarType::f32);
  CHECK_ERROR(shape, ("dot", "input 1", "[3, 3]"), weft::dot(a, square));
  CHECK_ERROR(shape, ("dot", "input 0", "[]"), weft::dot(Tensor::zeros({}, ScalarType::f32), a));
  CHECK_ERROR(shape, ("dot", "input 1", "axis 0", "3", "4"),
              weft::dot(a, Tensor::zeros({4}, ScalarType::f32)));
  CHECK_ERROR(dtype, ("dot", "input 1", "bool"),
              weft::dot(a, Tensor::zeros({3}, ScalarType::boolean)));
  CHECK_ERROR(undefined, ("dot", "input 0"), weft::dot(Tensor(), a));
  const Tensor whole = Tensor::zeros({}, ScalarType::i32);
  CHECK_ERROR(cast, ("dot", "f32", "i32"), weft::dot_out(TensorView(whole), a, a));
  const Tensor two = Tensor::zeros({2}, ScalarType::f32);
  CHECK_ERROR(shape, ("dot", "output 0", "[2]"), weft::dot_out(TensorView(two), a, a));
  CHECK_ERROR(overlap, ("dot"), weft::dot_out(a.slice(0, 1, 2), a, a));
}
