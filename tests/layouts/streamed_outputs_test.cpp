// SPDX-License-Identifier: Apache-2.0
// Outputs beyond the caches, which are written past them: the same elements as by the plainest of
// loops, and nothing between them.
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/detail/span_loop.hpp>
#include <weft/ops/unary.hpp>

#include "layouts/streamed.hpp"

namespace {

using enum test::streamed::Lie;
using test::Binary;
using test::streamed::check_binary;
using test::streamed::Lie;
using test::streamed::Matrix;
using test::streamed::one_and_two_threads;
using test::streamed::row_length;
using test::streamed::rows_for;
using weft::float16;
using weft::ScalarType;
using weft::TensorView;
using c64 = std::complex<float>;

/// out[k] = in + k, for any number of outputs.
void run_many(const void* context, char* const* data, const std::int64_t* row_bytes, std::int64_t n,
              std::int64_t rows, std::uint32_t) {
  const int outputs = *static_cast<const int*>(context);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto start = [&](int k) { return data[k] + (row == 0 ? 0 : row * row_bytes[k]); };
    for (int k = 0; k < outputs; ++k) {
      for (std::int64_t i = 0; i < n; ++i)
        test::store(start(k) + 8 * i, test::load<double>(start(outputs) + 8 * i) + k);
    }
  }
}

}  // namespace

TEST_CASE("streamed: that is what happens to operands of this size", "[layouts]") {
  const std::int64_t rows = rows_for(12);
  if (rows == 0) return;
  const Matrix<float> in(rows, row_length, dense);
  const TensorView a = in.view();
  for (const Lie lie : {dense, pitched, shifted}) {
    const Matrix<float> to(rows, row_length, lie);
    const TensorView out = to.view();
    weft::TensorIteratorConfig config;
    config.add_output(out).add_input(a).add_input(a).resize_outputs(false);
    const weft::Explanation e = weft::explain_run(config.build());
    CHECK(e.operands[0].access == "streamed");
  }
}

TEST_CASE("streamed: by the kernel itself, if it can and elements begin on lines", "[layouts]") {
  const auto access = [](Lie lie, std::int64_t columns, const auto& op) {
    const std::int64_t rows = rows_for(12, columns);
    if (rows == 0) return std::string("direct, streamed");
    const Matrix<float> in(rows, columns, dense), to(rows, columns, lie);
    const TensorView a = in.view(), out = to.view();
    weft::TensorIteratorConfig config;
    config.add_output(out).add_input(a).add_input(a).resize_outputs(false);
    return weft::explain_run(config.build(), weft::typed_span_kernel(op)).operands[0].access;
  };
  const auto sum = [](float x, float y) { return x + y; };
  for (const Lie lie : {dense, pitched, off_line, pitched_lines})
    CHECK(access(lie, row_length, sum) == "direct, streamed");
  CHECK(access(shifted, row_length, sum) == "streamed");
  CHECK(access(pitched_lines, 256, sum) == "direct, streamed");
  const auto wide_sum = [](double x, double y) { return x + y; };
  CHECK(access(dense, row_length, wide_sum) == "streamed: cast");
}

TEST_CASE("streamed: functions of one operand", "[layouts]") {
  const std::int64_t rows = rows_for(4);
  if (rows == 0) return;
  for (const Lie to_lie : {dense, pitched, transposed}) {
    for (const Lie from_lie : {dense, pitched, one_column, one_row, back}) {
      Matrix<float> to(rows, row_length, to_lie), from(rows, row_length, from_lie);
      from.fill(4);
      one_and_two_threads([&](int threads) {
        to.clear();
        weft::neg_out(to.view(), from.view());
        const std::string wrong =
            to.difference([&](std::int64_t i, std::int64_t j) { return -from.get(i, j); });
        INFO("layouts " << static_cast<int>(to_lie) << ' ' << static_cast<int>(from_lie) << ", "
                        << threads << " threads");
        CHECK(wrong == "");
      });
    }
  }
}

TEST_CASE("streamed: f32, in all layouts", "[layouts]") {
  check_binary<float, float, float, float>({{Binary::add, dense, dense, dense},
                                            {Binary::mul, pitched, dense, pitched},
                                            {Binary::add, transposed, dense, dense},
                                            {Binary::add, shifted, shifted, dense},
                                            {Binary::add, off_line, pitched, one_row},
                                            {Binary::mul, pitched_lines, one_column, dense},
                                            {Binary::add, dense, transposed, dense},
                                            {Binary::add, pitched, transposed, transposed},
                                            {Binary::mul, conflicting, dense, transposed},
                                            {Binary::add, dense, transposed_back, dense},
                                            {Binary::add, pitched_lines, transposed, one_row},
                                            {Binary::mul, transposed, transposed_back, dense},
                                            {Binary::add, transposed_back, back, transposed}});
}

TEST_CASE("streamed: other types", "[layouts]") {
  check_binary<std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t>(
      {{Binary::add, pitched, dense, dense},
       {Binary::mul, shifted, dense, transposed},
       {Binary::add, transposed, dense, transposed_back}});
  check_binary<float16, float16, float16, float16>(
      {{Binary::add, dense, dense, pitched}, {Binary::mul, shifted, dense, one_row}});
  check_binary<double, double, double, double>(
      {{Binary::add, off_line, dense, dense}, {Binary::mul, pitched, one_column, dense}});
  check_binary<c64, c64, c64, c64>({{Binary::mul, shifted, dense, pitched}});
}

TEST_CASE("streamed: converted on the way", "[layouts]") {
  check_binary<double, float, std::int32_t, float>(
      {{Binary::add, dense, dense, dense}, {Binary::mul, shifted, pitched, one_row}});
  check_binary<float, std::int32_t, float, float>(
      {{Binary::add, pitched, dense, dense}, {Binary::add, off_line, one_column, dense}});
  check_binary<float16, float, float, float>(
      {{Binary::add, dense, dense, dense}, {Binary::mul, pitched, dense, one_column}});
  check_binary<std::int16_t, std::uint8_t, std::int16_t, std::int16_t>(
      {{Binary::add, shifted, dense, dense}});
  check_binary<c64, float16, float, float>({{Binary::mul, pitched, dense, pitched}});
}

TEST_CASE("streamed: in place", "[layouts]") {
  const std::int64_t rows = rows_for(8);
  if (rows == 0) return;
  test::Tally tally;
  for (const Lie lie : {dense, pitched, shifted, transposed}) {
    Matrix<float> a(rows, row_length, lie);
    Matrix<float> b(rows, row_length, lie == transposed ? dense : pitched);
    Matrix<float> before(rows, row_length, dense);
    Matrix<double> wide(rows, row_length, lie);
    before.fill(1);
    b.fill(2);
    const auto check = [&](const std::string& wrong, const char* what, int threads) {
      tally.check(wrong.empty(), [&](auto& text) {
        text << what << ", layout " << static_cast<int>(lie) << ", " << threads
             << " threads: " << wrong;
      });
    };
    one_and_two_threads([&](int threads) {
      a.fill(1);
      weft::add_out(a.view(), a.view(), b.view());
      check(a.difference([&](auto i, auto j) { return before.get(i, j) + b.get(i, j); }), "a += b",
            threads);
      a.fill(1);
      weft::mul_out(a.view(), a.view(), a.view());
      check(a.difference([&](auto i, auto j) { return before.get(i, j) * before.get(i, j); }),
            "a *= a", threads);
      wide.fill(1);
      weft::add_out(wide.view(), b.view(), wide.view());
      check(wide.difference([&](auto i, auto j) {
        return static_cast<double>(before.get(i, j) + b.get(i, j));
      }),
            "a += b of another type", threads);
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("streamed: many outputs at once", "[layouts]") {
  test::Tally tally;
  for (const int outputs : {2, 12, 31}) {
    const std::int64_t rows = rows_for(8 * (outputs + 1));
    if (rows == 0) return;
    // From f32, so that the input is staged as well.
    Matrix<float> in(rows, row_length, dense);
    in.fill(4);
    std::vector<Matrix<double>> out;
    std::vector<TensorView> views;
    for (int k = 0; k < outputs; ++k) {
      out.emplace_back(rows, row_length, pitched);
      views.push_back(out.back().view());
    }
    const TensorView from = in.view();
    weft::TensorIteratorConfig config;
    for (const TensorView& view : views)
      config.add_output(view);
    config.add_input(from).check_all_same_dtype(false).resize_outputs(false);
    weft::SpanKernel kernel;
    kernel.run = &run_many;
    kernel.context = &outputs;
    kernel.noutputs = outputs;
    kernel.ninputs = 1;
    std::fill(std::begin(kernel.types), std::end(kernel.types), ScalarType::f64);
    weft::run_spans(config.build(), kernel);
    for (int k = 0; k < outputs; ++k) {
      const std::string wrong = out[static_cast<std::size_t>(k)].difference(
          [&](auto i, auto j) { return static_cast<double>(in.get(i, j)) + k; });
      tally.check(wrong.empty(), [&](auto& text) {
        text << "output " << k << " of " << outputs << ": " << wrong;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("streamed: a narrow output beside a wide one", "[layouts]") {
  using c128 = std::complex<double>;
  const std::int64_t n = rows_for(49, 1);
  if (n == 0) return;
  // A line of the narrow one is more elements than there are in a chunk of the wide one.
  for (const Lie lie : {dense, off_line, shifted}) {
    Matrix<c128> sum(1, n, dense), a(1, n, dense), b(1, n, dense);
    Matrix<bool> equal(1, n, lie);
    a.fill(1);
    b.fill(2);
    const TensorView views[] = {sum.view(), equal.view(), a.view(), b.view()};
    weft::TensorIteratorConfig config;
    config.add_output(views[0]).add_output(views[1]).add_input(views[2]).add_input(views[3]);
    config.check_all_same_dtype(false).resize_outputs(false);
    weft::cpu_kernel_multiple_outputs(
        config.build(), [](c128 x, c128 y) { return std::tuple<c128, bool>(x + y, x == y); });
    CHECK(sum.difference([&](std::int64_t, std::int64_t j) { return a.get(0, j) + b.get(0, j); }) ==
          "");
    CHECK(equal.difference(
              [&](std::int64_t, std::int64_t j) { return a.get(0, j) == b.get(0, j); }) == "");
  }
}
