// SPDX-License-Identifier: Apache-2.0
// argmax and argmin of what a mask selects, and of what is not NaN.
#include <weft/core/promotion.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/masked_positions.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/unary.hpp>

#include "ops/masked_elements.hpp"
#include "support/errors.hpp"
#include "support/naive_reduce.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <optional>

namespace {

using test::Dense;
using test::Dims;
using test::Memory;
using test::Values;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

using Axis = std::optional<std::int64_t>;

struct Found {
  const void* element;
  std::int64_t index;
};

/// Whether x comes before y, which is there already.
bool comes_before(ScalarType type, bool largest, const void* x, const void* y) {
  return weft::dispatch_all_types(type, [&]<class T>() -> bool {
    if constexpr (weft::is_complex_type<T>) {
      return false;
    } else {
      const auto a = test::load<T>(x), b = test::load<T>(y);
      if constexpr (!std::is_integral_v<T>) {
        if (a != a || b != b) return a != a && b == b;
      }
      return largest ? b < a : a < b;
    }
  });
}

/// Where the first largest or smallest of the selected is, -1 of none. Axes that are reduced have
/// extent 1.
Dense naive_place(const TensorView& a, const TensorView& mask, Axis axis, bool largest) {
  const Dims shape = test::dims(a.shape());
  const unsigned axes = axis ? 1U << *axis : ~0U;
  const Dims reduced = test::reduced_shape(shape, axes);
  const auto found = test::naive_reduce<Found>(
      shape, reduced, {a, mask}, {nullptr, -1},
      [&](Found& best, const void* const* elements, std::int64_t position) {
        if (*static_cast<const std::uint8_t*>(elements[1]) == 0) return;
        if (best.index >= 0 && !comes_before(a.dtype(), largest, elements[0], best.element)) return;
        best = {elements[0], position};
      });
  return test::projected<std::int64_t>(reduced, found, [](const Found& f) { return f.index; });
}

Dims random_extents(test::Random& random, int round) {
  Dims shape = test::random_shape(random, 4, round % 8 == 0 ? 12 : 5);
  if (!shape.empty() && random.chance(20)) shape.back() = random.integer(60, 2500);
  if (!shape.empty() && random.chance(20)) shape.front() = random.integer(60, 700);
  return test::product(shape) > 20'000 ? Dims{random.integer(2, 9), random.integer(1000, 3000)}
                                       : shape;
}

}  // namespace

TEST_CASE("masked positions: of all real types, layouts and axes", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (weft::is_complex(type)) continue;
    for (int round = 0; round < test::rounds(60); ++round) {
      const Dims shape = random_extents(random, round);
      if (test::product(shape) == 0) continue;
      const Values values = random.chance(50) ? Values::any : Values::small;
      Memory memory = test::random_memory(random, type, test::random_layout(random, shape), values);
      const TensorView a = memory.view();
      // Many that nothing is beyond, as what is left out counts.
      const bool largest = random.chance(50);
      if (random.chance(30)) {
        const test::AnyElement end = test::end_of(type, !largest);
        test::for_each_index(shape, [&](const Dims& index) {
          if (random.chance(90))
            std::memcpy(test::element_at(a, index), end.bytes,
                        static_cast<std::size_t>(weft::element_size(type)));
        });
      }
      const int density =
          static_cast<int>(random.pick(std::vector<std::int64_t>{0, 1, 10, 50, 99, 100}));
      const Memory mask = test::random_mask(random, shape, density);
      Axis axis;
      if (!shape.empty() && random.chance(80))
        axis = random.integer(0, static_cast<std::int64_t>(shape.size()) - 1);
      const Dense expected = naive_place(a, mask.view(), axis, largest);
      const auto check = [&](const std::string& wrong, const char* what) {
        tally.check(wrong.empty(), [&](auto& text) {
          test::describe(test::describe(text << what << ' ', a) << " under ", mask.view())
              << " along " << axis.value_or(-1) << ": " << wrong;
        });
      };
      const Axis given =
          axis && random.chance(50) ? Axis(*axis - static_cast<std::int64_t>(shape.size())) : axis;
      check(test::difference(largest ? weft::masked_argmax(a, mask.view(), given, true)
                                     : weft::masked_argmin(a, mask.view(), given, true),
                             expected),
            "new");
      const Memory out = test::random_output(random, ScalarType::i64, expected.shape);
      const test::Watch watch(out);
      largest ? weft::masked_argmax_out(out.view(), a, mask.view(), given)
              : weft::masked_argmin_out(out.view(), a, mask.view(), given);
      check(test::difference(out.view(), expected), "into");
      check(watch.gaps_untouched() ? "" : "wrote between elements", "into");
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masked positions: NaN is left out", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (weft::is_complex(type)) continue;
    for (int round = 0; round < test::rounds(50); ++round) {
      const Dims shape = random_extents(random, round);
      if (test::product(shape) == 0) continue;
      const Memory memory = test::random_memory(random, type, test::random_layout(random, shape));
      const TensorView a = memory.view();
      const int nans = static_cast<int>(random.pick(std::vector<std::int64_t>{0, 10, 90, 100}));
      const double nan = std::nan("");
      test::for_each_index(shape, [&](const Dims& index) {
        if (weft::is_floating(type) && random.chance(nans))
          test::convert_element(type, test::element_at(a, index), ScalarType::f64, &nan);
      });
      const Tensor numbers = weft::logical_not(weft::isnan(a));
      Axis axis;
      if (!shape.empty() && random.chance(80))
        axis = random.integer(0, static_cast<std::int64_t>(shape.size()) - 1);
      for (const bool largest : {false, true}) {
        const Dense expected = naive_place(a, numbers, axis, largest);
        const std::string wrong = test::difference(
            largest ? weft::nanargmax(a, axis, true) : weft::nanargmin(a, axis, true), expected);
        tally.check(wrong.empty(), [&](auto& text) {
          test::describe(text, a) << " along " << axis.value_or(-1) << ": " << wrong;
        });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masked positions: ties, NaN, and nothing", "[ops]") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const Tensor a = Tensor::of<double>({2, 4}, {nan, -inf, 3, 3, -inf, -inf, nan, nan});
  const Tensor mask =
      Tensor::of<bool>({2, 4}, {false, true, true, true, false, true, false, false});
  const auto is = [](const Tensor& got, std::initializer_list<std::int64_t> want) {
    const auto n = static_cast<std::int64_t>(want.size());
    return test::difference(got, test::dense_copy(Tensor::of<std::int64_t>({n}, want))) == "";
  };
  CHECK(is(weft::masked_argmax(a, mask, 1), {2, 1}));
  CHECK(is(weft::masked_argmin(a, mask, -1), {1, 1}));
  CHECK(is(weft::masked_argmax(a, mask, 0), {-1, 0, 0, 0}));
  CHECK(weft::masked_argmax(a, mask).at<std::int64_t>({}) == 2);
  CHECK(weft::masked_argmax(a, Tensor::full({}, ScalarType::boolean, 0)).at<std::int64_t>({}) ==
        -1);
  CHECK(is(weft::masked_argmax(a, Tensor::full({}, ScalarType::boolean, 1), 1), {0, 2}));
  CHECK(is(weft::nanargmax(a, 1), {2, 0}));
  CHECK(is(weft::nanargmin(a, 0), {1, 0, 0, 0}));
  CHECK(is(weft::nanargmin(Tensor::full({2, 3}, ScalarType::f16, nan), 1), {-1, -1}));
  CHECK(weft::nanargmax(2.5).at<std::int64_t>({}) == 0);
}

TEST_CASE("masked positions: the same for any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const Memory a = test::random_memory(random, ScalarType::f32,
                                       test::fit({{50, 60, 70}, {1, 50, 3000}}), Values::small);
  const Memory mask = test::random_mask(random, {50, 60, 70}, 20);
  for (const Axis& axis : {Axis(), Axis(0), Axis(1), Axis(2)}) {
    Dense first(ScalarType::i64, {});
    test::for_thread_counts([&](int threads) {
      const Tensor now = weft::masked_argmax(a.view(), mask.view(), axis);
      if (threads == 1) first = test::dense_copy(now);
      const std::string wrong = test::difference(now, first);
      tally.check(wrong.empty(), [&](auto& text) { text << threads << " threads: " << wrong; });
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("masked positions: outputs of other types, and that are replaced", "[ops]") {
  const Tensor a = Tensor::of<float>({2, 3}, {1, 5, 2, 9, 7, 8});
  const Tensor mask = Tensor::of<bool>({3}, {true, false, true});
  Tensor wide = Tensor::zeros({2}, ScalarType::f64), any = Tensor::zeros({7}, ScalarType::i32);
  weft::masked_argmax_out(wide, a, mask, 1);
  CHECK(wide.at<double>({0}) == 2);
  CHECK(wide.at<double>({1}) == 0);
  weft::masked_argmax_out(any, a, mask, 1);
  CHECK(any.dtype() == ScalarType::i32);
  CHECK(any.at<std::int32_t>({0}) == 2);
  Tensor same = Tensor::of<std::int64_t>({3}, {4, 6, 5});
  weft::nanargmax_out(any, same, 0, true);
  CHECK(any.at<std::int32_t>({0}) == 1);
}

TEST_CASE("masked positions: unsigned outputs, which do not hold -1", "[ops]") {
  const Tensor a = Tensor::of<float>({2, 2}, {1, 5, 2, 9});
  const Tensor mask = Tensor::of<bool>({2}, {false, true});
  for (const ScalarType type :
       {ScalarType::u8, ScalarType::u16, ScalarType::u32, ScalarType::u64}) {
    const Tensor kept = Tensor::full({2}, type, 7);
    const TensorView out = kept;
    const auto to = weft::name(type);
    CHECK_ERROR(cast, ("masked_argmax", "i64", to), weft::masked_argmax_out(out, a, mask, 1));
    CHECK_ERROR(cast, ("masked_argmin", "i64", to), weft::masked_argmin_out(out, a, mask, 1));
    CHECK_ERROR(cast, ("nanargmax", "i64", to), weft::nanargmax_out(out, a, 1));
    CHECK_ERROR(cast, ("nanargmin", "i64", to), weft::nanargmin_out(out, a, 1));
    CHECK(test::difference(kept, test::dense_copy(Tensor::full({2}, type, 7))) == "");
  }
}

TEST_CASE("masked positions: over the very elements, each alone", "[ops]") {
  const auto numbers = [] { return Tensor::of<std::int64_t>({3, 1}, {5, 7, 9}); };
  const Tensor mask = Tensor::of<bool>({3, 1}, {true, false, true});
  const test::Dense wanted = test::dense_copy(Tensor::of<std::int64_t>({3, 1}, {0, -1, 0}));
  const Tensor a = numbers(), b = numbers(), c = numbers();
  weft::masked_argmax_out(a, a, mask, 1, true);
  CHECK(test::difference(a, wanted) == "");
  weft::masked_argmin_out(TensorView(b), b, mask, 1, true);
  CHECK(test::difference(b, wanted) == "");
  weft::nanargmax_out(TensorView(c), c, 1, true);
  CHECK(test::difference(c, test::dense_copy(Tensor::zeros({3, 1}, ScalarType::i64))) == "");
  const Tensor d = Tensor::of<std::int64_t>({4, 1}, {1, 2, 3, 4});
  CHECK_ERROR(overlap, ("masked_argmax", "output 0"),
              weft::masked_argmax_out(TensorView(d).slice(0, 1, 4), TensorView(d).slice(0, 0, 3),
                                      mask, 1, true));
}

TEST_CASE("masked positions: what they refuse, with nothing written", "[ops]") {
  const Tensor a = Tensor::full({2, 3}, ScalarType::f32, 1);
  const Tensor mask = Tensor::full({2, 3}, ScalarType::boolean, 1);
  const Tensor kept = Tensor::full({2}, ScalarType::i64, 7);
  const TensorView out = kept;
  Tensor same = Tensor::full({4}, ScalarType::i64, 7),
         truth = Tensor::full({4}, ScalarType::boolean, 1);
  CHECK_ERROR(axis, ("masked_argmax", "axis 2"), weft::masked_argmax_out(out, a, mask, 2));
  CHECK_ERROR(dtype, ("masked_argmin", "the mask", "expected bool, got f32"),
              weft::masked_argmin_out(out, a, a, 1));
  CHECK_ERROR(shape, ("masked_argmax", "the mask", "[2, 3]", "[2]"),
              weft::masked_argmax_out(out, a, mask.select(1, 0), 1));
  CHECK_ERROR(shape, ("masked_argmax", "[2]", "[2, 1]", "[3]"),
              weft::masked_argmax_out(TensorView(same).slice(0, 0, 3), a, mask, 1));
  CHECK_ERROR(shape, ("nanargmax", "axis 1", "extent 0"),
              weft::nanargmax(Tensor::zeros({2, 0}, ScalarType::f32), 1));
  CHECK_ERROR(shape, ("masked_argmax", "axis 0", "extent 0"),
              weft::masked_argmax(Tensor::zeros({0}, ScalarType::i32),
                                  Tensor::zeros({0}, ScalarType::boolean)));
  CHECK_ERROR(dtype, ("nanargmin", "c64"), weft::nanargmin(Tensor::zeros({2}, ScalarType::c64)));
  CHECK_ERROR(dtype, ("masked_argmax", "c64"),
              weft::masked_argmax(Tensor::zeros({2}, ScalarType::c64), mask.select(1, 0)));
  CHECK_ERROR(cast, ("masked_argmax", "i64", "bool"), weft::masked_argmax_out(truth, same, truth));
  CHECK_ERROR(undefined, ("masked_argmax", "input 0"), weft::masked_argmax(TensorView(), mask));
  CHECK_ERROR(undefined, ("masked_argmax", "the mask"), weft::masked_argmax(a, TensorView()));
  CHECK_ERROR(undefined, ("nanargmax", "output 0"), weft::nanargmax_out(TensorView(), a));
  CHECK_ERROR(shape, ("nanargmax", "output 0"), weft::nanargmax_out(same, same));
  CHECK_ERROR(overlap, ("nanargmax"), weft::nanargmax_out(TensorView(same).select(0, 1), same));
  CHECK(test::difference(kept, test::dense_copy(Tensor::full({2}, ScalarType::i64, 7))) == "");
  CHECK(test::difference(same, test::dense_copy(Tensor::full({4}, ScalarType::i64, 7))) == "");
}
