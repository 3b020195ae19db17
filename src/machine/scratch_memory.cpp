// SPDX-License-Identifier: Apache-2.0
#include "machine/scratch_memory.hpp"

#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_HAS_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(WEFT_HAS_ADDRESS_SANITIZER)
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
#if defined(WEFT_HAS_ADDRESS_SANITIZER)
  ASAN_POISON_MEMORY_REGION(block, scratch_block_bytes);
  ASAN_UNPOISON_MEMORY_REGION(block, bytes);
#endif
}

/// The blocks that a thread keeps. It has neither constructor nor destructor, so it is there from
/// the thread's first instruction to its last, and reaching it takes no look whether it is.
struct KeptBlocks {
  char* blocks[max_kept_blocks];
  int count;
  bool keeps;  // between the thread's first block and its end
};
constinit thread_local KeptBlocks kept{};

/// Releases them when the thread ends. Threads that never need a block do not register it; what
/// runs later at a thread's end gives its blocks back at once.
struct ReleaseAtEnd {
  ReleaseAtEnd() noexcept { kept.keeps = true; }
  ~ReleaseAtEnd() {
    kept.keeps = false;
    while (kept.count > 0) {
      char* const block = kept.blocks[--kept.count];
      allow_only(block, scratch_block_bytes);
      release(block);
    }
  }
  void reach() noexcept {}
};
thread_local ReleaseAtEnd release_at_end;

}  // namespace

char* ScratchMemory::take(std::int64_t bytes) {
  if (bytes > scratch_block_bytes) return allocate(bytes);
  char* block = nullptr;
  if (kept.count > 0) {
    block = kept.blocks[--kept.count];
  } else {
    release_at_end.reach();
    block = allocate(scratch_block_bytes);
  }
  allow_only(block, bytes);
  return block;
}

void ScratchMemory::give_back(char* data, std::int64_t bytes) noexcept {
  const bool is_block = bytes <= scratch_block_bytes;
  if (is_block && kept.keeps && kept.count < max_kept_blocks) {
    allow_only(data, 0);
    kept.blocks[kept.count++] = data;
  } else {
    if (is_block) allow_only(data, scratch_block_bytes);
    release(data);
  }
}

}  // namespace v0
}  // namespace weft
