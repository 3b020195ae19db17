// SPDX-License-Identifier: Apache-2.0
#include <weft/iter/geometry.hpp>

#include "support/catch.hpp"

TEST_CASE("geometry: strides of all operands stand together, dim by dim", "[iter]") {
  weft::Geometry g;
  g.noperands = 3;
  g.resize(2);
  CHECK(g.ndim() == 2);
  for (int d = 0; d < 2; ++d) {
    g.extent(d) = 5 + d;
    for (int k = 0; k < 3; ++k)
      g.stride(d, k) = 10 * d + k;
  }
  CHECK(g.numel() == 30);
  CHECK(g.strides(1) == g.strides_bytes.data() + 3);
  CHECK(g.strides(1)[2] == 12);
  const weft::Geometry copy = g;
  CHECK(copy.stride(0, 1) == 1);
  CHECK(copy.extent(1) == 6);
  CHECK(copy.strides(0) == copy.strides_bytes.data());
}

TEST_CASE("geometry: of rank 0 there is one element", "[iter]") {
  weft::Geometry g;
  g.noperands = 2;
  CHECK(g.ndim() == 0);
  CHECK(g.numel() == 1);
  g.resize(1);
  g.extent(0) = 0;
  CHECK(g.numel() == 0);
}
