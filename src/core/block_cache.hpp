// SPDX-License-Identifier: Apache-2.0
/// @file
/// Blocks of memory that are free, kept for whoever needs one of their size next.
#pragma once

#include <weft/core/memory.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// Least bytes of a block that is kept: smaller ones the C library keeps itself.
inline constexpr std::size_t min_kept_block = 4096;

/// Free blocks by size. A static of this class is there from the process' first instruction to its
/// last: it has neither a constructor that runs nor a destructor.
class BlockCache {
 public:
  constexpr BlockCache() = default;

  /// Bytes of the block for so many bytes, min_kept_block at least: an eighth more at most, so that
  /// sizes that are nearly the same share blocks.
  static std::size_t block_size(std::size_t bytes) noexcept;

  /// A block of a size that block_size() gave; null if none is kept.
  void* take(std::size_t block_size) noexcept;
  /// Keeps a block, and frees those that have been free for longest where there are too many.
  /// `release` frees a block.
  using Release = void (*)(void* block, std::size_t block_size) noexcept;
  void give(void* block, std::size_t block_size, Release release) noexcept;

  /// Frees all but so many bytes.
  void shrink(std::int64_t bytes, Release release) noexcept;
  void set_limit(std::int64_t bytes) noexcept { limit_.store(bytes, std::memory_order_relaxed); }
  std::int64_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }

  void count_allocation() noexcept { allocated_.fetch_add(1, std::memory_order_relaxed); }
  MemoryCounters counters() const noexcept;

 private:
  /// What stands at the beginning of a free block.
  struct Free {
    Free* older;
    Free* newer;
    Free* next;      ///< of the same size, freed before it
    Free* previous;  ///< of the same size, freed after it
    std::size_t size;
  };
  /// Eight sizes for each power of two from min_kept_block to more than there is memory.
  static constexpr int sizes_of_power = 8, powers = 36, size_count = powers * sizes_of_power;
  static constexpr std::size_t max_size = min_kept_block << powers;

  static int index_of(std::size_t block_size) noexcept;
  bool lock() noexcept;
  void unlock() noexcept { is_locked_.clear(std::memory_order_release); }
  void insert(Free* block) noexcept;
  void remove(Free* block) noexcept;
  Free* remove_oldest(std::int64_t limit) noexcept;

  std::atomic_flag is_locked_;
  Free* of_size_[size_count] = {};
  Free* oldest_ = nullptr;
  Free* newest_ = nullptr;
  std::atomic<std::int64_t> bytes_{0}, blocks_{0}, reused_{0}, allocated_{0};
  std::atomic<std::int64_t> limit_{default_kept_memory};
};

}  // namespace v0
}  // namespace weft
