// SPDX-License-Identifier: Apache-2.0
// Times of several ways to do one thing, in turns.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <vector>

namespace bench {

inline double microseconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

/// The least time of each, in turns, for so many seconds each.
inline std::vector<double> least_times(double seconds_each,
                                       const std::vector<std::function<void()>>& runs) {
  std::vector<double> least(runs.size(), std::numeric_limits<double>::infinity());
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration<double>(seconds_each * static_cast<double>(runs.size()));
  do {
    for (std::size_t i = 0; i < runs.size(); ++i)
      least[i] = std::min(least[i], microseconds_of(runs[i]));
  } while (std::chrono::steady_clock::now() < end);
  return least;
}

}  // namespace bench
