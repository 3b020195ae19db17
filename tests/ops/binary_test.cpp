// SPDX-License-Identifier: Apache-2.0
// add, sub, mul, div: all pairs of types and random layouts against the rules of the language.
#include <weft/ops/binary.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/naive_ops.hpp"
#include "support/threads.hpp"

namespace {

using test::AnyElement;
using test::Binary;
using test::Dims;
using test::Memory;
using weft::Input;
using weft::Output;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

struct Op {
  const char* name;
  Binary op;
  Tensor (*make)(const Input&, const Input&);
  void (*write)(const Output&, const Input&, const Input&);
};
const Op ops[] = {{"add", Binary::add, weft::add, weft::add_out},
                  {"sub", Binary::sub, weft::sub, weft::sub_out},
                  {"mul", Binary::mul, weft::mul, weft::mul_out},
                  {"div", Binary::div, weft::div, weft::div_out}};

ScalarType common_type(Binary op, ScalarType a, ScalarType b) {
  const ScalarType common = weft::promote_types(a, b);
  return op == Binary::div ? test::floating_type(common) : common;
}

/// Complex division and sub on bools have tests of their own.
bool covered(Binary op, ScalarType common) {
  if (op == Binary::div) return !weft::is_complex(common);
  return op != Binary::sub || common != ScalarType::boolean;
}

/// Every element converted to the common type, operated on, and converted to the output's.
test::Dense expected(Binary op, ScalarType common, ScalarType out, const Dims& shape,
                     const TensorView& a, const TensorView& b) {
  return test::naive_map(out, shape, {a, b}, [&](const auto* in, void* to) {
    const AnyElement x = test::as_type(common, a.dtype(), in[0]);
    const AnyElement y = test::as_type(common, b.dtype(), in[1]);
    AnyElement z;
    test::naive_binary(op, common, x.bytes, y.bytes, z.bytes);
    test::convert_element(out, to, common, z.bytes);
  });
}

auto about(const Op& op, const TensorView& a, const TensorView& b, const std::string& wrong) {
  return [&op, a, b, wrong](auto& text) {
    test::describe(text << op.name << " of ", a);
    test::describe(text << " and ", b) << ": " << wrong;
  };
}

/// Axes of at least one element, so that with_weaker() does not come in.
Dims shape_with_axes(test::Random& random, int round) {
  Dims shape = test::random_shape(random, 3, round % 16 == 0 ? 40 : 5);
  if (shape.empty()) shape = {random.integer(1, 300)};
  return shape;
}

}  // namespace

TEST_CASE("binary: all pairs of types, a new result", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  int round = 0;
  for (const Op& op : ops) {
    for (const ScalarType a_type : test::all_types()) {
      for (const ScalarType b_type : test::all_types()) {
        const ScalarType common = common_type(op.op, a_type, b_type);
        if (!covered(op.op, common)) continue;
        for (int i = 0; i < test::rounds(12); ++i) {
          const Dims shape = shape_with_axes(random, ++round);
          const Memory a = test::random_memory(random, a_type, test::random_layout(random, shape));
          Dims b_shape = test::random_operand_shape(random, shape);
          if (b_shape.empty()) b_shape = {1};
          const Memory b =
              test::random_memory(random, b_type, test::random_layout(random, b_shape));
          const bool swapped = random.chance(50);
          const TensorView left = swapped ? b.view() : a.view();
          const TensorView right = swapped ? a.view() : b.view();
          const Tensor out = op.make(left, right);
          const std::string wrong =
              test::difference(out, expected(op.op, common, common, shape, left, right));
          tally.check(wrong.empty(), about(op, left, right, wrong));
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("binary: into outputs of any type and layout", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  int round = 0;
  for (const Op& op : ops) {
    for (const ScalarType a_type : test::all_types()) {
      for (const ScalarType out_type : test::all_types()) {
        const ScalarType b_type = random.pick(test::all_types());
        const ScalarType common = common_type(op.op, a_type, b_type);
        if (!covered(op.op, common)) continue;
        const Dims shape = shape_with_axes(random, ++round);
        const Memory a = test::random_memory(random, a_type, test::random_layout(random, shape));
        const Memory b = test::random_memory(random, b_type, test::random_layout(random, shape));
        const Memory out = test::random_output(random, out_type, shape);
        const test::Watch watch(out);
        if (weft::can_cast(common, out_type)) {
          op.write(out.view(), a.view(), b.view());
          std::string wrong = test::difference(
              out.view(), expected(op.op, common, out_type, shape, a.view(), b.view()));
          if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
          tally.check(wrong.empty(), about(op, a.view(), b.view(), wrong));
        } else {
          std::string wrong = test::wrong_error(
              weft::ErrorCode::cast,
              {"output 0", std::string(weft::name(common)), std::string(weft::name(out_type))},
              [&] { op.write(out.view(), a.view(), b.view()); });
          if (wrong.empty() && !watch.untouched()) wrong = "wrote, then refused";
          tally.check(wrong.empty(), about(op, a.view(), b.view(), wrong));
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("binary: large operands, any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const Dims shape = {70, 50, 30};
  for (const Op& op : ops) {
    const Memory a =
        test::random_memory(random, ScalarType::f32, test::fit({shape, {1500, 30, 1}}));
    const Memory b =
        test::random_memory(random, ScalarType::i16, test::fit({shape, {1, 70, 3500}}));
    const Memory row = test::random_memory(random, ScalarType::f16, test::fit({{30}, {-2}}));
    test::for_thread_counts([&](int) {
      for (const auto& [x, y] : {std::pair(a.view(), b.view()), std::pair(b.view(), a.view()),
                                 std::pair(a.view(), row.view())}) {
        const ScalarType common = common_type(op.op, x.dtype(), y.dtype());
        const std::string wrong =
            test::difference(op.make(x, y), expected(op.op, common, common, shape, x, y));
        tally.check(wrong.empty(), about(op, x, y, wrong));
      }
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("binary: in place, on either side or both", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(2000); ++round) {
    const Op& op = ops[random.integer(0, 3)];
    const ScalarType a_type = random.pick(test::all_types());
    const ScalarType b_type = random.pick(test::all_types());
    const ScalarType common = common_type(op.op, a_type, b_type);
    if (!covered(op.op, common) || !weft::can_cast(common, a_type)) continue;
    const Dims shape = shape_with_axes(random, round);
    const Memory a = test::random_output(random, a_type, shape);
    const Memory b = test::random_memory(random, b_type, test::random_layout(random, shape));
    const test::Watch watch(a);
    const std::int64_t form = random.integer(0, a_type == b_type ? 2 : 1);
    const TensorView left = form == 1 ? b.view() : a.view();
    const TensorView right = form == 0 ? b.view() : a.view();
    const test::Dense want = expected(op.op, common, a_type, shape, left, right);
    op.write(a.view(), left, right);
    std::string wrong = test::difference(a.view(), want);
    if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
    tally.check(wrong.empty(), about(op, left, right, wrong));
  }
  CHECK_TALLY(tally);
}

TEMPLATE_TEST_CASE("binary: integers wrap around", "[ops]", std::uint8_t, std::int8_t,
                   std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t,
                   std::int64_t) {
  using T = TestType;
  using Limits = std::numeric_limits<T>;
  const auto value = [](const Tensor& t) { return t.at<T>({0}); };
  const auto least = Tensor::of<T>({1}, {Limits::min()});
  const auto most = Tensor::of<T>({1}, {Limits::max()});
  const auto one = Tensor::of<T>({1}, {1});
  CHECK(value(weft::add(most, one)) == Limits::min());
  CHECK(value(weft::sub(least, one)) == Limits::max());
  CHECK(value(weft::mul(most, most)) == 1);
  CHECK(value(weft::mul(least, most)) == Limits::min());
  CHECK(value(weft::mul(least, least)) == 0);
  CHECK(value(weft::add(least, least)) == 0);
  const auto half = Tensor::of<T>({1}, {static_cast<T>(Limits::max() / 2 + 1)});
  CHECK(value(weft::add(half, half)) == Limits::min());
}

TEST_CASE("binary: floating special values", "[ops]") {
  const double inf = std::numeric_limits<double>::infinity();
  const auto a = Tensor::of<double>({6}, {1, -1, 0, inf, -0.0, inf});
  const auto b = Tensor::of<double>({6}, {0, 0, 0, inf, 1, -inf});
  const Tensor quotient = weft::div(a, b);
  CHECK(quotient.at<double>({0}) == inf);
  CHECK(quotient.at<double>({1}) == -inf);
  CHECK(std::isnan(quotient.at<double>({2})));
  CHECK(std::isnan(quotient.at<double>({3})));
  CHECK(std::signbit(quotient.at<double>({4})));
  CHECK(std::isnan(weft::add(a, b).at<double>({5})));
  CHECK(std::signbit(
      weft::add(Tensor::of<double>({1}, {-0.0}), Tensor::of<double>({1}, {-0.0})).at<double>({0})));
  // Integers are divided as f32, by zero too.
  const Tensor whole =
      weft::div(Tensor::of<std::int32_t>({2}, {7, 1}), Tensor::of<std::int32_t>({2}, {2, 0}));
  CHECK(whole.dtype() == ScalarType::f32);
  CHECK(whole.at<float>({0}) == 3.5f);
  CHECK(whole.at<float>({1}) == std::numeric_limits<float>::infinity());
}
