// SPDX-License-Identifier: Apache-2.0
// sort, argsort, topk and partition against std::stable_sort, along every axis of random layouts.
#include <weft/ops/copy.hpp>
#include <weft/ops/sorting.hpp>
#include <weft/parallel/parallel.hpp>

#include "ops/sorted_lines.hpp"
#include "support/errors.hpp"
#include "support/threads.hpp"

#include <limits>

namespace {

using test::Dense;
using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::SortOrder;
using weft::Tensor;
using weft::TensorView;

std::vector<ScalarType> real_types() {
  std::vector<ScalarType> types;
  for (const ScalarType type : test::all_types())
    if (!weft::is_complex(type)) types.push_back(type);
  return types;
}

SortOrder random_order(test::Random& random) {
  return random.chance(50) ? SortOrder::ascending : SortOrder::descending;
}

/// The elements that partition should give.
Dense expected_partition(const TensorView& a, std::size_t axis, std::size_t k) {
  return test::naive_lines(
      a, axis, a.dtype(), [&](std::size_t n, const void* const* in, void* const* out) {
        const auto order = test::naive_order(a.dtype(), n, in, SortOrder::ascending);
        const long double bound = test::number_at(a.dtype(), in[order[k]]);
        std::size_t at = 0;
        for (int group = 0; group < 3; ++group) {
          for (std::size_t i = 0; i < n; ++i) {
            const long double x = test::number_at(a.dtype(), in[i]);
            const bool same = x == bound || (std::isnan(x) && std::isnan(bound));
            const bool less = x < bound || (std::isnan(bound) && !std::isnan(x));
            if ((same ? 1 : less ? 0 : 2) == group)
              test::convert_element(a.dtype(), out[at++], a.dtype(), in[i]);
          }
        }
      });
}

/// Empty if all functions give what they should of `a` along an axis.
std::string wrong(test::Random& random, const TensorView& a, std::size_t axis) {
  const auto along = static_cast<std::int64_t>(axis) - (random.chance(50) ? a.rank() : 0);
  const Dims shape = test::dims(a.shape());
  const std::int64_t n = shape.empty() ? 1 : shape[axis];
  const SortOrder order = random_order(random);
  const Dense sorted = test::naive_sort(a, axis, order, false, a.dtype());
  const Dense positions = test::naive_sort(a, axis, order, true, ScalarType::i64);
  std::string text = test::difference(weft::sort(a, along, order), sorted);
  text += test::difference(weft::argsort(a, along, order), positions);

  const Memory values = test::random_output(random, a.dtype(), shape);
  const Memory indices =
      test::random_output(random, random.chance(70) ? ScalarType::i64 : ScalarType::i32, shape);
  const test::Watch values_watch(values), indices_watch(indices);
  weft::sort_out(values.view(), indices.view(), a, along, order);
  text += test::difference(values.view(), sorted);
  text += test::difference(indices.view(),
                           test::naive_sort(a, axis, order, true, indices.view().dtype()));
  if (!values_watch.gaps_untouched() || !indices_watch.gaps_untouched())
    text += "wrote between elements";

  Tensor in_place = Tensor::copy_of(a);
  weft::sort_out(in_place, in_place, along, order);
  text += test::difference(in_place, sorted);

  const std::int64_t k = random.chance(30) ? n : random.integer(0, n);
  const weft::ValuesAndIndices first = weft::topk(a, k, along, order);
  text += test::difference(first.values, test::first_of(sorted, axis, k));
  text += test::difference(first.indices, test::first_of(positions, axis, k));

  if (n > 0) {
    const std::int64_t place = random.integer(0, n - 1);
    const Dense parted = expected_partition(a, axis, static_cast<std::size_t>(place));
    text +=
        test::difference(weft::partition(a, random.chance(50) ? place : place - n, along), parted);
    in_place = Tensor::copy_of(a);
    weft::partition_out(in_place, in_place, place, along);
    text += test::difference(in_place, parted);
  }
  return text;
}

double number(const TensorView& a, const Dims& place) {
  return static_cast<double>(test::number_at(a.dtype(), test::element_at(a, place)));
}

void check_line(test::Tally& tally, const TensorView& a, const char* what) {
  const SortOrder order = SortOrder::ascending;
  std::string text =
      test::difference(weft::sort(a), test::naive_sort(a, 0, order, false, a.dtype()));
  text += test::difference(weft::argsort(a), test::naive_sort(a, 0, order, true, ScalarType::i64));
  tally.check(text.empty(), [&](auto& out) { test::describe(out << what << ": ", a) << text; });
}

}  // namespace

TEST_CASE("sorting: all types, every axis of random layouts", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : real_types()) {
    for (int round = 0; round < test::rounds(30); ++round) {
      Dims shape = test::random_shape(random, 4, round % 8 == 0 ? 20 : 6);
      if (!shape.empty() && random.chance(30)) {
        const auto last = static_cast<std::int64_t>(shape.size()) - 1;
        shape[static_cast<std::size_t>(random.integer(0, last))] = random.integer(50, 400);
      }
      if (test::product(shape) > 5000) shape = {3, 700};
      const Memory memory = test::sortable(random, type, test::random_layout(random, shape));
      for (std::size_t axis = 0; axis < std::max<std::size_t>(shape.size(), 1); ++axis) {
        const std::string text = wrong(random, memory.view(), axis);
        tally.check(text.empty(), [&](auto& out) {
          test::describe(out, memory.view()) << " along " << axis << ": " << text;
        });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("sorting: lines of 0 to 70 elements", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : {ScalarType::u8, ScalarType::i32, ScalarType::u32, ScalarType::f32,
                                ScalarType::u64, ScalarType::f64, ScalarType::f16}) {
    for (std::int64_t n = 0; n <= 70; ++n) {
      const Memory memory = test::sortable(random, type, test::fit({{2, n}, {n, 1}}));
      const std::string text = wrong(random, memory.view(), 1);
      tally.check(text.empty(), [&](auto& out) { test::describe(out, memory.view()) << text; });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("sorting: long lines, in order, backwards, of few values", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : {ScalarType::i32, ScalarType::f32, ScalarType::i64, ScalarType::f64,
                                ScalarType::i16, ScalarType::bf16}) {
    for (int round = 0; round < test::rounds(3); ++round) {
      const std::int64_t n = random.integer(100, round == 0 ? 100'000 : 5'000);
      const Memory memory = test::sortable(random, type, test::fit({{n}, {1}}));
      check_line(tally, memory.view(), "random");
      const Tensor sorted = weft::sort(memory.view());
      check_line(tally, sorted, "sorted");
      check_line(tally, sorted.flip(0), "backwards");
      for (const std::int64_t values : {1, 2, 17}) {
        Tensor few = Tensor::empty({n}, type);
        for (std::int64_t i = 0; i < n; ++i) {
          const auto x = static_cast<double>(random.integer(0, values - 1));
          test::convert_element(type, test::element_at(few, {i}), ScalarType::f64, &x);
        }
        check_line(tally, few, "few values");
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("sorting: long lines of bytes, which are counted", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : {ScalarType::u8, ScalarType::i8, ScalarType::boolean}) {
    for (const std::int64_t n : {1023, 1024, 1025, 4095, 4096, 5001}) {
      const auto layout = random.chance(50) ? test::fit({{2, n}, {n + 3, 1}})
                                            : test::fit({{2, n}, {1, random.chance(50) ? 3 : -3}});
      const Memory memory = test::sortable(random, type, layout);
      const TensorView a = memory.view();
      const Tensor sorted = weft::sort(a, 1);
      std::string text = wrong(random, a, 1);
      const Tensor median = weft::median(a, 1), least = weft::quantile(a, 0, 1);
      std::vector<double> different;
      for (std::int64_t row = 0; row < 2; ++row) {
        const auto at = [&](std::int64_t i) { return number(sorted, {row, i}); };
        if (number(median, {row}) != (at((n - 1) / 2) + at(n / 2)) / 2) text += "median";
        if (number(least, {row}) != at(0)) text += "quantile";
        for (std::int64_t i = 0; i < n; ++i)
          different.push_back(at(i));
      }
      std::ranges::sort(different);
      different.erase(std::unique(different.begin(), different.end()), different.end());
      const weft::UniqueElements elements = weft::unique_all(a);
      for (const Tensor& values : {weft::unique(a), elements.values}) {
        bool same = values.numel() == std::ssize(different);
        for (std::int64_t i = 0; same && i < values.numel(); ++i)
          same = number(values, {i}) == different[static_cast<std::size_t>(i)];
        if (!same) text += "unique";
      }
      const Tensor wide = weft::contiguous(a, ScalarType::i32);
      for (const std::int64_t axis : {0, 1}) {
        const Tensor slices = weft::contiguous(weft::unique(a, axis), ScalarType::i32);
        text += test::difference(slices, test::dense_copy(weft::unique(wide, axis)));
      }
      tally.check(text.empty(), [&](auto& out) { test::describe(out, a) << text; });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("sorting: keys that differ in their lowest bits alone", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const std::int64_t n : {100, 3000}) {
    Tensor a = Tensor::empty({n}, ScalarType::i64);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t far = random.pick<std::int64_t>(
          {std::numeric_limits<std::int64_t>::min(), 0, std::int64_t{1} << 62});
      a.data_as<std::int64_t>()[i] = far + random.integer(0, 5);
    }
    check_line(tally, a, "clusters");
    const std::string text = wrong(random, a, 0);
    tally.check(text.empty(), [&](auto& out) { out << text; });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("sorting: equal zeros stay in order, NaNs are last both ways", "[ops]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const auto a = Tensor::of<double>({8}, {0.0, nan, -0.0, inf, 0.0, -inf, -nan, -0.0});
  const auto up = Tensor::of<std::int64_t>({8}, {5, 0, 2, 4, 7, 3, 1, 6});
  const auto down = Tensor::of<std::int64_t>({8}, {3, 0, 2, 4, 7, 5, 1, 6});
  CHECK(test::difference(weft::argsort(a), test::dense_copy(up)) == "");
  CHECK(test::difference(weft::argsort(a, 0, SortOrder::descending), test::dense_copy(down)) == "");
  const auto values = Tensor::of<double>({8}, {-inf, 0.0, -0.0, 0.0, -0.0, inf, nan, nan});
  CHECK(test::difference(weft::sort(a), test::dense_copy(values)) == "");
  // The largest are numbers while there are any, and the first ones of equal ones.
  const auto first = weft::topk(a, 3);
  CHECK(test::difference(first.indices,
                         test::dense_copy(Tensor::of<std::int64_t>({3}, {3, 0, 2}))) == "");
}

TEST_CASE("sorting: the same with any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  const Memory memory =
      test::sortable(random, ScalarType::f32, test::fit({{40, 9, 300}, {2700, 1, 9}}));
  for (const std::int64_t axis : {0, 1, 2}) {
    weft::ThreadLimit one(1);
    const Dense sorted = test::dense_copy(weft::sort(memory.view(), axis));
    const Dense order = test::dense_copy(weft::argsort(memory.view(), axis));
    for (const int threads : {2, 3, 4}) {
      test::in_arena(threads, [&] {
        const weft::ThreadLimit some(threads);
        CHECK(test::difference(weft::sort(memory.view(), axis), sorted) == "");
        CHECK(test::difference(weft::argsort(memory.view(), axis), order) == "");
      });
    }
  }
}

TEST_CASE("sorting: threads share a long line", "[ops]") {
  WEFT_RANDOM(random);
  for (const ScalarType type : {ScalarType::f32, ScalarType::i64, ScalarType::u8}) {
    const std::int64_t n = random.integer(150'000, 300'000);
    const Memory memory = test::sortable(random, type, test::fit({{n}, {1}}));
    const Dense sorted = test::naive_sort(memory.view(), 0, SortOrder::descending, false, type);
    const Dense order =
        test::naive_sort(memory.view(), 0, SortOrder::descending, true, ScalarType::i64);
    for (const int threads : {2, 3, 4}) {
      test::in_arena(threads, [&] {
        CHECK(test::difference(weft::sort(memory.view(), 0, SortOrder::descending), sorted) == "");
        CHECK(test::difference(weft::argsort(memory.view(), 0, SortOrder::descending), order) ==
              "");
      });
    }
  }
}

TEST_CASE("sorting: outputs", "[ops]") {
  const auto a = Tensor::of<float>({2, 2}, {4, 3, 1, 2});
  const auto holds = [](const TensorView& view, const Tensor& values) {
    return test::difference(view, test::dense_copy(values)) == "";
  };
  Tensor values, indices = Tensor::zeros({5}, ScalarType::i32);
  weft::topk_out(values, indices, a, 1, 0);
  CHECK(holds(values, Tensor::of<float>({1, 2}, {4, 3})));
  CHECK(holds(indices, Tensor::of<std::int32_t>({1, 2}, {0, 0})));
  Tensor wide = Tensor::zeros({2, 2}, ScalarType::f64);
  const void* before = wide.data();
  weft::sort_out(wide, a, 0);
  CHECK(holds(wide, Tensor::of<double>({2, 2}, {1, 2, 4, 3})));
  CHECK(wide.data() == before);
  // Replaced memory that holds the input lives until it has been read.
  Tensor x = Tensor::of<float>({3}, {1, 3, 2});
  weft::sort_out(x, x.slice(0, 1, 3));
  CHECK(holds(x, Tensor::of<float>({2}, {2, 3})));
  CHECK(weft::sort(Tensor::full({}, ScalarType::f32, 7)).at<float>({}) == 7);
  // Memory that is not aligned.
  std::byte bytes[17] = {};
  const TensorView odd = TensorView::trusted(static_cast<void*>(bytes + 1), ScalarType::f32, {4});
  weft::copy_out(odd, Tensor::of<float>({4}, {3, -1, 2, 0}));
  weft::sort_out(odd, odd);
  CHECK(holds(odd, Tensor::of<float>({4}, {-1, 0, 2, 3})));
  CHECK(weft::topk(a, 0).values.shape()[1] == 0);
  CHECK(weft::sort(Tensor::zeros({0, 3}, ScalarType::f32), 0).numel() == 0);
}

TEST_CASE("sorting: lines whose bytes cannot be counted are refused", "[ops]") {
  const Tensor one = Tensor::full({1}, ScalarType::f32, 1);
  const TensorView line = one.expand({(std::int64_t{1} << 59) - 1});
  CHECK_ERROR(overflow, ("topk", "576460752303423487 elements"), weft::topk(line, 2));
  CHECK_ERROR(overflow, ("median", "576460752303423487 elements"), weft::median(line));
}

TEST_CASE("sorting: what it refuses, with nothing written", "[ops]") {
  const Tensor a = Tensor::full({2, 3}, ScalarType::f32, 1);
  const Tensor out = Tensor::full({2, 3}, ScalarType::f32, 7);
  const Tensor indices = Tensor::full({2, 3}, ScalarType::i64, 7);
  CHECK_ERROR(axis, ("sort", "axis 2"), weft::sort(a, 2));
  CHECK_ERROR(axis, ("argsort", "axis -3"), weft::argsort(a, -3));
  CHECK_ERROR(dtype, ("sort", "c64"), weft::sort(Tensor::zeros({2}, ScalarType::c64)));
  CHECK_ERROR(undefined, ("sort", "input 0"), weft::sort(TensorView()));
  CHECK_ERROR(undefined, ("sort", "output 1"), weft::sort_out(out, TensorView(), a));
  CHECK_ERROR(shape, ("sort", "output 0", "[2, 3]", "[3]"), weft::sort_out(out.select(0, 0), a));
  CHECK_ERROR(cast, ("sort", "output 0", "f32", "i64"), weft::sort_out(indices, a));
  CHECK_ERROR(overlap, ("sort", "output 0", "input 0"), weft::sort_out(a, a.flip(0)));
  CHECK_ERROR(overlap, ("sort", "output 1", "output 0"), weft::sort_out(indices, indices, indices));
  CHECK_ERROR(overlap, ("sort", "output 1", "output 0"),
              weft::sort_out(indices, indices.flip(0), Tensor::zeros({2, 3}, ScalarType::i64)));
  CHECK_ERROR(overlap, ("argsort", "output 0", "input 0"), weft::argsort_out(indices, indices));
  CHECK_ERROR(invalid_argument, ("topk", "k", "3", "4"), weft::topk(a, 4));
  CHECK_ERROR(invalid_argument, ("topk", "k", "-1"), weft::topk(a, -1));
  CHECK_ERROR(invalid_argument, ("partition", "k", "axis 1", "3"), weft::partition(a, 3));
  CHECK_ERROR(invalid_argument, ("partition", "-3"), weft::partition(a, -3, 0));
  CHECK(test::difference(out, test::dense_copy(Tensor::full({2, 3}, ScalarType::f32, 7))) == "");
  CHECK(test::difference(indices, test::dense_copy(Tensor::full({2, 3}, ScalarType::i64, 7))) ==
        "");
  // Of two outputs, neither is replaced if the other is refused.
  Tensor values = Tensor::full({1}, ScalarType::f32, 7);
  CHECK_ERROR(cast, ("topk", "output 1"),
              weft::topk_out(values, Tensor::zeros({2, 1}, ScalarType::boolean), a, 1));
  CHECK_ERROR(shape, ("topk", "output 1"), weft::topk_out(values, indices.select(0, 0), a, 1));
  CHECK(values.at<float>({0}) == 7);
}
