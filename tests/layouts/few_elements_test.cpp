// SPDX-License-Identifier: Apache-2.0
// Operands of a few elements, which take short cuts past the plan: all small shapes, rows that are
// contiguous, strided, repeated or backwards, of one type or of several, and in place.
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/function_table.hpp>

#include "layouts/mix_checker.hpp"
#include "support/dense.hpp"
#include "support/naive_ops.hpp"

namespace {

using test::Binary;
using test::Dims;
using test::Layout;
using test::Memory;
using test::MixChecker;
using test::MixTypes;
using test::Random;
using weft::ScalarType;
using weft::TensorView;

void run(Binary op, const TensorView& out, const TensorView& a, const TensorView& b) {
  switch (op) {
    case Binary::add: return weft::add_out(out, a, b);
    case Binary::sub: return weft::sub_out(out, a, b);
    case Binary::mul: return weft::mul_out(out, a, b);
    case Binary::div: return weft::div_out(out, a, b);
  }
}

bool has_op(Binary op, ScalarType common) {
  if (op == Binary::sub) return common != ScalarType::boolean;
  return op != Binary::div || test::kind_of(common) < 3;
}

/// Rows that are dense, or may be; the rest in any way.
Layout rows(Random& random, const Dims& shape, bool zero) {
  if (random.chance(30)) return test::random_layout(random, shape, {.zero = zero});
  Layout layout{shape, test::row_major(shape)};
  std::int64_t step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    layout.strides[axis] = step;
    step = step * shape[axis] + (random.chance(25) ? random.integer(1, 3) : 0);
    if (axis + 1 < shape.size() && random.chance(15)) layout.strides[axis] *= -1;
    if (zero && random.chance(15)) layout.strides[axis] = 0;
  }
  return test::fit(layout);
}

test::Dense naive_result(Binary op, ScalarType result, ScalarType common, const Dims& shape,
                         const TensorView& a, const TensorView& b) {
  return test::naive_map(result, shape, {a, b}, [&](const auto* in, void* to) {
    const test::AnyElement x = test::as_type(common, a.dtype(), in[0]);
    const test::AnyElement y = test::as_type(common, b.dtype(), in[1]);
    test::AnyElement value;
    test::naive_binary(op, common, x.bytes, y.bytes, value.bytes);
    test::convert_element(result, to, common, value.bytes);
  });
}

/// One operation on operands of random types and layouts.
void check(Random& random, test::Tally& tally, const Dims& shape, bool one_type) {
  const ScalarType a_type = random.pick(test::all_types());
  const ScalarType b_type = one_type ? a_type : random.pick(test::all_types());
  const auto op = static_cast<Binary>(random.integer(0, 3));
  const ScalarType promoted = weft::promote_types(a_type, b_type);
  const ScalarType common = op == Binary::div ? test::floating_type(promoted) : promoted;
  if (!has_op(op, common)) return;
  ScalarType result = common;
  if (!one_type && random.chance(50)) {
    result = random.pick(test::all_types());
    if (!weft::can_cast(common, result)) result = common;
  }
  Dims b_shape = shape;
  for (std::int64_t& extent : b_shape) {
    if (random.chance(10)) extent = 1;
  }
  const Memory a = test::random_memory(random, a_type, rows(random, shape, true));
  const Memory b = test::random_memory(random, b_type, rows(random, b_shape, true));
  const Memory out = test::random_memory(random, result, rows(random, shape, false));
  const auto judge = [&](const TensorView& to, const TensorView& x, const TensorView& y,
                         const test::Dense& want, const test::Watch& watch, const char* what) {
    std::string wrong = test::difference(to, want);
    if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
    tally.check(wrong.empty(), [&](auto& text) {
      text << what << " op " << static_cast<int>(op) << ' ';
      for (const TensorView* view : {&to, &x, &y})
        test::describe(text, *view) << ", ";
      text << wrong;
    });
  };
  const test::Dense want = naive_result(op, result, common, shape, a.view(), b.view());
  const test::Watch watch(out);
  run(op, out.view(), a.view(), b.view());
  judge(out.view(), a.view(), b.view(), want, watch, "");

  // The output once more, as an input of the same operation.
  if (!weft::can_cast(weft::promote_types(result, b_type), result)) return;
  const ScalarType again = weft::promote_types(result, b_type);
  const ScalarType in_place = op == Binary::div ? test::floating_type(again) : again;
  if (!has_op(op, in_place) || !weft::can_cast(in_place, result)) return;
  const test::Dense twice = naive_result(op, result, in_place, shape, out.view(), b.view());
  run(op, out.view(), out.view(), b.view());
  judge(out.view(), out.view(), b.view(), twice, watch, "in place");
}

/// A copy, from any type to any other.
void check_copy(Random& random, test::Tally& tally, const Dims& shape, bool one_type) {
  const ScalarType from_type = random.pick(test::all_types());
  const ScalarType to_type = one_type ? from_type : random.pick(test::all_types());
  const Memory from = test::random_memory(random, from_type, rows(random, shape, true));
  const Memory to = test::random_memory(random, to_type, rows(random, shape, false));
  const test::Watch watch(to);
  const auto want =
      test::naive_map(to_type, shape, {from.view()}, [&](const auto* in, void* element) {
        if (from_type != to_type) {
          test::convert_element(to_type, element, from_type, in[0]);
        } else {  // bools of any byte stay what they are
          std::memcpy(element, in[0], static_cast<std::size_t>(weft::element_size(to_type)));
        }
      });
  weft::copy_out(to.view(), from.view());
  std::string wrong = test::difference(to.view(), want);
  if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
  tally.check(wrong.empty(), [&](auto& text) {
    test::describe(text, from.view());
    test::describe(text << " to ", to.view()) << ": " << wrong;
  });
}

}  // namespace

TEST_CASE("small operands: every shape up to 9 x 9 x 9", "[layouts]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (std::size_t rank = 1; rank <= 3; ++rank) {
    for (int round = 0; round < test::rounds(rank == 3 ? 3 : 20); ++round) {
      test::for_each_index(Dims(rank, 9), [&](const Dims& index) {
        Dims shape = index;
        for (std::int64_t& extent : shape)
          ++extent;
        check(random, tally, shape, true);
        check(random, tally, shape, false);
        check_copy(random, tally, shape, true);
        check_copy(random, tally, shape, false);
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("small operands: and a number, on either side", "[layouts]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(2000); ++round) {
    const ScalarType type = random.pick(test::all_types());
    const ScalarType number_type = random.pick(
        std::vector{ScalarType::boolean, ScalarType::i64, ScalarType::f64, ScalarType::c128});
    if (weft::kinds::of(number_type) > weft::kinds::of(type)) continue;  // it has a say in the type
    const auto op = static_cast<Binary>(random.integer(0, 3));
    const ScalarType common = op == Binary::div ? test::floating_type(type) : type;
    if (!has_op(op, common)) continue;
    const Dims shape = {random.integer(1, 9), random.integer(1, 9)};
    const Memory a = test::random_memory(random, type, rows(random, shape, true));
    const Memory number = test::random_memory(random, number_type, test::fit({{}, {}}));
    const Memory out = test::random_memory(random, common, rows(random, shape, false));
    TensorView weak = number.view();
    weak.set_weak_scalar(true);
    const bool first = random.chance(50);
    const TensorView x = first ? weak : a.view();
    const TensorView y = first ? a.view() : weak;
    const test::Dense want = naive_result(op, common, common, shape, x, y);
    const test::Watch watch(out);
    run(op, out.view(), x, y);
    std::string wrong = test::difference(out.view(), want);
    if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
    tally.check(wrong.empty(), [&](auto& text) {
      text << "op " << static_cast<int>(op) << ' ';
      for (const TensorView& view : {out.view(), x, y})
        test::describe(text, view) << ", ";
      text << wrong;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("small operands: around the most that short cuts take", "[layouts]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const std::int64_t most : {128, 256, 512, 1024, 2048, 4096}) {
    for (std::int64_t n = most - 2; n <= most + 2; ++n) {
      for (int round = 0; round < test::rounds(8); ++round) {
        const std::int64_t row = random.integer(1, 40);
        for (const Dims& shape :
             {Dims{n}, Dims{n / row, row}, Dims{row, n / row}, Dims{2, n / 2 / row, row},
              Dims{2, 2, std::max<std::int64_t>(n / 4 / row, 1), row}}) {
          check(random, tally, shape, true);
          check(random, tally, shape, false);
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("few elements: two inputs of a kernel, by way of a common type", "[layouts]") {
  WEFT_RANDOM(random);
  MixChecker<float> checker(random);
  const MixTypes all[] = {{ScalarType::f32, ScalarType::i32, ScalarType::f16, true},
                          {ScalarType::bf16, ScalarType::bf16, ScalarType::i64, true},
                          {ScalarType::f32, ScalarType::i32, ScalarType::f32, true}};
  for (std::int64_t n = 1; n < 700; n += n < 40 ? 1 : 31) {
    for (const MixTypes& types : all) {
      const Layout dense = test::fit({{n}, {1}});
      const Layout value = test::fit({{n}, {0}});
      checker.check(types, dense, dense, dense);
      checker.check(types, dense, value, dense);
      checker.check(types, dense, dense, value);
    }
  }
  CHECK_TALLY(checker.tally());
}

TEST_CASE("few elements: two inputs of a kernel that lie anyhow", "[layouts]") {
  WEFT_RANDOM(random);
  MixChecker<float> checker(random);
  const std::vector<MixTypes> all = {{ScalarType::f32, ScalarType::f32, ScalarType::f32},
                                     {ScalarType::f32, ScalarType::f64, ScalarType::u8},
                                     {ScalarType::f64, ScalarType::f32, ScalarType::f32},
                                     {ScalarType::f32, ScalarType::f16, ScalarType::i32, true}};
  for (int round = 0; round < test::rounds(400); ++round) {
    const Dims shape = test::random_shape(random, 5, random.pick<std::int64_t>({3, 9, 30}));
    const Layout out = test::random_layout(random, shape, {.zero = false});
    const Layout a = test::random_layout(random, test::random_operand_shape(random, shape));
    const Layout b = test::random_layout(random, test::random_operand_shape(random, shape));
    if (weft::numel(shape) <= 80) checker.check(random.pick(all), out, a, b);
  }
  CHECK_TALLY(checker.tally());
}
