// SPDX-License-Identifier: Apache-2.0
// The loops over cast(): strides, alignment, shapes. What a single conversion gives is in
// cast_test.cpp.
#include <weft/core/cast.hpp>

#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"

#include <cstring>
#include <vector>

namespace {

using test::Dims;
using weft::ScalarType;

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

}  // namespace

TEST_CASE("cast_elements: strides of any sign, zero among them", "[core]") {
  const std::vector<std::int32_t> from = {1, 2, 3, 4, 5};
  std::vector<double> to(5, -1);
  weft::cast_elements(to.data() + 4, ScalarType::f64, -8, from.data(), ScalarType::i32, 4, 5);
  CHECK(to == std::vector<double>{5, 4, 3, 2, 1});
  weft::cast_elements(to.data(), ScalarType::f64, 16, from.data() + 3, ScalarType::i32, 0, 3);
  CHECK(to == std::vector<double>{4, 4, 4, 2, 4});
  weft::cast_elements(to.data(), ScalarType::f64, 8, from.data() + 4, ScalarType::i32, -8, 3);
  CHECK(to == std::vector<double>{5, 3, 1, 2, 4});
  weft::cast_elements(to.data(), ScalarType::f64, 8, from.data(), ScalarType::i32, 4, 0);
  CHECK(to == std::vector<double>{5, 3, 1, 2, 4});
}

TEST_CASE("cast_elements: need not be aligned", "[core]") {
  for (std::int64_t off = 0; off < 8; ++off) {
    std::vector<std::byte> from(static_cast<std::size_t>(3 * 11 + 8));
    std::vector<std::byte> to(static_cast<std::size_t>(3 * 9 + 8));
    for (std::int64_t i = 0; i < 3; ++i) {
      const double value = 1.5 * static_cast<double>(i);
      std::memcpy(from.data() + off + 11 * i, &value, sizeof(value));
    }
    weft::cast_elements(to.data() + off, ScalarType::f32, 9, from.data() + off, ScalarType::f64, 11,
                        3);
    for (std::int64_t i = 0; i < 3; ++i) {
      CHECK(read<float>(to.data() + off + 9 * i) == 1.5f * static_cast<float>(i));
    }
  }
}

TEST_CASE("cast_elements: a bool may hold any byte", "[core]") {
  const unsigned char from[] = {0, 1, 2, 255};
  std::int32_t to[4] = {};
  weft::cast_elements(to, ScalarType::i32, 4, from, ScalarType::boolean, 1, 4);
  CHECK(std::vector<std::int32_t>(to, to + 4) == std::vector<std::int32_t>{0, 1, 1, 1});
  unsigned char back[4] = {7, 7, 7, 7};
  weft::cast_elements(back, ScalarType::boolean, 1, from, ScalarType::boolean, 1, 4);
  CHECK(std::vector<int>(back, back + 4) == std::vector<int>{0, 1, 1, 1});
}

TEST_CASE("cast_elements: in place between types of one size", "[core]") {
  std::vector<float> values = {1.0f, -2.5f, 1e20f};
  weft::cast_elements(values.data(), ScalarType::i32, 4, values.data(), ScalarType::f32, 4, 3);
  std::int32_t got[3];
  std::memcpy(got, values.data(), sizeof(got));
  CHECK(got[0] == 1);
  CHECK(got[1] == -2);
  CHECK(got[2] == 2147483647);
}

TEST_CASE("cast_tensor: every element to its place, and nothing else written", "[core]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(2000); ++round) {
    const Dims shape = test::random_shape(random, 4);
    const test::Memory from(ScalarType::i16, test::random_layout(random, shape));
    const test::Memory to(ScalarType::f32, test::random_layout(random, shape, {.zero = false}));
    for (std::int64_t i = 0; i < from.size_bytes(); ++i) {
      from.data()[i] = static_cast<std::byte>(random.bits());
    }
    std::vector<float> wanted(static_cast<std::size_t>(to.layout().size), -0.25f);
    if (to.data() != nullptr) {
      std::memcpy(to.data(), wanted.data(), static_cast<std::size_t>(to.size_bytes()));
    }
    test::for_each_index(shape, [&](const Dims& index) {
      const std::int64_t at = to.layout().origin + test::naive_offset(to.naive(), index) / 4;
      wanted[static_cast<std::size_t>(at)] =
          read<std::int16_t>(from.origin() + test::naive_offset(from.naive(), index));
    });
    weft::cast_tensor(to.view(), from.view());
    const bool right =
        wanted.empty() || std::memcmp(wanted.data(), to.data(), wanted.size() * sizeof(float)) == 0;
    tally.check(right, [&](auto& out) {
      out << weft::to_string(shape) << ' ' << weft::to_string(from.view().strides()) << " to "
          << weft::to_string(to.view().strides());
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("cast_tensor: shapes have to be equal", "[core]") {
  const test::Memory a(ScalarType::f32, test::fit({{2, 3}, {3, 1}}));
  const test::Memory b(ScalarType::f32, test::fit({{3, 2}, {2, 1}}));
  const test::Memory c(ScalarType::f32, test::fit({{3}, {1}}));
  CHECK_ERROR(shape, ("[2, 3]", "[3, 2]"), weft::cast_tensor(a.view(), b.view()));
  CHECK_ERROR(shape, ("[3]", "[2, 3]"), weft::cast_tensor(a.view(), c.view()));
}
