// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the tests share of counting elements in bins.
#pragma once

#include <weft/core/tensor.hpp>
#include <weft/ops/argument.hpp>

#include "support/dense.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace test {

inline double double_at(const weft::TensorView& view, const Dims& place) {
  double value = 0;
  convert_element(weft::ScalarType::f64, &value, view.dtype(), element_at(view, place));
  return value;
}

/// Adds up 1, or the weight, where bin(place) is one.
inline Dense naive_counts(const weft::TensorView& a, const weft::TensorView& weights,
                          std::int64_t bins, const std::function<std::int64_t(const Dims&)>& bin) {
  const bool weighted = weights.defined();
  Dense result(weighted ? weft::ScalarType::f64 : weft::ScalarType::i64, {bins});
  const Dims shape(a.shape().begin(), a.shape().end());
  for_each_index(shape, [&](const Dims& place) {
    const std::int64_t at = bin(place);
    if (at < 0 || at >= bins) return;
    std::byte* const to = result.at(at);
    if (weighted) {
      store(to, load<double>(to) + double_at(weights, place));
    } else {
      store(to, load<std::int64_t>(to) + 1);
    }
  });
  return result;
}

/// What a function gives in a new tensor, in one that is replaced and in an output with gaps.
inline std::string wrong_counts(Random& random, const Dense& expected,
                                const std::function<void(const weft::Output&)>& call) {
  weft::Tensor fresh, other = weft::Tensor::empty({2, 2}, expected.type);
  call(fresh);
  call(other);
  std::string text = difference(fresh, expected) + difference(other, expected);
  const Memory out = random_output(random, expected.type, expected.shape);
  const Watch watch(out);
  call(out.view());
  text += difference(out.view(), expected);
  return text + (watch.gaps_untouched() ? "" : "wrote between elements");
}

inline Dims counted_extents(Random& random) {
  Dims shape = random_shape(random, 4);
  if (!shape.empty() && random.chance(20)) shape.back() = random.integer(30, 1500);
  if (!shape.empty() && random.chance(15)) shape.front() = random.integer(30, 90);
  return product(shape) > 20'000 ? Dims{9, 700} : shape;
}

/// Weights whose sums are exact in any order, or none.
struct Weights {
  std::unique_ptr<Memory> memory;
  weft::TensorView view;

  Weights(Random& random, const Dims& shape) {
    if (random.chance(50)) return;
    weft::ScalarType type = random.pick(all_types());
    if (weft::is_complex(type)) type = weft::ScalarType::f64;
    memory = std::make_unique<Memory>(
        random_memory(random, type, random_layout(random, shape), Values::small));
    view = memory->view();
  }
};

inline std::ostream& describe_counted(std::ostream& out, const char* what,
                                      const weft::TensorView& a, const weft::TensorView& weights) {
  describe(out << what << ' ', a);
  return weights.defined() ? describe(out << " weighted by ", weights) : out;
}

inline std::vector<std::int64_t> counts_of(const weft::Tensor& counts) {
  std::vector<std::int64_t> list;
  for (std::int64_t i = 0; i < counts.numel(); ++i)
    list.push_back(counts.at<std::int64_t>(i));
  return list;
}
using Counts = std::vector<std::int64_t>;

}  // namespace test
