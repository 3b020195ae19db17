// SPDX-License-Identifier: Apache-2.0
// floor_divide, fmod and remainder: every pair of small integers, floating numbers far from each
// other, and division by zero.
#include <weft/ops/division.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/naive_functions.hpp"

namespace {

using test::Dims;
using weft::DivisionOp;
using weft::Input;
using weft::Output;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

struct Op {
  DivisionOp op;
  Tensor (*make)(const Input&, const Input&);
  void (*write)(const Output&, const Input&, const Input&);
};
const Op ops[] = {{DivisionOp::floor_divide, weft::floor_divide, weft::floor_divide_out},
                  {DivisionOp::fmod, weft::fmod, weft::fmod_out},
                  {DivisionOp::remainder, weft::remainder, weft::remainder_out}};

template <class T>
Tensor tensor_of(const std::vector<T>& values) {
  const Tensor t =
      Tensor::empty({static_cast<std::int64_t>(values.size())}, weft::scalar_type_of<T>);
  std::memcpy(t.data(), values.data(), values.size() * sizeof(T));
  return t;
}

/// Whether all three are right for these pairs.
template <class T>
void check_pairs(test::Tally& tally, const std::vector<T>& a, const std::vector<T>& b) {
  const Tensor x = tensor_of(a), y = tensor_of(b);
  for (const Op& op : ops) {
    const Tensor got = op.make(x, y);
    for (std::size_t i = 0; i < a.size(); ++i) {
      T want;
      if constexpr (weft::is_half_type<T>) {
        want = T(test::division_value<float>(op.op, a[i], b[i]));
      } else {
        want = test::division_value<T>(op.op, a[i], b[i]);
      }
      const T is = got.data_as<T>()[i];
      tally.check(test::same_element(got.dtype(), &is, &want), [&](auto& text) {
        text << weft::info(op.op).name << " of ";
        test::print_element(text, got.dtype(), &a[i]);
        test::print_element(text << " and ", got.dtype(), &b[i]);
        test::print_element(text << " is ", got.dtype(), &is);
        test::print_element(text << ", expected ", got.dtype(), &want);
      });
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("division: every pair of 8-bit integers", "[ops]", std::int8_t, std::uint8_t) {
  using T = TestType;
  std::vector<T> a, b;
  for (int x = std::numeric_limits<T>::min(); x <= std::numeric_limits<T>::max(); ++x) {
    for (int y = std::numeric_limits<T>::min(); y <= std::numeric_limits<T>::max(); ++y) {
      if (y == 0) continue;
      a.push_back(static_cast<T>(x));
      b.push_back(static_cast<T>(y));
    }
  }
  test::Tally tally;
  check_pairs(tally, a, b);
  CHECK_TALLY(tally);
}

TEMPLATE_TEST_CASE("division: wider integers, near whole quotients too", "[ops]", std::int16_t,
                   std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  using T = TestType;
  WEFT_RANDOM(random);
  std::vector<T> a, b;
  const auto add = [&](std::uint64_t x, std::uint64_t y) {
    if (static_cast<T>(y) == 0) return;
    a.push_back(static_cast<T>(x));
    b.push_back(static_cast<T>(y));
  };
  const std::uint64_t least = static_cast<std::uint64_t>(std::numeric_limits<T>::min());
  const std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  for (const std::uint64_t x : {least, most, least + 1, most - 1, std::uint64_t{0}}) {
    for (const std::uint64_t y : {least, most, least + 1, most - 1, ~std::uint64_t{0},
                                  std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}}) {
      add(x, y);
    }
  }
  for (int i = 0; i < test::rounds(100000); ++i) {
    const std::uint64_t y = random.bits() >> random.integer(0, 63);
    const std::uint64_t x = random.bits() >> random.integer(0, 63);
    add(x, y);
    add(x * y + static_cast<std::uint64_t>(random.integer(-1, 1)), y);
  }
  test::Tally tally;
  check_pairs(tally, a, b);
  CHECK_TALLY(tally);
}

TEMPLATE_TEST_CASE("division: floating numbers of any size", "[ops]", float, double, weft::float16,
                   weft::bfloat16) {
  using T = TestType;
  WEFT_RANDOM(random);
  std::vector<T> a, b;
  const auto any = [&] { return test::random_element<T>(random, test::Values::any); };
  for (int i = 0; i < test::rounds(20000); ++i) {
    a.push_back(any());
    b.push_back(any());
    if constexpr (std::is_floating_point_v<T>) {
      // Quotients that are whole or nearly so, of any size, in blocks of their own and among
      // others.
      const T y = std::ldexp(static_cast<T>(random.integer(1, 1 << 24)),
                             static_cast<int>(random.integer(-200, 100)));
      const T q = std::ldexp(static_cast<T>(random.integer(1, 1 << 24)),
                             static_cast<int>(random.integer(-24, i % 1000 == 0 ? 60 : 20)));
      const T x = std::trunc(q) * y;
      for (const T near : {x, std::nextafter(x, T(0)), -std::nextafter(x, 2 * x)}) {
        a.push_back(near);
        b.push_back(random.chance(50) ? y : -y);
      }
    }
  }
  test::Tally tally;
  check_pairs(tally, a, b);
  CHECK_TALLY(tally);
}

TEMPLATE_TEST_CASE("division: floating special values", "[ops]", float, double) {
  using T = TestType;
  using Limits = std::numeric_limits<T>;
  const T values[] = {T(0),
                      -T(0),
                      T(1),
                      T(-1),
                      T(2.5),
                      Limits::infinity(),
                      -Limits::infinity(),
                      Limits::quiet_NaN(),
                      Limits::max(),
                      Limits::min(),
                      Limits::denorm_min(),
                      -Limits::denorm_min(),
                      Limits::lowest()};
  std::vector<T> a, b;
  for (const T x : values) {
    for (const T y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  test::Tally tally;
  check_pairs(tally, a, b);
  CHECK_TALLY(tally);
}

TEMPLATE_TEST_CASE("division: the least integer by -1", "[ops]", std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t) {
  using T = TestType;
  constexpr T least = std::numeric_limits<T>::min();
  const Tensor a = Tensor::of<T>({3}, {least, least, 7});
  CHECK(weft::floor_divide(a, -1).template at<T>({0}) == least);
  CHECK(weft::fmod(a, -1).template at<T>({0}) == 0);
  CHECK(weft::remainder(a, -1).template at<T>({1}) == 0);
  CHECK(weft::floor_divide(a, -2).template at<T>({2}) == -4);
  CHECK(weft::fmod(a, -2).template at<T>({2}) == 1);
  CHECK(weft::remainder(a, -2).template at<T>({2}) == -1);
}

TEST_CASE("division: of integers by zero", "[ops]") {
  for (const ScalarType type : test::all_types()) {
    if (!weft::is_integer(type)) continue;
    const std::string name(weft::name(type));
    for (const Op& op : ops) {
      INFO(weft::info(op.op).name << ' ' << name);
      // Far inside, so that vectors and threads come in; and all of them.
      for (const std::int64_t n : {1, 7, 100000}) {
        const Tensor a = Tensor::full({n}, type, 6);
        const Tensor b = Tensor::full({n}, type, 4);
        CHECK(op.make(a, b).numel() == n);
        weft::cast_tensor(b.slice(0, n / 2, n / 2 + 1), Tensor::zeros({1}, type));
        const Tensor out = Tensor::full({n}, type, 1);
        CHECK_ERROR(division, (weft::info(op.op).name, "input 1", "divided by 0", name),
                    op.write(out, a, b));
        // All has been written, as if divided by 1 there.
        weft::cast_tensor(b.slice(0, n / 2, n / 2 + 1), Tensor::full({1}, type, 1));
        CHECK(test::difference(out, test::dense_copy(op.make(a, b))) == "");
        CHECK_ERROR(division, (name), op.make(a, 0));
        CHECK_ERROR(division, (name), op.write(a, a, Tensor::zeros({}, type)));
      }
    }
  }
  // 256 is 0 among bytes; bool counts as 0 and 1.
  CHECK_ERROR(division, ("u8"), weft::fmod(Tensor::full({3}, ScalarType::u8, 1), 256));
  CHECK_ERROR(division, ("i16"),
              weft::remainder(Tensor::full({3}, ScalarType::i16, 1),
                              Tensor::zeros({3}, ScalarType::boolean)));
  // Nothing is divided where there is nothing, and floating numbers have an answer.
  CHECK(weft::fmod(Tensor::zeros({0}, ScalarType::i32), 0).numel() == 0);
  CHECK(std::isnan(weft::fmod(Tensor::full({1}, ScalarType::i32, 1), 0.0).at<float>({0})));
}

TEST_CASE("division: not of bools and complex numbers", "[ops]") {
  const Tensor flags = Tensor::full({2}, ScalarType::boolean, 1);
  const Tensor z = Tensor::full({2}, ScalarType::c64, 1);
  for (const Op& op : ops) {
    const std::string start =
        std::string(weft::info(op.op).name) + ": not defined for element type ";
    CHECK_ERROR(dtype, (start + "bool"), op.make(flags, flags));
    CHECK_ERROR(dtype, (start + "c64"), op.make(z, 2));
  }
}
