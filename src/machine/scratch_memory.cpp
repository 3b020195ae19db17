// SPDX-License-Identifier: Apache-2.0
#include "machine/scratch_memory.hpp"

#include "base/sanitizers.hpp"

#include <atomic>
#include <cstddef>
#include <new>

#if WEFT_HAS_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace weft {
inline namespace v0 {
namespace {

char* allocate(std::int64_t bytes) {
  return static_cast<char*>(
      ::operator new(static_cast<std::size_t>(bytes), std::align_val_t{cache_line_bytes}));
}
void release(char* data) noexcept { ::operator delete(data, std::align_val_t{cache_line_bytes}); }

/// Says that of a block, the first bytes alone may be touched: so the address sanitizer finds what
/// leaves a buffer, as it does on the stack.
void allow_only([[maybe_unused]] char* block, [[maybe_unused]] std::int64_t bytes) noexcept {
#if WEFT_HAS_ADDRESS_SANITIZER
  ASAN_POISON_MEMORY_REGION(block, scratch_block_bytes);
  ASAN_UNPOISON_MEMORY_REGION(block, bytes);
#endif
}

/// Blocks that are kept, each in a place on a line of its own. Whoever exchanges a pointer owns the
/// block, so threads that are ended by the process, static objects that are destroyed and a child
/// after a fork need no care. There is nothing that has to be done when a thread ends: to be told
/// of that takes the dynamic linker's lock, for which a static object that is being made in a
/// module waits for ever.
struct alignas(cache_line_bytes) Place {
  std::atomic<char*> block{nullptr};
};
constinit Place places[max_kept_blocks];

/// The place where this thread looks first, so that it finds the block that its caches know.
std::size_t first_place() noexcept {
  static thread_local const char of_this_thread = 0;
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // spreads addresses; its top bits are best
  const auto address = reinterpret_cast<std::uintptr_t>(&of_this_thread);
  return static_cast<std::size_t>((static_cast<std::uint64_t>(address) * golden) >> 32);
}

/// Calls try_at(place) from there on until it returns true.
template <class F>
bool find_place(F&& try_at) {
  const std::size_t first = first_place();
  for (std::size_t i = 0; i < max_kept_blocks; ++i) {
    if (try_at(places[(first + i) % max_kept_blocks].block)) return true;
  }
  return false;
}

/// When the process ends, or the module that weft is in is unloaded.
struct ReleaseAtEnd {
  ~ReleaseAtEnd() { ScratchMemory::release_kept(); }
} release_at_end;

}  // namespace

char* ScratchMemory::take(std::int64_t bytes) {
  if (bytes > scratch_block_bytes) return allocate(bytes);
  char* block = nullptr;
  const bool found = find_place([&](std::atomic<char*>& kept) {
    if (kept.load(std::memory_order_relaxed) == nullptr) return false;
    block = kept.exchange(nullptr, std::memory_order_acquire);
    return block != nullptr;
  });
  if (!found) block = allocate(scratch_block_bytes);
  allow_only(block, bytes);
  return block;
}

void ScratchMemory::give_back(char* data, std::int64_t bytes) noexcept {
  if (bytes > scratch_block_bytes) return release(data);
  allow_only(data, 0);
  const bool found = find_place([&](std::atomic<char*>& kept) {
    char* nothing = nullptr;
    return kept.load(std::memory_order_relaxed) == nullptr &&
           kept.compare_exchange_strong(nothing, data, std::memory_order_release,
                                        std::memory_order_relaxed);
  });
  if (found) return;
  allow_only(data, scratch_block_bytes);
  release(data);
}

void ScratchMemory::release_kept() noexcept {
  for (Place& place : places) {
    char* const block = place.block.exchange(nullptr, std::memory_order_acquire);
    if (block == nullptr) continue;
    allow_only(block, scratch_block_bytes);
    release(block);
  }
}

}  // namespace v0
}  // namespace weft
