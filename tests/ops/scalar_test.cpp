// SPDX-License-Identifier: Apache-2.0
// Numbers of the language, and 0-d tensors, on either side of an operation.
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/ternary.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/naive_ops.hpp"

namespace {

using test::Binary;
using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

template <class T>
struct Number {
  T value;
  ScalarType type;  ///< as which it takes part
};

/// a op b, the common type being given.
test::Dense expected(Binary op, ScalarType common, const Dims& shape, const TensorView& a,
                     const TensorView& b) {
  return test::naive_map(common, shape, {a, b}, [&](const auto* in, void* to) {
    const auto x = test::as_type(common, a.dtype(), in[0]);
    const auto y = test::as_type(common, b.dtype(), in[1]);
    test::naive_binary(op, common, x.bytes, y.bytes, to);
  });
}

/// A number with tensors of every type, on both sides.
template <class T>
void check_number(test::Random& random, test::Tally& tally, T value) {
  constexpr ScalarType number_type = std::is_same_v<T, bool>       ? ScalarType::boolean
                                     : std::is_integral_v<T>       ? ScalarType::i64
                                     : std::is_floating_point_v<T> ? ScalarType::f64
                                                                   : ScalarType::c128;
  const weft::Scalar scalar(value);
  for (const ScalarType type : test::all_types()) {
    const Dims shape = {random.integer(1, 20), random.integer(1, 5)};
    const Memory a = test::random_memory(random, type, test::random_layout(random, shape));
    const ScalarType common = test::with_weaker(type, number_type, true);
    const auto check = [&](const char* what, const Tensor& got, Binary op, bool number_first) {
      const TensorView number = scalar.view();
      const std::string wrong =
          test::difference(got, expected(op, common, shape, number_first ? number : a.view(),
                                         number_first ? a.view() : number));
      tally.check(wrong.empty(), [&](auto& text) {
        text << what << " of " << weft::name(type) << " and " << weft::name(number_type) << " "
             << value << ": " << wrong;
      });
    };
    check("add", weft::add(a.view(), value), Binary::add, false);
    check("add", weft::add(value, a.view()), Binary::add, true);
    check("mul", weft::mul(value, a.view()), Binary::mul, true);
    if (common == ScalarType::boolean) continue;
    check("sub", weft::sub(a.view(), value), Binary::sub, false);
    check("sub", weft::sub(value, a.view()), Binary::sub, true);
  }
}

}  // namespace

TEST_CASE("scalars: with tensors of every type", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(5); ++round) {
    check_number(random, tally, true);
    check_number(random, tally, 3);
    check_number(random, tally, -70'000);
    check_number(random, tally, std::numeric_limits<std::int64_t>::min());
    check_number(random, tally, std::uint8_t{200});
    check_number(random, tally, 2.5);
    check_number(random, tally, 0.1f);
    check_number(random, tally, -1e300);
    check_number(random, tally, std::complex<double>(0.5, -2));
    check_number(random, tally, std::complex<float>(1, 1));
  }
  CHECK_TALLY(tally);
}

TEST_CASE("scalars: division", "[ops]") {
  const auto a = Tensor::of<std::int32_t>({2}, {7, -8});
  const Tensor half = weft::div(a, 2);
  REQUIRE(half.dtype() == ScalarType::f32);
  CHECK(half.at<float>({0}) == 3.5f);
  CHECK(weft::div(1, a).at<float>({1}) == -0.125f);
  CHECK(weft::div(Tensor::of<double>({1}, {1}), 3).dtype() == ScalarType::f64);
  CHECK(weft::div(Tensor::of<weft::float16>({1}, {weft::float16(1.0f)}), 3).dtype() ==
        ScalarType::f16);
}

TEST_CASE("scalars: two numbers", "[ops]") {
  CHECK(weft::add(1, 2).dtype() == ScalarType::i64);
  CHECK(weft::add(1, 2).at<std::int64_t>({}) == 3);
  CHECK(weft::add(1, 2.5).dtype() == ScalarType::f32);
  CHECK(weft::add(1, 2.5).at<float>({}) == 3.5f);
  CHECK(weft::mul(true, true).dtype() == ScalarType::boolean);
  CHECK(weft::add(std::complex<float>(0, 1), 2).dtype() == ScalarType::c64);
  CHECK(weft::lt(1, 2.5).at<bool>({}));
}

TEST_CASE("0-d tensors: count against tensors with axes only if of a higher kind", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType axes_type : test::all_types()) {
    for (const ScalarType zero_d_type : test::all_types()) {
      const Memory a = test::random_memory(random, axes_type, test::random_layout(random, {3, 4}));
      const Memory b = test::random_memory(random, zero_d_type, test::fit({{}, {}}));
      // bool with anything else gives way entirely, as among equals.
      const ScalarType common = axes_type == ScalarType::boolean
                                    ? weft::promote_types(axes_type, zero_d_type)
                                    : test::with_weaker(axes_type, zero_d_type, false);
      for (const bool swapped : {false, true}) {
        const TensorView x = swapped ? b.view() : a.view();
        const TensorView y = swapped ? a.view() : b.view();
        const std::string wrong =
            test::difference(weft::add(x, y), expected(Binary::add, common, {3, 4}, x, y));
        tally.check(wrong.empty(), [&](auto& text) {
          text << weft::name(axes_type) << " with axes, " << weft::name(zero_d_type)
               << " without: " << wrong;
        });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("0-d tensors: among themselves, and with numbers", "[ops]") {
  const auto f32 = Tensor::of<float>({}, {1.5f});
  const auto f64 = Tensor::of<double>({}, {0.1});
  const auto i32 = Tensor::of<std::int32_t>({}, {2});
  const Tensor sum = weft::add(f32, f64);
  REQUIRE(sum.dtype() == ScalarType::f64);
  CHECK(sum.rank() == 0);
  CHECK(sum.at<double>({}) == 1.6);
  CHECK(weft::add(i32, 1).dtype() == ScalarType::i32);
  CHECK(weft::add(i32, 1.5).dtype() == ScalarType::f32);
  CHECK(weft::add(i32, 1.5).at<float>({}) == 3.5f);
  CHECK(weft::add(f64, 1.5).dtype() == ScalarType::f64);
  CHECK(weft::mul(f32, true).dtype() == ScalarType::f32);
  // An axis of extent 1 is an axis.
  CHECK(weft::add(Tensor::of<double>({1}, {0.1}), f32).dtype() == ScalarType::f64);
  CHECK(weft::add(Tensor::of<float>({1}, {1.5f}), f64).dtype() == ScalarType::f32);
}

TEST_CASE("scalars: a number's value is converted to the common type before anything else",
          "[ops]") {
  const auto u8 = Tensor::of<std::uint8_t>({1}, {5});
  CHECK(weft::add(u8, 1000).at<std::uint8_t>({0}) == static_cast<std::uint8_t>(1005));
  CHECK(weft::eq(u8, 256 + 5).at<bool>({0}));
  const auto f16 = Tensor::of<weft::float16>({1}, {weft::float16(0.0f)});
  CHECK(static_cast<float>(weft::mul(f16, 1e30).at<weft::float16>({0})) !=
        static_cast<float>(weft::mul(f16, 1e30).at<weft::float16>({0})));  // 0 * infinity
}

TEST_CASE("scalars: where, and outputs", "[ops]") {
  const auto condition = Tensor::of<bool>({3}, {true, false, true});
  const Tensor numbers = weft::where(condition, 1, 2.5);
  REQUIRE(numbers.dtype() == ScalarType::f32);
  CHECK(numbers.at<float>({0}) == 1);
  CHECK(numbers.at<float>({1}) == 2.5f);
  const auto i16 = Tensor::of<std::int16_t>({3}, {7, 8, 9});
  CHECK(weft::where(condition, i16, -1).dtype() == ScalarType::i16);
  CHECK(weft::where(condition, i16, -1).at<std::int16_t>({1}) == -1);
  CHECK(weft::where(true, i16, 0.5).dtype() == ScalarType::f32);

  // Two numbers have no axes, so neither has what they give.
  const Tensor out = Tensor::full({}, ScalarType::i32, 7);
  weft::add_out(out, 1, 2);
  CHECK(out.at<std::int32_t>({}) == 3);
  CHECK_ERROR(cast, ("output 0", "f32", "i32"), weft::add_out(out, 1, 2.5));
  CHECK_ERROR(shape, ("output 0", "[2]"),
              weft::add_out(TensorView(Tensor::full({2}, ScalarType::i32, 7)), 1, 2));
  CHECK(out.at<std::int32_t>({}) == 3);
}
