// SPDX-License-Identifier: Apache-2.0
// Overlap against brute force: the bytes of every view are marked in a bit set.
#include <weft/iter/overlap.hpp>

#include "support/naive.hpp"
#include "support/seed.hpp"
#include "support/tally.hpp"

#include <bitset>

namespace {

using test::Dims;
using weft::Overlap;
using weft::ScalarType;

/// Four axes reach at most 2 steps * 2 elements * 4 bytes each to either side; sampled ones 2 * 5 *
/// 2.
constexpr int middle = 256;
using Bytes = std::bitset<2 * middle>;

struct Case {
  Dims shape;
  Dims strides;
};

/// All shapes of `rank` axes with extents from `min_extent` to 3 and strides from -2 to 2. Of an
/// extent below 2 the stride is irrelevant: one is enough.
std::vector<Case> all_cases(std::size_t rank, std::int64_t min_extent) {
  std::vector<Case> cases = {{}};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    std::vector<Case> longer;
    for (const Case& c : cases) {
      for (std::int64_t extent = min_extent; extent <= 3; ++extent) {
        for (std::int64_t stride = -2; stride <= 2; ++stride) {
          if (extent < 2 && stride != 2) continue;
          Case next = c;
          next.shape.push_back(extent);
          next.strides.push_back(stride);
          longer.push_back(next);
        }
      }
    }
    cases = longer;
  }
  return cases;
}

ScalarType type_of(std::int64_t bytes) {
  return bytes == 1 ? ScalarType::u8 : bytes == 2 ? ScalarType::i16 : ScalarType::f32;
}

/// A view `offset` bytes from an address that is never read.
weft::TensorView view(const Case& c, std::int64_t bytes, std::int64_t offset) {
  const std::intptr_t origin = std::intptr_t{1} << 40;
  return weft::TensorView::trusted(reinterpret_cast<void*>(origin + offset), type_of(bytes),
                                   c.shape, c.strides);
}

/// Bytes of all elements; with `twice`, whether two elements share one.
Bytes mark(const Case& c, std::int64_t bytes, bool* twice = nullptr) {
  Bytes marked;
  test::for_each_index(c.shape, [&](const Dims& index) {
    std::int64_t at = middle;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      at += index[axis] * c.strides[axis] * bytes;
    }
    for (std::int64_t byte = 0; byte < bytes; ++byte) {
      const auto bit = static_cast<std::size_t>(at + byte);
      if (twice != nullptr && marked[bit]) *twice = true;
      marked.set(bit);
    }
  });
  return marked;
}

Bytes shifted(const Bytes& bytes, std::int64_t by) {
  return by < 0 ? bytes >> static_cast<std::size_t>(-by) : bytes << static_cast<std::size_t>(by);
}

/// Equal addresses at every index of the shape to which both broadcast.
bool same_everywhere(const Case& a, const Case& b, std::int64_t bytes, std::int64_t offset) {
  const auto common = test::naive_broadcast({a.shape, b.shape});
  if (!common) return false;
  bool same = true;
  test::for_each_index(*common, [&](const Dims& index) {
    same = same && test::naive_offset({a.shape, a.strides, bytes}, index) ==
                       offset + test::naive_offset({b.shape, b.strides, bytes}, index);
  });
  return same;
}

std::string text(const Case& c) {
  return weft::to_string(c.shape) + " strides " + weft::to_string(c.strides);
}

void check_internal(test::Tally& tally, const Case& c, std::int64_t bytes) {
  bool twice = false;
  mark(c, bytes, &twice);
  const Overlap got = weft::internal_overlap(view(c, bytes, 0));
  tally.check(got == (twice ? Overlap::partial : Overlap::none), [&](auto& out) {
    out << text(c) << " of " << bytes << " bytes: " << static_cast<int>(got);
  });
}

/// A case with its bytes marked for each of three element sizes.
struct Marked {
  Case c;
  Bytes bytes[3];
};
constexpr std::int64_t sizes[3] = {1, 2, 4};

std::vector<Marked> all_marked(std::size_t max_rank) {
  std::vector<Marked> all;
  for (std::size_t rank = 0; rank <= max_rank; ++rank) {
    for (const Case& c : all_cases(rank, 0)) {
      all.push_back({c, {mark(c, 1), mark(c, 2), mark(c, 4)}});
    }
  }
  return all;
}

void check_pair(test::Tally& tally, const Marked& a, int size_a, const Marked& b, int size_b,
                std::int64_t offset) {
  Overlap wanted = Overlap::none;
  if ((a.bytes[size_a] & shifted(b.bytes[size_b], offset)).any()) {
    const bool full = size_a == size_b && same_everywhere(a.c, b.c, sizes[size_a], offset);
    wanted = full ? Overlap::full : Overlap::partial;
  }
  const Overlap got = weft::overlap(view(a.c, sizes[size_a], 0), view(b.c, sizes[size_b], offset));
  tally.check(got == wanted, [&](auto& out) {
    out << text(a.c) << " of " << sizes[size_a] << " bytes and " << text(b.c) << " of "
        << sizes[size_b] << " at " << offset << ": " << static_cast<int>(got) << ", expected "
        << static_cast<int>(wanted);
  });
}

}  // namespace

TEST_CASE("internal overlap: every view of up to four axes", "[properties]") {
  test::Tally tally;
  for (std::size_t rank = 0; rank <= 4; ++rank) {
    for (const Case& c : all_cases(rank, 0)) {
      for (const std::int64_t bytes : sizes)
        check_internal(tally, c, bytes);
    }
  }
  CHECK_TALLY(tally);
  CHECK(tally.done() > 60'000);
}

TEST_CASE("internal overlap: views of four axes with larger strides, sampled", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(100'000); ++round) {
    Case c;
    for (int axis = 0; axis < 4; ++axis) {
      c.shape.push_back(random.integer(random.chance(5) ? 0 : 2, 3));
      c.strides.push_back(random.integer(-5, 5));
    }
    check_internal(tally, c, random.pick<std::int64_t>({1, 2}));
  }
  CHECK_TALLY(tally);
}

TEST_CASE("overlap: every pair of views of up to two axes, at every offset", "[properties]") {
  const std::vector<Marked> views = all_marked(2);
  test::Tally tally;
  for (const Marked& a : views) {
    for (const Marked& b : views) {
      // Up to where the furthest elements still touch.
      for (std::int64_t offset = -9; offset <= 9; ++offset)
        check_pair(tally, a, 0, b, 0, offset);
    }
  }
  CHECK_TALLY(tally);
  CHECK(tally.done() > 300'000);
}

TEST_CASE("overlap: pairs of views of up to three axes and three element sizes, sampled",
          "[properties]") {
  WEFT_RANDOM(random);
  const std::vector<Marked> views = all_marked(3);
  test::Tally tally;
  for (int round = 0; round < test::rounds(3'000'000); ++round) {
    const Marked& a = random.pick(views);
    // Often the same view, so that full overlap and near misses of it are met.
    const Marked& b = random.chance(20) ? a : random.pick(views);
    const auto size_a = static_cast<int>(random.integer(0, 2));
    const auto size_b = random.chance(60) ? size_a : static_cast<int>(random.integer(0, 2));
    check_pair(tally, a, size_a, b, size_b, random.chance(20) ? 0 : random.integer(-20, 20));
  }
  CHECK_TALLY(tally);
}

TEST_CASE("overlap: does not depend on which view comes first", "[properties]") {
  WEFT_RANDOM(random);
  const std::vector<Marked> views = all_marked(3);
  test::Tally tally;
  for (int round = 0; round < test::rounds(50'000); ++round) {
    const Case& a = random.pick(views).c;
    const Case& b = random.pick(views).c;
    const std::int64_t offset = random.integer(-12, 12);
    const weft::TensorView first = view(a, 2, 0);
    const weft::TensorView second = view(b, 2, offset);
    tally.check(weft::overlap(first, second) == weft::overlap(second, first),
                [&](auto& out) { out << text(a) << " and " << text(b) << " at " << offset; });
  }
  CHECK_TALLY(tally);
}
