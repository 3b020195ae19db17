// SPDX-License-Identifier: Apache-2.0
// Vectorized and Mask, lane by lane against plain scalars, at every level of this machine.
#include <weft/kernel/vectorized.hpp>

#include "kernel/vector_probe.hpp"
#include "support/element.hpp"
#include "support/guarded.hpp"
#include "support/levels.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace {

using test::Values;
using test::VectorOp;
using weft::Level;
using weft::ScalarType;

/// Integers are added and multiplied modulo 2^64 and cut down; exact for any width.
template <class T>
using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;

template <class T>
T larger(T a, T b) {
  return test::is_nan(a) || (!test::is_nan(b) && a > b) ? a : b;
}
template <class T>
T smaller(T a, T b) {
  return test::is_nan(a) || (!test::is_nan(b) && a < b) ? a : b;
}

/// What one lane should be. `fused`: the level has FMA.
template <class T>
T lane(VectorOp op, T a, T b, T c, T first, bool fused) {
  const auto wa = static_cast<Wide<T>>(a);
  const auto wb = static_cast<Wide<T>>(b);
  switch (op) {
    case VectorOp::add:
    case VectorOp::add_assign: return static_cast<T>(wa + wb);
    case VectorOp::sub:
    case VectorOp::sub_assign: return static_cast<T>(wa - wb);
    case VectorOp::mul:
    case VectorOp::mul_assign: return static_cast<T>(wa * wb);
    case VectorOp::neg: return std::is_integral_v<T> ? static_cast<T>(0 - wa) : static_cast<T>(-wa);
    case VectorOp::eq: return a == b;
    case VectorOp::ne: return a != b;
    case VectorOp::lt: return a < b;
    case VectorOp::le: return a <= b;
    case VectorOp::gt: return a > b;
    case VectorOp::ge: return a >= b;
    case VectorOp::both: return a < b && b < c;
    case VectorOp::either: return a < b || b < c;
    case VectorOp::negated: return !(a < b);
    case VectorOp::select: return a < b ? b : c;
    case VectorOp::max: return larger(a, b);
    case VectorOp::min: return smaller(a, b);
    case VectorOp::broadcast: return first;
    case VectorOp::abs:
      if constexpr (std::is_floating_point_v<T>) return std::fabs(a);
      return a < 0 ? static_cast<T>(0 - wa) : a;
    case VectorOp::exp: break;  // vectorized_math_test.cpp
    default: break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (op == VectorOp::div) return a / b;
    if (op == VectorOp::sqrt) return std::sqrt(a);
    if (op == VectorOp::fma) {
      if (fused) return std::fma(a, b, c);
      const volatile T product = a * b;  // volatile: rounded before the sum
      return product + c;
    }
  }
  return T{};
}

template <class T>
constexpr bool has(VectorOp op) {
  if (op == VectorOp::exp) return false;
  const bool floating_only = op == VectorOp::div || op == VectorOp::sqrt || op == VectorOp::fma;
  return std::is_floating_point_v<T> || !floating_only;
}

}  // namespace

TEMPLATE_TEST_CASE("vectorized: every operation acts lane by lane", "[kernel]", std::uint8_t,
                   std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
                   std::uint64_t, std::int64_t, float, double) {
  using T = TestType;
  constexpr ScalarType type = weft::scalar_type_of<T>;
  constexpr int lanes = 64 / sizeof(T);
  STATIC_REQUIRE(weft::Vectorized<T>::lanes == lanes);
  STATIC_REQUIRE(weft::Vectorized<T>::lanes ==
                 weft::Vectorized<T>::width * weft::Vectorized<T>::registers);
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(200); ++round) {
    std::array<T, lanes> a, b, c;
    test::fill(type, a.data(), lanes, random);
    test::fill(type, b.data(), lanes, random);
    test::fill(type, c.data(), lanes, random);
    // Equal lanes are rare by chance, and comparisons are about them.
    for (std::size_t i = 0; i < lanes; ++i) {
      if (random.chance(20)) b[i] = a[i];
    }
    for (const Level level : test::levels()) {
      for (int i = 0; i < test::vector_op_count; ++i) {
        const auto op = static_cast<VectorOp>(i);
        if (op == VectorOp::exp) continue;
        std::array<T, lanes> out{};
        const bool done =
            test::vector_op.at(level)(op, type, out.data(), a.data(), b.data(), c.data());
        tally.check(done == has<T>(op), [&](auto& text) {
          text << "operation " << i << (done ? " exists for " : " is missing for ")
               << weft::name(type);
        });
        if (!done) continue;
        for (std::size_t j = 0; j < lanes; ++j) {
          const T want = lane(op, a[j], b[j], c[j], a[0], level != Level::baseline);
          tally.check(test::same_element(type, &out[j], &want), [&](auto& text) {
            text << weft::name(level) << ", operation " << i << " on ";
            for (const T* x : {&a[j], &b[j], &c[j]}) {
              test::print_element(text, type, x);
              text << ", ";
            }
            text << "lane " << j << " is ";
            test::print_element(text, type, &out[j]);
            text << ", expected ";
            test::print_element(text, type, &want);
          });
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

TEMPLATE_TEST_CASE("vectorized: special values", "[kernel]", float, double) {
  using T = TestType;
  constexpr ScalarType type = weft::scalar_type_of<T>;
  constexpr int lanes = 64 / sizeof(T);
  using Limits = std::numeric_limits<T>;
  const T special[] = {T(0),
                       -T(0),
                       T(1),
                       T(-1),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::max(),
                       Limits::denorm_min()};
  for (const Level level : test::levels()) {
    test::Tally tally;
    for (const T x : special) {
      for (const T y : special) {
        std::array<T, lanes> a, b, out;
        a.fill(x);
        b.fill(y);
        for (const VectorOp op :
             {VectorOp::eq, VectorOp::ne, VectorOp::lt, VectorOp::le, VectorOp::gt, VectorOp::ge,
              VectorOp::max, VectorOp::min, VectorOp::negated, VectorOp::neg, VectorOp::abs,
              VectorOp::sqrt, VectorOp::add, VectorOp::div}) {
          test::vector_op.at(level)(op, type, out.data(), a.data(), b.data(), b.data());
          const T want = lane(op, x, y, y, x, level != Level::baseline);
          tally.check(test::same_element(type, &out[lanes - 1], &want), [&](auto& text) {
            text << weft::name(level) << ", operation " << static_cast<int>(op) << " of " << x
                 << " and " << y << " is " << out[lanes - 1] << ", expected " << want;
          });
        }
      }
    }
    CHECK_TALLY(tally);
  }
}

TEMPLATE_TEST_CASE("vectorized: parts are loaded and stored to the element", "[kernel]",
                   std::uint8_t, std::int16_t, std::uint32_t, std::int64_t, float, double) {
  using T = TestType;
  constexpr ScalarType type = weft::scalar_type_of<T>;
  constexpr std::int64_t lanes = 64 / sizeof(T);
  const test::Guarded memory(128);
  for (const Level level : test::levels()) {
    for (std::int64_t count = 0; count <= lanes; ++count) {
      INFO(weft::name(level) << ", " << count << " lanes");
      // Up to the last byte that may be touched, and a byte before them that stays as it is.
      char* from =
          memory.data() + memory.size_bytes() - count * static_cast<std::int64_t>(sizeof(T));
      const char before = from[-1];
      for (std::int64_t i = 0; i < count; ++i)
        test::store(from + i * sizeof(T), T(i + 1));
      const T fill = T(99);
      std::array<T, lanes> all;
      test::vector_load_part.at(level)(type, all.data(), from, count, &fill);
      bool right = true;
      for (std::int64_t i = 0; i < lanes; ++i) {
        right = right && all[static_cast<std::size_t>(i)] == (i < count ? T(i + 1) : fill);
      }
      CHECK(right);

      for (std::int64_t i = 0; i < lanes; ++i)
        all[static_cast<std::size_t>(i)] = T(i + 7);
      test::vector_store_part.at(level)(type, from, all.data(), count);
      right = true;
      for (std::int64_t i = 0; i < count; ++i) {
        right = right && test::load<T>(from + i * sizeof(T)) == T(i + 7);
      }
      CHECK(right);
      CHECK(from[-1] == before);

      // Not aligned, and nothing after them written.
      const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(T));
      char* to = memory.data() + 1;
      std::memset(to, 0x5a, static_cast<std::size_t>(lanes) * sizeof(T));
      test::vector_store_part.at(level)(type, to, all.data(), count);
      CHECK(std::memcmp(to, all.data(), static_cast<std::size_t>(bytes)) == 0);
      CHECK(std::all_of(to + bytes, to + 64, [](char c) { return c == 0x5a; }));
    }
  }
}

TEMPLATE_TEST_CASE("vectorized: lanes are combined as a tree of halves", "[kernel]", std::uint8_t,
                   std::int16_t, std::int32_t, std::uint64_t, float, double) {
  using T = TestType;
  constexpr ScalarType type = weft::scalar_type_of<T>;
  constexpr std::size_t lanes = 64 / sizeof(T);
  WEFT_RANDOM(random);
  for (const Level level : test::levels()) {
    std::array<T, lanes> v;
    test::fill(type, v.data(), lanes, random, Values::small);
    T got{};
    test::vector_reduce.at(level)(type, &got, v.data());
    // Lane i is subtracted as often as it has been a right-hand side: each time twice.
    Wide<T> want = 0;
    for (std::size_t i = 0; i < lanes; ++i) {
      Wide<T> factor = 1;
      for (std::size_t bit = 1; bit < lanes; bit *= 2) {
        if ((i & bit) != 0) factor *= static_cast<Wide<T>>(-2);
      }
      want += factor * static_cast<Wide<T>>(v[i]);
    }
    CHECK(got == static_cast<T>(want));
  }
}

TEST_CASE("vectorized: fma is fused at the levels that have it", "[kernel]") {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the last term is half a unit and vanishes if the product is
  // rounded.
  std::array<float, 16> a, c, out;
  a.fill(1.0f + 0x1p-12f);
  c.fill(-1.0f - 0x1p-11f);
  for (const Level level : test::levels()) {
    INFO(weft::name(level));
    REQUIRE(test::vector_op.at(level)(VectorOp::fma, ScalarType::f32, out.data(), a.data(),
                                      a.data(), c.data()));
    CHECK(std::count(out.begin(), out.end(), level == Level::baseline ? 0.0f : 0x1p-24f) == 16);
  }
}
