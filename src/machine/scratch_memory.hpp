// SPDX-License-Identifier: Apache-2.0
/// @file
/// Memory for blocks that go through buffers.
#pragma once

#include "base/internal_api.hpp"
#include "machine/tuning.hpp"

#include <cstddef>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// Bytes of a buffer on the stack, at most: threads may have as little as 128 KiB of it.
inline constexpr std::int64_t max_stack_buffer_bytes = 4 << 10;

/// Bytes of a block of scratch memory: what any call of the engine stages at a time.
inline constexpr std::int64_t scratch_block_bytes = 192 << 10;
/// Blocks that are kept, at most. weft itself holds up to three at a time on a thread, and a
/// function that weft has called may call it again.
inline constexpr std::size_t max_kept_blocks = 64;

/// Memory for a while, from the cache line on where it begins. Its bytes are anything. Blocks that
/// are not needed any more are kept for the next who need some, so that only first calls allocate;
/// what is larger than a block is allocated each time. Blocks may be given back in any order, and
/// by other threads.
class WEFT_INTERNAL_API ScratchMemory {
 public:
  /// Throws std::bad_alloc. Of 0 bytes there is none.
  explicit ScratchMemory(std::int64_t bytes)
      : bytes_(bytes), data_(bytes == 0 ? nullptr : take(bytes)) {}
  ~ScratchMemory() {
    if (data_ != nullptr) give_back(data_, bytes_);
  }
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;

  /// Null if there is none.
  char* data() const noexcept { return data_; }

  /// Frees the blocks that are kept and that nobody uses.
  static void release_kept() noexcept;

 private:
  static char* take(std::int64_t bytes);
  static void give_back(char* data, std::int64_t bytes) noexcept;

  std::int64_t bytes_;
  char* data_;
};

/// The same for calls that often have little to stage: up to max_stack_buffer_bytes are in the
/// object, which is on the stack.
class SmallScratch {
 public:
  /// Throws std::bad_alloc.
  explicit SmallScratch(std::int64_t bytes) : more_(bytes <= max_stack_buffer_bytes ? 0 : bytes) {}

  char* data() noexcept { return more_.data() != nullptr ? more_.data() : few_; }

 private:
  alignas(cache_line_bytes) char few_[max_stack_buffer_bytes];
  ScratchMemory more_;
};

}  // namespace v0
}  // namespace weft
