// SPDX-License-Identifier: Apache-2.0
// eq, ne, lt, le, gt, ge: all pairs of types, outputs of all types.
#include <weft/expr/expr.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/creation.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/naive_ops.hpp"

namespace {

using test::Compare;
using test::Dims;
using test::Memory;
using weft::Input;
using weft::Output;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

struct Op {
  const char* name;
  Compare op;
  Tensor (*make)(const Input&, const Input&);
  void (*write)(const Output&, const Input&, const Input&);
};
const Op ops[] = {
    {"eq", Compare::eq, weft::eq, weft::eq_out}, {"ne", Compare::ne, weft::ne, weft::ne_out},
    {"lt", Compare::lt, weft::lt, weft::lt_out}, {"le", Compare::le, weft::le, weft::le_out},
    {"gt", Compare::gt, weft::gt, weft::gt_out}, {"ge", Compare::ge, weft::ge, weft::ge_out}};

bool defined_for(const Op& op, ScalarType common) {
  return op.op == Compare::eq || op.op == Compare::ne || !weft::is_complex(common);
}

test::Dense expected(Compare op, ScalarType out, const Dims& shape, const TensorView& a,
                     const TensorView& b) {
  const ScalarType common = weft::promote_types(a.dtype(), b.dtype());
  return test::naive_map(out, shape, {a, b}, [&](const auto* in, void* to) {
    const auto x = test::as_type(common, a.dtype(), in[0]);
    const auto y = test::as_type(common, b.dtype(), in[1]);
    const bool value = test::naive_compare(op, common, x.bytes, y.bytes);
    test::convert_element(out, to, ScalarType::boolean, &value);
  });
}

}  // namespace

TEST_CASE("compare: all pairs of types and layouts, into all types", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const Op& op : ops) {
    for (const ScalarType a_type : test::all_types()) {
      for (const ScalarType b_type : test::all_types()) {
        for (int round = 0; round < test::rounds(4); ++round) {
          Dims shape = test::random_shape(random, 3, round == 0 ? 20 : 5);
          if (shape.empty()) shape = {random.integer(1, 200)};
          // Small values, so that many are equal; any values, for NaN and the ends of ranges.
          const auto values = random.chance(50) ? test::Values::small : test::Values::any;
          const Memory a =
              test::random_memory(random, a_type, test::random_layout(random, shape), values);
          Dims b_shape = test::random_operand_shape(random, shape);
          if (b_shape.empty()) b_shape = {1};
          const Memory b =
              test::random_memory(random, b_type, test::random_layout(random, b_shape), values);
          const auto about = [&](const std::string& wrong) {
            return [&, wrong](auto& text) {
              test::describe(text << op.name << " of ", a.view());
              test::describe(text << " and ", b.view()) << ": " << wrong;
            };
          };
          const ScalarType common = weft::promote_types(a_type, b_type);
          if (!defined_for(op, common)) {
            const std::string wrong = test::wrong_error(weft::ErrorCode::dtype, {op.name, "c"},
                                                        [&] { op.make(a.view(), b.view()); });
            tally.check(wrong.empty(), about(wrong));
            continue;
          }
          std::string wrong =
              test::difference(op.make(a.view(), b.view()),
                               expected(op.op, ScalarType::boolean, shape, a.view(), b.view()));
          tally.check(wrong.empty(), about(wrong));

          const ScalarType out_type = random.pick(test::all_types());
          const Memory out = test::random_output(random, out_type, shape);
          const test::Watch watch(out);
          op.write(out.view(), a.view(), b.view());
          wrong =
              test::difference(out.view(), expected(op.op, out_type, shape, a.view(), b.view()));
          if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
          tally.check(wrong.empty(), about(wrong));
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("compare: numbers beyond i64", "[ops]") {
  const Tensor a = Tensor::of<double>({2}, {1, 0x1p63});
  const weft::Scalar large = std::uint64_t{1} << 63;
  CHECK(weft::lt(a, large).at<bool>(0));
  CHECK(weft::eq(a, large).at<bool>(1));
  CHECK(weft::eq(weft::full({1}, large, ScalarType::u64), large).at<bool>(0));
  CHECK(weft::eq(weft::evaluate(weft::expr(a) * large), weft::mul(a, large)).at<bool>(1));
}

TEST_CASE("compare: NaN and zeros", "[ops]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto a = Tensor::of<double>({5}, {nan, nan, 1, 0.0, 1});
  const auto b = Tensor::of<double>({5}, {nan, 1, nan, -0.0, 2});
  const auto check = [&](const Tensor& got, std::initializer_list<bool> wanted) {
    CHECK(test::difference(got, test::dense_copy(Tensor::of<bool>({5}, wanted))) == "");
  };
  check(weft::eq(a, b), {false, false, false, true, false});
  check(weft::ne(a, b), {true, true, true, false, true});
  check(weft::lt(a, b), {false, false, false, false, true});
  check(weft::le(a, b), {false, false, false, true, true});
  check(weft::gt(a, b), {false, false, false, false, false});
  check(weft::ge(a, b), {false, false, false, true, false});
  const auto half = weft::contiguous(a, ScalarType::f16);
  check(weft::ne(half, half), {true, true, false, false, false});
}

TEST_CASE("compare: a bool of any byte but 0 is true", "[ops]") {
  const std::uint8_t bytes[] = {0, 1, 2, 255};
  const auto odd = TensorView::trusted(static_cast<const void*>(bytes), ScalarType::boolean, {4});
  const auto check = [&](const Tensor& got, std::initializer_list<bool> wanted) {
    CHECK(test::difference(got, test::dense_copy(Tensor::of<bool>({4}, wanted))) == "");
  };
  check(weft::eq(odd, true), {false, true, true, true});
  check(weft::eq(odd, odd.flip(0)), {false, true, true, false});
  check(weft::lt(odd, 1), {true, false, false, false});
}

TEST_CASE("compare: integers of different signs and widths", "[ops]") {
  const auto minus = Tensor::of<std::int32_t>({1}, {-1});
  CHECK(!weft::eq(minus, Tensor::of<std::uint32_t>({1}, {0xffffffffu})).at<bool>({0}));
  CHECK(weft::lt(minus, Tensor::of<std::uint32_t>({1}, {0u})).at<bool>({0}));
  CHECK(weft::lt(minus, Tensor::of<std::uint64_t>({1}, {0u})).at<bool>({0}));
  const auto large = Tensor::of<std::int64_t>({1}, {(std::int64_t{1} << 53) + 1});
  CHECK(weft::gt(large, std::int64_t{1} << 53).at<bool>({0}));
  CHECK(weft::eq(Tensor::of<bool>({1}, {true}), Tensor::of<std::int8_t>({1}, {1})).at<bool>({0}));
}

TEST_CASE("compare: complex numbers are equal or not, and never ordered", "[ops]") {
  const auto a = Tensor::of<std::complex<float>>({3}, {{1, 2}, {1, 2}, {3, 0}});
  const auto b = Tensor::of<std::complex<float>>({3}, {{1, 2}, {1, -2}, {3, 0}});
  const auto check = [&](const Tensor& got, std::initializer_list<bool> wanted) {
    CHECK(test::difference(got, test::dense_copy(Tensor::of<bool>({3}, wanted))) == "");
  };
  check(weft::eq(a, b), {true, false, true});
  check(weft::ne(a, b), {false, true, false});
  check(weft::eq(a, 3), {false, false, true});
  CHECK_ERROR(dtype, ("lt", "c64"), weft::lt(a, b));
  CHECK_ERROR(dtype, ("le", "c64"), weft::le(a, 1));
  CHECK_ERROR(dtype, ("gt", "c128"), weft::gt(1, Tensor::zeros({2}, ScalarType::c128)));
  CHECK_ERROR(dtype, ("ge"), weft::ge(Tensor::zeros({2}, ScalarType::f32), std::complex<float>()));
}

TEST_CASE("compare: in place", "[ops]") {
  const auto flags = Tensor::of<bool>({4}, {true, false, true, false});
  weft::eq_out(flags, flags, false);
  CHECK(test::difference(
            flags, test::dense_copy(Tensor::of<bool>({4}, {false, true, false, true}))) == "");
  const auto values = Tensor::of<float>({4}, {3, -1, 0, 5});
  weft::gt_out(values, values, 0);
  CHECK(test::difference(values, test::dense_copy(Tensor::of<float>({4}, {1, 0, 0, 1}))) == "");
}
