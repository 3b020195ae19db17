// SPDX-License-Identifier: Apache-2.0
// histogram against looking at each edge in turn: all real types, any layouts, with and without
// weights; edges, infinities and NaN; and what it refuses, with nothing written.
#include <weft/ops/counting.hpp>
#include <weft/ops/creation.hpp>

#include "counted_elements.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

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
  return test::naive_counts(a, weights, bins, [&](const Dims& place) {
    return bin_of(test::double_at(a, place), edges);
  });
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

}  // namespace

TEST_CASE("histogram: all real types, layouts, bins and weights", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (weft::is_complex(type)) continue;
    for (int round = 0; round < test::rounds(60); ++round) {
      const Dims shape = test::counted_extents(random);
      const bool small = random.chance(60) || type == ScalarType::boolean;
      const Memory memory = test::random_memory(random, type, test::random_layout(random, shape),
                                                small ? test::Values::small : test::Values::any);
      const TensorView a = memory.view();
      const test::Weights weights(random, shape);
      const std::int64_t bins = random.pick(Dims{1, 2, 3, 10, 18, 100, 1100});
      const double low = random.pick(std::vector<double>{-9, -1, 0, -0.1, 1, -1e300, -3.3});
      const double width = random.pick(std::vector<double>{1, 10, 18, 0.7, 1e-3, 1e-15, 1e300});
      const double high = low + width;
      const auto edges =
          equal_edges(low == high ? low - 0.5 : low, low == high ? high + 0.5 : high, bins);
      const auto expected = naive_histogram(a, edges, weights.view);
      std::string difference = test::wrong_counts(random, expected, [&](const weft::Output& out) {
        weft::histogram_out(out, a, bins, {low, high}, weights.view);
      });
      const Tensor given = Tensor::empty({bins + 1}, ScalarType::f64);
      for (std::int64_t i = 0; i <= bins; ++i)
        static_cast<double*>(given.data())[i] = edges[static_cast<std::size_t>(i)];
      difference += test::wrong_counts(random, expected, [&](const weft::Output& out) {
        weft::histogram_out(out, a, given, weights.view);
      });
      tally.check(difference.empty(), [&](auto& text) {
        test::describe_counted(text, "histogram", a, weights.view)
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
  CHECK(test::counts_of(weft::histogram(a, 3, {0, 3})) == test::Counts{1, 1, 3});
  CHECK(test::counts_of(weft::histogram(a, 1, {2, 3})) == test::Counts{3});
  CHECK(test::counts_of(weft::histogram(a, 2, {2, 2})) == test::Counts{0, 2});  // from 1.5 to 2.5
  CHECK(test::counts_of(weft::histogram(a, Tensor::of<float>({4}, {0, 1, 1, 2}))) ==
        test::Counts{1, 0, 3});
  CHECK(test::counts_of(weft::histogram(a, Tensor::of<int>({3}, {1, 3, 3}))) == test::Counts{3, 1});
  CHECK(test::counts_of(weft::histogram(a, Tensor::of<double>({3}, {-inf, 0, inf}))) ==
        test::Counts{1, 6});
  const Tensor zeros = Tensor::of<float>({2}, {0.0F, -0.0F});
  CHECK(test::counts_of(weft::histogram(zeros, 2, {-0.0, 1})) == test::Counts{2, 0});
  CHECK(test::counts_of(weft::histogram(zeros, 2, {-1, 0.0})) == test::Counts{0, 2});
  CHECK(test::counts_of(weft::histogram(Tensor::empty({0}, ScalarType::f32), 2, {0, 1})) ==
        test::Counts{0, 0});
  CHECK(test::counts_of(weft::histogram(Tensor::of<int>({}, {1}), 2, {0, 1})) ==
        test::Counts{0, 1});
}

TEST_CASE("histogram: what is refused, with nothing written", "[ops]") {
  const Tensor a = Tensor::of<std::int64_t>({2, 2}, {0, 1, 2, -3});
  const Tensor good = Tensor::of<std::int64_t>({2, 2}, {0, 1, 2, 3});
  const Tensor out = Tensor::full({4}, ScalarType::i64, 7);
  const Tensor sums = Tensor::full({4}, ScalarType::f64, 7);
  const test::Dense before = test::dense_copy(out);
  const TensorView to = out;
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
