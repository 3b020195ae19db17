// SPDX-License-Identifier: Apache-2.0
// tril, triu and eye against their definitions: all types, any layouts, any diagonal; and what they
// refuse, with nothing written.
#include <weft/ops/copy.hpp>
#include <weft/ops/triangle.hpp>

#include "moved_elements.hpp"
#include "support/errors.hpp"
#include "support/threads.hpp"

#include <limits>

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

std::int64_t random_diagonal(test::Random& random) {
  if (random.chance(5)) return random.chance(50) ? most : least;
  return random.chance(20) ? random.integer(-40, 40) : random.integer(-4, 4);
}

/// Whether an element is kept: j - i against k without an overflow.
bool is_kept(std::int64_t i, std::int64_t j, bool upper, std::int64_t k) {
  return upper ? j - i >= k : j - i <= k;
}

test::Dense triangle(const TensorView& a, bool upper, std::int64_t k) {
  const Dims shape(a.shape().begin(), a.shape().end());
  return test::moved(a, shape, [&](const Dims& place) -> std::optional<Dims> {
    if (is_kept(place[place.size() - 2], place.back(), upper, k)) return place;
    return std::nullopt;
  });
}

}  // namespace

TEST_CASE("tril and triu: all types, layouts and diagonals", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(80); ++round) {
      Dims shape = test::random_extents(random);
      while (shape.size() < 2)
        shape.push_back(random.integer(1, 6));
      const Memory memory = test::random_elements(random, type, shape);
      const TensorView a = memory.view();
      const bool upper = round % 2 == 1;
      const std::int64_t k = random_diagonal(random);
      const auto expected = triangle(a, upper, k);
      const auto call = [&](const weft::Output& out, const TensorView& from) {
        upper ? weft::triu_out(out, from, k) : weft::tril_out(out, from, k);
      };
      std::string wrong =
          test::wrong_result(random, expected, [&](const weft::Output& out) { call(out, a); });
      const Memory place = test::random_output(random, type, shape);
      weft::copy_out(place.view(), a);
      call(place.view(), place.view());
      wrong += test::difference(place.view(), expected);
      tally.check(wrong.empty(), [&](auto& text) {
        test::describe(text << (upper ? "triu " : "tril ") << k << " of ", a) << ": " << wrong;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("tril and triu: large matrices with any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const Dims& shape : {Dims{300, 400}, Dims{3000, 5, 4}, Dims{2, 3, 130, 70}}) {
    const Memory memory = test::random_elements(random, ScalarType::f32, shape);
    const auto lower = triangle(memory.view(), false, -1);
    const auto upper = triangle(memory.view(), true, 2);
    test::for_thread_counts([&](int threads) {
      const std::string wrong = test::difference(weft::tril(memory.view(), -1), lower) +
                                test::difference(weft::triu(memory.view(), 2), upper);
      tally.check(wrong.empty(), [&](auto& text) {
        test::describe(text << threads << " threads, ", memory.view()) << ": " << wrong;
      });
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("eye: all types, shapes and diagonals", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    const std::int64_t one = 1;
    for (int round = 0; round < test::rounds(20); ++round) {
      const std::int64_t rows = random.integer(0, 9), columns = random.integer(0, 9);
      const std::int64_t k = random_diagonal(random);
      test::Dense expected(type, {rows, columns});
      for (std::int64_t i = 0; i < rows * columns; ++i) {
        if (i % columns - i / columns == k)
          test::convert_element(type, expected.at(i), ScalarType::i64, &one);
      }
      const Memory out = test::random_output(random, type, {rows, columns});
      const test::Watch watch(out);
      weft::eye_out(out.view(), rows, columns, k);
      const std::string wrong = test::difference(out.view(), expected) +
                                test::difference(weft::eye(rows, columns, k, type), expected);
      tally.check(wrong.empty() && watch.gaps_untouched(), [&](auto& text) {
        text << weft::name(type) << ' ' << rows << " x " << columns << ", " << k << ": " << wrong;
      });
    }
  }
  CHECK_TALLY(tally);
  CHECK(weft::eye(3).extent(1) == 3);
  CHECK(weft::eye(3).at<float>(2, 2) == 1);
  Tensor out;
  weft::eye_out(out, 2);
  CHECK(out.dtype() == ScalarType::f32);
}

TEST_CASE("tril, triu and eye: what they refuse", "[ops]") {
  const Tensor a = Tensor::zeros({3, 3}, ScalarType::f32), none;
  Tensor out = Tensor::full({3, 3}, ScalarType::f32, 5);
  const Tensor integers = Tensor::zeros({3, 3}, ScalarType::i32);
  CHECK_ERROR(undefined, ("tril", "input 0"), weft::tril(none));
  CHECK_ERROR(rank, ("triu", "input 0", "two axes", "rank 1"), weft::triu(a.select(0, 0)));
  CHECK_ERROR(shape, ("tril", "output 0", "[2, 3]", "[3, 3]"),
              weft::tril_out(TensorView(out), a.slice(0, 0, 2)));
  CHECK_ERROR(cast, ("triu", "output 0", "f32", "i32"), weft::triu_out(TensorView(integers), a));
  CHECK_ERROR(overlap, ("tril", "output 0", "input 0"),
              weft::tril_out(TensorView(out), out.transpose(0, 1)));
  CHECK_ERROR(undefined, ("tril", "output 0"), weft::tril_out(TensorView(), a));
  CHECK_ERROR(shape, ("eye", "rows", "-1"), weft::eye(-1));
  CHECK_ERROR(shape, ("eye", "columns", "-2"), weft::eye(1, -2));
  CHECK_ERROR(overflow, ("eye"), weft::eye(most, 2));
  CHECK_ERROR(shape, ("eye", "output 0", "[2, 2]", "[3, 3]"), weft::eye_out(TensorView(out), 2));
  CHECK(out.at<float>(0, 2) == 5);
}
