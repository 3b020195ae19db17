// SPDX-License-Identifier: Apache-2.0
// reshape and flatten: the elements in row-major order are the same, or no strides express it.
#include <weft/core/tensor.hpp>
#include <weft/core/views.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <vector>

namespace {

using test::Dims;
using test::Memory;
using weft::ErrorCode;
using weft::flatten;
using weft::reshape;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// The addresses of all elements in row-major order.
std::vector<const void*> walk(const TensorView& view) {
  std::vector<const void*> places;
  test::for_each_index(test::dims(view.shape()), [&](const Dims& index) {
    places.push_back(static_cast<const char*>(view.data()) +
                     view.element_offset(index) * weft::element_size(view.dtype()));
  });
  return places;
}

/// Whether strides in some shape give this walk: each axis steps by the same everywhere.
bool is_expressible(const std::vector<const void*>& places, const Dims& shape) {
  const auto at = [&](const Dims& index) {
    std::int64_t position = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      position = position * shape[axis] + index[axis];
    return static_cast<const char*>(places[static_cast<std::size_t>(position)]);
  };
  Dims steps(shape.size(), 0);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] < 2) continue;
    Dims one(shape.size(), 0);
    one[axis] = 1;
    steps[axis] = at(one) - at(Dims(shape.size(), 0));
  }
  bool right = true;
  test::for_each_index(shape, [&](const Dims& index) {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      offset += index[axis] * steps[axis];
    right = right && at(index) - static_cast<const char*>(places[0]) == offset;
  });
  return right;
}

/// Another shape of so many elements.
Dims random_division(test::Random& random, std::int64_t count) {
  Dims shape;
  while (count > 1) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d <= count; ++d) {
      if (count % d == 0) divisors.push_back(d);
    }
    const std::int64_t extent = divisors[static_cast<std::size_t>(
        random.integer(0, static_cast<std::int64_t>(divisors.size()) - 1))];
    shape.push_back(extent);
    count /= extent;
    if (shape.size() > 5) break;
  }
  if (count > 1) shape.push_back(count);
  return shape;
}

}  // namespace

TEST_CASE("reshape: the same elements, or an error where no strides give them", "[core]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  int refused = 0;
  for (int round = 0; round < test::rounds(2000); ++round) {
    const Memory memory(ScalarType::i16,
                        test::random_layout(random, test::random_shape(random, 4)));
    const TensorView view = memory.view();
    const auto places = walk(view);
    Dims shape = view.numel() > 0 ? random_division(random, view.numel()) : Dims{0, 3};
    const Dims wanted = shape;
    if (!shape.empty() && view.numel() > 0 && random.chance(30))
      shape[static_cast<std::size_t>(
          random.integer(0, static_cast<std::int64_t>(shape.size()) - 1))] = -1;
    const auto describe = [&](auto& text) {
      text << weft::to_string(view.shape()) << " " << weft::to_string(view.strides()) << " to "
           << weft::to_string(shape);
    };
    try {
      const TensorView made = reshape(view, shape);
      tally.check(test::dims(made.shape()) == wanted && walk(made) == places &&
                      made.range().begin == view.range().begin,
                  describe);
    } catch (const weft::Error& error) {
      ++refused;
      tally.check(error.code() == ErrorCode::invalid_argument && !is_expressible(places, wanted),
                  describe);
    }
  }
  CHECK_TALLY(tally);
  CHECK(refused > 10);
}

TEST_CASE("reshape: shapes that do not fit", "[core]") {
  const Tensor a = Tensor::zeros({4, 6}, ScalarType::f32);
  CHECK_ERROR(shape, ("reshape", "[4, 6]", "[5, 5]", "24", "25"), reshape(a, {5, 5}));
  CHECK_ERROR(shape, ("24", "multiple of 5"), reshape(a, {5, -1}));
  CHECK_ERROR(shape, ("one extent of -1"), reshape(a, {-1, -1}));
  CHECK_ERROR(shape, ("axis 1", "-2"), reshape(a, {12, -2}));
  CHECK_ERROR(shape, ("-1 could be anything"), reshape(a.slice(0, 0, 0), {0, -1}));
  CHECK_ERROR(shape, ("2^63-1"), reshape(a, {std::int64_t{1} << 62, 4}));
  CHECK_ERROR(invalid_argument, ("[6, 4]", "[24]", "contiguous()"),
              reshape(a.transpose(0, 1), {24}));
  CHECK_ERROR(undefined, ("reshape"), reshape(TensorView(), {1}));
  const Tensor number = Tensor::zeros({}, ScalarType::f32);
  CHECK(reshape(number, {1, 1}).rank() == 2);
  CHECK(reshape(a.slice(0, 0, 1).slice(1, 0, 1), {}).rank() == 0);
}

TEST_CASE("flatten: axes as one", "[core]") {
  const Tensor a = Tensor::zeros({2, 3, 4, 5}, ScalarType::f32);
  const auto shape = [](const TensorView& view) { return test::dims(view.shape()); };
  CHECK(shape(flatten(a)) == Dims{120});
  CHECK(shape(flatten(a, 1)) == Dims{2, 60});
  CHECK(shape(flatten(a, 1, 2)) == Dims{2, 12, 5});
  CHECK(shape(flatten(a, -2)) == Dims{2, 3, 20});
  CHECK(shape(flatten(a, 2, 2)) == Dims{2, 3, 4, 5});
  CHECK(shape(flatten(Tensor::zeros({}, ScalarType::f32))) == Dims{1});
  CHECK(shape(flatten(a.slice(1, 0, 0))) == Dims{0});
  CHECK_ERROR(axis, ("flatten", "2", "1"), flatten(a, 2, 1));
  CHECK_ERROR(axis, ("4"), flatten(a, 4));
  CHECK_ERROR(invalid_argument, ("contiguous()"), flatten(a.transpose(0, 1)));
}
