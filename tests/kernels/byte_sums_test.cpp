// SPDX-License-Identifier: Apache-2.0
// Sums and counts of bytes against the plainest of loops, with rows that end where memory ends: the
// largest and smallest values, as many rows as their 16 bits hold, and more.
#include <weft/machine/level.hpp>

#include "kernels/reduce/reduce.hpp"
#include "support/guarded.hpp"
#include "support/levels.hpp"
#include "support/tally.hpp"

#include <cstring>

namespace {

using test::Random;
using weft::ReduceOp;
using weft::ScalarType;

std::int64_t counted(ReduceOp op, ScalarType type, char byte) {
  if (op == ReduceOp::count_nonzero || type == ScalarType::boolean) return byte != 0 ? 1 : 0;
  return type == ScalarType::i8 ? static_cast<signed char>(byte) : static_cast<unsigned char>(byte);
}

/// Any bytes, or all the same extreme ones, or few that are not 0.
void fill(char* to, std::int64_t n, Random& random) {
  const std::int64_t kind = random.integer(0, 3);
  const char extreme = random.pick<char>({'\xff', '\x7f', '\x80'});
  for (std::int64_t i = 0; i < n; ++i) {
    to[i] = kind == 0                        ? extreme
            : kind == 1 && random.chance(90) ? '\0'
                                             : static_cast<char>(random.bits());
  }
}

}  // namespace

TEST_CASE("sums of bytes: rows and columns of every length", "[kernels]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const test::Guarded memory(1 << 20);
  const auto check = [&](std::int64_t rows, std::int64_t columns) {
    const std::int64_t step = columns + random.integer(0, 3);
    const std::int64_t bytes = (rows - 1) * step + columns;
    char* const in = memory.place(bytes, random);
    fill(in, bytes, random);
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::count_nonzero}) {
      for (const ScalarType type : {ScalarType::u8, ScalarType::i8, ScalarType::boolean}) {
        std::vector<std::int64_t> by_row(static_cast<std::size_t>(rows), 0);
        std::vector<std::int64_t> by_column(static_cast<std::size_t>(columns), 0);
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t c = 0; c < columns; ++c) {
            const std::int64_t x = counted(op, type, in[r * step + c]);
            by_row[static_cast<std::size_t>(r)] += x;
            by_column[static_cast<std::size_t>(c)] += x;
          }
        }
        for (const weft::Level level : test::levels()) {
          const weft::ReductionKernel& kernel = *weft::reduce_kernel.at(level)(op, type);
          std::vector<std::int64_t> of_rows(by_row.size(), -1), of_columns(by_column.size(), -1);
          char* input = in;
          kernel.reduce_spans(kernel.context, of_rows.data(), &input, &step, rows, columns, 0, 0);
          kernel.reduce_columns(kernel.context, of_columns.data(), &input, &step, rows, columns, 0);
          tally.check(of_rows == by_row && of_columns == by_column, [&](auto& text) {
            text << weft::name(level) << ", " << weft::name(type) << ", " << rows << " rows of "
                 << columns;
          });
        }
      }
    }
  };
  for (std::int64_t n = 1; n <= 160; ++n)
    check(random.integer(1, 4), n);
  for (int i = 0; i < test::rounds(60); ++i)
    check(random.integer(5, 600), random.integer(1, 200));
  for (const std::int64_t rows : {15, 16, 17, 255, 256, 257, 511, 513})
    check(rows, random.integer(1, 70));
  check(20, 4096);
  check(19, 4097);
  check(2, 20'000);
  INFO("seed " << test::seed());
  CHECK_TALLY(tally);
}
