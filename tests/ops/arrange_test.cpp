// SPDX-License-Identifier: Apache-2.0
// flip, roll, tile, repeat and pad against their definitions: all types, any layouts; and what they
// refuse, with nothing written.
#include <weft/ops/arrange.hpp>

#include "moved_elements.hpp"
#include "support/errors.hpp"
#include "support/levels.hpp"
#include "support/naive_ops.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace {

using test::Dims;
using test::Memory;
using weft::AxisPadding;
using weft::PadMode;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

/// The rest of a division, which has the sign of the divisor.
std::int64_t modulo(std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; }

/// Checks a call on random tensors of all types: one(random, a) says what is expected and the call.
struct Case {
  test::Dense expected;
  std::function<void(const weft::Output&)> call;
  std::string what;
};
void check_random(int count, const std::function<Case(test::Random&, const TensorView&)>& one) {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(count); ++round) {
      const Memory memory = test::random_elements(random, type, test::random_extents(random));
      const TensorView a = memory.view();
      const Case made = one(random, a);
      const std::string wrong = test::wrong_result(random, made.expected, made.call);
      tally.check(wrong.empty(), [&](auto& text) {
        test::describe(text << made.what << " of ", a) << ": " << wrong;
      });
    }
  }
  CHECK_TALLY(tally);
}

std::string listed(const Dims& list) { return weft::to_string(list); }

Dims shape_of(const TensorView& view) { return {view.shape().begin(), view.shape().end()}; }

/// Where the element of a border comes from; nothing for a constant one.
std::optional<std::int64_t> padded_from(std::int64_t i, std::int64_t extent, PadMode mode) {
  if (i >= 0 && i < extent) return i;
  if (mode == PadMode::edge) return i < 0 ? 0 : extent - 1;
  if (mode == PadMode::wrap) return modulo(i, extent);
  if (mode == PadMode::constant) return std::nullopt;
  if (mode == PadMode::symmetric) {
    const std::int64_t round = modulo(i, 2 * extent);
    return std::min(round, 2 * extent - 1 - round);
  }
  if (extent == 1) return 0;
  const std::int64_t along = modulo(i, 2 * (extent - 1));
  return std::min(along, 2 * (extent - 1) - along);
}

constexpr const char* mode_names[] = {"constant", "edge", "reflect", "wrap", "symmetric"};

std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    values.push_back(static_cast<const double*>(tensor.data())[i]);
  return values;
}

}  // namespace

TEST_CASE("flip: all types, layouts and axes", "[ops]") {
  check_random(40, [](test::Random& random, const TensorView& a) -> Case {
    std::set<std::int64_t> turned;
    Dims axes;
    for (const std::int64_t axis : random.permutation(a.rank())) {
      if (random.chance(50)) continue;
      turned.insert(axis);
      axes.push_back(random.chance(50) ? axis : axis - a.rank());
    }
    const Dims shape = shape_of(a);
    const auto source = [&](Dims place) {
      for (const std::int64_t axis : turned) {
        const auto at = static_cast<std::size_t>(axis);
        place[at] = shape[at] - 1 - place[at];
      }
      return std::optional(place);
    };
    return {test::moved(a, shape, source),
            [=](const weft::Output& out) { weft::flip_out(out, a, axes); },
            "flip along " + listed(axes)};
  });
}

TEST_CASE("roll: all types, layouts and shifts", "[ops]") {
  check_random(40, [](test::Random& random, const TensorView& a) -> Case {
    const Dims shape = shape_of(a);
    Dims axes, shifts, total(shape.size(), 0);
    for (int i = 0; a.rank() > 0 && i < random.integer(0, 4); ++i) {
      const std::int64_t axis = random.integer(0, a.rank() - 1);
      const auto at = static_cast<std::size_t>(axis);
      axes.push_back(random.chance(50) ? axis : axis - a.rank());
      shifts.push_back(random.chance(10) ? least + random.integer(0, 9) : random.integer(-9, 9));
      if (shape[at] > 0) total[at] += modulo(shifts.back() % shape[at], shape[at]);
    }
    const auto source = [&](Dims place) {
      for (std::size_t axis = 0; axis < place.size(); ++axis)
        place[axis] = modulo(place[axis] - total[axis], shape[axis]);
      return std::optional(place);
    };
    return {test::moved(a, shape, source),
            [=](const weft::Output& out) { weft::roll_out(out, a, shifts, axes); },
            "roll by " + listed(shifts) + " along " + listed(axes)};
  });
}

TEST_CASE("tile: all types, layouts and repeats", "[ops]") {
  check_random(40, [](test::Random& random, const TensorView& a) -> Case {
    const Dims own = shape_of(a);
    Dims repeats;
    for (std::int64_t i = random.integer(0, 5); i > 0; --i)
      repeats.push_back(random.chance(10) ? 0 : random.integer(1, 4));
    Dims shape = own, times = repeats;
    while (shape.size() < times.size())
      shape.insert(shape.begin(), 1);
    while (times.size() < shape.size())
      times.insert(times.begin(), 1);
    const std::size_t lead = shape.size() - own.size();
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      shape[axis] *= times[axis];
    const auto source = [&](const Dims& place) {
      Dims from;
      for (std::size_t axis = 0; axis < own.size(); ++axis)
        from.push_back(place[lead + axis] % own[axis]);
      return std::optional(from);
    };
    return {test::moved(a, shape, source),
            [=](const weft::Output& out) { weft::tile_out(out, a, repeats); },
            "tile by " + listed(repeats)};
  });
}

TEST_CASE("repeat: all types, layouts, axes and counts", "[ops]") {
  check_random(40, [](test::Random& random, const TensorView& a) -> Case {
    Dims shape = shape_of(a);
    if (shape.empty()) shape.push_back(1);
    const auto rank = static_cast<std::int64_t>(shape.size());
    const std::int64_t axis = random.integer(0, rank - 1);
    const std::int64_t given = random.chance(50) ? axis : axis - rank;
    const std::int64_t count = random.chance(10) ? 0 : random.integer(1, 5);
    const auto at = static_cast<std::size_t>(axis);
    shape[at] *= count;
    const auto source = [&](Dims place) {
      place[at] /= count;
      return std::optional(a.rank() == 0 ? Dims() : place);
    };
    return {test::moved(a, shape, source),
            [=](const weft::Output& out) { weft::repeat_out(out, a, count, given); },
            "repeat " + std::to_string(count) + " times along " + std::to_string(given)};
  });
}

TEST_CASE("pad: all types, layouts, modes and widths", "[ops]") {
  const std::int64_t number = 1;
  check_random(80, [&](test::Random& random, const TensorView& a) -> Case {
    const auto mode = static_cast<PadMode>(random.integer(0, 4));
    const Dims own = shape_of(a);
    Dims shape = own;
    std::vector<AxisPadding> widths;
    std::string text;
    for (std::size_t axis = 0; axis < own.size(); ++axis) {
      const bool none = random.chance(30) || (own[axis] == 0 && mode != PadMode::constant);
      const std::int64_t widest = random.chance(20) ? 12 : 3;
      AxisPadding width;
      if (!none) width = {random.integer(0, widest), random.integer(0, widest)};
      widths.push_back(width);
      shape[axis] += width.before + width.after;
      text += " " + std::to_string(width.before) + "," + std::to_string(width.after);
    }
    const auto source = [&](Dims place) -> std::optional<Dims> {
      for (std::size_t axis = 0; axis < place.size(); ++axis) {
        const auto from = padded_from(place[axis] - widths[axis].before, own[axis], mode);
        if (!from) return std::nullopt;
        place[axis] = *from;
      }
      return place;
    };
    const test::AnyElement one = test::as_type(a.dtype(), ScalarType::i64, &number);
    const weft::Scalar value = a.dtype() == ScalarType::boolean ? weft::Scalar(true) : number;
    return {test::moved(a, shape, source, one.bytes),
            [=](const weft::Output& out) {
              weft::pad_out(out, a, std::span<const AxisPadding>(widths), mode, value);
            },
            std::string("pad ") + mode_names[static_cast<int>(mode)] + text};
  });
}

TEST_CASE("pad: the examples of the header, and long borders", "[ops]") {
  const Tensor a = Tensor::of<double>({3}, {1, 2, 3});
  using List = std::vector<double>;
  CHECK(values_of(weft::pad(a, {{1, 2}})) == List{0, 1, 2, 3, 0, 0});
  CHECK(values_of(weft::pad(a, {{1, 0}}, PadMode::constant, 7)) == List{7, 1, 2, 3});
  CHECK(values_of(weft::pad(a, {{2, 2}}, PadMode::edge)) == List{1, 1, 1, 2, 3, 3, 3});
  CHECK(values_of(weft::pad(a, {{2, 2}}, PadMode::reflect)) == List{3, 2, 1, 2, 3, 2, 1});
  CHECK(values_of(weft::pad(a, {{2, 2}}, PadMode::wrap)) == List{2, 3, 1, 2, 3, 1, 2});
  CHECK(values_of(weft::pad(a, {{7, 0}}, PadMode::reflect)) == List{2, 3, 2, 1, 2, 3, 2, 1, 2, 3});
  CHECK(values_of(weft::pad(a, {{0, 5}}, PadMode::wrap)) == List{1, 2, 3, 1, 2, 3, 1, 2});
  CHECK(values_of(weft::pad(a, {{2, 2}}, PadMode::symmetric)) == List{2, 1, 1, 2, 3, 3, 2});
  CHECK(values_of(weft::pad(a, {{8, 0}}, PadMode::symmetric)) ==
        List{2, 1, 1, 2, 3, 3, 2, 1, 1, 2, 3});
  const Tensor truth = Tensor::of<bool>({1}, {true});
  CHECK(weft::pad(truth, {{0, 1}}).at<bool>(0));
  CHECK(!weft::pad(truth, {{0, 1}}).at<bool>(1));
  const Tensor one = Tensor::of<double>({1}, {4});
  CHECK(values_of(weft::pad(one, {{2, 1}}, PadMode::reflect)) == List{4, 4, 4, 4});
  CHECK(values_of(weft::roll(a, 1, 0)) == List{3, 1, 2});
  CHECK(values_of(weft::flip(a, 0)) == List{3, 2, 1});
  CHECK(values_of(weft::tile(a, 2)) == List{1, 2, 3, 1, 2, 3});
  CHECK(values_of(weft::repeat(a, 2, 0)) == List{1, 1, 2, 2, 3, 3});
}

TEST_CASE("roll and pad: narrow rows in blocks, with any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const Dims& shape : {Dims{20'000, 3}, Dims{5, 9000, 2}, Dims{9000, 3, 2}}) {
    const Memory memory(ScalarType::f32, test::random_layout(random, shape, {.zero = false}));
    test::fill(ScalarType::f32, memory.data(), memory.layout().size, random);
    const TensorView a = memory.view();
    Dims padded = shape;
    padded.back() += 3;
    const test::Dense rolled = test::moved(a, shape, [&](Dims place) {
      place.back() = modulo(place.back() - 1, shape.back());
      return std::optional(place);
    });
    const test::Dense bordered = test::moved(a, padded, [&](Dims place) {
      place.back() = *padded_from(place.back() - 2, shape.back(), PadMode::wrap);
      return std::optional(place);
    });
    std::vector<AxisPadding> widths(shape.size());
    widths.back() = {2, 1};
    test::for_thread_counts([&](int threads) {
      const std::string wrong =
          test::difference(weft::roll(a, 1, -1), rolled) +
          test::difference(weft::pad(a, std::span<const AxisPadding>(widths), PadMode::wrap),
                           bordered);
      tally.check(wrong.empty(), [&](auto& text) {
        test::describe(text << threads << " threads, ", a) << ": " << wrong;
      });
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("tile and repeat: runs of a few elements, with any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const auto check = [&](const Dims& own, const Dims& times) {
    const Memory memory = test::random_elements(random, ScalarType::i16, own);
    const TensorView a = memory.view();
    Dims shape = own;
    for (std::size_t axis = 0; axis < own.size(); ++axis)
      shape[axis] *= times[axis];
    const test::Dense tiled = test::moved(a, shape, [&](Dims place) {
      for (std::size_t axis = 0; axis < own.size(); ++axis)
        place[axis] %= own[axis];
      return std::optional(place);
    });
    const auto axis = random.integer(0, a.rank() - 1);
    const auto at = static_cast<std::size_t>(axis);
    Dims longer = own;
    longer[at] *= 3;
    const test::Dense repeated = test::moved(a, longer, [&](Dims place) {
      place[at] /= 3;
      return std::optional(place);
    });
    const Memory out = test::random_output(random, ScalarType::i16, shape);
    test::for_thread_counts([&](int threads) {
      weft::tile_out(out.view(), a, times);
      const std::string wrong = test::difference(weft::tile(a, times), tiled) +
                                test::difference(out.view(), tiled) +
                                test::difference(weft::repeat(a, 3, axis), repeated);
      tally.check(wrong.empty(), [&](auto& text) {
        test::describe(text << threads << " threads, tile by " << listed(times) << " of ", a)
            << ", along " << axis << ": " << wrong;
      });
    });
  };
  check({9000, 3}, {1, 7});
  check({9000, 3}, {2, 4});
  check({300, 20, 3}, {1, 3, 5});
  check({300, 20, 3}, {3, 1, 2});
  check({20, 300, 5}, {2, 3, 4});
  check({300, 1, 3}, {2, 9, 4});
  check({3000, 3, 2}, {1, 40, 1});
  check({2, 3, 2, 3, 2, 3, 2, 3}, {2, 2, 2, 2, 2, 2, 2, 2});
  CHECK_TALLY(tally);
}

TEST_CASE("flip, roll, tile, repeat and pad: a tensor that is replaced by its own result",
          "[ops]") {
  Tensor a = Tensor::of<double>({2, 1}, {1, 2});
  weft::tile_out(a, a, {2, 2});
  CHECK(values_of(a) == std::vector<double>{1, 1, 2, 2, 1, 1, 2, 2});
  a = Tensor::of<double>({2}, {1, 2});
  weft::repeat_out(a, a, 2, 0);
  CHECK(values_of(a) == std::vector<double>{1, 1, 2, 2});
  weft::pad_out(a, a, {{1, 0}});
  CHECK(values_of(a) == std::vector<double>{0, 1, 1, 2, 2});
}

TEST_CASE("flip, roll, tile, repeat and pad: what they refuse", "[ops]") {
  const Tensor a = Tensor::zeros({2, 3}, ScalarType::f32);
  const Tensor none, empty = Tensor::zeros({0, 3}, ScalarType::f32);
  const Tensor integers = Tensor::zeros({2, 3}, ScalarType::i32);
  Tensor out = Tensor::full({2, 3}, ScalarType::f32, 5);
  const TensorView view = out;

  CHECK_ERROR(undefined, ("flip", "input 0"), weft::flip(none, 0));
  CHECK_ERROR(undefined, ("roll", "input 0"), weft::roll(none, 1, 0));
  CHECK_ERROR(undefined, ("tile", "input 0"), weft::tile(none, 2));
  CHECK_ERROR(undefined, ("repeat", "input 0"), weft::repeat(none, 2, 0));
  CHECK_ERROR(undefined, ("pad", "input 0"), weft::pad(none, {{1, 1}}));
  CHECK_ERROR(undefined, ("flip", "output 0"), weft::flip_out(TensorView(), a, 0));

  CHECK_ERROR(axis, ("flip", "axis 2", "-2 to 1"), weft::flip(a, 2));
  CHECK_ERROR(axis, ("flip", "axis -1", "twice", "[1, -1]"), weft::flip(a, {1, -1}));
  CHECK_ERROR(axis, ("roll", "axis -3"), weft::roll(a, 1, -3));
  CHECK_ERROR(rank, ("roll", "one shift", "[1, 2]", "[0]"), weft::roll(a, {1, 2}, 0));
  CHECK_ERROR(invalid_argument, ("tile", "axis 1", "at least 0", "-1"), weft::tile(a, {2, -1}));
  CHECK_ERROR(overflow, ("tile", "axis 0", "2 * "), weft::tile(a, {most, 1}));
  CHECK_ERROR(overflow, ("tile", "elements"), weft::tile(a, {most / 4, 4}));
  CHECK_ERROR(invalid_argument, ("repeat", "count", "-2"), weft::repeat(a, -2, 0));
  CHECK_ERROR(axis, ("repeat", "axis 5"), weft::repeat(a, 2, 5));
  CHECK_ERROR(overflow, ("repeat", "axis 1", "3 * "), weft::repeat(a, most, 1));
  CHECK_ERROR(rank, ("pad", "2 axes", "got 1"), weft::pad(a, {{1, 1}}));
  CHECK_ERROR(invalid_argument, ("pad", "in front of axis 1", "-1"),
              weft::pad(a, {{0, 0}, {-1, 0}}));
  CHECK_ERROR(invalid_argument, ("pad", "behind axis 0", "-1"), weft::pad(a, {{0, -1}, {0, 0}}));
  CHECK_ERROR(overflow, ("pad", "axis 1", "3 + "), weft::pad(a, {{0, 0}, {most, 0}}));
  CHECK_ERROR(cast, ("pad", "value", "f64", "i32"),
              weft::pad(integers, {{1, 1}, {0, 0}}, PadMode::constant, 0.5));
  CHECK_ERROR(invalid_argument, ("pad", "mode", "9"),
              weft::pad(a, {{1, 1}, {0, 0}}, static_cast<PadMode>(9)));
  for (const PadMode mode : {PadMode::edge, PadMode::reflect, PadMode::wrap, PadMode::symmetric}) {
    CHECK_ERROR(shape, ("pad", "axis 0", "extent 0"), weft::pad(empty, {{1, 0}, {0, 0}}, mode));
    CHECK(weft::pad(empty, {{0, 0}, {1, 1}}, mode).extent(1) == 5);
  }
  CHECK(weft::pad(empty, {{1, 0}, {0, 1}}).numel() == 4);

  const Tensor double_width = Tensor::zeros({2, 3}, ScalarType::f64);
  CHECK_ERROR(shape, ("tile", "output 0", "[4, 6]", "[2, 3]"), weft::tile_out(view, a, {2, 2}));
  CHECK_ERROR(cast, ("flip", "output 0", "f32", "i32"), weft::flip_out(TensorView(integers), a, 0));
  CHECK_ERROR(overlap, ("flip", "output 0", "input 0"), weft::flip_out(view, out, 0));
  CHECK_ERROR(overlap, ("roll", "output 0", "input 0"), weft::roll_out(view, out, 1, 0));
  CHECK_ERROR(overlap, ("pad", "output 0", "input 0"),
              weft::pad_out(view, out.slice(0, 0, 1), {{1, 0}, {0, 0}}));
  CHECK_ERROR(overlap, ("repeat", "output 0", "with each other"),
              weft::repeat_out(out.slice(0, 0, 1).expand({2, 3}), a.slice(0, 0, 1), 2, 0));
  const TensorView read_only =
      TensorView::trusted(static_cast<const void*>(out.data()), ScalarType::f32, {2, 3});
  CHECK_ERROR(invalid_argument, ("flip", "output 0", "read-only"), weft::flip_out(read_only, a, 0));
  // Nothing was written.
  CHECK(test::difference(out, test::dense_copy(Tensor::full({2, 3}, ScalarType::f32, 5))) == "");
}
