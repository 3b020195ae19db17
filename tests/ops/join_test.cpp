// SPDX-License-Identifier: Apache-2.0
// concat and stack: all types mixed, any layouts, inputs in their place already; and what they
// refuse, with nothing written.
#include <weft/ops/join.hpp>

#include "moved_elements.hpp"
#include "support/errors.hpp"
#include "support/threads.hpp"

#include <limits>
#include <memory>

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

std::vector<TensorView> views_of(const std::vector<std::unique_ptr<Memory>>& memories) {
  std::vector<TensorView> views;
  for (const auto& memory : memories)
    views.push_back(memory->view());
  return views;
}

/// The inputs one after the other along an axis that all have, by definition.
test::Dense joined(const std::vector<TensorView>& inputs, std::size_t axis, ScalarType type) {
  Dims shape(inputs[0].shape().begin(), inputs[0].shape().end());
  shape[axis] = 0;
  for (const TensorView& input : inputs)
    shape[axis] += input.shape()[axis];
  test::Dense result(type, shape);
  std::int64_t flat = 0;
  test::for_each_index(shape, [&](Dims place) {
    std::size_t k = 0;
    while (place[axis] >= inputs[k].shape()[axis])
      place[axis] -= inputs[k++].shape()[axis];
    test::convert_element(type, result.at(flat++), inputs[k].dtype(),
                          test::element_at(inputs[k], place));
  });
  return result;
}

ScalarType common_type(const std::vector<TensorView>& inputs) {
  ScalarType type = inputs[0].dtype();
  for (const TensorView& input : inputs)
    type = weft::promote_types(type, input.dtype());
  return type;
}

}  // namespace

TEST_CASE("concat and stack: all types, layouts and axes", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(80); ++round) {
      const bool stacks = round % 2 == 1;
      Dims shape = test::random_extents(random, 3);
      if (!stacks && shape.empty()) shape.push_back(3);
      const auto rank = static_cast<std::int64_t>(shape.size()) + (stacks ? 1 : 0);
      const std::int64_t axis = random.integer(0, rank - 1);
      const std::int64_t given = random.chance(50) ? axis : axis - rank;
      const bool mixed = random.chance(30) && !shape.empty();
      std::vector<std::unique_ptr<Memory>> memories;
      for (std::int64_t k = random.chance(10) ? 12 : random.integer(1, 5); k > 0; --k) {
        Dims own = shape;
        if (!stacks) own[static_cast<std::size_t>(axis)] = random.integer(0, 5);
        memories.push_back(std::make_unique<Memory>(
            test::random_elements(random, mixed ? random.pick(test::all_types()) : type, own)));
      }
      const std::vector<TensorView> inputs = views_of(memories);
      std::vector<TensorView> slices = inputs;
      if (stacks) {
        for (TensorView& slice : slices)
          slice = slice.unsqueeze(axis);
      }
      const std::string wrong = test::wrong_results(
          random, common_type(inputs),
          [&](ScalarType written) {
            return joined(slices, static_cast<std::size_t>(axis), written);
          },
          [&](const weft::Output& out) {
            stacks ? weft::stack_out(out, inputs, given) : weft::concat_out(out, inputs, given);
          });
      tally.check(wrong.empty(), [&](auto& text) {
        text << (stacks ? "stack" : "concat") << " along " << given;
        for (const TensorView& input : inputs)
          test::describe(text << ", ", input);
        text << ": " << wrong;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("concat and stack: narrow parts, many parts, with any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const auto check = [&](const Dims& shape, int count, std::int64_t axis) {
    std::vector<std::unique_ptr<Memory>> memories;
    for (int k = 0; k < count; ++k)
      memories.push_back(
          std::make_unique<Memory>(test::random_elements(random, ScalarType::i32, shape)));
    const std::vector<TensorView> inputs = views_of(memories);
    const auto expected = joined(inputs, static_cast<std::size_t>(axis), ScalarType::i32);
    test::for_thread_counts([&](int threads) {
      const std::string wrong = test::difference(weft::concat(inputs, axis), expected);
      tally.check(wrong.empty(), [&](auto& text) {
        test::describe(text << threads << " threads, ", inputs[0]) << ": " << wrong;
      });
    });
  };
  check({30'000, 1}, 3, 1);
  check({7, 5000, 2}, 5, 2);
  check({5000, 1, 9}, 2, 1);
  check({3, 700}, 150, 0);
  check({700, 3}, 150, 0);
  CHECK_TALLY(tally);
}

TEST_CASE("concat and stack: contiguous parts that alternate in the result", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<std::int64_t> counts = {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 64, 65},
                                  lengths = {1, 2, 7, 15, 16, 17, 63, 64, 65, 127, 128, 700, 9000};
  for (const ScalarType type : test::all_types()) {
    const test::Values values =
        type == ScalarType::boolean ? test::Values::small : test::Values::any;
    for (int round = 0; round < test::rounds(12); ++round) {
      const std::int64_t count = random.pick(counts), n = random.pick(lengths);
      std::vector<std::unique_ptr<Memory>> memories;
      for (std::int64_t k = 0; k < count; ++k) {
        memories.push_back(std::make_unique<Memory>(
            test::random_memory(random, type, test::fit({{n, 1}, {1, 1}}), values)));
      }
      const std::vector<TensorView> inputs = views_of(memories);
      const auto expected = joined(inputs, 1, type);
      const Memory out = test::random_memory(random, type, test::fit({{n, count}, {count, 1}}));
      test::for_thread_counts([&](int threads) {
        weft::concat_out(out.view(), inputs, 1);
        const std::string wrong = test::difference(out.view(), expected);
        tally.check(wrong.empty(), [&](auto& text) {
          text << count << " parts of " << n << ' ' << weft::name(type) << ", " << threads
               << " threads: " << wrong;
        });
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("concat and stack: numbers, types and ranges", "[ops]") {
  const Tensor a = Tensor::of<float>({2}, {1, 2}), b = Tensor::of<float>({1}, {3});
  const Tensor joined = weft::concat({a, b});
  CHECK(joined.at<float>(2) == 3);
  const std::vector<Tensor> list = {a, a};
  CHECK(weft::stack(list).at<float>(1, 1) == 2);
  CHECK(weft::stack(list, -1).at<float>(1, 0) == 2);
  const weft::Input inputs[] = {a, b};
  CHECK(weft::concat(inputs).numel() == 3);
  const Tensor numbers = weft::stack({1, 2, 3});
  CHECK(numbers.dtype() == ScalarType::i64);
  CHECK(numbers.at<std::int64_t>(2) == 3);
  CHECK(weft::stack({1, 2.5}).dtype() == ScalarType::f32);
  const Tensor half = Tensor::zeros({2}, ScalarType::f16),
               bytes = Tensor::zeros({2}, ScalarType::u8);
  CHECK(weft::concat({half, bytes}).dtype() == ScalarType::f16);
  CHECK(weft::concat({bytes, Tensor::zeros({2}, ScalarType::i8)}).dtype() == ScalarType::i16);
  // A tensor of no axes has less of a say than one with axes, but all inputs have as many.
  const Tensor point = Tensor::zeros({}, ScalarType::f64);
  CHECK(weft::stack({point, 1}).dtype() == ScalarType::f64);
}

TEST_CASE("concat: inputs that stand in their place are left there", "[ops]") {
  Tensor out = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor more = Tensor::of<float>({2, 1}, {8, 9});
  weft::concat_out(TensorView(out), {out.slice(1, 0, 2), more}, 1);
  CHECK(out.at<float>(0, 1) == 2);
  CHECK(out.at<float>(1, 2) == 9);
  CHECK_ERROR(overlap, ("concat", "output 0", "input 1"),
              weft::concat_out(TensorView(out), {more, out.slice(1, 0, 2)}, 1));
  CHECK_ERROR(overlap, ("stack", "output 0", "input 0"),
              weft::stack_out(TensorView(out), {out.select(0, 1), out.select(0, 0)}));
  CHECK(out.at<float>(1, 2) == 9);
  // Replaced by its own result.
  weft::concat_out(out, {out, out}, 0);
  CHECK(out.extent(0) == 4);
  CHECK(out.at<float>(3, 2) == 9);
  weft::stack_out(out, {out});
  CHECK(out.rank() == 3);
}

TEST_CASE("concat and stack: what they refuse", "[ops]") {
  const Tensor a = Tensor::zeros({2, 3}, ScalarType::f32),
               b = Tensor::zeros({2, 4}, ScalarType::f32);
  const Tensor point = Tensor::zeros({}, ScalarType::f32), none;
  const std::vector<Tensor> nothing;
  Tensor out = Tensor::full({2, 3}, ScalarType::i32, 5);
  CHECK_ERROR(invalid_argument, ("concat", "at least one input"), weft::concat(nothing));
  CHECK_ERROR(invalid_argument, ("stack", "at least one input"), weft::stack(nothing));
  CHECK_ERROR(undefined, ("concat", "input 1"), weft::concat({a, none}));
  CHECK_ERROR(rank, ("concat", "input 1", "0-d"), weft::concat({a, point}));
  CHECK_ERROR(rank, ("concat", "input 1", "rank 2", "got 1"), weft::concat({a, a.select(0, 0)}));
  CHECK_ERROR(shape, ("concat", "input 1", "3 along axis 1", "got 4"), weft::concat({a, b}, 0));
  CHECK_ERROR(shape, ("stack", "input 1", "3 along axis 1", "got 4"), weft::stack({a, b}));
  CHECK_ERROR(rank, ("stack", "input 1", "rank 2", "got 0"), weft::stack({a, 1}));
  CHECK_ERROR(axis, ("concat", "axis 2", "-2 to 1"), weft::concat({a, a}, 2));
  CHECK_ERROR(axis, ("stack", "axis 3", "-3 to 2"), weft::stack({a, a}, 3));
  CHECK_ERROR(cast, ("concat", "output 0", "f32", "i32"), weft::concat_out(out, {a, a}));
  CHECK_ERROR(shape, ("stack", "output 0", "[2, 2, 3]", "[2, 3]"),
              weft::stack_out(TensorView(out), {out, out}));
  const TensorView endless =
      Tensor::zeros({1}, ScalarType::f32).expand({std::numeric_limits<std::int64_t>::max() / 4});
  const std::vector<TensorView> many(5, endless);
  CHECK_ERROR(overflow, ("concat", "axis 0"), weft::concat(many));
  CHECK(out.extent(0) == 2);
}
