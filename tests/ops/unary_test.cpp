// SPDX-License-Identifier: Apache-2.0
// neg, abs, sqrt, exp over all types and layouts.
#include <weft/kernel/scalar_math.hpp>
#include <weft/ops/unary.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/naive_ops.hpp"
#include "support/threads.hpp"

namespace {

using test::Dims;
using test::Memory;
using weft::Input;
using weft::Output;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

enum class Unary { neg, abs, sqrt };

struct Op {
  const char* name;
  Unary op;
  Tensor (*make)(const Input&);
  void (*write)(const Output&, const Input&);
};
const Op exact_ops[] = {{"neg", Unary::neg, weft::neg, weft::neg_out},
                        {"abs", Unary::abs, weft::abs, weft::abs_out},
                        {"sqrt", Unary::sqrt, weft::sqrt, weft::sqrt_out}};

template <class T>
T value_of(Unary op, T x) {
  if constexpr (weft::is_complex_type<T>) {
    return -x;  // the others have tests of their own
  } else if constexpr (weft::is_half_type<T>) {
    return T(value_of<float>(op, x));
  } else if constexpr (std::is_same_v<T, bool>) {
    return x;
  } else if constexpr (std::is_integral_v<T>) {
    const auto negative = static_cast<T>(0 - static_cast<std::uint64_t>(x));
    return op == Unary::neg || x < 0 ? negative : x;
  } else {
    return op == Unary::neg ? -x : op == Unary::abs ? std::fabs(x) : std::sqrt(x);
  }
}

ScalarType result_type(Unary op, ScalarType type) {
  return op == Unary::sqrt ? test::floating_type(type) : type;
}

bool covered(Unary op, ScalarType type) {
  return op == Unary::neg
             ? type != ScalarType::boolean
             : !weft::is_complex(type) && (op == Unary::sqrt || type != ScalarType::boolean);
}

test::Dense expected(Unary op, ScalarType out, const TensorView& a) {
  const ScalarType common = result_type(op, a.dtype());
  return test::naive_map(out, test::dims(a.shape()), {a}, [&](const auto* in, void* to) {
    auto x = test::as_type(common, a.dtype(), in[0]);
    weft::dispatch_all_types(
        common, [&]<class T>() { test::store(x.bytes, value_of<T>(op, test::load<T>(x.bytes))); });
    test::convert_element(out, to, common, x.bytes);
  });
}

}  // namespace

TEST_CASE("unary: neg, abs and sqrt of all types, into all types", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const Op& op : exact_ops) {
    for (const ScalarType type : test::all_types()) {
      if (!covered(op.op, type)) continue;
      for (int round = 0; round < test::rounds(40); ++round) {
        const Dims shape = test::random_shape(random, 4, round % 8 == 0 ? 20 : 5);
        const Memory a = test::random_memory(random, type, test::random_layout(random, shape));
        const auto check = [&](const std::string& wrong) {
          tally.check(wrong.empty(), [&](auto& text) {
            test::describe(text << op.name << " of ", a.view()) << ": " << wrong;
          });
        };
        const ScalarType common = result_type(op.op, type);
        check(test::difference(op.make(a.view()), expected(op.op, common, a.view())));

        const ScalarType out_type = random.pick(test::all_types());
        const Memory out = test::random_output(random, out_type, shape);
        const test::Watch watch(out);
        if (weft::can_cast(common, out_type)) {
          op.write(out.view(), a.view());
          check(test::difference(out.view(), expected(op.op, out_type, a.view())));
          check(watch.gaps_untouched() ? "" : "wrote between elements");
        } else {
          check(test::wrong_error(weft::ErrorCode::cast, {op.name, "output 0"},
                                  [&] { op.write(out.view(), a.view()); }));
          check(watch.untouched() ? "" : "wrote, then refused");
        }

        const Memory both = test::random_output(random, common, shape);
        const test::Dense want = expected(op.op, common, both.view());
        op.write(both.view(), both.view());
        check(test::difference(both.view(), want));
      }
    }
  }
  CHECK_TALLY(tally);
}

TEMPLATE_TEST_CASE("unary: the least integer wraps", "[ops]", std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t) {
  using T = TestType;
  constexpr T least = std::numeric_limits<T>::min();
  const auto a = Tensor::of<T>({2}, {least, 5});
  CHECK(weft::neg(a).template at<T>({0}) == least);
  CHECK(weft::neg(a).template at<T>({1}) == -5);
  CHECK(weft::abs(a).template at<T>({0}) == least);
}

TEST_CASE("unary: signs of zeros and NaN", "[ops]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto a = Tensor::of<double>({4}, {0.0, -0.0, nan, -4.0});
  CHECK(std::signbit(weft::neg(a).at<double>({0})));
  CHECK(!std::signbit(weft::neg(a).at<double>({1})));
  CHECK(!std::signbit(weft::abs(a).at<double>({1})));
  CHECK(std::isnan(weft::neg(a).at<double>({2})));
  CHECK(std::signbit(weft::sqrt(a).at<double>({1})));
  CHECK(std::isnan(weft::sqrt(a).at<double>({3})));
  const auto c = Tensor::of<std::complex<float>>({1}, {{0, -0.0f}});
  CHECK(std::signbit(weft::neg(c).at<std::complex<float>>({0}).real()));
  CHECK(!std::signbit(weft::neg(c).at<std::complex<float>>({0}).imag()));
}

TEST_CASE("unary: magnitudes of complex numbers are real", "[ops]") {
  const auto a = Tensor::of<std::complex<float>>({3}, {{3, -4}, {0, 0}, {3e30f, 4e30f}});
  const Tensor m = weft::abs(a);
  REQUIRE(m.dtype() == ScalarType::f32);
  CHECK(m.at<float>({0}) == 5);
  CHECK(m.at<float>({1}) == 0);
  CHECK(m.at<float>({2}) == Approx(5e30f));
  const Tensor wide = weft::abs(Tensor::of<std::complex<double>>({1}, {{3e300, 4e300}}));
  REQUIRE(wide.dtype() == ScalarType::f64);
  CHECK(wide.at<double>({0}) == Approx(5e300));
  const Tensor out = Tensor::zeros({3}, ScalarType::f64);
  weft::abs_out(out, a);
  CHECK(out.at<double>({0}) == 5);
  const Tensor small = Tensor::full({3}, ScalarType::i32, 7);
  CHECK_ERROR(cast, ("output 0", "f32", "i32"), weft::abs_out(small, a));
  CHECK(small.at<std::int32_t>({0}) == 7);
}

TEST_CASE("unary: roots and powers of complex numbers", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int i = 0; i < 1000; ++i) {
    const std::complex<double> z(static_cast<double>(random.integer(-900, 900)) / 100,
                                 static_cast<double>(random.integer(-900, 900)) / 100);
    const auto a = Tensor::of<std::complex<double>>({1}, {z});
    const auto near = [&](const Tensor& got, std::complex<double> want) {
      const auto value = got.at<std::complex<double>>({0});
      tally.check(std::abs(value - want) <= 1e-14 * std::abs(want),
                  [&](auto& text) { text << z << ": " << value << ", expected " << want; });
    };
    near(weft::sqrt(a), std::sqrt(z));
    near(weft::exp(a), std::exp(z));
  }
  CHECK_TALLY(tally);
}

TEST_CASE("unary: what is not defined", "[ops]") {
  const auto flags = Tensor::of<bool>({1}, {true});
  CHECK_ERROR(dtype, ("neg", "bool"), weft::neg(flags));
  CHECK_ERROR(dtype, ("abs", "bool"), weft::abs(flags));
  CHECK_ERROR(undefined, ("sqrt", "input 0"), weft::sqrt(TensorView()));
  CHECK_ERROR(undefined, ("exp", "input 0"), weft::exp(TensorView()));
  CHECK(weft::sqrt(flags).at<float>({0}) == 1);
  CHECK(weft::exp(flags).dtype() == ScalarType::f32);
  CHECK(weft::neg(5).at<std::int64_t>({}) == -5);
  // A number of the language has a function of numbers, where there is one; a Scalar is a tensor.
  CHECK(weft::sqrt(2.25) == 1.5);
  CHECK(weft::sqrt(weft::Scalar(2.25)).dtype() == ScalarType::f32);
  CHECK(weft::sqrt(weft::Scalar(2.25)).at<float>({}) == 1.5f);
}

TEST_CASE("unary: overlap", "[ops]") {
  const Tensor a = Tensor::full({10}, ScalarType::f32, 4);
  CHECK_ERROR(overlap, ("sqrt", "output 0", "input 0"),
              weft::sqrt_out(a.slice(0, 0, 5), a.slice(0, 1, 6)));
  CHECK(test::difference(a, test::dense_copy(Tensor::full({10}, ScalarType::f32, 4))) == "");
  weft::sqrt_out(a.slice(0, 0, 10, 2), a.slice(0, 1, 10, 2));
  CHECK(a.at<float>({8}) == 2);
  CHECK(a.at<float>({9}) == 4);
}
