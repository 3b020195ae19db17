// SPDX-License-Identifier: Apache-2.0
// Views of views: each shows, at every index, the element that its definition says.
#include <weft/core/tensor_view.hpp>

#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"

#include <functional>
#include <limits>
#include <vector>

namespace {

using test::Dims;
using weft::ScalarType;
using weft::TensorView;

Dims dims(weft::IntSpan values) { return Dims(values.begin(), values.end()); }

/// Address of an element.
const char* address(const TensorView& view, const Dims& index) {
  return static_cast<const char*>(view.data()) +
         view.element_offset(index) * weft::element_size(view.dtype());
}

/// True if `view` has this shape, and its element at every index is the one that `source` gives.
bool shows(const TensorView& view, const Dims& shape, const TensorView& of,
           const std::function<Dims(const Dims&)>& source) {
  bool right = dims(view.shape()) == shape && view.dtype() == of.dtype() &&
               view.read_only() == of.read_only() && view.numel() == test::product(shape) &&
               view.range().begin == of.range().begin && view.range().end == of.range().end;
  test::for_each_index(shape, [&](const Dims& index) {
    right = right && address(view, index) == address(of, source(index));
  });
  return right;
}

/// What Python's range(extent)[start:stop:step] lists, word by word after the language reference.
Dims python_slice(std::int64_t extent, std::int64_t start, std::int64_t stop, std::int64_t step) {
  const auto bound = [&](std::int64_t i) {
    if (i < 0) i += extent;
    if (step > 0) return i < 0 ? 0 : i > extent ? extent : i;
    return i < 0 ? -1 : i > extent - 1 ? extent - 1 : i;
  };
  Dims listed;
  for (std::int64_t i = bound(start); step > 0 ? i < bound(stop) : i > bound(stop); i += step) {
    listed.push_back(i);
  }
  return listed;
}

test::Memory random_memory(test::Random& random, int max_rank) {
  return {ScalarType::i32, test::random_layout(random, test::random_shape(random, max_rank))};
}

template <class Describe>
auto about(const TensorView& view, Describe describe) {
  return [&view, describe](auto& out) {
    out << weft::to_string(view.shape()) << " strides " << weft::to_string(view.strides()) << ": ";
    describe(out);
  };
}

}  // namespace

TEST_CASE("view geometry: permute and transpose", "[core]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(2000); ++round) {
    const test::Memory memory = random_memory(random, 4);
    const TensorView view = memory.view();
    const auto rank = static_cast<std::int64_t>(view.rank());
    Dims order = random.permutation(rank);
    Dims shape;
    for (const std::int64_t axis : order)
      shape.push_back(view.extent(axis));
    const auto back = [&](const Dims& index) {
      Dims source(index.size());
      for (std::size_t i = 0; i < index.size(); ++i) {
        source[static_cast<std::size_t>(order[i])] = index[i];
      }
      return source;
    };
    Dims given = order;  // axes may be counted from the end
    for (std::int64_t& axis : given) {
      if (random.chance(30)) axis -= rank;
    }
    tally.check(shows(view.permute(given), shape, view, back),
                about(view, [&](auto& out) { out << "permute " << weft::to_string(given); }));
    if (rank == 0) continue;
    const std::int64_t a = random.integer(0, rank - 1);
    const std::int64_t b = random.integer(0, rank - 1);
    order.clear();
    for (std::int64_t i = 0; i < rank; ++i)
      order.push_back(i == a ? b : i == b ? a : i);
    shape.clear();
    for (const std::int64_t axis : order)
      shape.push_back(view.extent(axis));
    tally.check(shows(view.transpose(a - rank, b), shape, view, back),
                about(view, [&](auto& out) { out << "transpose " << a << ' ' << b; }));
  }
  CHECK_TALLY(tally);
}

TEST_CASE("view geometry: slice is Python's, for every start, stop and step", "[core]") {
  test::Tally tally;
  for (std::int64_t extent = 0; extent <= 5; ++extent) {
    const test::Memory memory(ScalarType::i32, test::fit({{2, extent}, {-11, 2}}));
    const TensorView view = memory.view();
    for (std::int64_t start = -7; start <= 7; ++start) {
      for (std::int64_t stop = -7; stop <= 7; ++stop) {
        for (std::int64_t step = -3; step <= 3; ++step) {
          if (step == 0) continue;
          const Dims listed = python_slice(extent, start, stop, step);
          const auto count = static_cast<std::int64_t>(listed.size());
          const bool right =
              shows(view.slice(1, start, stop, step), {2, count}, view, [&](const Dims& index) {
                return Dims{index[0], listed[static_cast<std::size_t>(index[1])]};
              });
          tally.check(right, [&](auto& out) {
            out << extent << "[" << start << ":" << stop << ":" << step << "]";
          });
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("view geometry: slice with bounds and steps at the ends of 64 bits", "[core]") {
  using Limits = std::numeric_limits<std::int64_t>;
  const test::Memory memory(ScalarType::i32, test::fit({{5}, {3}}));
  const TensorView view = memory.view();
  CHECK(view.slice(0, 0, Limits::max()).numel() == 5);
  CHECK(view.slice(0, Limits::min(), Limits::max(), 2).numel() == 3);
  CHECK(view.slice(0, Limits::max(), Limits::min(), -1).numel() == 5);
  CHECK(view.slice(0, Limits::max(), Limits::min(), Limits::min()).numel() == 1);
  CHECK(view.slice(0, 1, 5, Limits::max()).numel() == 1);
  CHECK(address(view.slice(0, Limits::max(), Limits::min(), -1), {0}) == address(view, {4}));
  CHECK_ERROR(invalid_argument, ("axis 0", "step 0"), view.slice(0, 0, 5, 0));
  CHECK_ERROR(axis, ("axis 1", "rank 1"), view.slice(1, 0, 5));
  CHECK_ERROR(rank, ("0-d"), test::Memory(ScalarType::i32, test::fit({})).view().slice(0, 0, 1));
}

TEST_CASE("view geometry: flip and select", "[core]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(2000); ++round) {
    const test::Memory memory = random_memory(random, 4);
    const TensorView view = memory.view();
    if (view.rank() == 0) continue;
    const std::int64_t axis = random.integer(0, view.rank() - 1);
    const auto at = static_cast<std::size_t>(axis);
    const std::int64_t extent = view.extent(axis);
    tally.check(shows(view.flip(axis - view.rank()), memory.layout().shape, view,
                      [&](Dims index) {
                        index[at] = extent - 1 - index[at];
                        return index;
                      }),
                about(view, [&](auto& out) { out << "flip " << axis; }));
    if (extent == 0) continue;
    const std::int64_t i = random.integer(-extent, extent - 1);
    Dims shape = memory.layout().shape;
    shape.erase(shape.begin() + axis);
    tally.check(shows(view.select(axis, i), shape, view,
                      [&](Dims index) {
                        index.insert(index.begin() + axis, i < 0 ? i + extent : i);
                        return index;
                      }),
                about(view, [&](auto& out) { out << "select " << axis << ' ' << i; }));
    CHECK_ERROR(axis, (std::to_string(extent)), view.select(axis, extent));
    CHECK_ERROR(axis, ("axis"), view.select(axis, -extent - 1));
  }
  CHECK_TALLY(tally);
}

TEST_CASE("view geometry: expand is broadcasting", "[core]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(2000); ++round) {
    const Dims target = test::random_shape(random, 4);
    const test::Memory memory(
        ScalarType::i32, test::random_layout(random, test::random_operand_shape(random, target)));
    const TensorView view = memory.view();
    const std::size_t lead = target.size() - memory.layout().shape.size();
    tally.check(shows(view.expand(target), target, view,
                      [&](const Dims& index) {
                        Dims source(index.begin() + static_cast<std::ptrdiff_t>(lead), index.end());
                        for (std::size_t axis = 0; axis < source.size(); ++axis) {
                          if (memory.layout().shape[axis] == 1) source[axis] = 0;
                        }
                        return source;
                      }),
                about(view, [&](auto& out) { out << "expand " << weft::to_string(target); }));
  }
  CHECK_TALLY(tally);
  const test::Memory memory(ScalarType::i32, test::fit({{2, 3}, {3, 1}}));
  CHECK_ERROR(shape, ("[2, 3]", "[2, 4]", "3 and 4", "axis 1"), memory.view().expand({2, 4}));
  CHECK_ERROR(rank, ("[2, 3]", "[3]"), memory.view().expand({3}));
  CHECK_ERROR(shape, ("axis 0"), memory.view().expand({-1, 2, 3}));
}

TEST_CASE("view geometry: as_strided stays inside known memory", "[core]") {
  const test::Memory memory(ScalarType::i32, test::fit({{3, 4}, {4, 1}}));
  const TensorView view = memory.view();
  CHECK(shows(view.as_strided({2, 3}, {1, 2}, 5), {2, 3}, view, [](const Dims& index) {
    const std::int64_t flat = 5 + index[0] + 2 * index[1];
    return Dims{flat / 4, flat % 4};
  }));
  CHECK(view.as_strided({3}, {-4}, 11).at<std::int32_t>({2}) == 0);
  CHECK_ERROR(bounds, ("[2, 3]"), view.as_strided({2, 3}, {1, 5}, 1));
  CHECK_ERROR(bounds, ("[1]"), view.as_strided({1}, {1}, 12));
  CHECK_ERROR(bounds, ("[1]"), view.as_strided({1}, {1}, -1));
  CHECK_ERROR(rank, ("[2]"), view.as_strided({2}, {}));
  CHECK_ERROR(overflow, ("2^63-1"),
              view.as_strided({1}, {1}, std::numeric_limits<std::int64_t>::max()));
  CHECK_ERROR(overflow, ("2^63-1"), view.as_strided({2, 1 << 30, 1 << 30, 1 << 30}, {0, 0, 0, 0}));
  CHECK(view.as_strided({}, {}, 11).rank() == 0);
}

TEST_CASE("view geometry: unsqueeze and squeeze", "[core]") {
  const test::Memory memory(ScalarType::i32, test::fit({{2, 1, 3}, {-9, 100, 2}}));
  const TensorView view = memory.view();
  for (std::int64_t axis = -4; axis <= 3; ++axis) {
    CAPTURE(axis);
    const std::int64_t at = axis < 0 ? axis + 4 : axis;
    Dims shape = {2, 1, 3};
    shape.insert(shape.begin() + at, 1);
    CHECK(shows(view.unsqueeze(axis), shape, view, [&](Dims index) {
      index.erase(index.begin() + at);
      return index;
    }));
  }
  CHECK(shows(view.squeeze(), {2, 3}, view, [](const Dims& index) {
    return Dims{index[0], 0, index[1]};
  }));
  CHECK(dims(view.select(0, 0).select(1, 0).squeeze().shape()) == Dims{});
  CHECK_ERROR(axis, ("axis 4"), view.unsqueeze(4));
  CHECK_ERROR(rank, ("65"),
              TensorView::trusted(memory.data(), ScalarType::i32, Dims(64, 1)).unsqueeze(0));
}

TEST_CASE("view geometry: wrong permutations", "[core]") {
  const test::Memory memory(ScalarType::i32, test::fit({{2, 3}, {3, 1}}));
  const TensorView view = memory.view();
  CHECK_ERROR(rank, ("[0]", "rank 2"), view.permute({0}));
  CHECK_ERROR(axis, ("twice", "[1, -1]"), view.permute({1, -1}));
  CHECK_ERROR(axis, ("axis 2"), view.permute({0, 2}));
  CHECK_ERROR(axis, ("axis 2"), view.transpose(0, 2));
  CHECK_ERROR(axis, ("axis -3"), view.flip(-3));
}

TEST_CASE("view geometry: a view of a read-only or weak view is one too", "[core]") {
  const std::vector<float> values(6);
  TensorView view(std::span<const float>(values), {2, 3});
  CHECK(view.transpose(0, 1).read_only());
  CHECK(view.slice(0, 0, 1).read_only());
  view.set_weak_scalar(true);
  CHECK(view.expand({4, 2, 3}).is_weak_scalar());
}
