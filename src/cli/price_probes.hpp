// SPDX-License-Identifier: Apache-2.0
/// @file
/// Pairs of calls that differ in one thing that the tuning table has a price for.
#pragma once

#include <weft/machine/cpu_info.hpp>
#include <weft/machine/strategy.hpp>

#include "cli/price_measurement.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

/// A call, as in a case file but without a name, and the strategy that carries it out.
struct ProbeCall {
  Strategy strategy;
  std::string call;
};

/// Two calls, of which the second has more of what is priced.
struct PriceProbe {
  std::int64_t Tuning::*price;
  ProbeCall fewer, more;
  /// By what the second takes longer on the machine where the table's prices of class tight are
  /// from, an AMD Zen 3. A price is fitted to many calls, so it is not this divided by a count.
  double reference_ns;
};

/// One for each price of a few elements, of calls that the machine's caches hold as they should.
std::vector<PriceProbe> price_probes(const CpuInfo& machine);

/// Times the two calls for about `seconds`, on this thread. Throws Error where one cannot be
/// carried out.
PairTimes time_probe(const PriceProbe& probe, const CpuInfo& machine, double seconds);

/// Nanoseconds until a second thread takes part in a loop, where it slept before; in the median of
/// loops, for about `seconds`. At least `no_thread_came` if most of the time none did.
/// Precondition: num_threads() > 1.
double time_waking(double seconds);
inline constexpr std::chrono::nanoseconds no_thread_came = std::chrono::milliseconds(1);
/// What it takes where the table's price is from (record 9).
inline constexpr double reference_waking_ns = 29'000;

}  // namespace weft::cli
