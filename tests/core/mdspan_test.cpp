// SPDX-License-Identifier: Apache-2.0
#include <weft/core/dispatch_types.hpp>
#include <weft/core/mdspan.hpp>
#include <weft/core/tensor.hpp>

#include "core/mdspan_family.hpp"
#include "support/allocation_counter.hpp"
#include "support/errors.hpp"
#include "support/random_layout.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using mdspans::Dense;
using mdspans::Fixed;
using mdspans::Strided;
using test::Dims;
using test::Layout;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// The offsets of all elements, the first of `axes` outermost.
Dims offsets_by(const Layout& layout, const Dims& axes) {
  Layout turned;
  for (const std::int64_t axis : axes) {
    turned.shape.push_back(layout.shape[static_cast<std::size_t>(axis)]);
    turned.strides.push_back(layout.strides[static_cast<std::size_t>(axis)]);
  }
  Dims offsets;
  test::for_each_index(turned.shape, [&](const Dims& index) {
    offsets.push_back(test::naive_offset(turned.shape, turned.strides, index));
  });
  return offsets;
}

Dims all_axes(const Layout& layout) {
  Dims axes;
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis)
    axes.push_back(static_cast<std::int64_t>(axis));
  return axes;
}

/// What each layout can hold, from the addresses of the elements alone.
bool counts_up(const Dims& offsets) {
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}
bool held_by_right(const Layout& layout) { return counts_up(offsets_by(layout, all_axes(layout))); }
bool held_by_left(const Layout& layout) {
  Dims axes = all_axes(layout);
  std::reverse(axes.begin(), axes.end());
  return counts_up(offsets_by(layout, axes));
}
/// There is an order of the axes in which addresses rise.
bool held_by_stride(const Layout& layout) {
  Dims axes = all_axes(layout);
  do {
    const Dims offsets = offsets_by(layout, axes);
    if (std::adjacent_find(offsets.begin(), offsets.end(), std::greater_equal<>()) == offsets.end())
      return true;
  } while (std::next_permutation(axes.begin(), axes.end()));
  return false;
}

/// How many conversions were made, and how many refused.
struct Tally {
  int made = 0, refused = 0;
};

/// The mdspan shows each element where the view has it, and is the same view again; or is refused.
template <class M>
void check_conversion(const TensorView& view, const Layout& layout, bool held, Tally& tally) {
  if (!held) {
    ++tally.refused;
    CHECK_ERROR(invalid_argument, ("to_mdspan: axis", "stride", "expected", "got"),
                weft::to_mdspan<M>(view));
    return;
  }
  ++tally.made;
  const M span = weft::to_mdspan<M>(view);
  const TensorView back = weft::view_of(span);
  CHECK(back.dtype() == view.dtype());
  CHECK(weft::same_list(back.shape(), view.shape()));
  CHECK(back.data() == view.data());
  CHECK(back.read_only() == view.read_only());
  test::for_each_index(layout.shape, [&](const Dims& index) {
    const auto* first = static_cast<const float*>(view.data());
    const float* element = first + test::naive_offset(layout.shape, layout.strides, index);
    CHECK(mdspans::address(span, index) == element);
    CHECK(back.element_offset(index) == element - first);
  });
}

/// Layouts that mdspans hold, and any others.
Layout any_layout(test::Random& random, const Dims& shape) {
  if (random.chance(50)) {
    const bool free = random.chance(30);
    return test::random_layout(random, shape,
                               {.padded = random.chance(50), .negative = free, .zero = free});
  }
  Layout layout{shape, Dims(shape.size(), 0)};
  const std::int64_t least = random.chance(50) ? 1 : -2;
  for (std::int64_t& stride : layout.strides)
    stride = random.integer(least, 12);
  return test::fit(layout);
}

template <class Family, class Index, std::size_t rank>
void check_random(test::Random& random, Tally (&tally)[3]) {
  Dims shape(rank, 1);
  for (std::int64_t& extent : shape)
    extent = random.chance(4) ? 0 : random.integer(1, 4);
  const Layout layout = any_layout(random, shape);
  const test::Memory memory(ScalarType::f32, layout);
  const TensorView view = memory.view();
  INFO(weft::to_string(view.shape()) << " by " << weft::to_string(view.strides()));
  using Extents = typename Family::template dextents<Index, rank>;
  check_conversion<typename Family::template mdspan<float, Extents, typename Family::right>>(
      view, layout, held_by_right(layout), tally[0]);
  check_conversion<typename Family::template mdspan<float, Extents, typename Family::left>>(
      view, layout, held_by_left(layout), tally[1]);
  check_conversion<typename Family::template mdspan<float, Extents, typename Family::stride>>(
      view, layout, held_by_stride(layout), tally[2]);
}

}  // namespace

TEMPLATE_TEST_CASE("mdspan: random layouts, there and back", "[mdspan]", WEFT_ALL_MDSPANS) {
  WEFT_RANDOM(random);
  Tally tally[3];
  for (int round = 0; round < test::rounds(150); ++round) {
    check_random<TestType, int, 0>(random, tally);
    check_random<TestType, std::int64_t, 1>(random, tally);
    check_random<TestType, int, 2>(random, tally);
    check_random<TestType, std::size_t, 3>(random, tally);
    check_random<TestType, std::int16_t, 4>(random, tally);
  }
  for (const Tally& layout : tally) {
    CHECK(layout.made > test::rounds(50));
    CHECK(layout.refused > test::rounds(50));
  }
}

TEMPLATE_TEST_CASE("mdspan: every element type, to be written to or not", "[mdspan]",
                   WEFT_ALL_MDSPANS) {
  for (int i = 0; i < weft::scalar_type_count; ++i) {
    const auto type = static_cast<ScalarType>(i);
    const Tensor tensor = Tensor::zeros({3, 4}, type);
    weft::dispatch_all_types(type, [&]<class T>() {
      const TensorView view = weft::view_of(weft::to_mdspan<Dense<TestType, T>>(tensor));
      CHECK(view.dtype() == type);
      CHECK(!view.read_only());
      CHECK(view.data() == tensor.data());
      const auto constant = weft::to_mdspan<Dense<TestType, const T>>(tensor);
      CHECK(weft::view_of(constant).read_only());
      CHECK(weft::view_of(constant).dtype() == type);
      CHECK(weft::to_mdspan<Dense<TestType, const T>>(weft::view_of(constant)).data_handle() ==
            tensor.data());
      CHECK_ERROR(invalid_argument, ("to_mdspan", "read-only", "const"),
                  weft::to_mdspan<Dense<TestType, T>>(weft::view_of(constant)));
    });
  }
}

TEMPLATE_TEST_CASE("mdspan: what is written by one is read by the other", "[mdspan]",
                   WEFT_ALL_MDSPANS) {
  std::vector<float> memory(20);
  for (std::size_t i = 0; i < memory.size(); ++i)
    memory[i] = static_cast<float>(i);
  const TensorView rows(std::span<float>(memory), {4, 5});
  // A step that the outer stride is no multiple of.
  const TensorView odd = rows.slice(1, 1, 5, 2).slice(0, 1, 4);
  const auto span = weft::to_mdspan<Strided<TestType>>(odd);
  CHECK(span.extent(0) == 3);
  CHECK(span.extent(1) == 2);
  CHECK(span.stride(0) == 5);
  CHECK(span.stride(1) == 2);
  CHECK(span.data_handle()[span.mapping()(2, 1)] == 18);
  span.data_handle()[span.mapping()(0, 1)] = -1;
  CHECK(memory[8] == -1);

  const TensorView back = weft::view_of(span);
  CHECK(back.at<float>({0, 1}) == -1);
  // The view knows the memory that the mdspan reaches.
  CHECK(static_cast<const void*>(back.range().begin) == &memory[6]);
  CHECK(static_cast<const void*>(back.range().end) == &memory[19]);
  CHECK_ERROR(bounds, ("shape [14]"), back.as_strided({14}, {1}));
}

TEMPLATE_TEST_CASE("mdspan: static extents", "[mdspan]", WEFT_ALL_MDSPANS) {
  const Tensor tensor = Tensor::zeros({3, 4}, ScalarType::f32);
  const auto span = weft::to_mdspan<Fixed<TestType>>(tensor);
  CHECK(span.static_extent(0) == 3);
  CHECK(span.extent(1) == 4);
  CHECK(weft::view_of(span).is_contiguous());
  CHECK_ERROR(shape, ("to_mdspan", "axis 0", "expected extent 3, got 4"),
              weft::to_mdspan<Fixed<TestType>>(tensor.transpose(0, 1)));
}

TEMPLATE_TEST_CASE("mdspan: strides that do not count", "[mdspan]", WEFT_ALL_MDSPANS) {
  using Span = Strided<TestType>;
  const Tensor tensor = Tensor::zeros({4}, ScalarType::f32);
  const auto row = weft::to_mdspan<Span>(tensor.unsqueeze(0));  // stride 0 along one row
  CHECK(row.extent(0) == 1);
  CHECK(row.stride(0) == 1);
  CHECK(row.stride(1) == 1);
  const auto column = weft::to_mdspan<Span>(tensor.as_strided({4, 1}, {1, -7}));
  CHECK(column.stride(1) == 1);
  const auto padded = weft::to_mdspan<Span>(tensor.as_strided({1, 4}, {6, 1}));
  CHECK(padded.stride(0) == 6);
  const auto none = weft::to_mdspan<Span>(tensor.as_strided({4, 0}, {-3, 0}));
  CHECK(none.extent(0) == 4);
  CHECK(none.stride(0) == 1);
  CHECK(weft::view_of(none).numel() == 0);
  const auto nothing = weft::to_mdspan<Dense<TestType>>(
      TensorView::trusted(static_cast<float*>(nullptr), ScalarType::f32, {2, 0}));
  CHECK(nothing.data_handle() == nullptr);
  CHECK(weft::view_of(nothing).data() == nullptr);
}

TEMPLATE_TEST_CASE("mdspan: up to rank 8, nothing is allocated", "[mdspan]", WEFT_ALL_MDSPANS) {
  const Tensor tensor = Tensor::zeros({2, 1, 2, 1, 2, 1, 2, 3}, ScalarType::f32);
  using Extents = typename TestType::template dextents<int, 8>;
  using Span = typename TestType::template mdspan<float, Extents, typename TestType::stride>;
  bool same = false;
  CHECK(test::allocations([&] {
          const TensorView view = weft::view_of(weft::to_mdspan<Span>(tensor));
          same = view.data() == tensor.data();
        }) == 0);
  CHECK(same);
}

TEST_CASE("mdspan: layouts and accessors of the user's", "[mdspan]") {
  // A layout that begins at the end: its strides are negative, and follow from the extents.
  using Reversed = plain::mdspan<int, plain::dextents<int, 2>, plain::layout_reversed>;
  std::vector<int> memory = {0, 1, 2, 3, 4, 5};
  const TensorView rows(std::span<int>(memory), {2, 3});
  const auto span = weft::to_mdspan<Reversed>(rows.flip(0).flip(1));
  CHECK(span.data_handle() == memory.data());
  CHECK(span.mapping()(0, 0) == 5);
  const TensorView view = weft::view_of(span);
  CHECK(view.data() == &memory[5]);
  CHECK(view.stride(0) == -3);
  CHECK(view.at<int>({1, 2}) == 0);
  CHECK_ERROR(invalid_argument, ("axis 0", "expected stride -3", "got 3"),
              weft::to_mdspan<Reversed>(rows));

  using Deep = plain::mdspan<int, plain::dextents<int, 65>, plain::layout_right>;
  std::array<int, 65> ones{};
  ones.fill(1);
  CHECK_ERROR(rank, ("rank 65 exceeds 64"),
              weft::view_of(Deep(memory.data(), Deep::mapping_type(Deep::extents_type(ones)))));

  using Unstrided = plain::mdspan<int, plain::dextents<int, 2>, plain::layout_without_strides>;
  const Unstrided::mapping_type mapping(Unstrided::extents_type(std::array<int, 2>{2, 3}));
  CHECK_ERROR(invalid_argument, ("view_of", "no strides"),
              weft::view_of(Unstrided(memory.data(), mapping)));

  using Aligned = plain::mdspan<int, plain::dextents<int, 1>, plain::layout_right,
                                plain::aligned_accessor<int, 64>>;
  alignas(64) int line[17] = {};
  const TensorView on = TensorView::trusted(line, ScalarType::i32, {16});
  CHECK(weft::to_mdspan<Aligned>(on).data_handle() == line);
  CHECK_ERROR(invalid_argument, ("multiple of 64 bytes, got 4 bytes behind"),
              weft::to_mdspan<Aligned>(TensorView::trusted(line + 1, ScalarType::i32, {16})));
}

// What is refused when it is compiled.
template <class T, class Accessor = plain::default_accessor<T>>
using Line = plain::mdspan<T, plain::dextents<int, 1>, plain::layout_right, Accessor>;
static_assert(weft::MdspanLike<Line<float>>);
static_assert(weft::MdspanLike<Line<const float>>);
static_assert(!weft::MdspanLike<Line<volatile float>>);
static_assert(!weft::MdspanLike<Line<char>>);
static_assert(!weft::MdspanLike<Line<const float, plain::scaled_accessor<float>>>);
static_assert(!weft::MdspanLike<std::vector<float>>);
static_assert(!weft::MdspanLike<Tensor>);
