// SPDX-License-Identifier: Apache-2.0
#include "core/block_cache.hpp"

#include <bit>
#include <thread>

namespace weft {
inline namespace v0 {

std::size_t BlockCache::block_size(std::size_t bytes) noexcept {
  if (bytes <= min_kept_block) return min_kept_block;
  const std::size_t step = std::bit_floor(bytes) / sizes_of_power;
  return (bytes + step - 1) / step * step;
}

int BlockCache::index_of(std::size_t block_size) noexcept {
  const int power = std::bit_width(block_size) - 1;
  const std::size_t step = (std::size_t{1} << power) / sizes_of_power;
  const auto eighths = static_cast<int>(block_size / step) - sizes_of_power;
  return (power - std::bit_width(min_kept_block) + 1) * sizes_of_power + eighths;
}

/// False if it stays locked: after a fork, the thread that held the lock may not be there any more.
/// Everything goes without the cache, too.
bool BlockCache::lock() noexcept {
  constexpr int tries = 1000;  // a thousand times what is done under the lock
  for (int i = 0; i < tries; ++i) {
    if (!is_locked_.test_and_set(std::memory_order_acquire)) return true;
    if (i % 16 == 15) std::this_thread::yield();
  }
  return false;
}

void BlockCache::insert(Free* block) noexcept {
  Free*& first = of_size_[index_of(block->size)];
  block->next = first;
  block->previous = nullptr;
  if (first != nullptr) first->previous = block;
  first = block;
  block->older = newest_;
  block->newer = nullptr;
  (newest_ != nullptr ? newest_->newer : oldest_) = block;
  newest_ = block;
  bytes_.fetch_add(static_cast<std::int64_t>(block->size), std::memory_order_relaxed);
  blocks_.fetch_add(1, std::memory_order_relaxed);
}

void BlockCache::remove(Free* block) noexcept {
  (block->previous != nullptr ? block->previous->next : of_size_[index_of(block->size)]) =
      block->next;
  if (block->next != nullptr) block->next->previous = block->previous;
  (block->older != nullptr ? block->older->newer : oldest_) = block->newer;
  (block->newer != nullptr ? block->newer->older : newest_) = block->older;
  bytes_.fetch_sub(static_cast<std::int64_t>(block->size), std::memory_order_relaxed);
  blocks_.fetch_sub(1, std::memory_order_relaxed);
}

void* BlockCache::take(std::size_t block_size) noexcept {
  const bool may_be_there = blocks_.load(std::memory_order_relaxed) > 0 && block_size < max_size;
  if (!may_be_there || !lock()) return nullptr;
  Free* const block = of_size_[index_of(block_size)];
  if (block != nullptr) {
    remove(block);
    reused_.fetch_add(1, std::memory_order_relaxed);
  }
  unlock();
  return block;
}

void BlockCache::give(void* block, std::size_t block_size, Release release) noexcept {
  const std::int64_t most = limit();
  if (static_cast<std::int64_t>(block_size) > most || !lock()) return release(block, block_size);
  auto* const free = static_cast<Free*>(block);
  free->size = block_size;
  insert(free);
  unlock();
  if (bytes_.load(std::memory_order_relaxed) > most) shrink(most, release);
}

BlockCache::Free* BlockCache::remove_oldest(std::int64_t limit) noexcept {
  if (!lock()) return nullptr;
  Free* const block = bytes_.load(std::memory_order_relaxed) > limit ? oldest_ : nullptr;
  if (block != nullptr) remove(block);
  unlock();
  return block;
}

void BlockCache::shrink(std::int64_t bytes, Release release) noexcept {
  // The system is not asked under the lock.
  while (Free* const block = remove_oldest(bytes))
    release(block, block->size);
}

MemoryCounters BlockCache::counters() const noexcept {
  return {bytes_.load(std::memory_order_relaxed), blocks_.load(std::memory_order_relaxed),
          reused_.load(std::memory_order_relaxed), allocated_.load(std::memory_order_relaxed)};
}

}  // namespace v0
}  // namespace weft
