// SPDX-License-Identifier: Apache-2.0
// Outputs beyond the caches in rows so short that they are streamed several at a time, or not at
// all.
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "layouts/streamed.hpp"

namespace {

using enum test::streamed::Lie;
using test::Binary;
using test::streamed::check_binary;
using test::streamed::Lie;
using test::streamed::Matrix;
using test::streamed::rows_for;
using weft::float16;
using weft::TensorView;

}  // namespace

TEST_CASE("streamed: short rows", "[layouts]") {
  const std::int64_t rows = rows_for(12, 100);
  if (rows == 0) return;
  const Matrix<float> in(rows, 100, pitched);
  const TensorView a = in.view();
  for (const Lie lie : {dense, off_line}) {  // several rows at a time make whole lines, or never
    const Matrix<float> to(rows, 100, lie);
    const TensorView out = to.view();
    weft::TensorIteratorConfig config;
    config.add_output(out).add_input(a).add_input(a).resize_outputs(false);
    const weft::Explanation e = weft::explain_run(config.build());
    CHECK(e.operands[0].access == (lie == dense ? "streamed" : "direct"));
  }
  check_binary<float, float, float, float>(
      {{Binary::add, dense, dense, one_column}, {Binary::mul, off_line, dense, one_row}}, 17);
  check_binary<float, float, float, float>(
      {{Binary::add, dense, pitched, one_row}, {Binary::mul, pitched_lines, dense, dense}}, 300);
  check_binary<std::int64_t, std::int64_t, std::int64_t, std::int64_t>(
      {{Binary::add, dense, one_column, dense}}, 93);
  check_binary<float16, float16, float16, float16>({{Binary::mul, dense, dense, one_row}}, 200);
  check_binary<double, float, std::int32_t, float>({{Binary::add, dense, dense, pitched}}, 139);
}

TEST_CASE("streamed: rows of a KiB and more by the kernel itself", "[layouts]") {
  for (const std::int64_t columns : {128, 129, 201, 255}) {
    check_binary<double, double, double, double>({{Binary::add, dense, dense, one_row},
                                                  {Binary::mul, off_line, pitched, dense},
                                                  {Binary::add, pitched, pitched, one_column}},
                                                 columns);
  }
  check_binary<float16, float16, float16, float16>(
      {{Binary::mul, dense, pitched, one_row}, {Binary::add, off_line, pitched, pitched}}, 700);
}

TEST_CASE("streamed: rows that are packed in pieces, and too short to be streamed", "[layouts]") {
  for (const std::int64_t columns : {512, 706, 1023}) {
    check_binary<std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t>(
        {{Binary::add, dense, back, dense}, {Binary::mul, pitched, back, back}}, columns);
    check_binary<std::int16_t, std::uint8_t, std::int16_t, std::int16_t>(
        {{Binary::add, dense, back, dense}, {Binary::mul, pitched, dense, back}}, columns);
  }
}

TEST_CASE("streamed: short rows of operands that are transposed to each other", "[layouts]") {
  for (const std::int64_t columns : {64, 100, 130, 256, 300, 500}) {
    check_binary<float, float, float, float>({{Binary::add, dense, transposed, dense},
                                              {Binary::mul, pitched, transposed_back, one_row},
                                              {Binary::add, transposed, dense, transposed}},
                                             columns);
  }
  check_binary<std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t>(
      {{Binary::add, pitched, transposed, dense}}, 80);
  check_binary<double, float, std::int32_t, float>({{Binary::add, off_line, transposed, dense}},
                                                   90);
}

TEST_CASE("streamed: rows of narrow results, which tiles of wide operands cut", "[layouts]") {
  const auto less = [](double x, double y, double z) -> bool { return x + y > z; };
  test::Tally tally;
  for (const std::int64_t columns : {320, 448, 512, 1088}) {
    const std::int64_t rows = rows_for(9, columns);
    if (rows == 0) return;
    Matrix<bool> out(rows, columns, dense);
    Matrix<float> a(rows, columns, dense), b(rows, columns, one_row), c(rows, columns, dense);
    a.fill(1);
    b.fill(2);
    c.fill(3);
    const TensorView views[] = {out.view(), a.view(), b.view(), c.view()};
    weft::TensorIteratorConfig config;
    config.add_output(views[0]).add_input(views[1]).add_input(views[2]).add_input(views[3]);
    const weft::TensorIterator iter =
        config.check_all_same_dtype(false).resize_outputs(false).build();
    test::streamed::one_and_two_threads([&](int threads) {
      out.clear();
      weft::cpu_kernel(iter, less);
      const std::string wrong = out.difference([&](std::int64_t i, std::int64_t j) {
        return less(static_cast<double>(a.get(i, j)), static_cast<double>(b.get(i, j)),
                    static_cast<double>(c.get(i, j)));
      });
      tally.check(wrong.empty(), [&](auto& text) { text << threads << " threads: " << wrong; });
    });
  }
  CHECK_TALLY(tally);
}
