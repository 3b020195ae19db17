// SPDX-License-Identifier: Apache-2.0
#include <weft/core/promotion.hpp>

#include "support/tally.hpp"

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using weft::ScalarType;

/// Written out by hand from PyTorch's rules, and NumPy's where PyTorch refuses: the unsigned types
/// of 16 bits and more with other integers. Row with column.
const char* const table = R"(
        bool u8   i8   u16  i16  u32  i32  u64  i64  f16  bf16 f32  f64  c64  c128
  bool  bool u8   i8   u16  i16  u32  i32  u64  i64  f16  bf16 f32  f64  c64  c128
  u8    u8   u8   i16  u16  i16  u32  i32  u64  i64  f16  bf16 f32  f64  c64  c128
  i8    i8   i16  i8   i32  i16  i64  i32  f64  i64  f16  bf16 f32  f64  c64  c128
  u16   u16  u16  i32  u16  i32  u32  i32  u64  i64  f16  bf16 f32  f64  c64  c128
  i16   i16  i16  i16  i32  i16  i64  i32  f64  i64  f16  bf16 f32  f64  c64  c128
  u32   u32  u32  i64  u32  i64  u32  i64  u64  i64  f16  bf16 f32  f64  c64  c128
  i32   i32  i32  i32  i32  i32  i64  i32  f64  i64  f16  bf16 f32  f64  c64  c128
  u64   u64  u64  f64  u64  f64  u64  f64  u64  f64  f16  bf16 f32  f64  c64  c128
  i64   i64  i64  i64  i64  i64  i64  i64  f64  i64  f16  bf16 f32  f64  c64  c128
  f16   f16  f16  f16  f16  f16  f16  f16  f16  f16  f16  f32  f32  f64  c64  c128
  bf16  bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 f32  bf16 f32  f64  c64  c128
  f32   f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f64  c64  c128
  f64   f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  c128 c128
  c64   c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c128 c64  c128
  c128  c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128
)";

std::vector<ScalarType> all_types() {
  std::vector<ScalarType> types;
  for (int i = 0; i < weft::scalar_type_count; ++i)
    types.push_back(static_cast<ScalarType>(i));
  return types;
}

/// bool 0, integers 1, floating types 2, complex 3.
int kind(ScalarType type) {
  const std::string name(weft::name(type));
  if (name == "bool") return 0;
  if (name[0] == 'u' || name[0] == 'i') return 1;
  return name[0] == 'c' ? 3 : 2;
}

struct Added {
  ScalarType type;
  int rank;
  bool weak = false;
};

ScalarType result(const std::vector<Added>& operands, ScalarType default_float = ScalarType::f32) {
  weft::ResultType result_type(default_float);
  for (const Added& op : operands)
    result_type.add(op.type, op.rank, op.weak);
  return result_type.get().value();
}

}  // namespace

TEST_CASE("promotion: all pairs of types", "[core]") {
  std::istringstream in(table);
  std::vector<std::string> columns(weft::scalar_type_count);
  for (std::string& column : columns)
    in >> column;
  int pairs = 0;
  std::string row, wanted;
  while (in >> row) {
    for (const std::string& column : columns) {
      REQUIRE(in >> wanted);
      CAPTURE(row, column);
      const auto a = weft::parse_scalar_type(row);
      const auto b = weft::parse_scalar_type(column);
      CHECK(weft::name(weft::promote_types(a, b)) == wanted);
      ++pairs;
    }
  }
  CHECK(pairs == 15 * 15);
}

TEST_CASE("promotion: a common type can hold both kinds", "[core]") {
  for (const ScalarType a : all_types()) {
    CHECK(weft::promote_types(a, a) == a);
    for (const ScalarType b : all_types()) {
      CAPTURE(weft::name(a), weft::name(b));
      const ScalarType both = weft::promote_types(a, b);
      CHECK(both == weft::promote_types(b, a));
      CHECK(weft::can_cast(a, both));
      CHECK(weft::promote_types(both, a) == both);
    }
  }
}

TEST_CASE("promotion: can_cast keeps the kind", "[core]") {
  for (const ScalarType from : all_types()) {
    for (const ScalarType to : all_types()) {
      CAPTURE(weft::name(from), weft::name(to));
      // Complex to real, floating to integer or bool, anything else to bool: all go down in kind.
      CHECK(weft::can_cast(from, to) == (kind(to) >= kind(from)));
    }
  }
  CHECK(weft::can_cast(ScalarType::f64, ScalarType::f32));
  CHECK_FALSE(weft::can_cast(ScalarType::f32, ScalarType::i32));
  CHECK(weft::can_cast(ScalarType::i8, ScalarType::u8));
}

TEST_CASE("promotion: of no operand there is no type", "[core]") {
  CHECK_FALSE(weft::ResultType().get().has_value());
}

TEST_CASE("promotion: PyTorch's result_type spots", "[core]") {
  using enum ScalarType;
  struct Spot {
    Added a, b;
    ScalarType wanted;
  };
  const std::vector<Spot> spots = {
      {{f16, 2}, {i64, 0}, f16},
      {{f32, 0}, {f64, 1}, f64},
      {{i32, 0}, {i64, 0, true}, i32},
      {{i64, 0}, {f64, 0, true}, f32},
      {{i64, 0}, {i32, 3}, i32},
      {{f32, 2}, {f64, 0, true}, f32},
      {{c64, 1}, {c128, 0}, c64},
      {{c128, 1}, {c64, 0}, c128},
      {{boolean, 1}, {f64, 0, true}, f32},
      {{u8, 1}, {i64, 0, true}, u8},
      {{u8, 1}, {f64, 0, true}, f32},
      {{u8, 1}, {f64, 0}, f64},
      {{f32, 1}, {f64, 0}, f32},
      {{i32, 1}, {i64, 1}, i64},
      {{i32, 1}, {f32, 1}, f32},
      {{f32, 1}, {f64, 1}, f64},
      {{c64, 1}, {i64, 0, true}, c64},
      {{c64, 1}, {f64, 0}, c64},
      {{f64, 1}, {c64, 0}, c128},
      {{f16, 1}, {c128, 0}, c64},
      {{f64, 1}, {c128, 0, true}, c128},
      {{f32, 1}, {c128, 0, true}, c64},
      {{i16, 1}, {c128, 0, true}, c64},
      {{boolean, 1}, {u8, 0}, u8},
      {{boolean, 1}, {boolean, 0, true}, boolean},
      {{boolean, 0}, {i64, 0, true}, i64},
      {{i8, 1}, {u64, 0}, i8},
      {{bf16, 1}, {f16, 0}, bf16},
  };
  for (const Spot& spot : spots) {
    CAPTURE(weft::name(spot.a.type), spot.a.rank, weft::name(spot.b.type), spot.b.rank,
            spot.b.weak);
    CHECK(result({spot.a, spot.b}) == spot.wanted);
    CHECK(result({spot.b, spot.a}) == spot.wanted);
  }
}

TEST_CASE("promotion: the default floating type is what numbers with a fraction count as",
          "[core]") {
  using enum ScalarType;
  for (const ScalarType floating : {f16, bf16, f32, f64}) {
    CHECK(result({{i64, 1}, {f64, 0, true}}, floating) == floating);
    CHECK(result({{f64, 0, true}}, floating) == floating);
    CHECK(result({{i64, 1}, {c128, 0, true}}, floating) == (floating == f64 ? c128 : c64));
  }
}

TEST_CASE("promotion: with three strengths, a weaker operand decides only by a higher kind",
          "[core]") {
  test::Tally tally;
  for (const ScalarType axes : all_types()) {
    for (const ScalarType point : all_types()) {
      for (const ScalarType number :
           {ScalarType::boolean, ScalarType::i64, ScalarType::f64, ScalarType::c128}) {
        const ScalarType got = result({{axes, 2}, {point, 0}, {number, 0, true}});
        const int highest = std::max({kind(axes), kind(point), kind(number)});
        bool right = kind(got) == highest;
        right = right && got == result({{number, 0, true}, {point, 0}, {axes, 2}});
        if (kind(axes) == highest) right = right && got == axes;
        if (kind(axes) < highest && kind(point) == highest && kind(axes) != 2) {
          right = right && got == point;
        }
        tally.check(right, [&](auto& out) {
          out << weft::name(axes) << ", " << weft::name(point) << ", " << weft::name(number)
              << " gave " << weft::name(got);
        });
      }
    }
  }
  CHECK_TALLY(tally);
}
