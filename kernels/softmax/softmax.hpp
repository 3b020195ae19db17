// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the softmax family: what is done to blocks of columns, and to dense lines. For every
/// column, or for a line, first the largest element is found, then the sum of e^(x - largest), and
/// then the results.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

enum class SoftmaxOp : std::uint8_t { softmax, log_softmax };

/// Most columns of a block.
inline constexpr std::int64_t max_softmax_columns = 1024;

/// Most rows of columns that are worked on in one go.
inline constexpr std::int64_t few_softmax_rows = 8;

/// Rows of longer columns that are taken in at a time.
inline constexpr std::int64_t softmax_block_rows = 16;

/// Most lines that are worked on together.
inline constexpr std::int64_t max_softmax_lines = 16;

/// Elements of f32 or f64, and `largest` and `factors` of the same type; rows are dense, and
/// row_bytes from one to the next. A line is one column whose rows are next to each other.
struct SoftmaxKernel {
  /// largest[j] becomes the larger of itself and the elements of column j. NaN is passed over: it
  /// shows in the sum.
  void (*find_largest)(void* largest, const char* in, std::int64_t in_row, std::int64_t rows,
                       std::int64_t columns) = nullptr;
  /// sums[j] += e^(x - largest[j]) for every element x of column j; unless `out` is null, the terms
  /// are kept there. Below 2^-126 (of f64 e^-708) they count as 0.
  void (*add_up)(double* sums, const void* largest, char* out, std::int64_t out_row, const char* in,
                 std::int64_t in_row, std::int64_t rows, std::int64_t columns) = nullptr;
  /// Both for up to softmax_block_rows more rows, which are read once. largest[j] becomes the
  /// larger of itself and the elements of column j, and sums[j] that of e^(x - largest[j]) over all
  /// elements so far. Softmax keeps the terms of these rows in `out` unless it is null; it may be
  /// the input. There is room for whole registers of sums.
  void (*take_in)(double* sums, void* largest, char* out, std::int64_t out_row, const char* in,
                  std::int64_t in_row, std::int64_t rows, std::int64_t columns) = nullptr;
  /// factors[j] = 1 / sums[j], or log(sums[j]) of log_softmax.
  void (*settle)(void* factors, const double* sums, std::int64_t columns) = nullptr;
  /// The results from terms that were kept when the largest elements were `then`, or `largest` if
  /// it is null. The output may be the input. Null for log_softmax.
  void (*scale)(const void* then, const void* largest, const void* factors, char* out,
                std::int64_t out_row, const char* in, std::int64_t in_row, std::int64_t rows,
                std::int64_t columns) = nullptr;
  /// The results from the elements themselves. The output may be the input.
  void (*finish)(const void* largest, const void* factors, char* out, std::int64_t out_row,
                 const char* in, std::int64_t in_row, std::int64_t rows,
                 std::int64_t columns) = nullptr;

  /// All of it for columns of 1 to few_softmax_rows elements, any number of them. The output may be
  /// the input.
  void (*few_rows)(char* out, std::int64_t out_row, const char* in, std::int64_t in_row,
                   std::int64_t rows, std::int64_t columns) = nullptr;

  // The same for n elements of one line.
  void (*find_largest_of_line)(void* largest, const char* in, std::int64_t n) = nullptr;
  void (*add_up_line)(double* sum, const void* largest, char* out, const char* in,
                      std::int64_t n) = nullptr;
  void (*scale_line)(const void* factor, char* out, std::int64_t n) = nullptr;
  void (*finish_line)(const void* largest, const void* factor, char* out, const char* in,
                      std::int64_t n) = nullptr;

  /// All of it for `count` dense lines of n elements each, out_row and in_row bytes from one to the
  /// next: at most max_softmax_lines of them, few enough to stay in L1. The output may be the
  /// input.
  void (*lines)(char* out, std::int64_t out_row, const char* in, std::int64_t in_row,
                std::int64_t count, std::int64_t n) = nullptr;
  std::int64_t min_line = 0;  ///< elements of such a line

  ScalarType type = ScalarType::f32;
};

/// For f32 and f64; null for other types.
WEFT_DECLARE_KERNEL(softmax_kernel, const SoftmaxKernel*(SoftmaxOp op, ScalarType type));

}  // namespace v0
}  // namespace weft
