// SPDX-License-Identifier: Apache-2.0
// Copies beyond the caches, which write past them: every layout, rows that are joined first, few
// columns, and other types.
#include <weft/ops/registry.hpp>

#include "layouts/streamed.hpp"

namespace {

using enum test::streamed::Lie;
using test::streamed::check_copy;
using test::streamed::Lie;
using test::streamed::Matrix;
using test::streamed::rows_for;
using weft::bfloat16;
using weft::float16;
using weft::TensorView;

}  // namespace

TEST_CASE("streamed: copies", "[layouts]") {
  check_copy<float, float>({{dense, dense},
                            {pitched, dense},
                            {shifted, dense},
                            {dense, transposed},
                            {transposed, dense},
                            {pitched_lines, transposed},
                            {shifted, transposed},
                            {conflicting, transposed},
                            {transposed, conflicting},
                            {pitched, one_row},
                            {dense, one_column},
                            {dense, back},
                            {dense, transposed_back},
                            {transposed_back, pitched},
                            {back, transposed}});
  check_copy<std::uint8_t, std::uint8_t>({{pitched, dense}, {dense, transposed}});
  check_copy<std::complex<double>, std::complex<double>>(
      {{shifted, pitched}, {conflicting, transposed}});
}

TEST_CASE("streamed: copies of short rows are joined", "[layouts]") {
  const auto access = [](std::int64_t columns, Lie lie) {
    const std::int64_t rows = rows_for(8, columns);
    if (rows == 0) return std::string("rows joined in a buffer, streamed");
    const Matrix<float> in(rows, columns, pitched), to(rows, columns, lie);
    const TensorView output = to.view(), input = in.view();
    weft::OpArguments args;
    args.outputs = {&output, 1};
    args.inputs = {&input, 1};
    return weft::find_op("copy", args).explain(args).operands[0].access;
  };
  CHECK(access(33, dense) == "rows joined in a buffer, streamed");
  CHECK(access(33, off_line) == "rows joined in a buffer, streamed");
  CHECK(access(33, pitched) == "direct, by rows");
  CHECK(access(80, dense) == "direct, by rows, streamed");
  for (const std::int64_t columns : {3, 17, 33, 79})
    check_copy<float, float>({{dense, pitched}, {off_line, pitched}, {shifted, pitched}}, columns);
  check_copy<std::uint8_t, std::uint8_t>({{dense, pitched}, {shifted, pitched}}, 101);
  check_copy<float16, float16>({{dense, conflicting}}, 65);
  check_copy<double, double>({{off_line, pitched}, {dense, pitched_lines}}, 13);
  check_copy<std::complex<double>, std::complex<double>>({{dense, pitched}, {shifted, pitched}}, 9);
}

TEST_CASE("streamed: copies of few columns", "[layouts]") {
  check_copy<float, float>({{transposed, dense}, {dense, transposed}, {transposed, pitched}}, 3);
  check_copy<std::uint8_t, std::uint8_t>({{transposed, dense}, {dense, transposed}}, 13);
  check_copy<std::uint64_t, std::uint64_t>({{transposed, pitched}, {shifted, transposed}}, 7);
}

TEST_CASE("streamed: copies between types", "[layouts]") {
  check_copy<float16, float>({{dense, dense}, {pitched, transposed}});
  check_copy<double, std::int16_t>({{shifted, pitched}, {transposed, dense}});
  check_copy<std::int32_t, float>({{off_line, dense}});
  check_copy<bfloat16, float16>({{pitched, pitched}});
}
