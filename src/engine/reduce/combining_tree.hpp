// SPDX-License-Identifier: Apache-2.0
/// @file
/// Accumulators that arrive one after the other, or are there, combined as a tree.
#pragma once

#include <weft/kernel/reduction_kernel.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// Combines `count` rows of n accumulators by halves, into the first one.
inline void combine_by_halves(const ReductionKernel& kernel, char* rows, std::int64_t count,
                              std::int64_t n) {
  while (count > 1) {
    const auto half =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)) / 2);
    kernel.combine(kernel.context, rows, rows + half * n * kernel.accumulator_bytes,
                   (count - half) * n);
    count = half;
  }
}

/// Combines accumulators that arrive in order as a binary tree: of n of them, the largest power of
/// two below n (or half of n) on the left. Works like a binary counter: the sum of 2^k arrivals
/// waits at level k.
class CombiningTree {
 public:
  /// Arrays of `width` accumulators, for up to `count` arrivals, in memory of bytes_needed().
  CombiningTree(const ReductionKernel& kernel, char* memory, std::int64_t width)
      : kernel_(kernel), memory_(memory), level_bytes_(width * kernel.accumulator_bytes) {}

  static std::int64_t bytes_needed(const ReductionKernel& kernel, std::int64_t width,
                                   std::int64_t count) {
    const int levels =
        std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1))) + 1;
    return levels * width * kernel.accumulator_bytes;
  }

  /// Where the next arrival is to be written.
  char* next() { return memory_ + filled_ * level_bytes_; }
  /// Takes what was written to next(), `n` accumulators.
  void push(std::int64_t n) {
    ++filled_;
    for (std::int64_t bits = arrivals_++; (bits & 1) != 0; bits >>= 1)
      merge_top(n);
  }
  /// The result of all arrivals (at least one).
  char* finish(std::int64_t n) {
    while (filled_ > 1)
      merge_top(n);
    return memory_;
  }
  /// The accumulator that holds the first arrivals.
  const char* first() const { return memory_; }

 private:
  void merge_top(std::int64_t n) {
    char* left = memory_ + (filled_ - 2) * level_bytes_;
    kernel_.combine(kernel_.context, left, left + level_bytes_, n);
    --filled_;
  }

  const ReductionKernel& kernel_;
  char* memory_;
  std::int64_t level_bytes_;
  std::int64_t filled_ = 0;    // arrays in use
  std::int64_t arrivals_ = 0;  // in binary: which levels they stand for
};

}  // namespace v0
}  // namespace weft
