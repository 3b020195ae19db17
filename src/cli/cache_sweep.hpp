// SPDX-License-Identifier: Apache-2.0
/// @file
/// How quickly memory is read by how much of it there is, and what that says of the caches.
#pragma once

#include <weft/machine/cpu_info.hpp>

#include "cli/price_measurement.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::cli {

/// Latency of reads all over some memory.
struct SweepPoint {
  std::int64_t bytes = 0;
  double latency_ns = 0;  ///< of a read that waits for the one before
};

/// A cache, or memory behind all of them.
struct CacheLevel {
  std::string name;
  std::int64_t told_bytes = 0;  ///< as cpu_info() says; 0 for memory
  std::int64_t seen_bytes = 0;  ///< as reads say, to about a third; 0 if they do not
  double latency_ns = 0;        ///< of a part of it that is beyond the level before
  TwiceMeasured line;           ///< one of many cache lines read one after the other

  /// GB/s of such reads.
  double bandwidth() const noexcept {
    return line.best_ns > 0 ? cache_line_bytes / line.best_ns : 0;
  }
};

/// CacheLevel::line of the last level and of memory where the table's prices are from.
inline constexpr double reference_last_level_line_ns = 0.92, reference_memory_line_ns = 2.4;

/// Reads memory of all sizes up to several times the last level, or 1 GiB, on this thread. Goes on
/// for about `seconds`, or as long as a few rounds take. The levels come from the first to memory,
/// which is left out where 1 GiB is not twice the last level.
std::vector<CacheLevel> sweep_caches(const CpuInfo& machine, double seconds);

/// The most bytes of the points, which are in order, that are read as quickly as a level of
/// `inside_ns` and not as slowly as the next one of `outside_ns`; 0 if there is no clear step from
/// the one to the other.
std::int64_t bytes_seen(std::span<const SweepPoint> points, double inside_ns, double outside_ns);

/// Where the levels contradict cpu_info(), in sentences.
std::vector<std::string> contradictions(std::span<const CacheLevel> levels, const CpuInfo& machine);

/// 1.5 MiB, 48 KiB.
std::string bytes_text(std::int64_t bytes);

}  // namespace weft::cli
