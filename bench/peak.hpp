// SPDX-License-Identifier: Apache-2.0
/// @file
/// The most multiply-adds that one core does: what products are measured against.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/machine/dispatch.hpp>

#include <chrono>
#include <cstdint>

namespace bench {

/// Does about `steps` steps of independent multiply-adds in registers, f32 or f64, and returns how
/// many single ones that were. `sink` receives a value of them all.
WEFT_DECLARE_KERNEL(spin_multiply_adds,
                    std::int64_t(weft::ScalarType type, std::int64_t steps, float* sink));

/// Multiply-adds a second on this thread: the best of some short rounds.
inline double peak_multiply_adds(weft::ScalarType type) {
  double best = 0;
  float sink = 0;
  for (int round = 0; round < 20; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    const auto done = static_cast<double>(spin_multiply_adds(type, 200'000, &sink));
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    if (done / time.count() > best) best = done / time.count();
  }
  return best;
}

}  // namespace bench
