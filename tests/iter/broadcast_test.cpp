// SPDX-License-Identifier: Apache-2.0
#include <weft/iter/broadcast.hpp>

#include "support/catch.hpp"
#include "support/geometries.hpp"

#include <limits>

namespace {

using test::Dims;

/// Byte strides of one operand of 4-byte elements under a common shape.
Dims under(const Dims& common, const Dims& shape, const Dims& strides) {
  weft::Geometry g = test::geometry(common, {Dims(common.size(), 77), Dims(common.size(), 99)});
  weft::broadcast_strides(g, 1, shape, strides, 4);
  CHECK(test::strides_of(g, 0) == Dims(common.size(), 77));  // the other operand is left alone
  CHECK(test::shape_of(g) == common);
  return test::strides_of(g, 1);
}

}  // namespace

TEST_CASE("broadcast: strides become bytes", "[iter]") {
  CHECK(under({2, 3, 4}, {2, 3, 4}, {12, 4, 1}) == Dims{48, 16, 4});
  CHECK(under({2, 3}, {2, 3}, {-3, 0}) == Dims{-12, 0});
  CHECK(under({}, {}, {}) == Dims{});
}

TEST_CASE("broadcast: missing axes and repeated ones get 0", "[iter]") {
  CHECK(under({2, 3, 4}, {4}, {1}) == Dims{0, 0, 4});
  CHECK(under({2, 3, 4}, {3, 1}, {5, 77}) == Dims{0, 20, 0});
  CHECK(under({2, 3, 4}, {}, {}) == Dims{0, 0, 0});
  CHECK(under({2, 3, 4}, {1, 1, 1}, {9, 9, 9}) == Dims{0, 0, 0});
}

TEST_CASE("broadcast: an axis of extent 1 in both keeps its stride", "[iter]") {
  CHECK(under({4, 1, 5}, {4, 1, 5}, {5, 77, 1}) == Dims{20, 308, 4});
  CHECK(under({4, 1, 5}, {1, 5}, {77, 1}) == Dims{0, 308, 4});
}

TEST_CASE("broadcast: extent 1 under 0 is repeated no times", "[iter]") {
  CHECK(under({0, 3}, {1, 3}, {3, 1}) == Dims{0, 4});
  CHECK(under({0, 3}, {0, 3}, {3, 1}) == Dims{12, 4});
}

TEST_CASE("broadcast: a stride that nobody steps over may be anything", "[iter]") {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(under({2, 1}, {2, 1}, {1, most})[0] == 4);
}
