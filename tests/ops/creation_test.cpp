// SPDX-License-Identifier: Apache-2.0
// fill, arange and linspace: every type, any strides, each element from its position.
#include <weft/ops/creation.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/levels.hpp"
#include "support/naive_ops.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <functional>
#include <limits>

namespace {

using test::Dims;
using weft::Scalar;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

/// A dense tensor of `count` values, each converted from what f(i) gives.
template <class F>
test::Dense listed(ScalarType type, std::int64_t count, F&& f) {
  test::Dense dense(type, {count});
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = f(i);
    test::convert_element(type, dense.at(i), weft::scalar_type_of<decltype(f(i))>, &value);
  }
  return dense;
}

/// Compares what `write` gives in dense and in strided outputs.
void check_sequence(test::Tally& tally, test::Random& random, const test::Dense& expected,
                    const std::string& what,
                    const std::function<void(const weft::Output&)>& write) {
  const auto check = [&](const std::string& wrong) {
    tally.check(wrong.empty(), [&](auto& out) { out << what << ": " << wrong; });
  };
  Tensor dense = Tensor::empty({0}, expected.type);
  write(dense);
  check(test::difference(dense, expected));
  const test::Memory strided = test::random_output(random, expected.type, expected.shape);
  const test::Watch watch(strided);
  write(strided.view());
  check(test::difference(strided.view(), expected));
  check(watch.gaps_untouched() ? "" : "wrote between elements");
}

}  // namespace

TEST_CASE("fill: every number into every type and layout", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const Scalar numbers[] = {true,
                            0,
                            300,
                            -1,
                            least,
                            2.75,
                            -1e300,
                            std::numeric_limits<double>::quiet_NaN(),
                            std::complex(1.5, -2.5)};
  for (const ScalarType type : test::all_types()) {
    for (const Scalar& number : numbers) {
      const TensorView scalar = number.view();
      const test::AnyElement element = test::as_type(type, scalar.dtype(), scalar.data());
      const test::Memory out = test::random_output(random, type, test::random_shape(random, 4));
      const test::Watch watch(out);
      weft::fill_out(out.view(), number);
      const auto expected =
          test::naive_map(type, out.layout().shape, {}, [&](const void* const*, void* to) {
            std::memcpy(to, element.bytes, static_cast<std::size_t>(weft::element_size(type)));
          });
      const std::string wrong =
          test::difference(out.view(), expected) +
          test::difference(weft::full(out.layout().shape, number, type), expected);
      tally.check(wrong.empty() && watch.gaps_untouched(),
                  [&](auto& text) { text << weft::name(type) << ": " << wrong; });
    }
  }
  CHECK_TALLY(tally);
  Tensor none;
  CHECK_ERROR(undefined, ("fill", "output 0"), weft::fill_out(none, 1));
  CHECK_ERROR(overlap, ("fill", "output 0"),
              weft::fill_out(Tensor::zeros({1}, ScalarType::f32).expand({3}), 1));
}

TEST_CASE("arange: integers are exact and wrap in narrower types", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (type == ScalarType::boolean) continue;
    for (int round = 0; round < test::rounds(20); ++round) {
      const bool huge = weft::is_integer(type) && random.chance(30);
      const std::int64_t start = huge ? most - 1000 : random.integer(-1000, 1000);
      std::int64_t step = random.integer(-40, 40);
      if (step == 0 || start > 1000) step = 3;
      const std::int64_t count = random.chance(10) ? 3000 : random.integer(0, 70);
      const std::int64_t size = start > 1000 ? std::min<std::int64_t>(count, 300) : count;
      const std::int64_t stop =
          start + step * size - (step > 0 && size > 0 ? random.integer(0, step - 1) : 0);
      check_sequence(
          tally, random,
          listed(type, size, [&](std::int64_t i) -> std::int64_t { return start + i * step; }),
          "arange", [&](const weft::Output& out) { weft::arange_out(out, start, stop, step); });
    }
  }
  CHECK_TALLY(tally);
  CHECK(weft::arange(0, 5).dtype() == ScalarType::i64);
  CHECK(weft::arange(least, most, most).numel() == 3);
  CHECK(weft::arange(most, least, least).numel() == 2);
  CHECK(weft::arange(5, 5).numel() == 0);
}

TEST_CASE("arange: fractions, in f64 and rounded once", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : {ScalarType::f16, ScalarType::bf16, ScalarType::f32, ScalarType::f64,
                                ScalarType::c64, ScalarType::c128}) {
    for (int round = 0; round < test::rounds(20); ++round) {
      const double start = static_cast<double>(random.integer(-1000, 1000)) / 7;
      const double step =
          static_cast<double>(random.integer(1, 100)) / (random.chance(50) ? 9 : -9);
      const double stop = start + step * static_cast<double>(random.integer(0, 300));
      const auto count = static_cast<std::int64_t>(std::ceil((stop - start) / step));
      check_sequence(tally, random,
                     listed(type, count,
                            [&](std::int64_t i) -> double {
                              const volatile double product = static_cast<double>(i) * step;
                              return start + product;
                            }),
                     "arange",
                     [&](const weft::Output& out) { weft::arange_out(out, start, stop, step); });
    }
  }
  CHECK_TALLY(tally);
  CHECK(weft::arange(0, 1, 0.25).dtype() == ScalarType::f32);
  CHECK(weft::arange(0.0, 5).numel() == 5);
}

TEST_CASE("linspace: both ends, and the same backwards", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type :
       {ScalarType::f16, ScalarType::bf16, ScalarType::f32, ScalarType::f64}) {
    for (const std::int64_t count : {1, 2, 3, 4, 5, 63, 64, 65, 1000}) {
      const double start = static_cast<double>(random.integer(-1000, 1000)) / 7;
      const double stop = static_cast<double>(random.integer(-1000, 1000)) / 11;
      const double step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0;
      const auto expected = listed(type, count, [&](std::int64_t i) -> double {
        const bool first_half = count == 1 || i < count / 2;
        const volatile double product = static_cast<double>(first_half ? i : count - 1 - i) * step;
        return first_half ? start + product : stop - product;
      });
      check_sequence(tally, random, expected, "linspace",
                     [&](const weft::Output& out) { weft::linspace_out(out, start, stop, count); });
      const Tensor there = weft::linspace(start, stop, count, type);
      const Tensor back = weft::linspace(stop, start, count, type);
      const bool middle = count % 2 == 1;  // belongs to the second half, whichever that is
      for (std::int64_t i = 0; i < count && !middle; ++i) {
        tally.check(test::same_element(type, test::element_at(there, {i}),
                                       test::element_at(back.flip(0), {i})),
                    [&](auto& out) { out << "backwards at " << i << " of " << count; });
      }
    }
  }
  CHECK_TALLY(tally);
  const Tensor wide = weft::linspace(-1.7e308, 1.7e308, 5, ScalarType::f64);
  CHECK(wide.at<double>({0}) == -1.7e308);
  CHECK(wide.at<double>({3}) == 1.7e308 / 2);
  CHECK(weft::linspace(3, 4, 0).numel() == 0);
  const Tensor complex =
      weft::linspace(std::complex(0.0, 1.0), std::complex(2.0, -1.0), 3, ScalarType::c64);
  CHECK(complex.at<std::complex<float>>({1}) == std::complex<float>(1, 0));
}

TEST_CASE("linspace: integers, the exact quotient without its fraction", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (!weft::is_integer(type)) continue;
    for (const std::int64_t count : {1, 2, 7, 100}) {
      const std::int64_t start = random.integer(-100, 100), stop = random.integer(-100, 100);
      const std::int64_t pieces = std::max<std::int64_t>(count - 1, 1);
      check_sequence(tally, random,
                     listed(type, count,
                            [&](std::int64_t i) -> std::int64_t {
                              return (start * (pieces - i) + stop * i) / pieces;
                            }),
                     "linspace",
                     [&](const weft::Output& out) { weft::linspace_out(out, start, stop, count); });
    }
  }
  CHECK_TALLY(tally);
  const Tensor whole = weft::linspace(least, most, 3, ScalarType::i64);
  CHECK(whole.at<std::int64_t>({0}) == least);
  CHECK(whole.at<std::int64_t>({1}) == 0);
  CHECK(whole.at<std::int64_t>({2}) == most);
}

TEST_CASE("arange and linspace: integers above the largest i64", "[ops]") {
  const std::uint64_t half = std::uint64_t{1} << 63, all = ~std::uint64_t{0};
  const auto elements = [](const Tensor& t) {
    const auto* first = static_cast<const std::uint64_t*>(t.data());
    return std::vector<std::uint64_t>(first, first + t.numel());
  };
  using Elements = std::vector<std::uint64_t>;
  CHECK(elements(weft::arange(half, half + 5000, 2048, ScalarType::u64)) ==
        Elements{half, half + 2048, half + 4096});
  CHECK(elements(weft::arange(all, all - 5, -2, ScalarType::u64)) ==
        Elements{all, all - 2, all - 4});
  CHECK(elements(weft::arange(0, all, half, ScalarType::u64)) == Elements{0, half});
  const Tensor natural = weft::arange(all - 2, all);
  CHECK(natural.dtype() == ScalarType::u64);
  CHECK(elements(natural) == Elements{all - 2, all - 1});
  const Tensor wrapped = weft::arange(0, half, half / 2, ScalarType::i32);
  CHECK(wrapped.numel() == 2);
  CHECK_ERROR(overflow, ("arange", "2^53"), weft::arange(0, all));
  CHECK(elements(weft::linspace(0, all, 3, ScalarType::u64)) == Elements{0, half - 1, all});
  CHECK(elements(weft::linspace(all, half, 2, ScalarType::u64)) == Elements{all, half});
}

TEST_CASE("arange and linspace: the same bits for any number of threads", "[ops]") {
  Tensor first_range, first_space;
  test::for_thread_counts([&](int threads) {
    const Tensor range = weft::arange(0.1, 70'000, 0.1);
    const Tensor space = weft::linspace(-1, 1, 700'001);
    if (threads == 1) first_range = range, first_space = space;
    CHECK(test::difference(range, test::dense_copy(first_range)) == "");
    CHECK(test::difference(space, test::dense_copy(first_space)) == "");
  });
}

TEST_CASE("arange and linspace: what they refuse", "[ops]") {
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK_ERROR(invalid_argument, ("arange", "step", "0"), weft::arange(0, 5, 0));
  CHECK_ERROR(invalid_argument, ("arange", "away"), weft::arange(0, 5, -1));
  CHECK_ERROR(invalid_argument, ("arange", "away"), weft::arange(1.5, 0, 0.5));
  CHECK_ERROR(invalid_argument, ("arange", "finite"), weft::arange(0, infinite));
  CHECK_ERROR(cast, ("arange", "stop", "f64", "i32"), weft::arange(0, 2.5, 1, ScalarType::i32));
  CHECK_ERROR(dtype, ("arange", "bool"), weft::arange(0, 5, 1, ScalarType::boolean));
  CHECK_ERROR(dtype, ("arange", "complex"), weft::arange(0, std::complex(1.0, 1.0)));
  CHECK_ERROR(overflow, ("arange", "2^53"), weft::arange(0, most));
  CHECK_ERROR(overflow, ("arange", "2^53"), weft::arange(0, 1e300));
  Tensor four = Tensor::zeros({4}, ScalarType::i32);
  const TensorView view = four;
  CHECK_ERROR(shape, ("arange", "output 0", "[5]", "[4]"), weft::arange_out(view, 0, 5));
  CHECK_ERROR(overlap, ("linspace", "output 0"),
              weft::linspace_out(Tensor::zeros({1}, ScalarType::f32).expand({3}), 0, 1, 3));
  CHECK_ERROR(shape, ("linspace", "-1"), weft::linspace(0, 1, -1));
  CHECK_ERROR(cast, ("linspace", "start", "i64"), weft::linspace(0.5, 1, 3, ScalarType::i64));
  CHECK_ERROR(cast, ("linspace", "stop", "c128"), weft::linspace(0, std::complex(1.0, 1.0), 3));
  CHECK_ERROR(dtype, ("linspace", "bool"), weft::linspace(0, 1, 3, ScalarType::boolean));
  CHECK_ERROR(undefined, ("linspace", "output 0"), weft::linspace_out(TensorView(), 0, 1, 3));
  weft::arange_out(four, 0, 5);
  CHECK(four.dtype() == ScalarType::i32);
  CHECK(four.numel() == 5);
}
