// SPDX-License-Identifier: Apache-2.0
// Loops of non-temporal stores: what the other loops make of the same elements, for every
// function that has one, at every level; in place, with an input of one value, up to the last byte
// of memory, and nothing beyond the results. And rows of any length that begin anywhere, of which
// those take what is whole lines.
#include <weft/kernel/detail/streaming_loop.hpp>

#include "all_kernels.hpp"
#include "engine/elementwise/streaming_rows.hpp"
#include "kernels/stage/stage.hpp"
#include "support/levels.hpp"
#include "support/tally.hpp"

#include <cstring>
#include <memory>

namespace {

using test::Random;
using weft::ScalarType;

constexpr char gap = 0x5a;
constexpr std::int64_t line = 64;

/// Rows of bytes, of which the first begins `past_line` bytes behind a line, with a gap on either
/// side.
class Rows {
 public:
  Rows(std::int64_t rows, std::int64_t row_bytes, std::int64_t pitch, std::int64_t past_line)
      : rows_(rows), row_bytes_(row_bytes), pitch_(pitch) {
    const std::int64_t reach = (rows - 1) * pitch + row_bytes;
    bytes_ = std::vector<char>(static_cast<std::size_t>(2 * line + past_line + reach + line), gap);
    const auto past = reinterpret_cast<std::uintptr_t>(bytes_.data()) % line;
    first_ = bytes_.data() + 2 * line - past + past_line;
  }
  char* row(std::int64_t r) const { return first_ + r * pitch_; }
  std::int64_t pitch() const { return pitch_; }
  void put(std::int64_t r, const char* from) const {
    std::memcpy(row(r), from, static_cast<std::size_t>(row_bytes_));
  }
  /// Whether all but the rows is as it was; they are not afterwards.
  bool nothing_else_changed() {
    for (std::int64_t r = 0; r < rows_; ++r)
      std::memset(row(r), gap, static_cast<std::size_t>(row_bytes_));
    return std::all_of(bytes_.begin(), bytes_.end(), [](char c) { return c == gap; });
  }

 private:
  std::int64_t rows_, row_bytes_, pitch_;
  std::vector<char> bytes_;
  char* first_;
};

/// Memory of exactly as many elements, drawn.
std::unique_ptr<char[]> drawn(ScalarType type, std::int64_t count, Random& random) {
  const std::int64_t bytes = count * weft::element_size(type);
  auto memory = std::make_unique<char[]>(static_cast<std::size_t>(bytes));
  test::fill(type, memory.get(), count, random);
  return memory;
}

/// `past`(kernel, data, row_bytes, n, rows, broadcast) beside kernel.run on the same rows of n
/// elements.
template <class Past>
void check(test::Tally& tally, Random& random, const weft::SpanKernel& kernel,
           std::string_view what, std::int64_t n, std::int64_t rows, std::int64_t pitch,
           std::int64_t past_line, Past&& past) {
  const ScalarType type = kernel.types[0];
  const std::int64_t size = weft::element_size(type);
  Rows out(rows, n * size, pitch, past_line);
  const int in_place = random.chance(20) && kernel.types[0] == kernel.types[1] ? 1 : 0;
  const int one_value = random.chance(40) ? static_cast<int>(random.integer(1, kernel.ninputs)) : 0;
  const bool broadcasts = one_value > in_place;
  std::vector<std::unique_ptr<char[]>> inputs;
  std::vector<char> wanted(static_cast<std::size_t>(rows * n * size));
  char* data[4] = {wanted.data()};
  std::int64_t row_bytes[4] = {n * size};
  for (int k = 1; k <= kernel.ninputs; ++k) {
    const bool one = broadcasts && k == one_value;
    inputs.push_back(drawn(kernel.types[k], one ? rows : rows * n, random));
    data[k] = inputs.back().get();
    row_bytes[k] = (one ? 1 : n) * weft::element_size(kernel.types[k]);
  }
  const std::uint32_t broadcast = broadcasts ? 1u << one_value : 0;
  kernel.run(kernel.context, data, row_bytes, n, rows, broadcast);
  data[0] = out.row(0);
  row_bytes[0] = out.pitch();
  if (in_place != 0) {
    for (std::int64_t r = 0; r < rows; ++r)
      out.put(r, data[in_place] + r * row_bytes[in_place]);
    data[in_place] = out.row(0);
    row_bytes[in_place] = out.pitch();
  }
  past(kernel, static_cast<char* const*>(data), static_cast<const std::int64_t*>(row_bytes), n,
       rows, broadcast);
  weft::end_streaming();
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < n; ++i) {
      const char* want = wanted.data() + (r * n + i) * size;
      const char* got = out.row(r) + i * size;
      tally.check(test::same_element(type, want, got), [&](auto& text) {
        text << what << ' ' << weft::name(kernel.types[1]) << ", " << i << " of " << n << " in row "
             << r << ", broadcast " << broadcast;
        test::print_element(text << ": ", type, got);
        test::print_element(text << ", expected ", type, want);
      });
    }
  }
  tally.check(out.nothing_else_changed(),
              [&](auto& text) { text << what << ": wrote beside the results"; });
}

/// Whether a level's kernels have such loops. This file is compiled for the baseline.
bool has_loops(weft::Level level) {
  return weft::has_formula_line_loops || level != weft::Level::baseline;
}

}  // namespace

TEST_CASE("line loops: as other loops", "[kernels]") {
  WEFT_RANDOM(random);
  for (const weft::Level level : test::levels()) {
    test::Tally tally;
    test::for_each_kernel(level, [&](std::string_view name, const weft::SpanKernel& kernel) {
      if (kernel.run_streamed == nullptr) return;
      const std::int64_t size = weft::element_size(kernel.types[0]);
      for (int round = 0; round < test::rounds(3); ++round) {
        const std::int64_t n = random.integer(1, 3) * weft::SpanKernel::streamed_bytes / size;
        const std::int64_t pitch = n * size + random.integer(0, 2) * line;
        check(tally, random, kernel, name, n, random.integer(1, 3), pitch, 0,
              [](const weft::SpanKernel& k, auto... arguments) {
                k.run_streamed(k.context, arguments...);
              });
      }
    });
    if (has_loops(level)) CHECK_TALLY(tally);
  }
}

TEST_CASE("line loops: rows of any length, that begin anywhere", "[kernels]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const auto check_rows = [&](ScalarType type, std::int64_t n, std::int64_t rows,
                              std::int64_t pitch, std::int64_t past_line) {
    const weft::SpanKernel* kernel = weft::function_of<weft::BinaryOp::add>.kernel(type);
    if (kernel->run_streamed == nullptr) return;
    check(tally, random, *kernel, "add", n, rows, pitch, past_line,
          [](auto&&... arguments) { weft::run_by_lines(arguments...); });
  };
  for (std::int64_t n = 1; n < 300; ++n)
    check_rows(ScalarType::f32, n, random.integer(1, 3), 4 * n + random.integer(0, 70),
               random.integer(0, line));
  for (int round = 0; round < test::rounds(100); ++round) {
    for (const ScalarType type :
         {ScalarType::u8, ScalarType::i16, ScalarType::i64, ScalarType::c64, ScalarType::c128}) {
      const std::int64_t size = weft::element_size(type);
      const std::int64_t n = random.integer(1, 700 / size);
      const std::int64_t beside = random.chance(50) ? random.integer(0, line) : 0;
      check_rows(type, n, random.integer(1, 3), n * size + size * random.integer(0, 5),
                 random.chance(30) ? beside : beside / size * size);
    }
  }
  if (has_loops(weft::current_level())) CHECK_TALLY(tally);
}

TEST_CASE("line loops: whose they are", "[kernels]") {
  const auto has_one = [](const weft::SpanKernel* kernel) {
    return kernel->run_streamed != nullptr;
  };
  for (const weft::Level level : test::levels()) {
    if (!has_loops(level)) {
      CHECK(!has_one(weft::function_of<weft::BinaryOp::add>.kernel(ScalarType::f32, level)));
      continue;
    }
    const auto binary = [&](weft::BinaryOp op, ScalarType type) {
      return weft::any_function(op).kernel(type, level);
    };
    for (const weft::BinaryOp op : {weft::BinaryOp::add, weft::BinaryOp::maximum})
      for (const ScalarType type : {ScalarType::u8, ScalarType::i64, ScalarType::f32})
        CHECK(has_one(binary(op, type)));
    CHECK(has_one(weft::function_of<weft::TernaryOp::where>.kernel(ScalarType::f32, level)));
    CHECK(has_one(weft::function_of<weft::UnaryOp::neg>.kernel(ScalarType::f64, level)));
    // Those have loops of their own, in blocks.
    CHECK(!has_one(binary(weft::BinaryOp::mul, ScalarType::c64)));
    CHECK(!has_one(binary(weft::BinaryOp::add, ScalarType::bf16)));
  }
}
