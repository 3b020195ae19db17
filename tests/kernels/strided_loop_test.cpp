// SPDX-License-Identifier: Apache-2.0
// Loops over strided elements: what the loops over dense spans make of the same elements,
// for every function that has one, at every level.
#include "all_kernels.hpp"
#include "support/levels.hpp"
#include "support/strided_spans.hpp"

using weft::ScalarType;

namespace {

std::string text_of(std::string_view name, const weft::SpanKernel& kernel, weft::Level level) {
  std::string text(name);
  return text.append(" ")
      .append(weft::name(kernel.types[1]))
      .append(", ")
      .append(weft::name(level));
}

}  // namespace

TEST_CASE("strided loops: as loops over dense spans", "[kernels]") {
  WEFT_RANDOM(random);
  for (const weft::Level level : test::levels()) {
    test::Tally tally;
    test::for_each_kernel(level, [&](std::string_view name, const weft::SpanKernel& kernel) {
      if (kernel.run_strided == nullptr) return;
      for (int round = 0; round < test::rounds(10); ++round)
        test::check_strided(tally, random, kernel, text_of(name, kernel, level));
    });
    CHECK_TALLY(tally);
  }
}

TEST_CASE("strided loops: whose they are", "[kernels]") {
  const auto has_one = [](const weft::SpanKernel* kernel) {
    return kernel->run_strided != nullptr;
  };
  for (const weft::Level level : test::levels()) {
    const auto binary = [&](weft::BinaryOp op, ScalarType type) {
      return weft::any_function(op).kernel(type, level);
    };
    for (const ScalarType type : {ScalarType::u8, ScalarType::i64, ScalarType::f32, ScalarType::f64,
                                  ScalarType::c64, ScalarType::c128})
      CHECK(has_one(binary(weft::BinaryOp::add, type)));
    CHECK(has_one(binary(weft::BinaryOp::maximum, ScalarType::f64)));
    CHECK(has_one(weft::function_of<weft::CompareOp::gt>.kernel(ScalarType::f32, level)));
    CHECK(has_one(weft::function_of<weft::TernaryOp::where>.kernel(ScalarType::i16, level)));
    // Complex products have one where they have registers, which see to it that nothing is fused.
    CHECK(has_one(binary(weft::BinaryOp::mul, ScalarType::c128)) ==
          (level != weft::Level::baseline));
    CHECK(!has_one(binary(weft::BinaryOp::div, ScalarType::c128)));
    // Of one input, packing is as quick, but for wide elements of which one takes an instruction.
    const auto unary = [&](weft::UnaryOp op, ScalarType type) {
      return weft::any_function(op).kernel(type, level);
    };
    CHECK(!has_one(unary(weft::UnaryOp::neg, ScalarType::f32)));
    CHECK(has_one(unary(weft::UnaryOp::neg, ScalarType::f64)));
    CHECK(has_one(unary(weft::UnaryOp::neg, ScalarType::c128)));
    CHECK(!has_one(unary(weft::UnaryOp::sqrt, ScalarType::f64)));
  }
}
