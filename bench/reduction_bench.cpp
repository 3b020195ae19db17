// SPDX-License-Identifier: Apache-2.0
// How fast is a sum over every set of axes? About a million floats in one to four dims,
// C-contiguous, channels-last and transposed, beside a sum written by hand over the same memory,
// timed before each cell: others may take their part of the last level. Prints a table: the share
// of the hand-written sum's bandwidth, and for each shape and layout the worst over the best. Other
// shapes may be given, such as 8x32x32x32, of which 1 MB fits the second-level cache: there the
// loops are seen that slower memory hides.
#include <weft/ops/reduce.hpp>
#include <weft/parallel/parallel.hpp>

#include "plain_loops.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using weft::DimVector;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

constexpr int rounds = 200;  // fewer do not always get to the state of the caches that lasts

/// The least time of a call, in seconds.
template <class F>
double min_time(F&& f) {
  double least = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    f();
    least = std::min(
        least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

/// "2x3": {2, 3}.
DimVector parse_shape(const char* text) {
  DimVector shape;
  for (;; ++text) {
    char* end = nullptr;
    shape.push_back(std::strtoll(text, &end, 10));
    if (*end != 'x') return shape;
    text = end;
  }
}

std::int64_t elements(const DimVector& shape) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape)
    n *= extent;
  return n;
}

struct Layout {
  const char* name;
  std::vector<int> order;  // axes, the one with stride 1 first
};

std::vector<Layout> layouts(int rank) {
  Layout c{"C-contiguous", {}}, transposed{"transposed", {}}, last{"channels-last", {1}};
  for (int axis = 0; axis < rank; ++axis) {
    transposed.order.push_back(axis);
    c.order.insert(c.order.begin(), axis);
  }
  if (rank == 1) return {c};
  if (rank == 2) return {c, transposed};
  for (const int axis : c.order) {
    if (axis != 1) last.order.push_back(axis);
  }
  return {c, last, transposed};
}

/// Seconds an element of the sum written by hand of n floats.
double by_hand(const Tensor& memory, std::int64_t n) {
  const auto sum = bench::plain_sum.at(weft::current_level());
  volatile float total = 0;
  const double least = min_time([&] { total = sum(memory.data_as<float>(), n); });
  return least / static_cast<double>(n);
}

void run(const Tensor& memory, const DimVector& shape, const Layout& layout) {
  const int rank = static_cast<int>(shape.size());
  DimVector strides(shape.size(), 0);
  std::int64_t n = 1;
  for (const int axis : layout.order) {
    strides[static_cast<std::size_t>(axis)] = n;
    n *= shape[static_cast<std::size_t>(axis)];
  }
  const TensorView a = memory.as_strided(shape, strides);
  double best = 1e9;
  double worst = 0;
  std::string cells;
  for (unsigned set = 1; set < 1u << rank; ++set) {
    DimVector axes;
    std::string name;
    for (int axis = 0; axis < rank; ++axis) {
      if ((set >> axis & 1) == 0) continue;
      axes.push_back(axis);
      name += std::to_string(axis);
    }
    Tensor out = weft::sum(a, axes);
    // Integers: sums of sums are exact.
    if (weft::sum(out).at<float>({}) != weft::sum(a).at<float>({})) {
      std::fprintf(stderr, "wrong sum\n");
      std::exit(1);
    }
    const double hand = by_hand(memory, memory.numel());
    const double time = min_time([&] { weft::sum_out(out, a, axes); }) / static_cast<double>(n);
    best = std::min(best, time);
    worst = std::max(worst, time);
    char cell[64];
    std::snprintf(cell, sizeof cell, "%s%s: %.2f", cells.empty() ? "" : ", ", name.c_str(),
                  hand / time);
    cells += cell;
  }
  std::printf("| %s | %s | %s | %.2f |\n", weft::to_string(shape).c_str(), layout.name,
              cells.c_str(), worst / best);
}

}  // namespace

int main(int argc, char** argv) {
  weft::set_num_threads(1);
  std::vector<DimVector> shapes;
  for (int i = 1; i < argc; ++i)
    shapes.push_back(parse_shape(argv[i]));
  if (shapes.empty()) shapes = {{1 << 20}, {1024, 1024}, {100, 100, 100}, {32, 32, 32, 32}};
  std::int64_t n = 1;
  for (const DimVector& shape : shapes)
    n = std::max(n, elements(shape));
  const Tensor memory = Tensor::empty({n}, ScalarType::f32);
  for (std::int64_t i = 0; i < n; ++i)
    memory.data_as<float>()[i] = static_cast<float>(i % 17 - 8);
  std::printf("A sum by hand reads %.1f GB/s.\n\n", 4e-9 / by_hand(memory, n));
  std::printf("| shape | layout | axes: share of that bandwidth | worst / best |\n");
  std::printf("| --- | --- | --- | --- |\n");
  for (const DimVector& shape : shapes) {
    for (const Layout& layout : layouts(static_cast<int>(shape.size())))
      run(memory, shape, layout);
  }
  return 0;
}
