// SPDX-License-Identifier: Apache-2.0
// What PyTorch's test_type_promotion.py pins down, asked of weft's operations.
#include <weft/iter/config.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/copy.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"

namespace {

using test::Dims;
using weft::Input;
using weft::Output;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

Tensor axes(ScalarType type, double value = 1) { return Tensor::full({2}, type, value); }
Tensor no_axes(ScalarType type, double value = 1) { return Tensor::full({}, type, value); }

using Binary = Tensor (*)(const Input&, const Input&);
using BinaryOut = void (*)(const Output&, const Input&, const Input&);

/// An n-d tensor of random values and its type's name, in one of two layouts.
Tensor cube(test::Random& random, ScalarType type, bool transposed) {
  const Dims strides = transposed ? Dims{1, 25, 5} : Dims{25, 5, 1};
  Tensor t = Tensor::empty_strided({5, 5, 5}, strides, type);
  test::fill(type, t.data(), t.numel(), random, test::Values::small);
  return t;
}

}  // namespace

TEST_CASE("type promotion: in place", "[conformance]") {
  const Tensor i32 = axes(ScalarType::i32, 5);
  CHECK_ERROR(cast, ("can't be cast to"), weft::add_out(i32, i32, 1.5));
  weft::add_out(i32, i32, axes(ScalarType::i64, 7));
  CHECK(i32.at<std::int32_t>({1}) == 12);
  const Tensor flags = axes(ScalarType::boolean);
  CHECK_ERROR(cast, ("can't be cast to"), weft::add_out(flags, flags, axes(ScalarType::u8)));
  const Tensor u8 = axes(ScalarType::u8, 100);
  weft::mul_out(u8, u8, axes(ScalarType::i16, 3));
  CHECK(u8.at<std::uint8_t>({0}) == 300 % 256);
}

TEST_CASE("type promotion: numbers", "[conformance]") {
  const Tensor u8 = axes(ScalarType::u8, 1);
  CHECK(weft::add(u8, 5).dtype() == ScalarType::u8);
  CHECK(weft::add(u8, 1000).dtype() == ScalarType::u8);
  CHECK(weft::add(u8, 1000).at<std::uint8_t>({0}) == 1001 % 256);
  CHECK(weft::add(u8, 5.5).dtype() == ScalarType::f32);
  CHECK(weft::add(axes(ScalarType::boolean), 1.0).dtype() == ScalarType::f32);
  CHECK(weft::add(axes(ScalarType::f32), 1.0).dtype() == ScalarType::f32);
  CHECK(weft::mul(axes(ScalarType::c64), 5).dtype() == ScalarType::c64);
  CHECK(weft::add(no_axes(ScalarType::i32), 1).dtype() == ScalarType::i32);
  CHECK(weft::add(no_axes(ScalarType::i64), 1.0).dtype() == ScalarType::f32);
}

TEST_CASE("type promotion: the default floating type is the config's", "[conformance]") {
  const auto common = [](const TensorView& a, const TensorView& b, ScalarType default_float,
                         bool to_float) {
    weft::TensorIteratorConfig config;
    config.add_output().add_input(a).add_input(b).promote_inputs_to_common_dtype(true);
    config.promote_integer_inputs_to_float(to_float).default_float_type(default_float);
    return config.build().common_dtype();
  };
  const weft::Scalar number(5.5);
  const weft::Scalar complex_number(std::complex<double>(0, 1));
  for (const ScalarType f : {ScalarType::f32, ScalarType::f64}) {
    const ScalarType c = f == ScalarType::f32 ? ScalarType::c64 : ScalarType::c128;
    CHECK(common(axes(ScalarType::u8), number.view(), f, false) == f);
    CHECK(common(axes(ScalarType::boolean), number.view(), f, false) == f);
    CHECK(common(no_axes(ScalarType::i64), number.view(), f, false) == f);
    CHECK(common(axes(ScalarType::i32), complex_number.view(), f, false) == c);
    CHECK(common(axes(ScalarType::i64), axes(ScalarType::i32), f, true) == f);
    CHECK(common(axes(ScalarType::f16), number.view(), f, false) == ScalarType::f16);
  }
}

TEST_CASE("type promotion: tensors with axes and without, either order", "[conformance]") {
  struct Case {
    Tensor a, b;
    ScalarType result;
  };
  const auto f16 = ScalarType::f16, f32 = ScalarType::f32, f64 = ScalarType::f64;
  const auto i32 = ScalarType::i32, i64 = ScalarType::i64;
  const auto c64 = ScalarType::c64, c128 = ScalarType::c128;
  const Case cases[] = {
      {axes(i32), axes(i64), i64},
      {axes(i32), axes(f32), f32},
      {axes(f32), axes(f64), f64},
      {axes(ScalarType::u8), axes(i32), i32},
      {axes(ScalarType::u8), axes(ScalarType::i8), ScalarType::i16},
      {axes(f16), axes(ScalarType::bf16), f32},
      {axes(i64), axes(f16), f16},
      {axes(ScalarType::u8), no_axes(f64), f64},
      {axes(f32), no_axes(f64), f32},
      {axes(c64), no_axes(f64), c64},
      {axes(f16), no_axes(i64), f16},
      {no_axes(f32), axes(f64), f64},
      {no_axes(i64), axes(i32), i32},
      {axes(c64), no_axes(c128), c64},
      {axes(c128), no_axes(c64), c128},
      {axes(c64), axes(f64), c128},
      {axes(f64), no_axes(c64), c128},
  };
  for (const Case& c : cases) {
    INFO(weft::name(c.a.dtype()) << " of rank " << c.a.rank() << " and " << weft::name(c.b.dtype())
                                 << " of rank " << c.b.rank());
    CHECK(weft::add(c.a, c.b).dtype() == c.result);
    CHECK(weft::add(c.b, c.a).dtype() == c.result);
    CHECK(weft::mul(c.a, c.b).dtype() == c.result);
  }
}

TEST_CASE("type promotion: outputs that are given", "[conformance]") {
  const Tensor a = axes(ScalarType::f32, 2.5);
  CHECK_ERROR(cast, ("can't be cast to"), weft::add_out(axes(ScalarType::i64), a, a));
  const Tensor wide = axes(ScalarType::f64);
  weft::add_out(wide, a, a);
  CHECK(wide.at<double>({0}) == 5);
}

TEST_CASE("type promotion: all pairs, as after converting first", "[conformance]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::pair<const char*, Binary> ops[] = {
      {"add", weft::add}, {"sub", weft::sub}, {"mul", weft::mul}, {"div", weft::div}};
  for (const auto& [name, op] : ops) {
    for (const ScalarType a_type : test::all_types()) {
      for (const ScalarType b_type : test::all_types()) {
        const ScalarType common = weft::promote_types(a_type, b_type);
        if (op == Binary{weft::sub} && common == ScalarType::boolean) continue;
        for (const bool transposed : {false, true}) {
          const Tensor a = cube(random, a_type, transposed);
          const Tensor b = cube(random, b_type, false);
          const Tensor converted = op(weft::contiguous(a, common), weft::contiguous(b, common));
          const std::string wrong = test::difference(op(a, b), test::dense_copy(converted));
          tally.check(wrong.empty(), [&, op_name = name](auto& text) {
            text << op_name << " of " << weft::name(a_type) << " and " << weft::name(b_type) << ": "
                 << wrong;
          });
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("type promotion: comparisons give bools and leave inputs as they are", "[conformance]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::tuple<const char*, Binary, BinaryOut> ops[] = {
      {"eq", weft::eq, weft::eq_out}, {"ne", weft::ne, weft::ne_out},
      {"lt", weft::lt, weft::lt_out}, {"le", weft::le, weft::le_out},
      {"gt", weft::gt, weft::gt_out}, {"ge", weft::ge, weft::ge_out}};
  for (const auto& op : ops) {
    for (const ScalarType a_type : test::all_types()) {
      for (const ScalarType b_type : test::all_types()) {
        const bool ordered =
            std::get<1>(op) != Binary{weft::eq} && std::get<1>(op) != Binary{weft::ne};
        if (ordered && (weft::is_complex(a_type) || weft::is_complex(b_type))) continue;
        for (const bool with_axes : {true, false}) {
          const Tensor a = with_axes ? cube(random, a_type, true) : no_axes(a_type, 3);
          const Tensor b = with_axes ? cube(random, b_type, false) : no_axes(b_type, 3);
          const test::Dense a_before = test::dense_copy(a);
          const Tensor result = std::get<1>(op)(a, b);
          const Tensor out = Tensor::zeros(a.shape(), ScalarType::boolean);
          std::get<2>(op)(out, a, b);
          const bool right = result.dtype() == ScalarType::boolean && a.dtype() == a_type &&
                             b.dtype() == b_type && test::difference(a, a_before).empty() &&
                             test::difference(out, test::dense_copy(result)).empty();
          tally.check(right, [&](auto& text) {
            text << std::get<0>(op) << " of " << weft::name(a_type) << " and "
                 << weft::name(b_type);
          });
        }
      }
    }
  }
  CHECK_TALLY(tally);
}
