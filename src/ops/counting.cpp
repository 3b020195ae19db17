// SPDX-License-Identifier: Apache-2.0
// bincount and histogram: which bins there are; counting is in bin_counts.cpp.
#include "kernels/indexing/counting.hpp"

#include <weft/base/error.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/counting.hpp>
#include <weft/ops/creation.hpp>

#include "base/operation.hpp"
#include "kernels/indexing/searching.hpp"
#include "ops/bin_counts.hpp"
#include "ops/branch_free_search.hpp"
#include "ops/explain_counting.hpp"
#include "ops/index_operand.hpp"
#include "ops/result.hpp"

#include <algorithm>
#include <cmath>

namespace weft {
inline namespace v0 {
namespace {

void check_real(const TensorView& view, int input, const char* what) {
  check_defined(view, input);
  if (!is_complex(view.dtype())) return;
  fail(ErrorCode::dtype,
       text("input ", input, what, ": expected a real type, got ", name(view.dtype())));
}

ScalarType sum_type(const TensorView& weights) {
  return weights.defined() ? ScalarType::f64 : ScalarType::i64;
}

/// Checks weights and the output.
void check_sums(const Output& out, const TensorView& a, const TensorView& weights, int input) {
  check_output_type(out.view(), sum_type(weights));
  if (!weights.defined()) return;
  check_real(weights, input, " (the weights)");
  if (same_list(weights.shape(), a.shape())) return;
  fail(ErrorCode::shape,
       text("input ", input, " (the weights): expected shape ", to_string(a.shape()),
            " as input 0, got ", to_string(weights.shape())));
}

void check_bins(std::int64_t bins, const char* what) {
  if (bins > max_bins)
    fail(ErrorCode::limit, text(what, ": ", bins, " bins are more than 2^31 - 1"));
}

// ---- bincount --------------------------------------------------------------------------------

/// Names the first element in C order that is no bin.
[[noreturn]] void fail_outside(const TensorView& a) {
  std::int64_t value = 0;
  const DimVector place = first_place(a, [&](const char* at) {
    cast_elements(&value, ScalarType::i64, 0, at, a.dtype(), 0, 1);
    return value < 0 || value >= max_bins;
  });
  // Unsigned integers from 2^63 on are below 0 here.
  if (value < 0 && !is_unsigned_integer(a.dtype())) {
    fail(ErrorCode::invalid_argument,
         text("input 0: expected integers from 0 on, got ", value, " at ", to_string(place)));
  }
  fail(ErrorCode::limit, text("input 0: ", static_cast<std::uint64_t>(value), " at ",
                              to_string(place), " needs more than 2^31 - 1 bins"));
}

// Operands come by value: a view may be the very tensor that is replaced as an output.
// `told` gets how it would be done instead, if it is there, into as many bins as the output has.
void run_bincount(const Output& out, TensorView a, TensorView weights, std::int64_t minlength,
                  Explanation* told = nullptr) {
  with_operation("bincount", [&] {
    check_defined(a, 0);
    if (!is_integer(a.dtype()))
      fail(ErrorCode::dtype, text("input 0: expected integers, got ", name(a.dtype())));
    check_sums(out, a, weights, 1);
    if (minlength < 0) {
      fail(ErrorCode::invalid_argument, text("minlength: expected at least 0, got ", minlength));
    }
    check_bins(minlength, "minlength");
    if (told != nullptr) {
      const Result result(out, {minlength}, sum_type(weights), {&a, &weights});
      *told = explain_count_in_bins(result.view(), a, ScalarType::i32);
      return;
    }
    const bool by_value = counts_values(a) && !weights.defined();
    const ByteCounts values = by_value ? count_bytes(a) : ByteCounts();
    const IntegerRange range = by_value ? integer_range(values, a.dtype()) : integer_range(a);
    if (range.least < 0 || range.largest >= max_bins) fail_outside(a);
    const std::int64_t count = range.largest + 1;
    const Result result(out, {std::max(count, minlength)}, sum_type(weights), {&a, &weights});
    const Binning binning{count, ScalarType::i32, nullptr};
    if (!by_value) return count_in_bins(result.view(), a, weights, binning);
    add_up_values(result.view(), values, a.dtype(), binning);
  });
}

// ---- histogram -------------------------------------------------------------------------------

/// places[i] = how many edges are not above element i, of n dense ones of f64.
void find_among_edges(std::int64_t* places, const char* from, std::int64_t n,
                      const TensorView& edges) {
  const auto* const first = static_cast<const char*>(edges.data());
  const std::int64_t count = edges.numel();
  if (count <= most_compared_keys(ScalarType::f64))
    return find_places_kernel(places, from, n, {ScalarType::f64, first, count, count, true});
  SearchGroup<double> group;
  std::fill_n(group.tables, group.size, first);
  for (std::int64_t i = 0; i < n; i += group.size) {
    const std::int64_t size = std::min<std::int64_t>(group.size, n - i);
    for (std::int64_t k = 0; k < group.size; ++k)
      group.values[k] = search_key<double>(from + (i + std::min(k, size - 1)) * 8);
    find_places<double>(group, 8, count, true);
    std::copy_n(group.places, size, places + i);
  }
}
/// Looks among edges for the bins of n dense elements of f64.
void find_bins(std::int32_t* bins, const char* from, std::int64_t n, const TensorView& edges) {
  const std::int64_t count = edges.numel();
  const double last = static_cast<const double*>(edges.data())[count - 1];
  std::int64_t places[64];
  for (std::int64_t start = 0; start < n; start += std::ssize(places)) {
    const std::int64_t size = std::min(std::ssize(places), n - start);
    find_among_edges(places, from + start * 8, size, edges);
    for (std::int64_t k = 0; k < size; ++k) {
      // Below all edges or above, or NaN: in none. The last edge belongs to the last bin.
      const auto value = search_key<double>(from + (start + k) * 8);
      const bool is_none = places[k] == 0 || places[k] == count;
      const std::int64_t bin = value == last ? count - 2 : is_none ? count - 1 : places[k] - 1;
      bins[start + k] = static_cast<std::int32_t>(bin);
    }
  }
}

/// Whether a product finds the bin of an element or the one beside it: it is so wide that all
/// that was rounded on the way, some units in the last place of the larger end, is less.
bool are_wide(const EqualBins& bins) {
  const double magnitude = std::max(std::abs(bins.low), std::abs(bins.high));
  return std::isfinite(bins.high - bins.low) && std::isfinite(bins.bins_per_unit) &&
         bins.step >= std::ldexp(1.0, -1000) && bins.step >= std::ldexp(magnitude, -48);
}

EqualBins equal_bins(double low, double high, std::int64_t bins) {
  const auto count = static_cast<double>(bins);
  const double width = high - low;
  const auto turn = static_cast<double>((bins + 1) / 2);
  return {low, high, width / count, turn, count, count / width};
}

void check_edges(const TensorView& edges) {
  check_real(edges, 1, " (the edges)");
  if (edges.rank() != 1)
    fail(ErrorCode::rank, text("input 1 (the edges): expected rank 1, got ", edges.rank()));
  if (edges.numel() < 2) {
    fail(ErrorCode::shape, text("input 1 (the edges): expected at least 2, got ", edges.numel()));
  }
  check_bins(edges.numel() - 1, "input 1 (the edges)");
}
/// In their own type already: infinities of narrow types stay what they are.
void check_ascending(const TensorView& edges) {
  const auto* const edge = static_cast<const double*>(edges.data());
  for (std::int64_t i = 0; i < edges.numel(); ++i) {
    if (i == 0 ? edge[0] == edge[0] : edge[i] >= edge[i - 1]) continue;
    fail(ErrorCode::invalid_argument,
         text("input 1 (the edges): expected ascending numbers, got ", edge[i], " at [", i, "]"));
  }
}

/// Edges of bins: one of the two.
struct BinEdges {
  Tensor edges;     ///< of f64, dense
  EqualBins equal;  ///< if there are none
  std::int64_t bins;
};

BinEdges edges_of(std::int64_t bins, BinRange range) {
  if (bins < 1) fail(ErrorCode::invalid_argument, text("bins: expected at least 1, got ", bins));
  check_bins(bins, "bins");
  auto [low, high] = range;
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
    fail(ErrorCode::invalid_argument,
         text("range: expected finite numbers, the first not above the second, got ", low, " and ",
              high));
  }
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  const EqualBins equal = equal_bins(low, high, bins);
  Tensor edges;
  if (!are_wide(equal)) edges = linspace(low, high, bins + 1, ScalarType::f64);
  return {edges, equal, bins};
}

BinEdges edges_of(const TensorView& given) {
  check_edges(given);
  Tensor edges = contiguous(given, ScalarType::f64);
  check_ascending(edges);
  return {edges, {}, given.numel() - 1};
}

// Edges are those given, if they are no numbers.
void run_histogram(const Output& out, TensorView a, const TensorView* edges, std::int64_t bins,
                   BinRange range, TensorView weights, Explanation* told = nullptr) {
  with_operation("histogram", [&] {
    check_real(a, 0, "");
    check_sums(out, a, weights, edges == nullptr ? 1 : 2);
    const BinEdges by = edges == nullptr ? edges_of(bins, range) : edges_of(*edges);
    // What is given as edges has been copied.
    const Result result(out, {by.bins}, sum_type(weights),
                        {&a, edges == nullptr ? &weights : edges, &weights});
    if (told != nullptr) {
      *told = explain_count_in_bins(result.view(), a, ScalarType::f64);
      return;
    }
    const auto find = [&](std::int32_t* to, const char* keys, std::int64_t n) {
      if (by.edges.defined()) return find_bins(to, keys, n, by.edges);
      find_equal_bins(to, keys, n, by.equal);
    };
    const Binning::Find look_up = find;
    count_in_bins(result.view(), a, weights, {by.bins, ScalarType::f64, &look_up});
  });
}

}  // namespace

Explanation explain_bincount(const TensorView& out, const TensorView& a) {
  Explanation told;
  run_bincount(out, a, TensorView(), out.numel(), &told);
  return told;
}
Explanation explain_histogram(const TensorView& out, const TensorView& a, BinRange range) {
  Explanation told;
  run_histogram(out, a, nullptr, out.numel(), range, TensorView(), &told);
  return told;
}

void bincount_out(const Output& out, const TensorView& a, const TensorView& weights,
                  std::int64_t minlength) {
  run_bincount(out, a, weights, minlength);
}
void histogram_out(const Output& out, const TensorView& a, std::int64_t bins, BinRange range,
                   const TensorView& weights) {
  run_histogram(out, a, nullptr, bins, range, weights);
}
void histogram_out(const Output& out, const TensorView& a, const TensorView& edges,
                   const TensorView& weights) {
  run_histogram(out, a, &edges, 0, {}, weights);
}

Tensor bincount(const TensorView& a, const TensorView& weights, std::int64_t minlength) {
  Tensor out;
  bincount_out(out, a, weights, minlength);
  return out;
}
Tensor histogram(const TensorView& a, std::int64_t bins, BinRange range,
                 const TensorView& weights) {
  Tensor out;
  histogram_out(out, a, bins, range, weights);
  return out;
}
Tensor histogram(const TensorView& a, const TensorView& edges, const TensorView& weights) {
  Tensor out;
  histogram_out(out, a, edges, weights);
  return out;
}

}  // namespace v0
}  // namespace weft
