// SPDX-License-Identifier: Apache-2.0
#include <weft/core/tensor.hpp>

#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"

#include <cstring>
#include <memory>
#include <vector>

namespace {

using test::Dims;
using weft::ScalarType;
using weft::Tensor;

Dims dims(weft::IntSpan values) { return Dims(values.begin(), values.end()); }

bool aligned(const Tensor& t) { return reinterpret_cast<std::uintptr_t>(t.data()) % 64 == 0; }

}  // namespace

TEST_CASE("tensor: a default-constructed one is undefined", "[core]") {
  CHECK_FALSE(Tensor().defined());
  CHECK(Tensor().owner() == nullptr);
}

TEST_CASE("tensor: empty is row-major, aligned, and knows its memory", "[core]") {
  for (const Dims& shape : {Dims{}, Dims{5}, Dims{2, 3, 4}, Dims{3, 0}, Dims{1, 1, 7}}) {
    for (int i = 0; i < weft::scalar_type_count; ++i) {
      const auto type = static_cast<ScalarType>(i);
      CAPTURE(weft::to_string(shape), weft::name(type));
      const Tensor t = Tensor::empty(shape, type);
      CHECK(t.dtype() == type);
      CHECK(dims(t.shape()) == shape);
      CHECK(dims(t.strides()) == test::row_major(shape));
      CHECK(aligned(t));
      CHECK(t.data() != nullptr);
      CHECK(t.range().end - t.range().begin == t.nbytes());
      CHECK(t.is_contiguous());
      std::memset(t.data(), 0xa5, static_cast<std::size_t>(t.nbytes()));
    }
  }
}

TEST_CASE("tensor: empty_strided reaches what its strides reach", "[core]") {
  const Tensor t = Tensor::empty_strided({3, 4, 2}, {1, 5, 0}, ScalarType::i32);
  CHECK(dims(t.strides()) == Dims{1, 5, 0});
  CHECK(t.range().end - t.range().begin == (2 + 15 + 1) * 4);
  std::memset(t.data(), 0, (2 + 15 + 1) * 4);
  CHECK_ERROR(invalid_argument, ("[3, -1]", "negative"),
              Tensor::empty_strided({2, 3}, {3, -1}, ScalarType::i32));
  CHECK_ERROR(rank, ("[2, 3]"), Tensor::empty_strided({2, 3}, {1}, ScalarType::i32));
}

TEST_CASE("tensor: impossible sizes are errors before any allocation", "[core]") {
  const std::int64_t two_31 = std::int64_t{1} << 31;
  CHECK_ERROR(shape, ("axis 1"), Tensor::empty({2, -1}, ScalarType::f32));
  CHECK_ERROR(overflow, ("2^63-1"), Tensor::empty({two_31, two_31, 4}, ScalarType::u8));
  CHECK_ERROR(overflow, ("2^63-1"), Tensor::empty({two_31, two_31}, ScalarType::f64));
  CHECK_ERROR(overflow, ("2^63-1"), Tensor::zeros({two_31, two_31}, ScalarType::f64));
  CHECK_ERROR(rank, ("65"), Tensor::empty(Dims(65, 1), ScalarType::f32));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // A number of bytes that no machine has is for the allocator to refuse. (A sanitizer's ends the
  // program instead.)
  CHECK_THROWS_AS(Tensor::empty({std::int64_t{1} << 60}, ScalarType::u8), std::bad_alloc);
#endif
}

TEST_CASE("tensor: zeros, full and of", "[core]") {
  const Tensor zeros = Tensor::zeros({2, 3}, ScalarType::c128);
  test::for_each_index({2, 3}, [&](const Dims& i) {
    CHECK(zeros.at<std::complex<double>>(i) == std::complex<double>());
  });
  CHECK(Tensor::full({2}, ScalarType::f16, 1.5).at<weft::float16>({1}).bits == 0x3e00);
  CHECK(Tensor::full({2}, ScalarType::u8, 300).at<std::uint8_t>({1}) == 255);  // saturates
  CHECK(Tensor::full({2}, ScalarType::boolean, 0.5).at<bool>({0}));
  CHECK(Tensor::full({0}, ScalarType::i32, 1).numel() == 0);
  const Tensor t = Tensor::of<std::int32_t>({2, 2}, {1, 2, 3, 4});
  CHECK(t.dtype() == ScalarType::i32);
  CHECK(t.at<std::int32_t>({1, 0}) == 3);
  CHECK(Tensor::of<float>({}, {2.5f}).at<float>({}) == 2.5f);
  CHECK_ERROR(shape, ("expected 4", "[2, 2]", "got 3"), Tensor::of<float>({2, 2}, {1, 2, 3}));
}

TEST_CASE("tensor: copies share memory, a clone does not", "[core]") {
  Tensor t = Tensor::of<float>({2}, {1, 2});
  const Tensor copy = t;
  const Tensor clone = t.clone();
  t.data_as<float>()[0] = 7;
  CHECK(copy.at<float>({0}) == 7);
  CHECK(clone.at<float>({0}) == 1);
  CHECK(clone.data() != t.data());
  CHECK(copy.owner() == t.owner());
}

TEST_CASE("tensor: memory goes with the last owner", "[core]") {
  Tensor t = Tensor::zeros({4}, ScalarType::f32);
  const std::weak_ptr<void> memory = t.owner();
  Tensor row = Tensor::share(t.owner(), t.slice(0, 1, 3));
  t = Tensor();
  CHECK_FALSE(memory.expired());
  CHECK(row.at<float>({1}) == 0);
  row = Tensor();
  CHECK(memory.expired());
}

TEST_CASE("tensor: share keeps any owner alive", "[core]") {
  auto values = std::make_shared<std::vector<float>>(6, 2.0f);
  const Tensor t =
      Tensor::share(values, weft::TensorView(std::span<float>(*values), {2, 3}).transpose(0, 1));
  CHECK(values.use_count() == 2);
  CHECK(dims(t.shape()) == Dims{3, 2});
  CHECK(t.data() == values->data());
}

TEST_CASE("tensor: views of a temporary keep its memory", "[core]") {
  const auto numbers = [] { return Tensor::of<std::int32_t>({2, 3}, {0, 1, 2, 3, 4, 5}); };
  const auto check = [](const Tensor& t, const Dims& shape, std::initializer_list<int> want) {
    CHECK(t.owner().use_count() == 1);
    CHECK(dims(t.shape()) == shape);
    const Tensor copy = t.clone();
    const auto* values = copy.data_as<const std::int32_t>();
    CHECK(std::equal(want.begin(), want.end(), values, values + copy.numel()));
  };
  check(numbers().transpose(0, 1), {3, 2}, {0, 3, 1, 4, 2, 5});
  check(numbers().permute({1, 0}), {3, 2}, {0, 3, 1, 4, 2, 5});
  check(numbers().select(0, 1), {3}, {3, 4, 5});
  check(numbers().slice(1, 0, 3, 2), {2, 2}, {0, 2, 3, 5});
  check(numbers().flip(0), {2, 3}, {3, 4, 5, 0, 1, 2});
  check(numbers().unsqueeze(0).squeeze(), {2, 3}, {0, 1, 2, 3, 4, 5});
  check(numbers().select(0, 0).expand({2, 3}), {2, 3}, {0, 1, 2, 0, 1, 2});
  check(numbers().as_strided({2}, {4}, 1), {2}, {1, 5});

  Tensor t = numbers();
  CHECK_ERROR(axis, ("axis 2"), std::move(t).select(2, 0));
  CHECK(t.owner() != nullptr);  // still there
  const Tensor row = std::move(t).select(0, 1);
  CHECK(row.at<std::int32_t>(2) == 5);
  CHECK_FALSE(t.defined());  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("tensor: copy_of makes any view row-major", "[core]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(2000); ++round) {
    const test::Memory memory(ScalarType::i32,
                              test::random_layout(random, test::random_shape(random, 4)));
    auto* values = reinterpret_cast<std::int32_t*>(memory.data());
    for (std::int64_t i = 0; i < memory.layout().size; ++i) {
      values[i] = static_cast<std::int32_t>(random.bits());
    }
    const weft::TensorView view = memory.view();
    const Tensor copy = Tensor::copy_of(view);
    bool right = copy.dtype() == view.dtype() && dims(copy.shape()) == memory.layout().shape &&
                 copy.is_contiguous();
    std::int64_t flat = 0;
    test::for_each_index(memory.layout().shape, [&](const Dims& index) {
      const std::int64_t at = test::naive_offset(memory.naive(), index);
      std::int32_t wanted = 0;
      std::memcpy(&wanted, memory.origin() + at, sizeof(wanted));
      right = right && copy.data_as<std::int32_t>()[flat++] == wanted;
    });
    tally.check(right, [&](auto& out) {
      out << weft::to_string(view.shape()) << ' ' << weft::to_string(view.strides());
    });
  }
  CHECK_TALLY(tally);
}
