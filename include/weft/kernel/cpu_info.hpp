// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the library knows of the machine.
#pragma once

#include <weft/base/export.hpp>
#include <weft/kernel/level.hpp>

#include <cstdint>
#include <string>

namespace weft::inline v0 {

struct CpuInfo {
  std::string model;                   ///< as the processor names itself; may be empty
  Level level = Level::baseline;       ///< that kernels run at
  Level best_level = Level::baseline;  ///< that CPU and system offer
  int hardware_threads = 1;
  // Data caches of one core, in bytes; typical values where the system does not say.
  std::int64_t l1_bytes = 32 << 10;
  std::int64_t l2_bytes = 1 << 20;
  std::int64_t l3_bytes = 8 << 20;

  /// True if the last level is the cache of a whole socket, far from each core: it is larger than any that
  /// a group of cores has next to it.
  bool has_far_last_level() const noexcept { return l3_bytes > largest_near_cache; }
  /// True if registers of 64 bytes go through units of that width, not in halves. Processors do not say so;
  /// those that do have a first-level cache that can feed them, of 48 KiB and more.
  bool has_wide_units() const noexcept { return l1_bytes >= 48 << 10; }
  /// Bytes of the last level that a process on a few cores can count on.
  std::int64_t last_level_share() const noexcept {
    return has_far_last_level() ? largest_near_cache : l3_bytes;
  }

 private:
  static constexpr std::int64_t largest_near_cache = 96 << 20;
};

/// Looked up once.
WEFT_API const CpuInfo& cpu_info();

}  // namespace weft::inline v0
