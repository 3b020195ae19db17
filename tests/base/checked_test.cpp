// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>

#include "support/seed.hpp"
#include "support/tally.hpp"

#include <limits>
#include <vector>

namespace {

// Wide enough for every sum, difference and product of two 64-bit integers.
__extension__ typedef __int128 Wide;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

bool fits(Wide value) { return value >= least && value <= most; }

/// Numbers at which something changes: around 0, around powers of two, at the ends.
std::vector<std::int64_t> interesting() {
  std::vector<std::int64_t> values = {least, least + 1, most, most - 1, 3037000499, 3037000500};
  for (int bit = 0; bit < 63; ++bit) {
    for (const std::int64_t off : {-1, 0, 1}) {
      values.push_back((std::int64_t{1} << bit) + off);
      values.push_back(-(std::int64_t{1} << bit) + off);
    }
  }
  return values;
}

}  // namespace

TEST_CASE("checked: sums, differences and products agree with wider arithmetic", "[base]") {
  WEFT_RANDOM(random);
  std::vector<std::int64_t> values = interesting();
  for (int i = 0; i < 100; ++i)
    values.push_back(static_cast<std::int64_t>(random.bits()));
  test::Tally tally;
  for (const std::int64_t a : values) {
    for (const std::int64_t b : values) {
      const auto compare = [&](bool ok, std::int64_t got, Wide wanted, char operation) {
        tally.check(ok == fits(wanted) && (!ok || got == wanted),
                    [&](auto& out) { out << a << ' ' << operation << ' ' << b; });
      };
      std::int64_t got = 0;
      bool ok = weft::checked_add(a, b, got);
      compare(ok, got, Wide{a} + b, '+');
      ok = weft::checked_sub(a, b, got);
      compare(ok, got, Wide{a} - b, '-');
      ok = weft::checked_mul(a, b, got);
      compare(ok, got, Wide{a} * b, '*');
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("checked: ceil_div is the least number of groups that hold all", "[base]") {
  test::Tally tally;
  for (std::int64_t a = 0; a < 50; ++a) {
    for (std::int64_t b = 1; b < 50; ++b) {
      const std::int64_t groups = weft::ceil_div(a, b);
      tally.check(groups * b >= a && (groups == 0 ? a == 0 : (groups - 1) * b < a),
                  [&](auto& out) { out << a << " / " << b << " gives " << groups; });
    }
  }
  CHECK_TALLY(tally);
  CHECK(weft::ceil_div(most, 1) == most);
  CHECK(weft::ceil_div(most, most) == 1);
  CHECK(weft::ceil_div(most, 2) == (std::int64_t{1} << 62));
}

TEST_CASE("checked: usable in constant expressions", "[base]") {
  constexpr auto sum = [] {
    std::int64_t out = 0;
    return weft::checked_add(2, 3, out) ? out : -1;
  }();
  STATIC_REQUIRE(sum == 5);
  STATIC_REQUIRE(weft::ceil_div(7, 2) == 4);
}
