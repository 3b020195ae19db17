// SPDX-License-Identifier: Apache-2.0
#include <weft/iter/types.hpp>

#include "support/errors.hpp"
#include "support/seed.hpp"
#include "support/tally.hpp"

#include <string>
#include <vector>

namespace {

using enum weft::ScalarType;
using weft::OperandType;
using weft::ScalarType;
using weft::TypeRules;
using Operands = std::vector<OperandType>;

OperandType output(ScalarType type, int rank = 1) {
  return {.is_output = true, .defined = true, .rank = rank, .storage = type};
}
OperandType new_output() { return {.is_output = true}; }
OperandType input(ScalarType type, int rank = 1, bool weak = false) {
  return {.defined = true, .weak = weak, .rank = rank, .storage = type};
}

/// "common | dtype of each operand", with "storage as dtype" where the two differ.
std::string resolved(Operands operands, const TypeRules& rules) {
  const auto common = weft::resolve_types(operands, rules);
  std::string text(common ? weft::name(*common) : "-");
  text += " |";
  for (const OperandType& op : operands) {
    text += ' ';
    if (op.storage != op.dtype) text += std::string(weft::name(op.storage)) + ">";
    text += weft::name(op.dtype);
  }
  return text;
}

const TypeRules as_they_are{.check_all_same = false};
const TypeRules promote{.check_all_same = false, .promote_inputs = true};
const TypeRules binary{
    .check_all_same = false, .promote_inputs = true, .cast_to_outputs = true, .safe_casting = true};

}  // namespace

TEST_CASE("types: by default all operands have one", "[iter]") {
  CHECK(resolved({output(f32), input(f32), input(f32)}, {}) == "f32 | f32 f32 f32");
  CHECK(resolved({new_output(), input(i16)}, {}) == "i16 | i16 i16");
  Operands mixed = {output(f32), input(f32), input(f64)};
  CHECK_ERROR(dtype, ("input 1", "found element type f64", "expected f32", "output 0"),
              weft::resolve_types(mixed, {}));
  mixed = {output(f32), input(f64)};
  CHECK_ERROR(dtype, ("input 0", "f64", "expected f32", "output 0"),
              weft::resolve_types(mixed, {}));
  mixed = {new_output(), input(f64), input(i32)};
  CHECK_ERROR(dtype, ("input 1", "i32", "expected f64", "input 0"), weft::resolve_types(mixed, {}));
}

TEST_CASE("types: nothing asked, nothing changed", "[iter]") {
  CHECK(resolved({output(i64), input(f32), input(f64)}, as_they_are) == "- | i64 f32 f64");
  CHECK(resolved({}, as_they_are) == "- |");
}

TEST_CASE("types: promotion changes what inputs are read as", "[iter]") {
  CHECK(resolved({output(boolean), input(f32), input(f64)}, promote) == "f64 | bool f32>f64 f64");
  CHECK(resolved({new_output(), input(i32), input(f32)}, promote) == "f32 | f32 i32>f32 f32");
  CHECK(resolved({new_output(), input(f32, 2), input(f64, 0)}, promote) == "f32 | f32 f32 f64>f32");
  CHECK(resolved({new_output(), input(u8), input(i64, 0, true)}, promote) == "u8 | u8 u8 i64>u8");
  CHECK(resolved({new_output(), input(i64, 0), input(f64, 0, true)}, promote) ==
        "f32 | f32 i64>f32 f64>f32");
  CHECK(resolved({new_output(), input(u16), input(i16)}, promote) == "i32 | i32 u16>i32 i16>i32");
}

TEST_CASE("types: without promotion a number of the language keeps its width", "[iter]") {
  CHECK(resolved({new_output(), input(f64, 0, true)}, {}) == "f64 | f64 f64");
  CHECK(resolved({new_output(), input(f64, 0, true)}, promote) == "f32 | f32 f64>f32");
}

TEST_CASE("types: an output to allocate takes the common type or the declared one", "[iter]") {
  TypeRules rules = promote;
  rules.undefined_outputs = boolean;
  CHECK(resolved({new_output(), input(i32), input(f32)}, rules) == "f32 | bool i32>f32 f32");
  rules.promote_inputs = false;
  CHECK(resolved({new_output(), input(i32), input(f32)}, rules) == "- | bool i32 f32");
  Operands mixed = {new_output(), input(f64), input(i32)};
  CHECK_ERROR(dtype, ("input 1", "i32", "f64"), weft::resolve_types(mixed, as_they_are));
  Operands none = {new_output()};
  CHECK_ERROR(dtype, ("output 0", "no input", "declare_static_dtype"),
              weft::resolve_types(none, as_they_are));
}

TEST_CASE("types: outputs of another type are computed in the common one", "[iter]") {
  CHECK(resolved({output(f64), input(i32), input(f32)}, binary) == "f32 | f64>f32 i32>f32 f32");
  CHECK(resolved({output(u8), input(u8), input(i16)}, binary) == "i16 | u8>i16 u8>i16 i16");
  CHECK(resolved({new_output(), output(f64), input(f32)}, binary) == "f32 | f32 f64>f32 f32");
  // Without promotion the inputs have to agree.
  TypeRules cast = as_they_are;
  cast.cast_to_outputs = true;
  CHECK(resolved({output(f64), input(f32), input(f32)}, cast) == "f32 | f64>f32 f32 f32");
  Operands mixed = {output(f64), input(f32), input(f64)};
  CHECK_ERROR(dtype, ("input 1", "f64", "f32"), weft::resolve_types(mixed, cast));
}

TEST_CASE("types: safe casting refuses an output of a lower kind", "[iter]") {
  const auto refused = [](ScalarType out, ScalarType a, ScalarType b) {
    Operands operands = {output(out), input(a), input(b)};
    return test::wrong_error(weft::ErrorCode::cast, {"output 0", std::string(weft::name(out))},
                             [&] { weft::resolve_types(operands, binary); });
  };
  CHECK(refused(i64, f32, f32) == "");
  CHECK(refused(boolean, u8, boolean) == "");
  CHECK(refused(f64, c64, f32) == "");
  CHECK(refused(i32, i32, f64) == "");
  CHECK(resolved({output(i32), input(i32), input(i64)}, binary) == "i64 | i32>i64 i32>i64 i64");
  CHECK(resolved({output(f16), input(f64), input(f64)}, binary) == "f64 | f16>f64 f64 f64");
  CHECK(resolved({output(c64), input(f64), input(f64)}, binary) == "f64 | c64>f64 f64 f64");
}

TEST_CASE("types: integers may become floating", "[iter]") {
  TypeRules rules = binary;
  rules.integers_to_float = true;
  CHECK(resolved({new_output(), input(i64), input(i32)}, rules) == "f32 | f32 i64>f32 i32>f32");
  CHECK(resolved({new_output(), input(boolean)}, rules) == "f32 | f32 bool>f32");
  CHECK(resolved({new_output(), input(f16)}, rules) == "f16 | f16 f16");
  CHECK(resolved({new_output(), input(c64)}, rules) == "c64 | c64 c64");
  rules.default_float = f64;
  CHECK(resolved({new_output(), input(i64)}, rules) == "f64 | f64 i64>f64");
  Operands to_integer = {output(i32), input(i32)};
  CHECK_ERROR(cast, ("output 0", "i32", "f64"), weft::resolve_types(to_integer, rules));
}

TEST_CASE("types: whatever the rules, memory keeps its types", "[iter]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(5000); ++round) {
    const auto type = [&] { return static_cast<ScalarType>(random.integer(0, 14)); };
    Operands operands;
    for (std::int64_t i = random.integer(0, 2); i > 0; --i) {
      operands.push_back(random.chance(30) ? new_output() : output(type()));
    }
    const std::size_t outputs = operands.size();
    for (std::int64_t i = random.integer(0, 3); i > 0; --i) {
      operands.push_back(input(type(), static_cast<int>(random.integer(0, 2)), random.chance(20)));
    }
    TypeRules rules{random.chance(30),
                    random.chance(70),
                    random.chance(30),
                    random.chance(50),
                    random.chance(30),
                    std::nullopt,
                    f32};
    if (random.chance(20)) rules.undefined_outputs = type();
    Operands resolved = operands;
    try {
      const auto common = weft::resolve_types(resolved, rules);
      bool right = true;
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const OperandType& op = resolved[k];
        if (operands[k].defined) right = right && op.storage == operands[k].storage;
        if (!operands[k].defined) right = right && op.storage == op.dtype;
        if (k >= outputs && rules.promote_inputs) right = right && op.dtype == common;
        if (k >= outputs && !rules.promote_inputs) right = right && op.dtype == op.storage;
        if (k < outputs && rules.safe_casting && operands[k].defined && common) {
          right = right && weft::can_cast(*common, op.storage);
        }
      }
      tally.check(right, [&](auto& out) { out << "round " << round; });
    } catch (const weft::Error& error) {
      const bool right =
          error.code() == weft::ErrorCode::dtype || error.code() == weft::ErrorCode::cast;
      tally.check(right, [&](auto& out) { out << error.what(); });
    }
  }
  CHECK_TALLY(tally);
}
