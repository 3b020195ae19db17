// SPDX-License-Identifier: Apache-2.0
// diff against its definition: all types, any layouts, orders; and what it refuses.
#include <weft/ops/difference.hpp>

#include "moved_elements.hpp"
#include "support/errors.hpp"
#include "support/naive_ops.hpp"
#include "support/naive_reduce.hpp"

#include <limits>

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// The elements of a dense tensor with one less along the axis.
test::Dense differences(const test::Dense& a, std::size_t axis) {
  Dims shape = a.shape;
  if (shape[axis] > 0) --shape[axis];
  test::Dense result(a.type, shape);
  std::int64_t flat = 0;
  test::for_each_index(shape, [&](Dims place) {
    const std::byte* earlier = a.at(static_cast<std::int64_t>(test::flat_index(a.shape, place)));
    ++place[axis];
    const std::byte* later = a.at(static_cast<std::int64_t>(test::flat_index(a.shape, place)));
    std::byte* to = result.at(flat++);
    if (a.type == ScalarType::boolean) {
      test::store(to, test::load<bool>(later) != test::load<bool>(earlier));
    } else {
      test::naive_binary(test::Binary::sub, a.type, later, earlier, to);
    }
  });
  return result;
}

}  // namespace

TEST_CASE("diff: all types, layouts, axes and orders", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(40); ++round) {
      Dims shape = test::random_extents(random);
      if (shape.empty()) shape.push_back(7);
      const Memory memory = test::random_elements(random, type, shape);
      const TensorView a = memory.view();
      const std::int64_t axis = random.integer(0, a.rank() - 1);
      const std::int64_t given = random.chance(50) ? axis : axis - a.rank();
      const std::int64_t order = random.chance(50) ? 1 : random.integer(0, 5);
      test::Dense expected = test::dense_copy(a);
      for (std::int64_t i = 0; i < order; ++i)
        expected = differences(expected, static_cast<std::size_t>(axis));
      const std::string wrong = test::wrong_result(
          random, expected, [&](const weft::Output& out) { weft::diff_out(out, a, given, order); });
      tally.check(wrong.empty(), [&](auto& text) {
        test::describe(text << "diff " << order << " along " << given << " of ", a)
            << ": " << wrong;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("diff: what it refuses", "[ops]") {
  const Tensor a = Tensor::of<float>({4}, {1, 2, 4, 8}), none;
  CHECK(weft::diff(a).at<float>(2) == 4);
  CHECK(weft::diff(a, 0, 2).at<float>(1) == 2);
  CHECK(weft::diff(a, 0, std::numeric_limits<std::int64_t>::max()).numel() == 0);
  CHECK_ERROR(undefined, ("diff", "input 0"), weft::diff(none));
  CHECK_ERROR(rank, ("diff", "input 0", "0-d"), weft::diff(a.select(0, 0)));
  CHECK_ERROR(axis, ("diff", "axis 1"), weft::diff(a, 1));
  CHECK_ERROR(invalid_argument, ("diff", "order", "-1"), weft::diff(a, 0, -1));
  CHECK_ERROR(shape, ("diff", "output 0", "[3]", "[4]"), weft::diff_out(TensorView(a), a));
  CHECK_ERROR(overlap, ("diff", "output 0", "input 0"), weft::diff_out(a.slice(0, 0, 3), a));
  CHECK_ERROR(cast, ("diff", "output 0", "f32", "i32"),
              weft::diff_out(TensorView(Tensor::zeros({3}, ScalarType::i32)), a));
  CHECK(a.at<float>(0) == 1);
  Tensor replaced = a;
  weft::diff_out(replaced, replaced);
  CHECK(replaced.numel() == 3);
}
