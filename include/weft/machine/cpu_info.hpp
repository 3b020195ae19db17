// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the library knows of the machine.
#pragma once

#include <weft/base/export.hpp>
#include <weft/machine/level.hpp>

#include <cstdint>
#include <string>

namespace weft {
inline namespace v0 {

struct CpuInfo {
  std::string model;                ///< as the processor names itself; may be empty
  Level level = lowest_level;       ///< that kernels run at
  Level best_level = lowest_level;  ///< that CPU and system offer
  int hardware_threads = 1;
  // Data caches of one core, in bytes; typical values where the system does not say.
  std::int64_t l1_bytes = 32 << 10;
  std::int64_t l2_bytes = 1 << 20;
  std::int64_t l3_bytes = 8 << 20;
  bool caches_are_told = false;  ///< the sizes are those of WEFT_CACHES
  bool l3_is_told_far = false;   ///< and it says so of the last level, whatever its size
  std::string tuning_file;       ///< that WEFT_TUNING names, if it is in use
  std::string tuning_refused;    ///< why it is not

  /// True if the last level is the cache of a whole socket, far from each core: it is larger than
  /// any that a group of cores has next to it, or told to be far.
  bool has_far_last_level() const noexcept {
    return l3_is_told_far || l3_bytes > largest_near_cache;
  }
  /// True if registers of 64 bytes go through units of that width, not in halves. Processors do not
  /// say so; those that do have a first-level cache that can feed them, of 48 KiB and more.
  bool has_wide_units() const noexcept { return l1_bytes >= 48 << 10; }
  /// Bytes of the last level that a process on a few cores can count on.
  std::int64_t last_level_share() const noexcept {
    return l3_bytes < largest_near_cache ? l3_bytes : largest_near_cache;
  }

 private:
  static constexpr std::int64_t largest_near_cache = 96 << 20;
};

/// Looked up once. The environment variable WEFT_CACHES replaces what the system says of the
/// caches, by the sizes of the three levels, `48K,1M,32M` say, in bytes or in units K, M or G of
/// 1024, 1024^2 or 1024^3 bytes, and `,far` after them for a last level that is as far from a core
/// as memory. It changes what is chosen, never results. Anything else it may hold than sizes from
/// 4K to 64G is passed over.
///
/// WEFT_TUNING names a file that replaces measured constants of the engine, as `weft info --tuning`
/// prints it. It has no say in results either. A file of another processor, of other caches or
/// another version, and one that holds anything unknown or out of range, is refused as a whole:
/// tuning_refused says why.
WEFT_API const CpuInfo& cpu_info();

}  // namespace v0
}  // namespace weft
