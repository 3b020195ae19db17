// SPDX-License-Identifier: Apache-2.0
/// @file
/// Geometries by hand and at random, and the offsets that walking one visits.
#pragma once

#include <weft/iter/geometry.hpp>
#include <weft/iter/order.hpp>

#include "support/naive.hpp"
#include "support/seed.hpp"

#include <sstream>
#include <string>

namespace test {

/// `strides[k][d]` is operand k's stride along dim d, in bytes.
inline weft::Geometry geometry(const Dims& shape, const std::vector<Dims>& strides) {
  weft::Geometry g;
  g.noperands = static_cast<int>(strides.size());
  g.resize(static_cast<int>(shape.size()));
  for (int d = 0; d < g.ndim(); ++d) {
    g.extent(d) = shape[static_cast<std::size_t>(d)];
    for (int k = 0; k < g.noperands; ++k) {
      g.stride(d, k) = strides[static_cast<std::size_t>(k)][static_cast<std::size_t>(d)];
    }
  }
  return g;
}

inline Dims shape_of(const weft::Geometry& g) { return Dims(g.shape.begin(), g.shape.end()); }
inline Dims strides_of(const weft::Geometry& g, int operand) {
  Dims strides;
  for (int d = 0; d < g.ndim(); ++d)
    strides.push_back(g.stride(d, operand));
  return strides;
}

/// Offset tuples in the order of a walk: dim 0 fastest.
inline std::vector<Dims> walk(const weft::Geometry& g, const Dims& origin = {}) {
  Dims shape = shape_of(g);
  std::reverse(shape.begin(), shape.end());
  std::vector<Dims> tuples;
  for_each_index(shape, [&](const Dims& index) {
    Dims tuple = origin;
    tuple.resize(static_cast<std::size_t>(g.noperands), 0);
    for (std::size_t i = 0; i < index.size(); ++i) {
      const int d = static_cast<int>(index.size() - 1 - i);
      for (int k = 0; k < g.noperands; ++k) {
        tuple[static_cast<std::size_t>(k)] += index[i] * g.stride(d, k);
      }
    }
    tuples.push_back(tuple);
  });
  return tuples;
}

/// Up to five dims and four operands whose strides often fit together, so that much coalesces.
inline weft::Geometry random_geometry(Random& random) {
  const auto ndim = random.integer(0, 5);
  Dims shape(static_cast<std::size_t>(ndim), 1);
  for (std::int64_t& extent : shape) {
    extent = random.chance(4) ? 0 : random.chance(25) ? 1 : random.integer(2, 4);
  }
  std::vector<Dims> strides;
  for (std::int64_t k = random.integer(1, 4); k > 0; --k) {
    Dims own(shape.size(), 0);
    std::int64_t step = random.pick<std::int64_t>({1, 2, 4, 8});
    const bool backwards = random.chance(20);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      own[d] = random.chance(12) ? 0 : backwards || random.chance(5) ? -step : step;
      step *= shape[d];
      if (random.chance(15)) step += 8;
      if (random.chance(5)) step = random.integer(-64, 64);
    }
    strides.push_back(own);
  }
  weft::Geometry g = geometry(shape, strides);
  if (random.chance(40)) {
    weft::Permutation perm;
    for (const std::int64_t d : random.permutation(ndim)) {
      perm.push_back(static_cast<std::uint8_t>(d));
    }
    permute_dims(g, perm);
  }
  return g;
}

inline std::string describe(const weft::Geometry& g) {
  std::ostringstream out;
  out << weft::to_string(g.shape);
  for (int k = 0; k < g.noperands; ++k)
    out << ' ' << weft::to_string(strides_of(g, k));
  return out.str();
}

}  // namespace test
