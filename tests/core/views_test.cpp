// SPDX-License-Identifier: Apache-2.0
// narrow, squeeze, diagonal, unfold and meshgrid: each shows, at every index, the element that its
// definition says.
#include <weft/core/views.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"

#include <functional>
#include <limits>
#include <vector>

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::TensorView;

/// True if `view` has this shape, and its element at every index is the one that `source` gives.
bool shows(const TensorView& view, const Dims& shape, const TensorView& of,
           const std::function<Dims(Dims)>& source) {
  bool right = test::dims(view.shape()) == shape && view.dtype() == of.dtype() &&
               view.read_only() == of.read_only() && view.range().begin == of.range().begin;
  test::for_each_index(shape, [&](const Dims& index) {
    right = right && test::element_at(view, index) == test::element_at(of, source(index));
  });
  return right;
}

Memory random_view(test::Random& random) {
  Dims shape = test::random_shape(random, 4);
  if (shape.empty()) shape = {3};
  return {ScalarType::i32, test::random_layout(random, shape)};
}

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

}  // namespace

TEST_CASE("views: narrow", "[core]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(2000); ++round) {
    const Memory memory = random_view(random);
    const TensorView view = memory.view();
    const std::int64_t axis = random.integer(0, view.rank() - 1);
    const auto a = static_cast<std::size_t>(axis);
    const std::int64_t first = random.integer(0, view.extent(axis));
    const std::int64_t length = random.integer(0, view.extent(axis) - first);
    const bool from_end = first < view.extent(axis) && random.chance(50);
    Dims shape = memory.layout().shape;
    shape[a] = length;
    tally.check(
        shows(weft::narrow(view, axis, from_end ? first - view.extent(axis) : first, length), shape,
              view,
              [&](Dims index) {
                index[a] += first;
                return index;
              }),
        [&](auto& out) {
          test::describe(out, view) << " axis " << axis << " from " << first << ", " << length;
        });
  }
  CHECK_TALLY(tally);
  const Memory memory(ScalarType::i32, test::fit({{2, 3}, {3, 1}}));
  CHECK_ERROR(axis, ("axis 1", "extent 3", "2 elements from 2"),
              weft::narrow(memory.view(), 1, 2, 2));
  CHECK_ERROR(axis, ("axis 0"), weft::narrow(memory.view(), 0, -3, 1));
  CHECK_ERROR(axis, ("axis 0"), weft::narrow(memory.view(), 0, least, most));
  CHECK_ERROR(axis, ("axis 0"), weft::narrow(memory.view(), 0, 3, 0));
  CHECK_ERROR(shape, ("axis 1", "-1"), weft::narrow(memory.view(), 1, 0, -1));
  CHECK_ERROR(axis, ("axis 2"), weft::narrow(memory.view(), 2, 0, 1));
  CHECK_ERROR(rank, ("0-d"), weft::narrow(memory.view().select(0, 0).select(0, 0), 0, 0, 1));
}

TEST_CASE("views: squeeze of one axis", "[core]") {
  const Memory memory(ScalarType::i32, test::fit({{2, 1, 3}, {-9, 100, 2}}));
  for (const std::int64_t axis : {1, -2}) {
    CHECK(shows(weft::squeeze(memory.view(), axis), {2, 3}, memory.view(), [](Dims index) {
      return Dims{index[0], 0, index[1]};
    }));
  }
  CHECK_ERROR(shape, ("axis 2", "extent 1", "got 3"), weft::squeeze(memory.view(), 2));
  CHECK_ERROR(axis, ("axis 3"), weft::squeeze(memory.view(), 3));
}

TEST_CASE("views: diagonal", "[core]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(3000); ++round) {
    const Memory memory = random_view(random);
    const TensorView view = memory.view();
    if (view.rank() < 2) continue;
    const Dims order = random.permutation(view.rank());
    const auto a = static_cast<std::size_t>(order[0]), b = static_cast<std::size_t>(order[1]);
    const std::int64_t offset = random.integer(-7, 7);
    Dims shape;
    std::int64_t count = 0;
    for (std::size_t axis = 0; axis < memory.layout().shape.size(); ++axis) {
      if (axis != a && axis != b) shape.push_back(memory.layout().shape[axis]);
    }
    for (std::int64_t i = 0; i < memory.layout().shape[a]; ++i)
      count += i + offset >= 0 && i + offset < memory.layout().shape[b] ? 1 : 0;
    shape.push_back(count);
    tally.check(shows(weft::diagonal(view, offset, order[0], order[1] - view.rank()), shape, view,
                      [&](const Dims& index) {
                        Dims source;
                        std::size_t next = 0;
                        const std::int64_t i = index.back();
                        for (std::size_t axis = 0; axis < memory.layout().shape.size(); ++axis) {
                          if (axis == a) {
                            source.push_back(offset < 0 ? i - offset : i);
                          } else if (axis == b) {
                            source.push_back(offset < 0 ? i : i + offset);
                          } else {
                            source.push_back(index[next++]);
                          }
                        }
                        return source;
                      }),
                [&](auto& out) {
                  test::describe(out, view) << " axes " << a << ' ' << b << " offset " << offset;
                });
  }
  CHECK_TALLY(tally);
  const Memory memory(ScalarType::i32, test::fit({{2, 3}, {3, 1}}));
  CHECK(weft::diagonal(memory.view(), most).numel() == 0);
  CHECK(weft::diagonal(memory.view(), least).numel() == 0);
  CHECK_ERROR(axis, ("two axes", "1", "-1"), weft::diagonal(memory.view(), 0, 1, -1));
  CHECK_ERROR(axis, ("axis 2"), weft::diagonal(memory.view(), 0, 0, 2));
  CHECK_ERROR(rank, ("0-d"), weft::diagonal(memory.view().select(0, 0).select(0, 0)));
}

TEST_CASE("views: unfold", "[core]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(2000); ++round) {
    const Memory memory = random_view(random);
    const TensorView view = memory.view();
    const std::int64_t axis = random.integer(0, view.rank() - 1);
    const auto a = static_cast<std::size_t>(axis);
    const std::int64_t size = random.integer(0, view.extent(axis));
    const std::int64_t step = random.integer(1, 4);
    Dims shape = memory.layout().shape;
    std::int64_t windows = 0;
    while (windows * step + size <= view.extent(axis))
      ++windows;
    shape[a] = windows;
    shape.push_back(size);
    tally.check(shows(weft::unfold(view, axis - view.rank(), size, step), shape, view,
                      [&](Dims index) {
                        index[a] = index[a] * step + index.back();
                        index.pop_back();
                        return index;
                      }),
                [&](auto& out) {
                  test::describe(out, view)
                      << " axis " << axis << " size " << size << " step " << step;
                });
  }
  CHECK_TALLY(tally);
  const Memory memory(ScalarType::i32, test::fit({{2, 3}, {3, 1}}));
  CHECK(test::dims(weft::unfold(memory.view(), 1, 3, most).shape()) == Dims{2, 1, 3});
  CHECK_ERROR(shape, ("axis 1", "extent 3", "got 4"), weft::unfold(memory.view(), 1, 4, 1));
  CHECK_ERROR(shape, ("axis 1", "got -1"), weft::unfold(memory.view(), 1, -1, 1));
  CHECK_ERROR(invalid_argument, ("axis 0", "got 0"), weft::unfold(memory.view(), 0, 1, 0));
  CHECK_ERROR(axis, ("axis -3"), weft::unfold(memory.view(), -3, 1, 1));
}

TEST_CASE("views: meshgrid", "[core]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(500); ++round) {
    std::vector<Memory> memories;
    std::vector<TensorView> vectors;
    const auto indexing = round % 2 == 0 ? weft::GridIndexing::ij : weft::GridIndexing::xy;
    Dims shape;
    for (std::int64_t k = random.integer(0, 4); k > 0; --k) {
      const ScalarType type = random.pick(test::all_types());
      memories.emplace_back(type, test::random_layout(random, {random.integer(0, 4)}));
      vectors.push_back(memories.back().view());
      shape.push_back(vectors.back().extent(0));
    }
    const bool swaps = indexing == weft::GridIndexing::xy && shape.size() > 1;
    if (swaps) std::swap(shape[0], shape[1]);
    const std::vector<TensorView> grids = weft::meshgrid(vectors, indexing);
    tally.check(grids.size() == vectors.size(), [&](auto& out) { out << grids.size(); });
    for (std::size_t k = 0; k < vectors.size(); ++k) {
      const std::size_t axis = swaps && k < 2 ? 1 - k : k;
      tally.check(
          shows(grids[k], shape, vectors[k], [&](const Dims& index) { return Dims{index[axis]}; }),
          [&](auto& out) { test::describe(out << k << ": ", grids[k]); });
    }
  }
  CHECK_TALLY(tally);
  const Memory memory(ScalarType::i32, test::fit({{2, 3}, {3, 1}}));
  const TensorView row = memory.view().select(0, 0);
  CHECK(weft::meshgrid({row, row}).size() == 2);
  CHECK_ERROR(rank, ("meshgrid", "input 1", "one axis", "[2, 3]"),
              weft::meshgrid({row, memory.view()}));
  CHECK_ERROR(undefined, ("meshgrid", "input 0"), weft::meshgrid({TensorView(), row}));
  const std::vector<TensorView> many(65, row), large(60, row);
  CHECK_ERROR(rank, ("meshgrid", "64", "65"), weft::meshgrid(many));
  CHECK_ERROR(overflow, ("2^63-1"), weft::meshgrid(large));
}
