// SPDX-License-Identifier: Apache-2.0
// Making views, and what they know of themselves. The views of views are in view_geometry_test.cpp.
#include <weft/core/cast.hpp>
#include <weft/core/tensor.hpp>
#include <weft/core/tensor_view.hpp>

#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"

#include <array>
#include <limits>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

namespace {

using test::Dims;
using weft::ScalarType;
using weft::TensorView;

template <class T>
std::span<T> over(std::vector<T>& values) {
  return values;
}
template <class T>
std::span<const T> over(const std::vector<T>& values) {
  return values;
}

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t two_31 = std::int64_t{1} << 31;
constexpr std::int64_t two_60 = std::int64_t{1} << 60;

/// An address that nothing may read.
void* somewhere() { return reinterpret_cast<void*>(std::uintptr_t{1} << 32); }

std::vector<float> counted(std::size_t size) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

}  // namespace

TEST_CASE("tensor_view: a default-constructed one is undefined", "[core]") {
  const TensorView view;
  CHECK_FALSE(view.defined());
  CHECK(view.rank() == 0);
  CHECK(view.numel() == 0);
  CHECK(view.data() == nullptr);
}

TEST_CASE("tensor_view: over a span, row-major", "[core]") {
  std::vector<float> values = counted(12);
  const TensorView view(over(values), {3, 4});
  CHECK(view.defined());
  CHECK(view.dtype() == ScalarType::f32);
  CHECK(view.rank() == 2);
  CHECK(view.numel() == 12);
  CHECK(view.nbytes() == 48);
  CHECK(view.extent(0) == 3);
  CHECK(view.extent(-1) == 4);
  CHECK(view.stride(0) == 4);
  CHECK(view.stride(-1) == 1);
  CHECK(view.data() == values.data());
  CHECK(view.data_as<float>() == values.data());
  CHECK(view.at<float>({2, 3}) == 11);
  CHECK(view.is_contiguous());
  CHECK_FALSE(view.read_only());
  CHECK_FALSE(view.is_weak_scalar());
  CHECK(view.first_byte() == 0);
  CHECK(view.end_byte() == 48);
  CHECK(view.range().begin == reinterpret_cast<const std::byte*>(values.data()));
  CHECK(view.range().end - view.range().begin == 48);
}

TEST_CASE("tensor_view: over a span, with strides and offset", "[core]") {
  std::vector<float> values = counted(12);
  const TensorView view(over(values), {3, 2}, {-4, 2}, 9);
  CHECK(view.at<float>({0, 0}) == 9);
  CHECK(view.at<float>({2, 1}) == 3);
  CHECK(view.first_byte() == -32);
  CHECK(view.end_byte() == 12);
  CHECK_FALSE(view.is_contiguous());
  const std::vector<float>& read = values;
  CHECK(TensorView(over(read), {12}).read_only());
  CHECK_FALSE(TensorView(over(values), {12}).read_only());
}

TEST_CASE("tensor_view: a list after the shape is strides, a number an offset", "[core]") {
  std::vector<float> values = counted(12);
  CHECK(TensorView(over(values), {3}, {2}).at<float>({2}) == 4);
  CHECK(TensorView(over(values), {3}, 2).at<float>({2}) == 4);
  CHECK(TensorView(over(values), {3}, {2}).at<float>({0}) == 0);
  CHECK(TensorView(over(values), {3}, 2).at<float>({0}) == 2);
  CHECK(TensorView(over(values), {}, {}).rank() == 0);
  CHECK(TensorView(over(values), {}, std::size_t{11}).at<float>({}) == 11);
}

TEST_CASE("tensor_view: knows the bytes that its elements occupy", "[core]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(3000); ++round) {
    const test::Memory memory(random.chance(50) ? ScalarType::u8 : ScalarType::f64,
                              test::random_layout(random, test::random_shape(random, 4)));
    const TensorView view = memory.view();
    std::int64_t first = 0, end = 0, count = 0;
    bool ascending = true;  // row-major: every element follows the one before
    std::int64_t expected = 0;
    test::for_each_index(memory.layout().shape, [&](const Dims& index) {
      const std::int64_t at = test::naive_offset(memory.naive(), index);
      const std::int64_t size = memory.naive().element_bytes;
      first = count == 0 ? at : std::min(first, at);
      end = count == 0 ? at + size : std::max(end, at + size);
      ascending = ascending && at == expected;
      expected += size;
      ++count;
    });
    tally.check(view.first_byte() == first && view.end_byte() == end && view.numel() == count &&
                    view.is_contiguous() == ascending,
                [&](auto& out) {
                  out << weft::to_string(view.shape()) << ' ' << weft::to_string(view.strides());
                });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("tensor_view: shapes and strides that do not fit together", "[core]") {
  std::vector<float> values(12);
  CHECK_ERROR(rank, ("[3, 4]", "[1]"), TensorView(over(values), {3, 4}, {1}));
  CHECK_ERROR(rank, ("[1]", "[]"), TensorView::trusted(somewhere(), ScalarType::f32, {1}, {}));
  CHECK_ERROR(shape, ("axis 0", "negative"), TensorView(over(values), {-1}, {1}));
  CHECK_ERROR(rank, ("65", "64"),
              TensorView::trusted(somewhere(), ScalarType::f32, Dims(65, 1), Dims(65, 1)));
  CHECK(TensorView::trusted(somewhere(), ScalarType::f32, Dims(64, 1)).rank() == 64);
}

TEST_CASE("tensor_view: elements outside the memory", "[core]") {
  std::vector<float> values(12);
  const std::span<float> span = values;
  CHECK_ERROR(bounds, ("[3, 5]", "0 to 60", "0 to 48"), TensorView(span, {3, 5}));
  CHECK_ERROR(bounds, ("[13]"), TensorView(span, {13}));
  CHECK_ERROR(bounds, ("-4 to 8", "0 to 48"), TensorView(span, {2, 2}, {-1, 1}));
  CHECK_ERROR(bounds, ("offset 13", "12"), TensorView(span, {0}, {1}, 13));
  CHECK_ERROR(bounds, ("offset -1"), TensorView(span, {1}, {1}, -1));
  CHECK_ERROR(bounds, ("[1]"), TensorView(span, {1}, {1}, 12));
  CHECK(TensorView(span, {0}, {1}, 12).numel() == 0);
  // The stride of an axis of one element is never stepped over.
  CHECK(TensorView(span, {1, 12}, {most, 1}).numel() == 12);
  CHECK(TensorView(span, {0, 7}, {most, most}).numel() == 0);
}

TEST_CASE("tensor_view: every way over the edge of a small memory", "[core]") {
  test::Tally tally;
  std::vector<std::int16_t> values(7);
  for (std::int64_t offset = 0; offset <= 7; ++offset) {
    for (std::int64_t e0 = 0; e0 <= 3; ++e0) {
      for (std::int64_t e1 = 0; e1 <= 3; ++e1) {
        for (std::int64_t s0 = -3; s0 <= 3; ++s0) {
          for (std::int64_t s1 = -3; s1 <= 3; ++s1) {
            bool inside = true;
            test::for_each_index({e0, e1}, [&](const Dims& i) {
              const std::int64_t at = offset + i[0] * s0 + i[1] * s1;
              inside = inside && at >= 0 && at < 7;
            });
            bool accepted = true;
            try {
              TensorView(over(values), {e0, e1}, {s0, s1}, offset);
            } catch (const weft::Error& error) {
              accepted = error.code() != weft::ErrorCode::bounds;
            }
            tally.check(accepted == inside, [&](auto& out) {
              out << offset << " [" << e0 << ", " << e1 << "] [" << s0 << ", " << s1 << "]";
            });
          }
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("tensor_view: geometry that leaves 64 bits", "[core]") {
  const auto trusted = [](Dims shape, Dims strides, ScalarType type = ScalarType::u8) {
    return TensorView::trusted(somewhere(), type, shape, strides);
  };
  CHECK_ERROR(overflow, ("2^63-1"), trusted({two_31, two_31, 4}, {0, 0, 0}));
  CHECK_ERROR(overflow, ("2^63-1", "f64"), trusted({two_60, 2}, {0, 0}, ScalarType::f64));
  CHECK(trusted({two_60 / 4}, {0}, ScalarType::f64).nbytes() == 2 * two_60);
  CHECK_ERROR(overflow, ("[3]", "[9223372036854775807]"), trusted({3}, {most}));
  CHECK_ERROR(overflow, ("f64"), trusted({2}, {two_60}, ScalarType::f64));
  CHECK_ERROR(overflow, ("c128"), trusted({3}, {-two_60 / 2}, ScalarType::c128));
  CHECK_ERROR(overflow, ("[2, 2]"), trusted({2, 2}, {most, most}));
  // The lowest and the highest address are each in range, their distance is not.
  CHECK_ERROR(overflow, ("[2, 2]"), trusted({2, 2}, {most - 10, -(most - 10)}));
  CHECK(trusted({2, 2}, {two_60, -two_60}).end_byte() == two_60 + 1);
  CHECK(trusted({two_31, 2}, {two_31 - 1, 1}).end_byte() == (two_31 - 1) * (two_31 - 1) + 2);
}

TEST_CASE("tensor_view: null data is fine without elements only", "[core]") {
  void* null = nullptr;
  CHECK(TensorView::trusted(null, ScalarType::f32, {0, 5}).numel() == 0);
  CHECK(TensorView(std::span<float>(), {3, 0}).numel() == 0);
  CHECK_ERROR(undefined, ("null", "1 elements", "[]"),
              TensorView::trusted(null, ScalarType::f32, {}));
  CHECK_ERROR(undefined, ("null", "6 elements", "[2, 3]"), TensorView(std::span<float>(), {2, 3}));
}

TEST_CASE("tensor_view: data only as the type that it has", "[core]") {
  std::vector<float> values(2);
  const TensorView view(over(values), {2});
  CHECK_ERROR(dtype, ("f32", "i32"), view.data_as<std::int32_t>());
  CHECK_ERROR(dtype, ("f32", "f64"), view.at<double>({0}));
}

TEST_CASE("tensor_view: an index has one number for each axis, inside its extent", "[core]") {
  std::vector<float> values(12);
  const TensorView view(over(values), {3, 4});
  CHECK(view.element_offset({2, 3}) == 11);
  CHECK_ERROR(rank, ("[1]", "[3, 4]"), view.element_offset({1}));
  CHECK_ERROR(axis, ("[3, 0]", "axis 0"), view.at<float>({3, 0}));
  CHECK_ERROR(axis, ("[0, -1]", "axis 1"), view.at<float>({0, -1}));
  CHECK_ERROR(axis, ("axis 2", "rank 2"), view.extent(2));
  CHECK_ERROR(axis, ("axis -3"), view.stride(-3));
}

TEST_CASE("tensor_view: elements need not be aligned", "[core]") {
  for (std::size_t off = 0; off < 8; ++off) {
    std::vector<std::byte> bytes(8 * 3 + off);
    const double wanted[3] = {1.5, -2.5, 3.25};
    std::memcpy(bytes.data() + off, wanted, sizeof(wanted));
    const TensorView view = TensorView::within({bytes.data(), bytes.data() + bytes.size()},
                                               bytes.data() + off, ScalarType::f64, {3}, {1});
    for (std::int64_t i = 0; i < 3; ++i)
      CHECK(view.at<double>({i}) == wanted[i]);
  }
}

TEST_CASE("tensor_view: a bool may hold any byte", "[core]") {
  std::vector<unsigned char> bytes = {0, 1, 2, 255};
  const TensorView view = TensorView::trusted(bytes.data(), ScalarType::boolean, {4});
  CHECK_FALSE(view.at<bool>({0}));
  for (std::int64_t i = 1; i < 4; ++i)
    CHECK(view.at<bool>({i}));
}

TEST_CASE("tensor_view: a 0-d tensor has no axis", "[core]") {
  const weft::Tensor number = weft::Tensor::zeros({}, ScalarType::f32);
  for (const std::int64_t axis : {0, -1, 1}) {
    CHECK_ERROR(axis, ("0-d"), number.extent(axis));
    CHECK_ERROR(axis, ("0-d"), number.stride(axis));
    CHECK_ERROR(rank, ("0-d"), number.select(axis, 0));
    CHECK_ERROR(rank, ("0-d"), number.slice(axis, 0, 1));
    CHECK_ERROR(axis, ("0-d"), TensorView().extent(axis));
  }
  CHECK(number.transpose(0, -1).rank() == 0);
  CHECK_ERROR(axis, ("axis 1"), number.transpose(0, 1));
}

TEST_CASE("tensor_view: elements of an undefined tensor", "[core]") {
  CHECK_ERROR(undefined, ("undefined"), weft::Tensor{}.at<float>({}));
  CHECK_ERROR(undefined, ("undefined"), TensorView{}.at<float>({}));
  CHECK_ERROR(undefined, ("undefined"), TensorView{}.element_offset({}));
  CHECK_ERROR(undefined, ("undefined"), TensorView{}.flip(0));
  CHECK_ERROR(undefined, ("undefined"), TensorView{}.as_strided({0}, {1}));
  weft::Tensor from = weft::Tensor::zeros({2, 3}, ScalarType::f32);
  const weft::Tensor to = std::move(from);
  CHECK(!from.defined());  // NOLINT(bugprone-use-after-move): that is what is tested
  CHECK(from.data() == nullptr);
  CHECK(to.numel() == 6);
}

TEST_CASE("tensor_view: read-only elements are given out as const only", "[core]") {
  const std::vector<float> values = counted(4);
  const TensorView view(over(values), {4});
  CHECK(view.data_as<const float>() == values.data());
  CHECK(view.at<float>({3}) == 3);
  CHECK_ERROR(invalid_argument, ("read-only", "const"), view.data_as<float>());
  CHECK_ERROR(invalid_argument, ("read-only"), view.flip(0).data_as<float>());
  CHECK_ERROR(dtype, ("f32", "f64"), view.data_as<const double>());
  // Made of const elements by address, too.
  const auto* first = reinterpret_cast<const std::byte*>(values.data());
  const TensorView within =
      TensorView::within({first, first + 16}, values.data(), ScalarType::f32, {4}, {1});
  CHECK(within.read_only());
  CHECK_ERROR(invalid_argument, ("read-only"), within.data_as<float>());
  CHECK_ERROR(invalid_argument, ("read-only"), weft::cast_tensor(within, within));
}

TEST_CASE("tensor_view: element types and memory that there are not", "[core]") {
  const auto no_type = static_cast<ScalarType>(200);
  CHECK(weft::name(no_type) == "unknown");
  CHECK_ERROR(dtype, ("200"), weft::Tensor::empty({2}, no_type));
  CHECK_ERROR(dtype, ("200"), TensorView::trusted(somewhere(), no_type, {2}));
  std::vector<float> none;
  CHECK_ERROR(undefined, ("no memory"), TensorView(over(none), {0}).as_strided({4}, {1}, 1));
  // Strides of a tensor without elements may be any.
  const TensorView empty =
      TensorView::trusted(somewhere(), ScalarType::f32, {0, 4}, {1, std::int64_t{1} << 62});
  CHECK(empty.select(1, 3).numel() == 0);
  CHECK(empty.slice(1, 3, 4).numel() == 0);
}

TEST_CASE("view: of a vector, an array, any range next to each other", "[core]") {
  std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  const TensorView all(numbers);
  CHECK(weft::to_string(all.shape()) == "[6]");
  CHECK(all.data() == numbers.data());
  CHECK(!all.read_only());
  const TensorView matrix(numbers, {2, 3});
  CHECK(matrix.at<float>({1, 2}) == 6);
  CHECK(matrix.at<float>(1, 2) == 6);
  CHECK(all.at<float>(5) == 6);
  CHECK_ERROR(rank, ("2", "1"), all.at<float>(1, 2));
  CHECK_ERROR(dtype, ("f64", "f32"), all.at<double>(0));

  const std::array<std::int16_t, 3> fixed{7, 8, 9};
  CHECK(TensorView(fixed).read_only());
  CHECK(TensorView(fixed).at<std::int16_t>(2) == 9);
  CHECK(TensorView(std::views::counted(numbers.data(), 3)).numel() == 3);
  CHECK_ERROR(bounds, ("[3, 3]"), TensorView(numbers, {3, 3}));

  // One that is about to go, and bits, are no memory to view.
  STATIC_REQUIRE(!std::is_constructible_v<TensorView, std::vector<float>>);
  STATIC_REQUIRE(!std::is_constructible_v<TensorView, std::vector<bool>&>);
  STATIC_REQUIRE(!std::is_constructible_v<TensorView, std::string&>);
}
