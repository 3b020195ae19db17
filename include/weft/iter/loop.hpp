// SPDX-License-Identifier: Apache-2.0
/// @file
/// The callables that an iterator feeds.
#pragma once

#include <weft/base/function_ref.hpp>
#include <weft/base/limits.hpp>

#include <cstdint>
#include <type_traits>

namespace weft {
inline namespace v0 {

/// Over dim 0: `n` elements; operand k's i-th element is at data[k] + i * strides_bytes[k]. The
/// loop may change data.
using Loop1d = FunctionRef<void(char** data, const std::int64_t* strides_bytes, std::int64_t n)>;

/// Over dims 0 and 1: n1 rows of n0 elements; strides_bytes holds every operand's stride of dim 0,
/// then of dim 1. The loop may change data.
using Loop2d = FunctionRef<void(char** data, const std::int64_t* strides_bytes, std::int64_t n0,
                                std::int64_t n1)>;

template <class F>
concept Loop1dCallable = std::is_invocable_v<F&, char**, const std::int64_t*, std::int64_t>;
template <class F>
concept Loop2dCallable =
    std::is_invocable_v<F&, char**, const std::int64_t*, std::int64_t, std::int64_t>;

/// Half-open range of flat element positions; dim 0 varies fastest.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// A piece of work below this many elements is not split further. For an elementwise loop of a
/// nanosecond an element it is some 30 microseconds, a few times what waking a thread costs.
inline constexpr std::int64_t default_grain = 32768;

/// A 1-D loop as a 2-D one: `loop` for each row.
template <Loop1dCallable F>
auto as_loop2d(F& loop, int noperands) {
  return [&loop, noperands](char** data, const std::int64_t* strides_bytes, std::int64_t n0,
                            std::int64_t n1) {
    // The inner loop may overwrite the pointers, so every row gets fresh ones.
    char* row[max_operands];
    for (std::int64_t i = 0; i < n1; ++i) {
      for (int k = 0; k < noperands; ++k)
        row[k] = data[k] + i * strides_bytes[noperands + k];
      loop(row, strides_bytes, n0);
    }
  };
}

}  // namespace v0
}  // namespace weft
