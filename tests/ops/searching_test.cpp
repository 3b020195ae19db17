// SPDX-License-Identifier: Apache-2.0
// searchsorted against counting what comes before: all real types, any layouts, both sides; and
// what it refuses, with nothing written.
#include <weft/ops/searching.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/naive_ops.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <limits>

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::SearchSide;
using weft::Tensor;
using weft::TensorView;

/// An element as a number that is exact, or NaN.
struct Number {
  bool is_nan = false;
  long double value = 0;
};
Number number_at(ScalarType type, const void* element) {
  if (type == ScalarType::u64) {
    return {false, static_cast<long double>(test::load<std::uint64_t>(element))};
  }
  if (type == ScalarType::i64) {
    return {false, static_cast<long double>(test::load<std::int64_t>(element))};
  }
  double value = 0;
  test::convert_element(ScalarType::f64, &value, type, element);
  return {std::isnan(value), value};
}
/// NaNs come last and equal each other.
bool less(const Number& a, const Number& b) {
  if (a.is_nan || b.is_nan) return !a.is_nan;
  return a.value < b.value;
}
bool comes_before(const Number& a, const Number& value, SearchSide side) {
  if (a.is_nan && value.is_nan) return side == SearchSide::right;
  return side == SearchSide::left ? less(a, value) : !less(value, a);
}

/// Sorts each line along the last axis.
void sort_lines(const Memory& memory) {
  const TensorView view = memory.view();
  const auto size = static_cast<std::size_t>(weft::element_size(view.dtype()));
  Dims lines = memory.layout().shape;
  const std::int64_t length = lines.back();
  lines.back() = 1;
  test::for_each_index(lines, [&](const Dims& first) {
    std::vector<test::AnyElement> line;
    const auto at = [&](std::int64_t i) {
      Dims place = first;
      place.back() = i;
      return test::element_at(view, place);
    };
    for (std::int64_t i = 0; i < length; ++i)
      line.push_back(test::as_type(view.dtype(), view.dtype(), at(i)));
    std::stable_sort(line.begin(), line.end(), [&](const auto& a, const auto& b) {
      return less(number_at(view.dtype(), a.bytes), number_at(view.dtype(), b.bytes));
    });
    for (std::int64_t i = 0; i < length; ++i)
      std::memcpy(at(i), line[static_cast<std::size_t>(i)].bytes, size);
  });
}

test::Dense naive_places(const TensorView& sorted, const TensorView& values, SearchSide side) {
  const Dims shape(values.shape().begin(), values.shape().end());
  test::Dense result(ScalarType::i64, shape);
  std::int64_t flat = 0;
  test::for_each_index(shape, [&](const Dims& place) {
    const Number value = number_at(values.dtype(), test::element_at(values, place));
    std::int64_t count = 0;
    Dims at = sorted.rank() == 1 ? Dims{0} : place;
    for (std::int64_t i = 0; i < sorted.shape().back(); ++i) {
      at.back() = i;
      const Number element = number_at(sorted.dtype(), test::element_at(sorted, at));
      count += comes_before(element, value, side) ? 1 : 0;
    }
    test::store(result.at(flat++), count);
  });
  return result;
}

}  // namespace

TEST_CASE("searchsorted: all real types, layouts and both sides", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (weft::is_complex(type)) continue;
    for (int round = 0; round < test::rounds(90); ++round) {
      const auto values_kind = random.chance(50) ? test::Values::any : test::Values::small;
      Dims shape = test::random_shape(random, 3);
      if (!shape.empty() && random.chance(20)) shape.back() = random.integer(6, 40);
      if (shape.size() == 1 && random.chance(10)) shape.back() = random.integer(500, 1100);
      Dims sorted_shape = {1};
      if (!shape.empty() && random.chance(50)) sorted_shape = shape;
      sorted_shape.back() = random.chance(10) ? random.integer(50, 300) : random.integer(0, 20);
      // Lines are sorted where they lie, so no two elements may share a place; or all of them do.
      const bool one_value = random.chance(5);
      test::LayoutKinds kinds;
      kinds.zero = one_value;
      test::Layout layout = test::random_layout(random, sorted_shape, kinds);
      if (one_value) layout = test::fit({sorted_shape, Dims(sorted_shape.size(), 0)});
      const Memory table = test::random_memory(random, type, layout, values_kind);
      if (!one_value) sort_lines(table);
      const Memory memory =
          test::random_memory(random, type, test::random_layout(random, shape), values_kind);
      const TensorView sorted = table.view(), values = memory.view();
      // Values that are there, too.
      if (sorted.numel() > 0 && values.numel() > 0) {
        std::memcpy(memory.origin(), table.origin(),
                    static_cast<std::size_t>(weft::element_size(type)));
      }
      for (const SearchSide side : {SearchSide::left, SearchSide::right}) {
        const test::Dense expected = naive_places(sorted, values, side);
        std::string wrong = test::difference(weft::searchsorted(sorted, values, side), expected);
        const Memory out = test::random_output(random, ScalarType::i64, shape);
        const test::Watch watch(out);
        weft::searchsorted_out(out.view(), sorted, values, side);
        wrong += test::difference(out.view(), expected);
        if (!watch.gaps_untouched()) wrong += "wrote between elements";
        tally.check(wrong.empty(), [&](auto& text) {
          test::describe(text << (side == SearchSide::left ? "left " : "right "), values) << " in ";
          test::describe(text, sorted) << ": " << wrong;
        });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("searchsorted: the same for any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  const Memory table =
      test::random_memory(random, ScalarType::f32, test::fit({{40, 700}, {1, 40}}));
  sort_lines(table);
  const Memory values =
      test::random_memory(random, ScalarType::f32, test::fit({{40, 300}, {1, 40}}));
  const test::Dense expected = naive_places(table.view(), values.view(), SearchSide::right);
  test::for_thread_counts([&](int) {
    const Tensor places = weft::searchsorted(table.view(), values.view(), SearchSide::right);
    CHECK(test::difference(places, expected) == "");
  });
}

TEST_CASE("searchsorted: NaN, zeros, the least and the largest", "[ops]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor sorted = Tensor::of<double>({7}, {-inf, -0.0, 0.0, 1, inf, nan, nan});
  const Tensor values = Tensor::of<double>({6}, {-inf, 0.0, -0.0, inf, nan, 2});
  CHECK(test::difference(weft::searchsorted(sorted, values),
                         test::dense_copy(Tensor::of<std::int64_t>({6}, {0, 1, 1, 4, 5, 4}))) ==
        "");
  CHECK(test::difference(weft::searchsorted(sorted, values, SearchSide::right),
                         test::dense_copy(Tensor::of<std::int64_t>({6}, {1, 3, 3, 5, 7, 4}))) ==
        "");

  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Tensor whole = Tensor::of<std::int64_t>({4}, {least, most - 1, most, most});
  const Tensor ends = Tensor::of<std::int64_t>({2}, {least, most});
  CHECK(test::difference(weft::searchsorted(whole, ends, SearchSide::right),
                         test::dense_copy(Tensor::of<std::int64_t>({2}, {1, 4}))) == "");
  CHECK(weft::searchsorted(whole, Tensor::of<std::int64_t>({}, {most})).at<std::int64_t>({}) == 2);
  CHECK(weft::searchsorted(Tensor::empty({0}, ScalarType::f64), values).at<std::int64_t>({4}) == 0);
}

TEST_CASE("searchsorted: what is not sorted gives numbers in range", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(100); ++round) {
    const Dims shape = {random.integer(0, 50)};
    const Memory table = test::random_memory(random, ScalarType::f32, test::fit({shape, {1}}));
    const Memory values = test::random_memory(random, ScalarType::f32, test::fit({{20}, {1}}));
    const Tensor places = weft::searchsorted(table.view(), values.view());
    for (std::int64_t i = 0; i < 20; ++i) {
      const auto place = places.at<std::int64_t>(i);
      tally.check(place >= 0 && place <= shape[0], [&](auto& text) { text << place; });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("searchsorted: an output that is an input, and is replaced", "[ops]") {
  Tensor t = Tensor::of<std::int64_t>({3}, {1, 2, 3});
  weft::searchsorted_out(t, t, Tensor::of<std::int64_t>({1, 2}, {2, 9}), SearchSide::right);
  CHECK(test::difference(t, test::dense_copy(Tensor::of<std::int64_t>({1, 2}, {2, 3}))) == "");
}

TEST_CASE("searchsorted: what is refused, with nothing written", "[ops]") {
  const Tensor line = Tensor::of<float>({3}, {1, 2, 3});
  const Tensor lines = Tensor::zeros({2, 5}, ScalarType::f32);
  const Tensor values = Tensor::zeros({2, 3}, ScalarType::f32);
  const Tensor out = Tensor::full({2, 3}, ScalarType::i64, 7);
  const test::Dense before = test::dense_copy(out);
  const TensorView to = out;
  CHECK_ERROR(dtype, ("searchsorted", "input 1", "expected f32", "f64"),
              weft::searchsorted_out(to, line, Tensor::zeros({2, 3}, ScalarType::f64)));
  CHECK_ERROR(dtype, ("searchsorted", "c64"),
              weft::searchsorted_out(to, Tensor::zeros({3}, ScalarType::c64),
                                     Tensor::zeros({2, 3}, ScalarType::c64)));
  CHECK_ERROR(dtype, ("searchsorted", "output 0", "expected i64", "i32"),
              weft::searchsorted_out(Tensor::zeros({2, 3}, ScalarType::i32), line, values));
  CHECK_ERROR(rank, ("searchsorted", "input 0", "rank 1", "2", "got 3"),
              weft::searchsorted_out(to, Tensor::zeros({2, 2, 5}, ScalarType::f32), values));
  CHECK_ERROR(rank, ("searchsorted", "input 0", "got 0"),
              weft::searchsorted(Tensor::of<float>({}, {1}), Tensor::of<float>({}, {1})));
  CHECK_ERROR(shape, ("searchsorted", "input 0", "expected 3", "axis 0", "got 2"),
              weft::searchsorted(lines, Tensor::zeros({3, 3}, ScalarType::f32)));
  CHECK_ERROR(shape, ("searchsorted", "output 0", "[3]", "[2, 3]"),
              weft::searchsorted_out(to, line, line));
  const Tensor places = Tensor::zeros({3}, ScalarType::i64);
  CHECK_ERROR(overlap, ("searchsorted", "output 0", "input 1"),
              weft::searchsorted_out(TensorView(places), out.select(0, 0), places));
  CHECK_ERROR(undefined, ("searchsorted", "input 0"), weft::searchsorted(TensorView(), values));
  CHECK_ERROR(undefined, ("searchsorted", "input 1"), weft::searchsorted(line, TensorView()));
  CHECK(test::difference(out, before) == "");
}
