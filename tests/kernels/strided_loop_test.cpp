// SPDX-License-Identifier: Apache-2.0
// Loops over strided elements: what the loops over dense spans make of the same elements,
// for every function that has one, at every level; steps of any sign and none, in place, up to the
// last byte of memory, and nothing between the results.
#include "all_kernels.hpp"
#include "support/levels.hpp"
#include "support/tally.hpp"

#include <cstring>
#include <memory>

namespace {

using test::Random;
using weft::ScalarType;

constexpr char gap = 0x5a;

/// n elements at a stride of `step` bytes, and nothing beyond them.
struct Strided {
  Strided(std::int64_t n, std::int64_t step, std::int64_t size) : step_(step), size_(size) {
    const std::int64_t reach = (n - 1) * std::abs(step);
    bytes = static_cast<std::size_t>(reach + size);
    memory = std::make_unique<char[]>(bytes);
    std::memset(memory.get(), gap, bytes);
    first = memory.get() + (step < 0 ? reach : 0);
  }
  char* at(std::int64_t i) const { return first + i * step_; }
  void put(const char* dense, std::int64_t n) const {
    for (std::int64_t i = 0; i < n; ++i)
      std::memcpy(at(i), dense + i * size_, static_cast<std::size_t>(size_));
  }

  std::unique_ptr<char[]> memory;
  std::size_t bytes;
  char* first;

 private:
  std::int64_t step_;
  std::int64_t size_;
};

void check(test::Tally& tally, Random& random, const weft::SpanKernel& kernel,
           std::string_view what, weft::Level level) {
  const std::int64_t n = random.chance(80) ? random.integer(1, 40) : random.integer(41, 300);
  const int count = 1 + kernel.ninputs;
  std::vector<std::vector<char>> dense;
  std::vector<Strided> strided;
  std::int64_t steps[4];
  char* spans[4];
  char* starts[4];
  std::uint32_t broadcast = 0;
  // The output in place of an input of its type.
  const int in_place = random.chance(20) && kernel.types[0] == kernel.types[1] ? 1 : 0;
  for (int k = 0; k < count; ++k) {
    const std::int64_t size = weft::element_size(kernel.types[k]);
    steps[k] = random.integer(1, 5) * size + random.integer(0, 1) * random.integer(0, 9);
    if (k == 0 && random.chance(50)) steps[k] = size;
    if (random.chance(30)) steps[k] = -steps[k];
    const bool one = k > 0 && k != in_place && random.chance(20);
    if (one) steps[k] = 0;
    if (one) broadcast |= 1u << k;
    if (k > 0 && k == in_place) steps[k] = steps[0];
    dense.emplace_back(static_cast<std::size_t>((one ? 1 : n) * size), gap);
    if (k > 0) test::fill(kernel.types[k], dense.back().data(), one ? 1 : n, random);
    strided.emplace_back(one ? 1 : n, steps[k], size);
    if (k > 0) strided.back().put(dense.back().data(), one ? 1 : n);
  }
  for (int k = 0; k < count; ++k) {
    spans[k] = dense[static_cast<std::size_t>(k)].data();
    starts[k] = strided[static_cast<std::size_t>(k)].first;
  }
  const Strided& out = strided[0];
  if (in_place != 0) {
    out.put(spans[in_place], n);
    starts[in_place] = out.first;
  }
  kernel.run(kernel.context, spans, nullptr, n, 1, broadcast);
  kernel.run_strided(kernel.context, starts, steps, n);
  const ScalarType type = kernel.types[0];
  const std::int64_t size = weft::element_size(type);
  for (std::int64_t i = 0; i < n; ++i) {
    const char* want = spans[0] + i * size;
    tally.check(test::same_element(type, want, out.at(i)), [&](auto& text) {
      text << what << ' ' << weft::name(kernel.types[1]) << ", " << weft::name(level) << ", " << i
           << " of " << n;
      test::print_element(text << ": ", type, out.at(i));
      test::print_element(text << ", expected ", type, want);
    });
    std::memset(out.at(i), gap, static_cast<std::size_t>(size));
  }
  tally.check(
      std::all_of(out.memory.get(), out.memory.get() + out.bytes, [](char c) { return c == gap; }),
      [&](auto& text) { text << what << ": wrote between the results"; });
}

}  // namespace

TEST_CASE("strided loops: as loops over dense spans", "[kernels]") {
  WEFT_RANDOM(random);
  for (const weft::Level level : test::levels()) {
    test::Tally tally;
    test::for_each_kernel(level, [&](std::string_view name, const weft::SpanKernel& kernel) {
      if (kernel.run_strided == nullptr) return;
      for (int round = 0; round < test::rounds(10); ++round)
        check(tally, random, kernel, name, level);
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
