// SPDX-License-Identifier: Apache-2.0
// The post-conditions that the stages of build() state in their headers, over random geometries.
#include <weft/iter/broadcast.hpp>
#include <weft/iter/coalesce.hpp>
#include <weft/iter/order.hpp>

#include "support/geometries.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"

namespace {

using test::Dims;

std::vector<weft::OrderOperand> random_roles(test::Random& random, const weft::Geometry& g) {
  std::vector<weft::OrderOperand> roles;
  const auto outputs = random.integer(0, g.noperands);
  for (int k = 0; k < g.noperands; ++k)
    roles.push_back({k < outputs, random.chance(80)});
  return roles;
}

Dims dims(const weft::Permutation& perm) { return Dims(perm.begin(), perm.end()); }

bool is_permutation(const weft::Permutation& perm, int ndim) {
  Dims order = dims(perm);
  std::sort(order.begin(), order.end());
  Dims wanted;
  for (int d = 0; d < ndim; ++d)
    wanted.push_back(d);
  return order == wanted;
}

}  // namespace

TEST_CASE("order: by cost or as PyTorch, a permutation", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(10000); ++round) {
    const weft::Geometry g = test::random_geometry(random);
    const auto roles = random_roles(random, g);
    const weft::Permutation by_cost = weft::order_by_cost(g, roles);
    const bool reduction = random.chance(50);
    const weft::Permutation as_pytorch = weft::order_as_pytorch(g, roles, reduction);
    bool right = is_permutation(by_cost, g.ndim()) && is_permutation(as_pytorch, g.ndim());
    // Axes of extent 1 are outermost.
    bool seen_one = false;
    for (const std::uint8_t axis : by_cost) {
      right = right && (g.extent(axis) == 1 || !seen_one);
      seen_one = seen_one || g.extent(axis) == 1;
    }
    tally.check(right, [&](auto& out) { out << test::describe(g); });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("order: of one dense operand, smallest stride innermost", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(3000); ++round) {
    Dims shape = test::random_shape(random, 5);
    for (std::int64_t& extent : shape)
      extent = std::max<std::int64_t>(extent, 2);
    const test::Layout layout =
        test::random_layout(random, shape, {.padded = false, .zero = false});
    const weft::Geometry g = test::geometry(shape, {layout.strides});
    const std::vector<weft::OrderOperand> input = {{false, true}};
    const weft::Permutation perm = weft::order_by_cost(g, input);
    // Strides beyond a cache line all cost the same, and are ordered by their sum.
    std::int64_t previous = 0;
    bool right = true;
    for (const std::uint8_t axis : perm) {
      right = right && std::abs(layout.strides[axis]) > previous;
      previous = std::abs(layout.strides[axis]);
    }
    tally.check(right && weft::all_agree(g, input, perm),
                [&](auto& out) { out << test::describe(g); });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("order: by cost does not depend on the order of the inputs", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(5000); ++round) {
    const weft::Geometry g = test::random_geometry(random);
    const auto roles = random_roles(random, g);
    // The operands in another order, with their roles.
    weft::Geometry shuffled = g;
    std::vector<weft::OrderOperand> shuffled_roles = roles;
    const Dims order = random.permutation(g.noperands);
    for (int k = 0; k < g.noperands; ++k) {
      const auto from = static_cast<int>(order[static_cast<std::size_t>(k)]);
      shuffled_roles[static_cast<std::size_t>(k)] = roles[static_cast<std::size_t>(from)];
      for (int d = 0; d < g.ndim(); ++d)
        shuffled.stride(d, k) = g.stride(d, from);
    }
    tally.check(
        dims(weft::order_by_cost(g, roles)) == dims(weft::order_by_cost(shuffled, shuffled_roles)),
        [&](auto& out) { out << test::describe(g); });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("permute: the same offset tuples in another order", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(1000); ++round) {
    const weft::Geometry before = test::random_geometry(random);
    weft::Permutation perm;
    for (const std::int64_t d : random.permutation(before.ndim())) {
      perm.push_back(static_cast<std::uint8_t>(d));
    }
    weft::Geometry after = before;
    weft::permute_dims(after, perm);
    tally.check(test::sorted(test::walk(after)) == test::sorted(test::walk(before)),
                [&](auto& out) { out << test::describe(before); });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("coalesce: the same sequence of offset tuples in fewer dims", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  int merged = 0;
  for (int round = 0; round < test::rounds(5000); ++round) {
    const weft::Geometry before = test::random_geometry(random);
    weft::Geometry after = before;
    weft::coalesce_dims(after);
    bool right = test::walk(after) == test::walk(before);
    right = right && after.ndim() <= before.ndim() && after.noperands == before.noperands;
    right = right && (before.ndim() == 0) == (after.ndim() == 0);
    // Nothing is left to merge.
    for (int d = 0; d + 1 < after.ndim(); ++d) {
      right = right && weft::coalesce_blocker(after, d) >= 0;
    }
    // Except for a lone dim, extents of 1 are gone.
    for (int d = 0; d < after.ndim() && after.ndim() > 1; ++d)
      right = right && after.extent(d) != 1;
    merged += before.ndim() - after.ndim();
    tally.check(right, [&](auto& out) {
      out << test::describe(before) << " became " << test::describe(after);
    });
  }
  CHECK_TALLY(tally);
  // The random geometries do give it work.
  CHECK(merged > test::rounds(1000));
}

TEST_CASE("coalesce: a second pass finds nothing", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(3000); ++round) {
    weft::Geometry once = test::random_geometry(random);
    weft::coalesce_dims(once);
    weft::Geometry twice = once;
    weft::coalesce_dims(twice);
    tally.check(test::describe(once) == test::describe(twice),
                [&](auto& out) { out << test::describe(once); });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("flip: the same set of offset tuples, no dim left that runs backwards mostly",
          "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  int flips = 0;
  for (int round = 0; round < test::rounds(5000); ++round) {
    const weft::Geometry before = test::random_geometry(random);
    weft::Geometry after = before;
    Dims offsets(static_cast<std::size_t>(before.noperands), 0);
    const std::uint64_t keep = random.bits() & 0b11;
    const std::uint64_t flipped = weft::flip_backward_dims(after, offsets, keep);
    bool right = test::sorted(test::walk(after, offsets)) == test::sorted(test::walk(before));
    right = right && (flipped & keep) == 0;
    for (int d = 0; d < after.ndim(); ++d) {
      const bool turned = (flipped >> d & 1) != 0;
      flips += turned ? 1 : 0;
      int forwards = 0, backwards = 0;
      std::int64_t first = 0;  // stride of the first operand that moves
      for (int k = 0; k < after.noperands; ++k) {
        right = right && after.stride(d, k) == (turned ? -1 : 1) * before.stride(d, k);
        if (first == 0) first = before.stride(d, k);
        forwards += before.stride(d, k) > 0 ? 1 : 0;
        backwards += before.stride(d, k) < 0 ? 1 : 0;
      }
      const bool most = backwards > forwards || (backwards == forwards && first < 0);
      const bool wanted = most && before.extent(d) > 1 && (keep >> d & 1) == 0;
      right = right && turned == wanted;
    }
    tally.check(right, [&](auto& out) { out << test::describe(before); });
  }
  CHECK_TALLY(tally);
  CHECK(flips > test::rounds(300));
}

TEST_CASE("broadcast: every index gets the offset of the element that belongs to it",
          "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(5000); ++round) {
    const Dims common = test::random_shape(random, 4);
    const test::Layout own =
        test::random_layout(random, test::random_operand_shape(random, common));
    const std::int64_t bytes = random.pick<std::int64_t>({1, 2, 4, 8, 16});
    weft::Geometry g = test::geometry(common, {Dims(common.size(), -1), Dims(common.size(), -1)});
    weft::broadcast_strides(g, 1, own.shape, own.strides, bytes);
    const test::NaiveOperand naive{own.shape, own.strides, bytes};
    bool right = test::strides_of(g, 0) == Dims(common.size(), -1);
    test::for_each_index(common, [&](const Dims& index) {
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < index.size(); ++d) {
        offset += index[d] * g.stride(static_cast<int>(d), 1);
      }
      right = right && offset == test::naive_offset(naive, index);
    });
    tally.check(right, [&](auto& out) {
      out << weft::to_string(own.shape) << ' ' << weft::to_string(own.strides) << " under "
          << weft::to_string(common);
    });
  }
  CHECK_TALLY(tally);
}
