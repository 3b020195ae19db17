// SPDX-License-Identifier: Apache-2.0
#include <weft/iter/coalesce.hpp>

#include "support/catch.hpp"
#include "support/geometries.hpp"

namespace {

using test::Dims;

struct Result {
  Dims shape;
  std::vector<Dims> strides;
  friend bool operator==(const Result&, const Result&) = default;
};

/// Dim 0 is the innermost.
Result coalesced(const Dims& shape, const std::vector<Dims>& strides) {
  weft::Geometry g = test::geometry(shape, strides);
  weft::coalesce_dims(g);
  Result result{test::shape_of(g), {}};
  for (int k = 0; k < g.noperands; ++k)
    result.strides.push_back(test::strides_of(g, k));
  return result;
}

}  // namespace

TEST_CASE("coalesce: dims that follow each other become one", "[iter]") {
  CHECK(coalesced({4, 3, 2}, {{4, 16, 48}}) == Result{{24}, {{4}}});
  CHECK(coalesced({4, 3, 2}, {{4, 16, 48}, {8, 32, 96}}) == Result{{24}, {{4}, {8}}});
  CHECK(coalesced({4, 3}, {{-4, -16}}) == Result{{12}, {{-4}}});
}

TEST_CASE("coalesce: every operand has to agree", "[iter]") {
  CHECK(coalesced({4, 3, 2}, {{4, 16, 48}, {4, 20, 60}}) == Result{{4, 6}, {{4, 16}, {4, 20}}});
  CHECK(coalesced({4, 3}, {{4, 16}, {4, 0}}) == Result{{4, 3}, {{4, 16}, {4, 0}}});
  CHECK(coalesced({4, 3}, {{4, 16}, {4, -16}}) == Result{{4, 3}, {{4, 16}, {4, -16}}});
}

TEST_CASE("coalesce: repeated dims are one repeated dim", "[iter]") {
  CHECK(coalesced({4, 3}, {{4, 16}, {0, 0}}) == Result{{12}, {{4}, {0}}});
}

TEST_CASE("coalesce: extents of 1 vanish, whatever their strides", "[iter]") {
  CHECK(coalesced({1, 4, 1, 3, 1}, {{99, 4, 98, 16, 97}}) == Result{{12}, {{4}}});
  CHECK(coalesced({1, 5}, {{99, 4}, {98, 0}}) == Result{{5}, {{4}, {0}}});
  CHECK(coalesced({4, 1, 3}, {{4, 0, 20}}) == Result{{4, 3}, {{4, 20}}});
  // All of extent 1: one dim is left.
  CHECK(coalesced({1, 1, 1}, {{9, 8, 7}}).shape == Dims{1});
}

TEST_CASE("coalesce: at most one dim is left as it is", "[iter]") {
  CHECK(coalesced({}, {{}}) == Result{{}, {{}}});
  CHECK(coalesced({1}, {{77}}) == Result{{1}, {{77}}});
}

TEST_CASE("coalesce: an extent of 0 stays 0", "[iter]") {
  CHECK(test::product(coalesced({3, 0}, {{4, 12}, {4, 0}}).shape) == 0);
  CHECK(test::product(coalesced({0, 3}, {{4, 0}}).shape) == 0);
}

TEST_CASE("coalesce_blocker: names the first operand in the way", "[iter]") {
  const weft::Geometry g = test::geometry({4, 3, 1}, {{4, 16, 5}, {4, 20, 6}, {8, 30, 7}});
  CHECK(weft::coalesce_blocker(g, 0) == 1);
  CHECK(weft::coalesce_blocker(g, 1) == -1);
  CHECK(weft::coalesce_blocker(test::geometry({4, 3}, {{4, 16}}), 0) == -1);
}
