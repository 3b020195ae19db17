// SPDX-License-Identifier: Apache-2.0
#include <weft/core/shape.hpp>

#include "support/errors.hpp"
#include "support/naive.hpp"
#include "support/tally.hpp"

#include <array>
#include <limits>
#include <vector>

namespace {

using test::Dims;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t two_31 = std::int64_t{1} << 31;
constexpr std::int64_t two_62 = std::int64_t{1} << 62;

/// All shapes of up to `max_rank` axes with extents from 0 to `max_extent`.
std::vector<Dims> all_shapes(std::size_t max_rank, std::int64_t max_extent) {
  std::vector<Dims> shapes = {{}};
  for (std::size_t first = 0, rank = 0; rank < max_rank; ++rank) {
    const std::size_t last = shapes.size();
    for (; first < last; ++first) {
      for (std::int64_t extent = 0; extent <= max_extent; ++extent) {
        Dims shape = shapes[first];
        shape.push_back(extent);
        shapes.push_back(shape);
      }
    }
  }
  return shapes;
}

Dims dims(const weft::DimVector& values) { return Dims(values.begin(), values.end()); }

std::int64_t sum(weft::IntSpan values) {
  std::int64_t total = 0;
  for (const std::int64_t value : values)
    total += value;
  return total;
}

}  // namespace

TEST_CASE("shape: IntSpan refers to any list of 64-bit integers", "[core]") {
  CHECK(sum({1, 2, 3}) == 6);
  CHECK(sum({}) == 0);
  CHECK(sum(std::vector<std::int64_t>{4, 5}) == 9);
  CHECK(sum(std::array<std::int64_t, 1>{6}) == 6);
  CHECK(sum(weft::DimVector{7, 8}) == 15);
  CHECK(weft::IntSpan().rank() == 0);
  const Dims values = {1, 2, 3};
  CHECK(weft::IntSpan(values).data() == values.data());
  CHECK(weft::IntSpan(values).rank() == 3);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<weft::IntSpan, std::vector<int>>);
}

TEST_CASE("shape: numel counts the indexes", "[core]") {
  test::Tally tally;
  for (const Dims& shape : all_shapes(4, 3)) {
    std::int64_t indexes = 0;
    test::for_each_index(shape, [&](const Dims&) { ++indexes; });
    tally.check(weft::numel(shape) == indexes, [&](auto& out) { out << weft::to_string(shape); });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("shape: numel near the limits", "[core]") {
  CHECK(weft::numel({two_31, two_31}) == two_62);
  CHECK(weft::numel({most}) == most);
  CHECK(weft::numel({most, 1, 1}) == most);
  CHECK(weft::numel({2147483647, 4294967298}) == 2147483647 * std::int64_t{4294967298});
  CHECK_ERROR(overflow, ("[4611686018427387904, 2]"), weft::numel({two_62, 2}));
  CHECK_ERROR(overflow, ("2^63-1"), weft::numel({two_31, two_31, 2}));
  // An extent of 0 anywhere: there is nothing to count, whatever the others are.
  CHECK(weft::numel({two_62, two_62, 0}) == 0);
  CHECK(weft::numel({0, most, most}) == 0);
}

TEST_CASE("shape: a negative extent is an error that names the axis", "[core]") {
  CHECK_ERROR(shape, ("axis 1", "[2, -1]", "negative"), weft::numel({2, -1}));
  CHECK_ERROR(shape, ("axis 0"), weft::numel({std::numeric_limits<std::int64_t>::min(), 0}));
  CHECK_ERROR(shape, ("axis 2"), weft::numel({0, most, -5}));
}

TEST_CASE("shape: contiguous strides number the indexes row-major", "[core]") {
  test::Tally tally;
  for (const Dims& shape : all_shapes(4, 3)) {
    const Dims strides = dims(weft::contiguous_strides(shape));
    std::int64_t next = 0;
    bool right = strides.size() == shape.size() && strides == test::row_major(shape);
    test::for_each_index(shape, [&](const Dims& index) {
      std::int64_t offset = 0;
      for (std::size_t axis = 0; axis < index.size(); ++axis)
        offset += index[axis] * strides[axis];
      right = right && offset == next++;
    });
    tally.check(right, [&](auto& out) { out << weft::to_string(shape); });
  }
  CHECK_TALLY(tally);
  CHECK_ERROR(overflow, ("axis 0", "2^63-1"), weft::contiguous_strides({4, two_62}));
  CHECK(dims(weft::contiguous_strides({1, two_62})) == Dims{two_62, 1});
}

TEST_CASE("shape: broadcasting agrees with its definition", "[core]") {
  test::Tally tally;
  const std::vector<Dims> shapes = all_shapes(3, 3);
  for (const Dims& a : shapes) {
    for (const Dims& b : shapes) {
      const std::optional<Dims> wanted = test::naive_broadcast({a, b});
      std::optional<Dims> got;
      try {
        got = dims(weft::broadcast_shapes(a, b));
      } catch (const weft::Error& error) {
        tally.check(error.code() == weft::ErrorCode::shape, [](auto& out) { out << "code"; });
      }
      tally.check(got == wanted,
                  [&](auto& out) { out << weft::to_string(a) << " with " << weft::to_string(b); });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("shape: a failed broadcast names extents and axis", "[core]") {
  CHECK_ERROR(shape, ("[2, 3]", "[2, 4]", "3 and 4", "axis 1"),
              weft::broadcast_shapes({2, 3}, {2, 4}));
  // The shorter one is aligned at the last axis: the axis is that of the longer one.
  CHECK_ERROR(shape, ("axis 1"), weft::broadcast_shapes({5}, {2, 3}));
  CHECK_ERROR(shape, ("2 and 0", "axis 0"), weft::broadcast_shapes({2}, {0}));
}

TEST_CASE("shape: an axis counts from either end", "[core]") {
  for (int rank = 0; rank <= 4; ++rank) {
    const int count = rank == 0 ? 1 : rank;  // a 0-d tensor counts as having one axis
    for (int axis = -7; axis <= 7; ++axis) {
      CAPTURE(rank, axis);
      if (axis >= -count && axis < count) {
        CHECK(weft::normalize_axis(axis, rank) == (axis + count) % count);
      } else {
        CHECK_ERROR(axis, (std::to_string(axis), "rank " + std::to_string(rank)),
                    weft::normalize_axis(axis, rank));
      }
    }
  }
  CHECK_ERROR(axis, ("9223372036854775807", "-2 to 1"), weft::normalize_axis(most, 2));
}

TEST_CASE("shape: as text", "[core]") {
  CHECK(weft::to_string({}) == "[]");
  CHECK(weft::to_string({7}) == "[7]");
  CHECK(weft::to_string({2, -3, 4}) == "[2, -3, 4]");
}

TEST_CASE("shape: one number is a list of one", "[core]") {
  const auto rank = [](weft::IntSpan list) { return list.rank(); };
  const auto first = [](weft::IntSpan list) { return list[0]; };
  CHECK(rank(3) == 1);
  CHECK(first(3) == 3);
  CHECK(first(std::uint8_t{7}) == 7);
  CHECK(rank({}) == 0);
  CHECK(rank({3}) == 1);
  CHECK(first({3}) == 3);
  STATIC_REQUIRE(!std::is_constructible_v<weft::IntSpan, double>);
}
