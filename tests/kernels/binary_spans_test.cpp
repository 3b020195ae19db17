// SPDX-License-Identifier: Apache-2.0
// The span kernels of add, sub, mul and div, called as the engine calls them: every short length,
// one value on either side, several rows, in place, at any alignment and up to the last byte of
// memory; and to the bit what single operations give, on every level. So those whose inputs are of
// narrower types.
#include "ops/any_function.hpp"
#include "support/guarded.hpp"
#include "support/levels.hpp"
#include "support/naive_ops.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <cstring>

namespace {

using test::Guarded;
using test::Random;
using weft::ScalarType;

// One is taken for the other below.
static_assert(static_cast<int>(test::Binary::add) == static_cast<int>(weft::BinaryOp::add) &&
              static_cast<int>(test::Binary::sub) == static_cast<int>(weft::BinaryOp::sub) &&
              static_cast<int>(test::Binary::mul) == static_cast<int>(weft::BinaryOp::mul) &&
              static_cast<int>(test::Binary::div) == static_cast<int>(weft::BinaryOp::div));

/// What one call is given.
struct Call {
  test::Binary op;
  ScalarType type;
  std::int64_t n;
  std::int64_t rows;
  std::uint32_t broadcast;  // bit k: operand k, the output being 0
  int in_place;             // the input that is the output as well; 0: none
  ScalarType inputs[2];     // their types in memory

  ScalarType in_memory(int k) const { return k == 0 ? type : inputs[k - 1]; }
  std::int64_t size(int k) const { return weft::element_size(in_memory(k)); }
};

/// Whether halves have kernels at any level of this build.
bool has_half_kernels() {
  return weft::function_of<weft::BinaryOp::add>.kernel(ScalarType::f16, weft::best_level()) !=
         nullptr;
}

/// Runs the kernel of a level; false if it has none, as the baseline has none of halves.
bool run(const Call& call, weft::Level level, char* const* data, const std::int64_t* row_bytes) {
  const auto& function = weft::any_function(static_cast<weft::BinaryOp>(call.op));
  const weft::WideningInputs inputs{{call.inputs[0], call.inputs[1]}};
  const bool widens = call.inputs[0] != call.type || call.inputs[1] != call.type;
  const weft::SpanKernel* kernel =
      widens ? function.widening->at(level)(call.type, inputs) : function.kernel(call.type, level);
  if (kernel == nullptr) return false;
  kernel->run(widens ? &inputs : kernel->context, data, row_bytes, call.n, call.rows,
              call.broadcast);
  return true;
}

/// Three operands in guarded memory.
class Operands {
 public:
  Operands() {
    for (std::vector<char>* buffer : {&want_, &start_})
      buffer->resize(room);
  }

  void check(test::Tally& tally, Random& random, const std::vector<weft::Level>& levels,
             const Call& call) {
    char* data[3];
    std::int64_t row_bytes[3];
    std::int64_t reach[3];
    for (int k = 0; k < 3; ++k) {
      const std::int64_t size = call.size(k);
      const std::int64_t span = ((call.broadcast >> k & 1) != 0 ? 1 : call.n) * size;
      row_bytes[k] = span + random.integer(0, 2) * size;
      if (k > 0 && random.chance(10)) row_bytes[k] = 0;
      if (k == call.in_place && k > 0) row_bytes[k] = row_bytes[0];
      reach[k] = (call.rows - 1) * row_bytes[k] + span;
      data[k] = memory_[k].place(reach[k], random);
      test::fill(call.in_memory(k), data[k], reach[k] / size, random);
    }
    if (call.in_place != 0) data[call.in_place] = data[0];
    char* low = std::max(memory_[0].data(), data[0] - around);
    char* high = std::min(memory_[0].data() + memory_[0].size_bytes(), data[0] + reach[0] + around);
    const auto bytes = static_cast<std::size_t>(high - low);
    std::memcpy(start_.data(), low, bytes);
    std::memcpy(want_.data(), low, bytes);
    for (std::int64_t row = 0; row < call.rows; ++row) {
      for (std::int64_t i = 0; i < call.n; ++i) {
        char in[2][16];
        for (int k = 1; k < 3; ++k) {
          const std::int64_t at = (call.broadcast >> k & 1) != 0 ? 0 : i * call.size(k);
          weft::cast_elements(in[k - 1], call.type, 0, data[k] + row * row_bytes[k] + at,
                              call.in_memory(k), 0, 1);
        }
        test::naive_binary(call.op, call.type, in[0], in[1],
                           want_.data() + (data[0] - low) + row * row_bytes[0] + i * call.size(0));
      }
    }
    for (const weft::Level level : levels) {
      std::memcpy(low, start_.data(), bytes);
      if (!run(call, level, data, row_bytes)) continue;
      tally.check(equal(call, low, want_.data(), data[0] - low, row_bytes[0], bytes),
                  [&](auto& out) {
                    out << weft::name(call.type) << " of " << weft::name(call.inputs[0]) << " and "
                        << weft::name(call.inputs[1]) << ", op " << static_cast<int>(call.op)
                        << ", " << weft::name(level) << ": " << call.rows << " rows of " << call.n
                        << ", broadcast " << call.broadcast << ", in place " << call.in_place;
                  });
    }
  }

 private:
  /// Elements by value, since the bits of a NaN are not laid down; everything else to the bit.
  static bool equal(const Call& call, const char* got, const char* want, std::int64_t first,
                    std::int64_t row_bytes, std::size_t bytes) {
    if (std::memcmp(got, want, bytes) == 0) return true;
    const std::int64_t size = weft::element_size(call.type);
    const std::int64_t end = first + (call.rows - 1) * row_bytes + call.n * size;
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(bytes);) {
      const std::int64_t in_row = at < first || at >= end ? -1 : (at - first) % row_bytes;
      const bool element = in_row >= 0 && in_row < call.n * size;
      if (element && !test::same_element(call.type, got + at, want + at)) return false;
      if (!element && got[at] != want[at]) return false;
      at += element ? size : 1;
    }
    return true;
  }

  static constexpr std::int64_t around = 128;
  static constexpr std::int64_t room = 64 << 10;
  Guarded memory_[3] = {Guarded(room), Guarded(room), Guarded(room)};
  std::vector<char> want_, start_;
};

void check_spans(const std::vector<ScalarType>& types, const std::vector<test::Binary>& ops) {
  WEFT_RANDOM(random);
  test::Tally tally;
  Operands operands;
  const std::vector<weft::Level> levels = test::levels();
  for (const ScalarType type : types) {
    for (const test::Binary op : ops) {
      // At the best level: lower ones may lack it.
      const auto& function = weft::any_function(static_cast<weft::BinaryOp>(op));
      if (function.kernel(type, weft::best_level()) == nullptr) continue;
      for (std::int64_t n = 1; n <= 100; ++n) {
        for (const std::uint32_t broadcast : {0u, 2u, 4u, 6u}) {
          for (int in_place = 0; in_place < 3; ++in_place) {
            if ((broadcast >> in_place & 1) != 0) continue;
            const std::int64_t rows = random.chance(50) ? 1 : random.integer(2, 5);
            operands.check(tally, random, levels,
                           {op, type, n, rows, broadcast, in_place, {type, type}});
          }
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

/// Every pair of types in memory that the widening kernels of a type and function take.
void check_widening(ScalarType type) {
  WEFT_RANDOM(random);
  test::Tally tally;
  Operands operands;
  const std::vector<weft::Level> levels = test::levels();
  for (const ScalarType a : test::all_types()) {
    for (const ScalarType b : test::all_types()) {
      for (const test::Binary op :
           {test::Binary::add, test::Binary::sub, test::Binary::mul, test::Binary::div}) {
        const auto kernel =
            (*weft::any_function(static_cast<weft::BinaryOp>(op)).widening)(type, {{a, b}});
        if (kernel == nullptr || (a == type && b == type)) continue;
        for (int round = 0; round < 24; ++round) {
          const std::int64_t n =
              random.chance(30) ? 64 * random.integer(1, 4) : random.integer(1, 200);
          const auto broadcast = static_cast<std::uint32_t>(random.integer(0, 3)) << 1;
          const auto in_place = static_cast<int>(random.integer(0, 2));
          const bool possible = (broadcast >> in_place & 1) == 0 &&
                                (in_place == 0 || (in_place == 1 ? a : b) == type);
          const std::int64_t rows = random.chance(50) ? 1 : random.integer(2, 5);
          operands.check(tally, random, levels,
                         {op, type, n, rows, broadcast, possible ? in_place : 0, {a, b}});
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

}  // namespace

TEST_CASE("binary spans: inputs of narrower types", "[kernels]") {
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64, ScalarType::i32, ScalarType::i64})
    check_widening(type);
}

TEST_CASE("binary spans: no narrower types but those that registers convert", "[kernels]") {
  using enum ScalarType;
  const auto kernel = [](weft::BinaryOp op, ScalarType type, ScalarType a, ScalarType b) {
    const auto* widening = weft::any_function(op).widening;
    return widening == nullptr ? nullptr : (*widening)(type, {{a, b}});
  };
  CHECK(kernel(weft::BinaryOp::add, f32, i32, f32) != nullptr);
  CHECK(kernel(weft::BinaryOp::add, f32, i64, f32) == nullptr);
  CHECK(kernel(weft::BinaryOp::pow, f32, i32, f32) == nullptr);
  CHECK(kernel(weft::BinaryOp::div, i32, i8, i32) == nullptr);
  CHECK(kernel(weft::BinaryOp::add, f16, i8, f16) == nullptr);
}

TEST_CASE("binary spans: f16 and bf16", "[kernels]") {
  using enum test::Binary;
  if (!has_half_kernels()) return;
  check_spans({ScalarType::f16, ScalarType::bf16}, {add, sub, mul, div});
}

TEST_CASE("binary spans: long rows of f16 and bf16", "[kernels]") {
  if (!has_half_kernels()) return;
  WEFT_RANDOM(random);
  test::Tally tally;
  Operands operands;
  const std::vector<weft::Level> levels = test::levels();
  using enum test::Binary;
  for (const ScalarType type : {ScalarType::f16, ScalarType::bf16}) {
    for (const test::Binary op : {add, sub, mul, div}) {
      for (const std::uint32_t broadcast : {0u, 2u, 4u, 6u}) {
        // Around the length from which on loops are wider.
        const std::int64_t n = random.integer(1000, 1100);
        operands.check(tally, random, levels,
                       {op, type, n, random.integer(2, 4), broadcast, 0, {type, type}});
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("binary spans: complex", "[kernels]") {
  using enum test::Binary;
  // Quotients have more than one right way to round, and a test of their own.
  check_spans({ScalarType::c64, ScalarType::c128}, {add, sub, mul});
}

TEST_CASE("binary spans: all other types", "[kernels]") {
  using enum test::Binary;
  std::vector<ScalarType> types;
  for (const ScalarType type : test::all_types()) {
    if (weft::element_size(type) > 2 && test::kind_of(type) < 3) types.push_back(type);
  }
  for (const ScalarType type : {ScalarType::boolean, ScalarType::u8, ScalarType::i16})
    types.push_back(type);
  check_spans(types, {add, sub, mul, div});
}

TEST_CASE("binary spans: complex quotients are the same on every level", "[kernels]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const std::vector<weft::Level> levels = test::levels();
  for (const ScalarType type : {ScalarType::c64, ScalarType::c128}) {
    const std::int64_t size = weft::element_size(type);
    for (std::int64_t n = 1; n <= 100; ++n) {
      std::vector<char> a(static_cast<std::size_t>(n * size)), b = a, want = a, got = a;
      test::fill(type, a.data(), n, random);
      test::fill(type, b.data(), n, random);
      for (const weft::Level level : levels) {
        const weft::SpanKernel* kernel = weft::function_of<weft::BinaryOp::div>.kernel(type, level);
        char* data[] = {level == levels[0] ? want.data() : got.data(), a.data(), b.data()};
        kernel->run(kernel->context, data, nullptr, n, 1, 0);
        for (std::int64_t i = 0; level != levels[0] && i < n; ++i) {
          tally.check(test::same_element(type, got.data() + i * size, want.data() + i * size),
                      [&](auto& out) {
                        out << weft::name(type) << ' ' << weft::name(level) << ", " << i << " of "
                            << n;
                      });
        }
      }
    }
  }
  if (levels.size() > 1) CHECK_TALLY(tally);
}
