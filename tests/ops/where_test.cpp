// SPDX-License-Identifier: Apache-2.0
// where: all pairs of types, broadcasts of all three, outputs of all types.
#include <weft/ops/ternary.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/naive_ops.hpp"

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

test::Dense expected(ScalarType out, const Dims& shape, const TensorView& c, const TensorView& a,
                     const TensorView& b) {
  const ScalarType common = weft::promote_types(a.dtype(), b.dtype());
  return test::naive_map(out, shape, {c, a, b}, [&](const auto* in, void* to) {
    const bool first = test::load<bool>(in[0]);
    const auto value = test::as_type(common, first ? a.dtype() : b.dtype(), in[first ? 1 : 2]);
    test::convert_element(out, to, common, value.bytes);
  });
}

}  // namespace

TEST_CASE("where: all pairs of types and layouts, into all types", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType a_type : test::all_types()) {
    for (const ScalarType b_type : test::all_types()) {
      for (int round = 0; round < test::rounds(12); ++round) {
        Dims shape = test::random_shape(random, 3, round == 0 ? 20 : 5);
        if (shape.empty()) shape = {random.integer(1, 200)};
        Dims b_shape = test::random_operand_shape(random, shape);
        if (b_shape.empty()) b_shape = {1};
        const Memory a = test::random_memory(random, a_type, test::random_layout(random, shape));
        const Memory b = test::random_memory(random, b_type, test::random_layout(random, b_shape));
        const Memory c = test::random_input(random, ScalarType::boolean, shape);
        const bool swapped = random.chance(50);
        const TensorView x = swapped ? b.view() : a.view();
        const TensorView y = swapped ? a.view() : b.view();
        const auto check = [&](const std::string& wrong) {
          tally.check(wrong.empty(), [&](auto& text) {
            test::describe(text << "where ", c.view());
            test::describe(text << " of ", x);
            test::describe(text << " and ", y) << ": " << wrong;
          });
        };
        const ScalarType common = weft::promote_types(a_type, b_type);
        check(
            test::difference(weft::where(c.view(), x, y), expected(common, shape, c.view(), x, y)));
        const ScalarType out_type = random.pick(test::all_types());
        const Memory out = test::random_output(random, out_type, shape);
        const test::Watch watch(out);
        if (weft::can_cast(common, out_type)) {
          weft::where_out(out.view(), c.view(), x, y);
          check(test::difference(out.view(), expected(out_type, shape, c.view(), x, y)));
          check(watch.gaps_untouched() ? "" : "wrote between elements");
        } else {
          check(test::wrong_error(weft::ErrorCode::cast, {"where", "output 0"},
                                  [&] { weft::where_out(out.view(), c.view(), x, y); }));
          check(watch.untouched() ? "" : "wrote, then refused");
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("where: every pattern of broadcast operands", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const Dims& shape : {Dims{3, 5}, Dims{4, 70}, Dims{3, 1400}, Dims{200, 3}}) {
    const Dims forms[] = {shape, {shape[1]}, {shape[0], 1}, {1, 1}};
    for (int pattern = 0; pattern < 64; ++pattern) {
      const auto input = [&](ScalarType type, int form) {
        return test::random_memory(random, type, test::random_layout(random, forms[form]));
      };
      const Memory c = input(ScalarType::boolean, pattern & 3);
      const Memory a = input(ScalarType::f32, pattern >> 2 & 3);
      const Memory b = input(ScalarType::f32, pattern >> 4 & 3);
      const auto common =
          test::naive_broadcast({c.layout().shape, a.layout().shape, b.layout().shape});
      const std::string wrong =
          test::difference(weft::where(c.view(), a.view(), b.view()),
                           expected(ScalarType::f32, *common, c.view(), a.view(), b.view()));
      tally.check(wrong.empty(), [&](auto& text) { text << pattern << ": " << wrong; });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("where: in place on either side", "[ops]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(100); ++round) {
    const Dims shape = test::random_shape(random, 3, 12);
    const Memory c =
        test::random_memory(random, ScalarType::boolean, test::random_layout(random, shape));
    const Memory a = test::random_output(random, ScalarType::i16, shape);
    const Memory b =
        test::random_memory(random, ScalarType::i16, test::random_layout(random, shape));
    const TensorView x = round % 2 == 0 ? a.view() : b.view();
    const TensorView y = round % 2 == 0 ? b.view() : a.view();
    const test::Dense want = expected(ScalarType::i16, shape, c.view(), x, y);
    weft::where_out(a.view(), c.view(), x, y);
    CHECK(test::difference(a.view(), want) == "");
  }
}

TEST_CASE("where: what is not chosen does not matter", "[ops]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto c = Tensor::of<bool>({3}, {true, false, true});
  const auto a = Tensor::of<float>({3}, {1, nan, nan});
  const Tensor out = weft::where(c, a, 0);
  CHECK(out.at<float>({0}) == 1);
  CHECK(out.at<float>({1}) == 0);
  CHECK(std::isnan(out.at<float>({2})));
}

TEST_CASE("where: errors", "[ops]") {
  const Tensor a = Tensor::zeros({3}, ScalarType::f32);
  const Tensor out = Tensor::full({3}, ScalarType::f32, 7);
  const auto c = Tensor::of<bool>({3}, {true, false, true});
  CHECK_ERROR(dtype, ("where", "input 0", "bool", "f32"), weft::where_out(out, a, a, a));
  CHECK_ERROR(dtype, ("input 0", "i64"), weft::where_out(out, 1, a, a));
  CHECK_ERROR(undefined, ("where", "input 0"), weft::where(TensorView(), a, a));
  CHECK_ERROR(undefined, ("where", "input 2"), weft::where(c, a, TensorView()));
  CHECK_ERROR(shape, ("where", "input 2", "3", "4"),
              weft::where_out(out, c, a, Tensor::zeros({4}, ScalarType::f32)));
  CHECK_ERROR(shape, ("where", "input 1"), weft::where(c, Tensor::zeros({2}, ScalarType::f32), a));
  CHECK_ERROR(overlap, ("where", "output 0", "input 2"), weft::where_out(out, c, a, out.flip(0)));
  CHECK_ERROR(cast, ("where", "output 0", "c64", "f32"),
              weft::where_out(out, c, a, Tensor::zeros({3}, ScalarType::c64)));
  CHECK(test::difference(out, test::dense_copy(Tensor::full({3}, ScalarType::f32, 7))) == "");
}
