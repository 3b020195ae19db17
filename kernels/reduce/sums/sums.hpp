// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sums over rows and columns of floats and doubles.
#pragma once

#include "kernels/reduce/sums/column_sums.hpp"
#include "kernels/reduce/sums/row_sums.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Spans and columns of a rule that sums Rule::map of each element in f64.
template <class Rule>
struct MappedSums {
  using T = typename Rule::Element;
  static constexpr std::int64_t least_row = 1;

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    sum_rows<T, true>(static_cast<double*>(accumulators), inputs[0], row_bytes[0], rows, n,
                      [](std::int64_t) WEFT_INLINE_LAMBDA {
                        return [](auto x) WEFT_INLINE_LAMBDA { return Rule::map(x); };
                      });
  }
  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    const std::int64_t none = 0;
    column_blocks(nullptr, accumulators, inputs, row_bytes, rows, columns, &none, 1);
  }
  static void column_blocks(const void*, void* accumulators, char* const* inputs,
                            const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                            const std::int64_t* block_bytes, std::int64_t blocks) {
    for (std::int64_t b = 0; b < blocks; ++b) {
      sum_columns<T>(static_cast<double*>(accumulators) + b * columns,
                     inputs[0] + b * block_bytes[0], row_bytes[0], rows, columns,
                     [](auto x, std::int64_t) WEFT_INLINE_LAMBDA { return Rule::map(x); });
    }
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
