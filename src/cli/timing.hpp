// SPDX-License-Identifier: Apache-2.0
/// @file
/// Timing of calls.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace weft::cli {

/// Time per call, in nanoseconds.
struct Times {
  double least_ns = 0;
  double median_ns = 0;
  std::size_t runs = 0;  ///< batches timed
};

/// Nanoseconds per call of `count` calls in a row.
template <class F>
double time_calls(F&& call, long count) {
  const auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < count; ++i)
    call();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
             .count() /
         static_cast<double>(count);
}

/// Calls for about `seconds`: what threads need until a scheduler that has put them on one core
/// spreads them.
template <class F>
void warm_up(F&& call, double seconds) {
  for (double spent_ns = 0; spent_ns < seconds * 1e9;)
    spent_ns += time_calls(call, 1);
}

/// Times batches of calls for at least `min_seconds` and at least five times. A batch is long
/// enough (0.2 ms) that reading the clock does not count.
template <class F>
Times measure(F&& call, double min_seconds) {
  constexpr double long_enough_ns = 2e5;
  constexpr long most_calls = 1L << 22;
  long calls = 1;
  while (time_calls(call, calls) * static_cast<double>(calls) <= long_enough_ns &&
         calls <= most_calls)
    calls *= 4;

  std::vector<double> ns;
  const auto start = std::chrono::steady_clock::now();
  do {
    ns.push_back(time_calls(call, calls));
  } while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
               min_seconds ||
           ns.size() < 5);
  std::sort(ns.begin(), ns.end());
  return {ns.front(), ns[ns.size() / 2], ns.size()};
}

/// 1234.5 as "1.234 us".
inline std::string duration(double ns) {
  const char* units[] = {"ns", "us", "ms", "s"};
  int unit = 0;
  for (; unit < 3 && ns >= 1000; ++unit)
    ns /= 1000;
  return fmt::format("{:.4g} {}", ns, units[unit]);
}

}  // namespace weft::cli
