// SPDX-License-Identifier: Apache-2.0
/// @file
/// Strategies that a caller asks for, and what is said where they cannot be.
#pragma once

#include <weft/base/small_vector.hpp>
#include <weft/iter/explain.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/strategy.hpp>

#include "machine/tuning.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Those that can carry out a call, in the order of the enumerators.
using Strategies = SmallVector<StrategyCandidate, strategy_count>;

/// One of them, with what it is estimated to take.
inline StrategyCandidate estimated(Strategy strategy, std::int64_t ps) noexcept {
  return {strategy, static_cast<double>(ps) / 1e3};
}

/// The one that the options ask for, or else the tuning; `automatic` if neither does.
inline Strategy wanted_strategy(const RunOptions& options, const Tuning& tuning) noexcept {
  return options.strategy != Strategy::automatic ? options.strategy : tuning.strategy;
}

/// Throws Error(invalid_argument) that names the strategy and those that can.
[[noreturn]] void fail_strategy(Strategy wanted, const Strategies& candidates);

}  // namespace v0
}  // namespace weft
