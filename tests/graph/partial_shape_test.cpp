// SPDX-License-Identifier: Apache-2.0
#include <weft/graph/partial_shape.hpp>

#include "support/errors.hpp"

using weft::graph::broadcast_shapes;
using weft::graph::PartialShape;

TEST_CASE("a shape of which everything is known", "[graph]") {
  const PartialShape shape{2, 3};
  CHECK(shape.is_static());
  CHECK(shape.rank() == 2);
  CHECK(shape.extent(-1) == 3);
  CHECK(shape.admits({2, 3}));
  CHECK_FALSE(shape.admits({2, 4}));
  CHECK_FALSE(shape.admits({2}));
  CHECK(PartialShape().is_static());
  CHECK(PartialShape().admits({}));
  CHECK(to_string(shape) == "[2, 3]");
}

TEST_CASE("unknown extents and ranks", "[graph]") {
  const PartialShape some{2, PartialShape::unknown};
  CHECK_FALSE(some.is_static());
  CHECK(some.admits({2, 7}));
  CHECK_FALSE(some.admits({3, 7}));
  CHECK(to_string(some) == "[2, ?]");
  const PartialShape nothing = PartialShape::unranked();
  CHECK(nothing.admits({1, 2, 3}));
  CHECK(to_string(nothing) == "[...]");
  CHECK(PartialShape::of_rank(2) == PartialShape{-1, -1});
  CHECK_ERROR(rank, ("rank"), nothing.rank());
  CHECK_ERROR(shape, ("[2, ?]"), some.shape());
  CHECK_ERROR(shape, ("-2"), PartialShape({-2}));
}

TEST_CASE("two partial shapes together", "[graph]") {
  const PartialShape a{2, -1, 4}, b{-1, 3, 4};
  CHECK(a.merged_with(b) == PartialShape{2, 3, 4});
  CHECK(a.merged_with(PartialShape::unranked()) == a);
  CHECK_ERROR(shape, ("[2, ?, 4]", "[3, 3, 4]"), a.merged_with({3, 3, 4}));
  CHECK_ERROR(shape, ("differ"), a.merged_with({2}));
  CHECK(a.united_with({2, 5, 3}) == PartialShape{2, -1, -1});
  CHECK(a.united_with({2}) == PartialShape::unranked());
}

TEST_CASE("broadcasting of partial shapes", "[graph]") {
  CHECK(broadcast_shapes(PartialShape{2, 1}, PartialShape{3}) == PartialShape{2, 3});
  CHECK(broadcast_shapes(PartialShape{-1, 3}, PartialShape{1}) == PartialShape{-1, 3});
  CHECK(broadcast_shapes(PartialShape{-1}, PartialShape{5}) == PartialShape{5});
  CHECK(broadcast_shapes(PartialShape{0}, PartialShape{1}) == PartialShape{0});
  CHECK(broadcast_shapes(PartialShape::unranked(), PartialShape{5}) == PartialShape::unranked());
  CHECK_ERROR(shape, ("2", "3", "axis 1"), broadcast_shapes(PartialShape{4, 2}, PartialShape{3}));
}
