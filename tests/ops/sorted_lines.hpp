// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sorting one element at a time, by what ops/sorting.hpp says of it.
#pragma once

#include <weft/ops/sorting.hpp>

#include "support/naive_cumulative.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace test {

/// An element of any real type as a number that long double holds exactly.
inline long double number_at(weft::ScalarType type, const void* element) {
  if (type == weft::ScalarType::i64) return static_cast<long double>(load<std::int64_t>(element));
  if (type == weft::ScalarType::u64) return static_cast<long double>(load<std::uint64_t>(element));
  double number = 0;
  convert_element(weft::ScalarType::f64, &number, type, element);
  return number;
}

/// Positions of a line's elements in order.
inline std::vector<std::size_t> naive_order(weft::ScalarType type, std::size_t n,
                                            const void* const* in, weft::SortOrder order) {
  std::vector<long double> numbers;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < n; ++i) {
    numbers.push_back(number_at(type, in[i]));
    positions.push_back(i);
  }
  std::stable_sort(positions.begin(), positions.end(), [&](std::size_t i, std::size_t j) {
    const long double a = numbers[i], b = numbers[j];
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
    return order == weft::SortOrder::ascending ? a < b : a > b;
  });
  return positions;
}

/// Lines in order: the elements, or where they stood.
inline Dense naive_sort(const weft::TensorView& a, std::size_t axis, weft::SortOrder order,
                        bool positions, weft::ScalarType type) {
  return naive_lines(a, axis, type, [&](std::size_t n, const void* const* in, void* const* out) {
    std::size_t i = 0;
    for (const std::size_t position : naive_order(a.dtype(), n, in, order)) {
      const auto number = static_cast<std::int64_t>(position);
      if (positions)
        convert_element(type, out[i++], weft::ScalarType::i64, &number);
      else
        convert_element(type, out[i++], a.dtype(), in[position]);
    }
  });
}

/// The first k elements of each line along an axis; without axes, of the one that there is.
inline Dense first_of(const Dense& dense, std::size_t axis, std::int64_t k) {
  Dims shape = dense.shape.empty() ? Dims{1} : dense.shape;
  const weft::TensorView all = weft::TensorView::trusted(
      static_cast<const void*>(dense.bytes.data()), dense.type, weft::IntSpan(shape));
  return dense_copy(all.slice(static_cast<std::int64_t>(axis), 0, k));
}

/// Elements among which many are equal, zeros have both signs, and NaNs and infinities are there.
inline Memory sortable(Random& random, weft::ScalarType type, const Layout& layout) {
  const Values values = random.chance(40) ? Values::small : Values::any;
  Memory memory = random_memory(random, type, layout, values);
  const bool floating = weft::is_floating(type);
  if (!floating || values == Values::any) return memory;
  for_each_index(layout.shape, [&](const Dims& index) {
    if (!random.chance(30)) return;
    const double special[] = {-0.0, 0.0, HUGE_VAL, -HUGE_VAL, std::nan("")};
    const double x = special[random.integer(0, random.chance(20) ? 4 : 3)];
    convert_element(type, element_at(memory.view(), index), weft::ScalarType::f64, &x);
  });
  return memory;
}

}  // namespace test
