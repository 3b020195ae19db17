// SPDX-License-Identifier: Apache-2.0
#include <weft/iter/loop.hpp>

#include "support/catch.hpp"

#include <array>
#include <vector>

TEST_CASE("loop: a 1-D loop is called for each row with pointers of its own", "[iter]") {
  using Call = std::array<std::int64_t, 3>;  // the two operands' offsets, and n
  char a[200];
  char b[200];
  std::vector<Call> calls;
  const std::int64_t* seen = nullptr;
  auto loop = [&](char** data, const std::int64_t* strides, std::int64_t n) {
    calls.push_back({data[0] - a, data[1] - b, n});
    seen = strides;
    data[0] = data[1] = nullptr;  // allowed
  };
  auto rows = weft::as_loop2d(loop, 2);
  STATIC_REQUIRE(weft::Loop2dCallable<decltype(rows)>);
  char* data[2] = {a, b + 40};
  const std::int64_t strides[4] = {4, 0, 12, -20};
  rows(data, strides, 3, 3);
  CHECK(calls == std::vector<Call>{{0, 40, 3}, {12, 20, 3}, {24, 0, 3}});
  CHECK(seen == strides);  // the inner strides come first
  calls.clear();
  rows(data, strides, 5, 0);
  CHECK(calls.empty());
}

TEST_CASE("loop: callables are distinguished by their arity", "[iter]") {
  const auto one = [](char**, const std::int64_t*, std::int64_t) {};
  const auto two = [](char**, const std::int64_t*, std::int64_t, std::int64_t) {};
  STATIC_REQUIRE(weft::Loop1dCallable<decltype(one)>);
  STATIC_REQUIRE_FALSE(weft::Loop2dCallable<decltype(one)>);
  STATIC_REQUIRE(weft::Loop2dCallable<decltype(two)>);
  STATIC_REQUIRE_FALSE(weft::Loop1dCallable<decltype(two)>);
}

TEST_CASE("loop: PyTorch's grain", "[iter]") { CHECK(weft::default_grain == 32768); }
