// SPDX-License-Identifier: Apache-2.0
// Port-map ranges: exhaustively against the plainest reading of the rule, and the worked cases of
// OpenVINO's two formulas.
#include <weft/recurrent/port_range.hpp>

#include "support/errors.hpp"
#include "support/json.hpp"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace {

using weft::recurrent::PortRange;
using weft::recurrent::slices_of;
using Slices = std::vector<std::pair<std::int64_t, std::int64_t>>;  // half open

/// Cuts pieces off one end of the fence until nothing is left; nothing if that does not work out.
std::optional<Slices> scalar_reference(std::int64_t extent, std::int64_t start, std::int64_t end,
                                       std::int64_t stride, std::int64_t size) {
  if (stride == 0 || size < 1) return std::nullopt;
  for (std::int64_t* fence : {&start, &end}) {
    if (*fence < 0) *fence += extent + 1;
    if (*fence < 0 || *fence > extent) return std::nullopt;
  }
  if (stride > 0 ? start > end : end > start) return std::nullopt;
  Slices slices;
  if (start == end) return slices;
  for (std::int64_t at = start;; at += stride) {
    const std::int64_t low = stride > 0 ? at : at - size;
    if (low < std::min(start, end) || low + size > std::max(start, end)) return std::nullopt;
    slices.emplace_back(low, low + size);
    if ((stride > 0 ? low + size : low) == end) return slices;
  }
}

Slices listed(const weft::recurrent::SliceRange& range) {
  Slices out;
  for (std::int64_t i = 0; i < range.count; ++i)
    out.emplace_back(range.first + i * range.step, range.first + i * range.step + range.size);
  return out;
}

}  // namespace

TEST_CASE("port range: every range on axes of up to eight elements", "[recurrent]") {
  int right = 0;
  int refused = 0;
  for (std::int64_t extent = 0; extent <= 8; ++extent) {
    for (std::int64_t start = -extent - 2; start <= extent + 1; ++start) {
      for (std::int64_t end = -extent - 2; end <= extent + 1; ++end) {
        for (std::int64_t stride = -extent - 1; stride <= extent + 1; ++stride) {
          for (std::int64_t size = -1; size <= extent + 1; ++size) {
            const auto expected = scalar_reference(extent, start, end, stride, size);
            std::optional<Slices> got;
            try {
              got = listed(slices_of({start, end, stride, size}, extent));
            } catch (const weft::Error&) {
              ++refused;
            }
            if (got != expected) {
              FAIL("extent " << extent << " start " << start << " end " << end << " stride "
                             << stride << " part_size " << size);
            }
            right += expected.has_value() ? 1 : 0;
          }
        }
      }
    }
  }
  CHECK(right > 3000);
  CHECK(refused > 10'000);
}

TEST_CASE("port range: OpenVINO's worked cases", "[recurrent]") {
  const test::Json file = test::read_json("openvino/openvino_slicing_rules.json");
  CHECK(file["cases"].size() == 26);
  for (const test::Json& c : file["cases"]) {
    const PortRange range{c["start"].integer, c["end"].integer, c["stride"].integer,
                          c["part_size"].integer};
    const std::int64_t extent = c["dim"].integer;
    INFO("dim " << extent << " start " << range.start << " end " << range.end << " stride "
                << range.stride << " part_size " << *range.part_size);
    if (c["proposed_iterations"].is(test::Json::Kind::string)) {
      CHECK_THROWS_AS(slices_of(range, extent), weft::Error);
      continue;
    }
    const Slices got = listed(slices_of(range, extent));
    CHECK(static_cast<std::int64_t>(got.size()) == c["proposed_iterations"].integer);
    // "..." in a list stands for the slices between its neighbours.
    std::size_t at = 0;
    const std::vector<test::Json>& expected = c["proposed_slices_half_open"].items;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (expected[i].is(test::Json::Kind::string)) {
        at = got.size() - (expected.size() - i - 1);
        continue;
      }
      REQUIRE(at < got.size());
      CHECK(got[at] == std::pair(expected[i].at(0).integer, expected[i].at(1).integer));
      ++at;
    }
    CHECK(at == got.size());
  }
}

TEST_CASE("port range: part size left out is the stride's", "[recurrent]") {
  CHECK(slices_of({.stride = 4}, 12) ==
        weft::recurrent::SliceRange{.first = 0, .step = 4, .size = 4, .count = 3});
  CHECK(slices_of({.start = -1, .end = 0, .stride = -4}, 12) ==
        weft::recurrent::SliceRange{.first = 8, .step = -4, .size = 4, .count = 3});
}

TEST_CASE("port range: bad input: each mistake names its attribute", "[recurrent]") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK_ERROR(invalid_argument, ("stride = 0"), slices_of({.stride = 0}, 10));
  CHECK_ERROR(invalid_argument, ("stride = -9223372036854775808"),
              slices_of({.stride = least}, 10));
  CHECK_ERROR(invalid_argument, ("part_size = 0", "at least 1"), slices_of({.part_size = 0}, 10));
  CHECK_ERROR(bounds, ("start = 11", "10 elements"), slices_of({.start = 11}, 10));
  CHECK_ERROR(bounds, ("start = -12", "-11 to 10"), slices_of({.start = -12}, 10));
  CHECK_ERROR(bounds, ("end = 9223372036854775807"), slices_of({.end = most}, 10));
  CHECK_ERROR(bounds, ("end = -9223372036854775808"), slices_of({.end = least}, 10));
  CHECK_ERROR(invalid_argument, ("start = 5", "behind end = 2"),
              slices_of({.start = 5, .end = 2}, 10));
  CHECK_ERROR(shape, ("10 elements", "part_size = 3", "stride = 3"),
              slices_of({.stride = 3, .part_size = 3}, 10));
  CHECK_ERROR(shape, ("part_size = 9223372036854775807"), slices_of({.part_size = most}, 10));
}
