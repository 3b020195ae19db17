// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/memory.hpp>

#include "base/sanitizers.hpp"
#include "base/text.hpp"
#include "core/allocate.hpp"
#include "core/block_cache.hpp"
#include "core/kept_memory.hpp"
#include "machine/scratch_memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace weft {
inline namespace v0 {
namespace {

constexpr std::size_t line_bytes = 64;
/// A huge page of x86-64, and of AArch64 with pages of 4 KiB.
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
/// Lines by which a large block begins later in its page than the one before it did, and of such a
/// page. Blocks that all begin on huge pages compete for the same sets of every cache, where each
/// is read by steps of a power of two. About a third of a page: operands of one call are then as
/// far from each other as they can be.
constexpr std::size_t lines_between = 21, lines_of_page = 64;

constexpr std::size_t alignment_of(std::size_t size) noexcept {
  return size < huge_page_bytes ? line_bytes : huge_page_bytes;
}

constinit BlockCache cache;
constinit std::atomic<void (*)() noexcept> release_above{nullptr};

void release_block(void* block, std::size_t size) noexcept {
  ::operator delete(block, std::align_val_t{alignment_of(size)});
}

/// When the process ends, or the module that weft is in is unloaded.
struct ReleaseAtEnd {
  ~ReleaseAtEnd() { cache.shrink(0, &release_block); }
} release_at_end;

/// What the system gives. Before there is none, what is kept goes back to it.
void* new_block(std::size_t size) {
  const std::align_val_t alignment{alignment_of(size)};
  // Not left to operator new, of which the address sanitizer's aborts instead.
  void* memory = ::operator new(size, alignment, std::nothrow);
  if (memory == nullptr) {
    release_kept_memory();
    memory = ::operator new(size, alignment, std::nothrow);
  }
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

std::shared_ptr<void> small_memory(std::size_t size) {
  return {new_block(size), [](void* p) { ::operator delete(p, std::align_val_t{line_bytes}); }};
}

void* new_large_block(std::size_t size) {
  void* const memory = new_block(size);
  cache.count_allocation();
#if defined(__linux__)
  // Advice: where it is not taken, pages are small and all else is the same.
  if (size >= huge_page_bytes) madvise(memory, size, MADV_HUGEPAGE);
#endif
  return memory;
}

/// A block that is kept when it is free.
std::shared_ptr<void> kept_memory(std::size_t size) {
  const bool is_huge = size >= huge_page_bytes;
  const std::size_t block_size =
      BlockCache::block_size(is_huge ? size + lines_of_page * line_bytes : size);
  void* memory = memory_is_watched ? nullptr : cache.take(block_size);
  if (memory == nullptr) memory = new_large_block(block_size);
  const auto give_back = [block_size](void* p) noexcept {
    if (memory_is_watched) return release_block(p, block_size);
    cache.give(p, block_size, &release_block);
  };
  const std::shared_ptr<void> owner(memory, give_back);
  if (!is_huge) return owner;
  static constinit std::atomic<std::size_t> count{0};
  const std::size_t before = count.fetch_add(1, std::memory_order_relaxed);
  const std::size_t offset = before * lines_between % lines_of_page * line_bytes;
  return {owner, static_cast<char*>(memory) + offset};
}

// ---- Allocators of the user --------------------------------------------------------------------

constinit std::mutex allocator_mutex;
constinit Allocator users_allocator;
/// Whether there is one: all that is asked where there is none.
constinit std::atomic<bool> has_users_allocator{false};

std::shared_ptr<void> users_memory(std::size_t size) {
  Allocator allocator;
  {
    const std::lock_guard lock(allocator_mutex);
    allocator = users_allocator;
  }
  if (allocator.allocate == nullptr) return nullptr;  // it has just been taken away
  void* const memory = allocator.allocate(allocator.context, size, line_bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return {memory, [allocator, size](void* p) noexcept {
            allocator.deallocate(allocator.context, p, size, line_bytes);
          }};
}

}  // namespace

std::shared_ptr<void> allocate(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  if (has_users_allocator.load(std::memory_order_acquire)) {
    if (std::shared_ptr<void> memory = users_memory(size)) return memory;
  }
  return size < min_kept_block ? small_memory(size) : kept_memory(size);
}

void set_kept_memory(std::int64_t bytes) {
  if (bytes < 0)
    fail(ErrorCode::invalid_argument,
         text("set_kept_memory: expected 0 or more bytes, got ", bytes));
  cache.set_limit(bytes);
  cache.shrink(bytes, &release_block);
}

void also_release(void (*release)() noexcept) noexcept {
  release_above.store(release, std::memory_order_release);
}

void release_kept_memory() noexcept {
  if (auto* const release = release_above.load(std::memory_order_acquire)) release();
  cache.shrink(0, &release_block);
  ScratchMemory::release_kept();
}

MemoryCounters memory_counters() noexcept { return cache.counters(); }

void set_allocator(const Allocator& allocator) {
  const bool gives = allocator.allocate != nullptr, takes = allocator.deallocate != nullptr;
  if (gives != takes) {
    fail(ErrorCode::invalid_argument,
         text("set_allocator: expected both functions or none, got only ",
              gives ? "allocate" : "deallocate"));
  }
  const std::lock_guard lock(allocator_mutex);
  users_allocator = allocator;
  has_users_allocator.store(gives, std::memory_order_release);
}

}  // namespace v0
}  // namespace weft
