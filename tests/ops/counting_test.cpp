// SPDX-License-Identifier: Apache-2.0
// bincount and histogram against looking at each edge in turn: all real types, any layouts, with
// and without weights; edges, infinities and NaN; and what they refuse, with nothing written.
#include <weft/ops/counting.hpp>
#include <weft/ops/creation.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <memory>

namespace {

using test::Dims;
using test::Memory;
using weft::BinRange;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double double_at(const TensorView& view, const Dims& place) {
  double value = 0;
  test::convert_element(ScalarType::f64, &value, view.dtype(), test::element_at(view, place));
  return value;
}

/// Adds up 1, or the weight, where bin(place) is one.
test::Dense naive_counts(const TensorView& a, const TensorView& weights, std::int64_t bins,
                         const std::function<std::int64_t(const Dims&)>& bin) {
  const bool weighted = weights.defined();
  test::Dense result(weighted ? ScalarType::f64 : ScalarType::i64, {bins});
  const Dims shape(a.shape().begin(), a.shape().end());
  test::for_each_index(shape, [&](const Dims& place) {
    const std::int64_t at = bin(place);
    if (at < 0 || at >= bins) return;
    std::byte* const to = result.at(at);
    if (weighted) {
      test::store(to, test::load<double>(to) + double_at(weights, place));
    } else {
      test::store(to, test::load<std::int64_t>(to) + 1);
    }
  });
  return result;
}

/// The edge below an element: half open bins, but for the last.
std::int64_t bin_of(double x, const std::vector<double>& edges) {
  const auto bins = static_cast<std::int64_t>(edges.size()) - 1;
  if (x == edges.back()) return bins - 1;
  for (std::int64_t i = bins; i-- > 0;) {
    const auto at = static_cast<std::size_t>(i);
    if (x >= edges[at] && x < edges[at + 1]) return i;
  }
  return -1;
}

test::Dense naive_histogram(const TensorView& a, const std::vector<double>& edges,
                            const TensorView& weights) {
  const auto bins = static_cast<std::int64_t>(edges.size()) - 1;
  return naive_counts(a, weights, bins,
                      [&](const Dims& place) { return bin_of(double_at(a, place), edges); });
}

/// As linspace: from the nearer end.
std::vector<double> equal_edges(double low, double high, std::int64_t bins) {
  const double width = high - low;
  const auto count = static_cast<double>(bins);
  const double step = std::isfinite(width) ? width / count : high / count - low / count;
  std::vector<double> edges;
  for (std::int64_t i = 0; i <= bins; ++i) {
    const double from_low = low + static_cast<double>(i) * step;
    const double from_high = high + static_cast<double>(i - bins) * step;
    edges.push_back(i < (bins + 1) / 2 ? from_low : from_high);
  }
  return edges;
}

/// What a function gives in a new tensor, in one that is replaced and in an output with gaps.
std::string wrong(test::Random& random, const test::Dense& expected,
                  const std::function<void(const weft::Output&)>& call) {
  Tensor fresh, other = Tensor::empty({2, 2}, expected.type);
  call(fresh);
  call(other);
  std::string text = test::difference(fresh, expected) + test::difference(other, expected);
  const Memory out = test::random_output(random, expected.type, expected.shape);
  const test::Watch watch(out);
  call(out.view());
  text += test::difference(out.view(), expected);
  return text + (watch.gaps_untouched() ? "" : "wrote between elements");
}

Dims random_extents(test::Random& random) {
  Dims shape = test::random_shape(random, 4);
  if (!shape.empty() && random.chance(20)) shape.back() = random.integer(30, 1500);
  if (!shape.empty() && random.chance(15)) shape.front() = random.integer(30, 90);
  return test::product(shape) > 20'000 ? Dims{9, 700} : shape;
}

/// Weights whose sums are exact in any order, or none.
struct Weights {
  std::unique_ptr<Memory> memory;
  TensorView view;

  Weights(test::Random& random, const Dims& shape) {
    if (random.chance(50)) return;
    ScalarType type = random.pick(test::all_types());
    if (weft::is_complex(type)) type = ScalarType::f64;
    memory = std::make_unique<Memory>(
        test::random_memory(random, type, test::random_layout(random, shape), test::Values::small));
    view = memory->view();
  }
};

std::ostream& describe(std::ostream& out, const char* what, const TensorView& a,
                       const TensorView& weights) {
  test::describe(out << what << ' ', a);
  return weights.defined() ? test::describe(out << " weighted by ", weights) : out;
}

std::vector<std::int64_t> counts_of(const Tensor& counts) {
  std::vector<std::int64_t> list;
  for (std::int64_t i = 0; i < counts.numel(); ++i)
    list.push_back(counts.at<std::int64_t>(i));
  return list;
}
using Counts = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("bincount: all integer types, layouts and weights", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (!weft::is_integer(type)) continue;
    for (int round = 0; round < test::rounds(60); ++round) {
      const Dims shape = random_extents(random);
      const Memory memory(type, test::random_layout(random, shape));
      const std::int64_t most = random.pick(Dims{0, 1, 3, 9, 100, 127});
      std::int64_t largest = -1;
      for (std::int64_t i = 0; i < memory.layout().size; ++i) {
        const std::int64_t value = random.integer(0, most);
        test::convert_element(type, memory.data() + i * weft::element_size(type), ScalarType::i64,
                              &value);
      }
      const TensorView a = memory.view();
      const auto bin = [&](const Dims& place) {
        return static_cast<std::int64_t>(double_at(a, place));
      };
      test::for_each_index(shape, [&](const Dims& at) { largest = std::max(largest, bin(at)); });
      const Weights weights(random, shape);
      const std::int64_t minlength = random.pick(Dims{0, 0, 5, 2000});
      const auto expected = naive_counts(a, weights.view, std::max(largest + 1, minlength), bin);
      const std::string difference = wrong(random, expected, [&](const weft::Output& out) {
        weft::bincount_out(out, a, weights.view, minlength);
      });
      tally.check(difference.empty(), [&](auto& text) {
        describe(text, "bincount", a, weights.view) << ": " << difference;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("histogram: all real types, layouts, bins and weights", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (weft::is_complex(type)) continue;
    for (int round = 0; round < test::rounds(60); ++round) {
      const Dims shape = random_extents(random);
      const bool small = random.chance(60) || type == ScalarType::boolean;
      const Memory memory = test::random_memory(random, type, test::random_layout(random, shape),
                                                small ? test::Values::small : test::Values::any);
      const TensorView a = memory.view();
      const Weights weights(random, shape);
      const std::int64_t bins = random.pick(Dims{1, 2, 3, 10, 18, 100, 1100});
      const double low = random.pick(std::vector<double>{-9, -1, 0, -0.1, 1, -1e300, -3.3});
      const double width = random.pick(std::vector<double>{1, 10, 18, 0.7, 1e-3, 1e-15, 1e300});
      const double high = low + width;
      const auto edges =
          equal_edges(low == high ? low - 0.5 : low, low == high ? high + 0.5 : high, bins);
      const auto expected = naive_histogram(a, edges, weights.view);
      std::string difference = wrong(random, expected, [&](const weft::Output& out) {
        weft::histogram_out(out, a, bins, {low, high}, weights.view);
      });
      const Tensor given = Tensor::empty({bins + 1}, ScalarType::f64);
      for (std::int64_t i = 0; i <= bins; ++i)
        static_cast<double*>(given.data())[i] = edges[static_cast<std::size_t>(i)];
      difference += wrong(random, expected, [&](const weft::Output& out) {
        weft::histogram_out(out, a, given, weights.view);
      });
      tally.check(difference.empty(), [&](auto& text) {
        describe(text, "histogram", a, weights.view)
            << ' ' << bins << " bins from " << low << " to " << high << ": " << difference;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("histogram: elements on edges and beside them", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(300); ++round) {
    const std::int64_t bins = random.integer(1, random.chance(10) ? 3000 : 40);
    // Down to edges that are neighbours, or equal, and up to a width that overflows.
    const double scale = std::ldexp(1.0, static_cast<int>(random.integer(-1040, 1023)));
    double low = static_cast<double>(random.integer(-1000, 1000)) / 999 * scale;
    double high = low + static_cast<double>(random.integer(1, 1000)) / 7 *
                            std::ldexp(scale, -static_cast<int>(random.integer(0, 60)));
    if (random.chance(3)) low = -std::numeric_limits<double>::max();
    if (random.chance(3)) high = std::numeric_limits<double>::max();
    if (!std::isfinite(high) || low >= high) continue;
    const auto edges = equal_edges(low, high, bins);
    if (!std::is_sorted(edges.begin(), edges.end())) continue;  // where half the width overflows
    std::vector<double> x = {inf, -inf, not_a_number, 0.0, -0.0, low, high};
    for (const double edge : edges) {
      x.push_back(edge);
      x.push_back(std::nextafter(edge, inf));
      x.push_back(std::nextafter(edge, -inf));
    }
    const TensorView a(x);
    const auto expected = naive_histogram(a, edges, TensorView());
    const auto difference = test::difference(weft::histogram(a, bins, {low, high}), expected) +
                            test::difference(weft::histogram(a, TensorView(edges)), expected) +
                            test::difference(weft::linspace(low, high, bins + 1, ScalarType::f64),
                                             test::dense_copy(TensorView(edges)));
    tally.check(difference.empty(), [&](auto& text) {
      text.precision(17);
      text << bins << " bins from " << low << " to " << high << ": " << difference;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("histogram: bins as in NumPy", "[ops]") {
  const Tensor a = Tensor::of<double>({8}, {0, 1, 2, 2, 3, inf, -inf, not_a_number});
  CHECK(counts_of(weft::histogram(a, 3, {0, 3})) == Counts{1, 1, 3});
  CHECK(counts_of(weft::histogram(a, 1, {2, 3})) == Counts{3});
  CHECK(counts_of(weft::histogram(a, 2, {2, 2})) == Counts{0, 2});  // from 1.5 to 2.5
  CHECK(counts_of(weft::histogram(a, Tensor::of<float>({4}, {0, 1, 1, 2}))) == Counts{1, 0, 3});
  CHECK(counts_of(weft::histogram(a, Tensor::of<int>({3}, {1, 3, 3}))) == Counts{3, 1});
  CHECK(counts_of(weft::histogram(a, Tensor::of<double>({3}, {-inf, 0, inf}))) == Counts{1, 6});
  const Tensor zeros = Tensor::of<float>({2}, {0.0F, -0.0F});
  CHECK(counts_of(weft::histogram(zeros, 2, {-0.0, 1})) == Counts{2, 0});
  CHECK(counts_of(weft::histogram(zeros, 2, {-1, 0.0})) == Counts{0, 2});
  CHECK(counts_of(weft::histogram(Tensor::empty({0}, ScalarType::f32), 2, {0, 1})) == Counts{0, 0});
  CHECK(counts_of(weft::histogram(Tensor::of<int>({}, {1}), 2, {0, 1})) == Counts{0, 1});
  CHECK(weft::bincount(Tensor::empty({3, 0}, ScalarType::u8)).numel() == 0);
  CHECK(counts_of(weft::bincount(Tensor::empty({0}, ScalarType::i64), {}, 2)) == Counts{0, 0});
}

TEST_CASE("counting: the same for any number of threads, and layout", "[ops]") {
  WEFT_RANDOM(random);
  const std::int64_t n = 400'000;
  const Memory a = test::random_memory(random, ScalarType::i16, test::fit({{n}, {1}}));
  const Memory weights = test::random_memory(random, ScalarType::f32, test::fit({{n}, {1}}));
  for (std::int64_t i = 0; i < n; ++i) {
    std::byte* const at = a.data() + 2 * i;
    test::store(at, static_cast<std::int16_t>(random.integer(0, 30000)));
    std::byte* const weight = weights.data() + 4 * i;
    test::store(weight, static_cast<float>(random.integer(-1000, 1000)) / 7.0F);
  }
  const Tensor few = Tensor::empty({n}, ScalarType::i64);
  for (std::int64_t i = 0; i < n; ++i)
    static_cast<std::int64_t*>(few.data())[i] = random.integer(0, 40);
  const TensorView turned = a.view().as_strided({400, 1000}, {1, 400});
  const Tensor dense = Tensor::copy_of(turned);
  const TensorView turned_weights = weights.view().as_strided({400, 1000}, {1, 400});
  std::vector<test::Dense> first;
  test::for_thread_counts([&](int threads) {
    const std::vector<Tensor> now = {
        weft::bincount(a.view()),
        weft::bincount(few),
        weft::bincount(few, weights.view()),
        weft::bincount(a.view(), weights.view()),
        weft::histogram(a.view(), 50, {-5, 20000}),
        weft::histogram(a.view(), 50, {-5, 20000}, weights.view()),
        weft::histogram(turned, 7, {0, 30000}, turned_weights),
    };
    if (threads == 1) {
      for (const Tensor& one : now)
        first.push_back(test::dense_copy(one));
    }
    for (std::size_t i = 0; i < now.size(); ++i)
      CHECK(test::difference(now[i], first[i]) == "");
    CHECK(test::difference(weft::histogram(dense, 7, {0, 30000}, Tensor::copy_of(turned_weights)),
                           first.back()) == "");
  });
}

TEST_CASE("counting: an output that is an input, and is replaced", "[ops]") {
  Tensor t = Tensor::of<std::int64_t>({4}, {1, 2, 1, 5});
  weft::bincount_out(t, t);
  CHECK(counts_of(t) == Counts{0, 2, 1, 0, 0, 1});
  weft::histogram_out(t, Tensor::of<int>({2}, {0, 1}), t.slice(0, 2, 4).flip(0));
  CHECK(counts_of(t) == Counts{2});
}

TEST_CASE("counting: what is refused, with nothing written", "[ops]") {
  const Tensor a = Tensor::of<std::int64_t>({2, 2}, {0, 1, 2, -3});
  const Tensor good = Tensor::of<std::int64_t>({2, 2}, {0, 1, 2, 3});
  const Tensor out = Tensor::full({4}, ScalarType::i64, 7);
  const Tensor sums = Tensor::full({4}, ScalarType::f64, 7);
  const test::Dense before = test::dense_copy(out);
  const TensorView to = out;
  const TensorView none;
  CHECK_ERROR(invalid_argument, ("bincount", "input 0", "-3", "[1, 1]"), weft::bincount_out(to, a));
  const Tensor huge = Tensor::of<std::uint64_t>({2}, {1, ~std::uint64_t{0}});
  CHECK_ERROR(limit, ("bincount", "18446744073709551615", "[1]", "2^31 - 1"),
              weft::bincount_out(to, huge));
  CHECK_ERROR(limit, ("bincount", "2147483647", "[0]"),
              weft::bincount_out(to, Tensor::of<std::int64_t>({1}, {0x7FFF'FFFF})));
  CHECK_ERROR(limit, ("bincount", "minlength"), weft::bincount(good, none, std::int64_t{1} << 40));
  CHECK_ERROR(invalid_argument, ("bincount", "minlength", "-1"), weft::bincount(good, none, -1));
  CHECK_ERROR(dtype, ("bincount", "input 0", "f32"),
              weft::bincount_out(to, Tensor::zeros({2}, ScalarType::f32)));
  CHECK_ERROR(dtype, ("bincount", "input 0", "bool"),
              weft::bincount_out(to, Tensor::zeros({2}, ScalarType::boolean)));
  CHECK_ERROR(dtype, ("bincount", "output 0", "expected i64", "f64"),
              weft::bincount_out(TensorView(sums), good));
  CHECK_ERROR(dtype, ("bincount", "output 0", "expected f64", "i64"),
              weft::bincount_out(to, good, good));
  CHECK_ERROR(dtype, ("bincount", "input 1", "c64"),
              weft::bincount(good, Tensor::zeros({2, 2}, ScalarType::c64)));
  CHECK_ERROR(shape, ("bincount", "input 1", "[2, 2]", "[4]"),
              weft::bincount_out(TensorView(sums), good, sums));
  CHECK_ERROR(shape, ("bincount", "output 0", "[5]", "[4]"), weft::bincount_out(to, good, none, 5));
  CHECK_ERROR(overlap, ("bincount", "output 0", "input 0"),
              weft::bincount_out(TensorView(good.as_strided({4}, {1})), good));
  CHECK_ERROR(undefined, ("bincount", "input 0"), weft::bincount_out(to, none));

  CHECK_ERROR(invalid_argument, ("histogram", "bins", "got 0"), weft::histogram(a, 0, {0, 1}));
  CHECK_ERROR(limit, ("histogram", "bins"), weft::histogram(a, std::int64_t{1} << 31, {0, 1}));
  CHECK_ERROR(invalid_argument, ("histogram", "range", "2", "1"), weft::histogram(a, 4, {2, 1}));
  CHECK_ERROR(invalid_argument, ("histogram", "range", "inf"), weft::histogram(a, 4, {0, inf}));
  CHECK_ERROR(invalid_argument, ("histogram", "range", "nan"),
              weft::histogram(a, 4, {not_a_number, 1}));
  CHECK_ERROR(dtype, ("histogram", "input 0", "c128"),
              weft::histogram(Tensor::zeros({2}, ScalarType::c128), 4, {0, 1}));
  CHECK_ERROR(shape, ("histogram", "output 0", "[3]", "[4]"),
              weft::histogram_out(to, a, 3, {0, 1}));
  const auto edges = [](std::initializer_list<double> list) {
    return Tensor::of<double>({static_cast<std::int64_t>(list.size())}, list);
  };
  CHECK_ERROR(invalid_argument, ("histogram", "input 1", "ascending", "[2]"),
              weft::histogram_out(to, a, edges({0, 2, 1, 3, 4})));
  CHECK_ERROR(invalid_argument, ("histogram", "input 1", "nan", "[0]"),
              weft::histogram_out(to, a, edges({not_a_number, 2, 2, 3, 4})));
  CHECK_ERROR(shape, ("histogram", "input 1", "at least 2", "got 1"),
              weft::histogram(a, edges({0})));
  CHECK_ERROR(rank, ("histogram", "input 1", "rank 1", "got 2"), weft::histogram(a, good));
  CHECK_ERROR(dtype, ("histogram", "input 1", "c64"),
              weft::histogram(a, Tensor::zeros({3}, ScalarType::c64)));
  CHECK_ERROR(shape, ("histogram", "input 2", "[2, 2]", "[4]"),
              weft::histogram(a, edges({0, 1}), sums));
  CHECK_ERROR(overlap, ("histogram", "output 0", "input 0"),
              weft::histogram_out(TensorView(good.as_strided({4}, {1})), good, 4, {0, 1}));
  CHECK_ERROR(undefined, ("histogram", "input 1"), weft::histogram(a, TensorView()));
  CHECK(test::difference(out, before) == "");
}
