// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where the memory of tensors comes from, and what is kept of it.
///
/// The memory of a large result costs more than what is computed: the system hands out pages that
/// are not there yet, and makes each one when it is first touched. So blocks of 4 KiB and more that
/// become free are kept, and go to the next tensor of about that size. docs/memory.md has figures.
#pragma once

#include <weft/base/export.hpp>

#include <cstddef>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// Bytes of freed blocks that are kept unless set otherwise.
inline constexpr std::int64_t default_kept_memory = std::int64_t{64} << 20;

/// Sets how many bytes of freed blocks are kept; 0: none. Where there are more, those that have
/// been free for longest go first, and they do at once. Under address, thread and memory sanitizers
/// nothing is ever kept. May be called at any time, by any thread. Throws
/// Error(invalid_argument) for a number below 0. Allocates nothing.
WEFT_API void set_kept_memory(std::int64_t bytes);

/// Frees the blocks that are kept, scratch memory among them (docs/memory.md), and the plans that
/// are kept of expressions which are gone. It happens by itself before an allocation fails.
WEFT_API void release_kept_memory() noexcept;

/// What has been allocated for tensors since the process began, by all threads. Blocks that are
/// too small to be kept do not count.
struct MemoryCounters {
  std::int64_t kept_bytes = 0;   ///< free now
  std::int64_t kept_blocks = 0;  ///< free now
  std::int64_t reused = 0;       ///< blocks that were kept, and handed out again
  std::int64_t allocated = 0;    ///< blocks that the system was asked for
};
/// The counters, each right by itself: threads that are at work may change one after another.
WEFT_API MemoryCounters memory_counters() noexcept;

/// Functions that give and take the memory of tensors, instead of weft's own. They are called by
/// any thread, and several at a time; `context` is handed through, and lives as long as memory that
/// came from here.
struct Allocator {
  /// `bytes` bytes, 1 at least, that begin at a multiple of `alignment`, a power of two; null if
  /// there are none, which becomes std::bad_alloc. It does not throw.
  void* (*allocate)(void* context, std::size_t bytes, std::size_t alignment) noexcept = nullptr;
  /// Takes back what allocate() gave for these bytes.
  void (*deallocate)(void* context, void* memory, std::size_t bytes,
                     std::size_t alignment) noexcept = nullptr;
  void* context = nullptr;
};

/// Makes tensors from now on ask this allocator, of whose memory nothing is kept; what there is
/// goes back where it came from. An Allocator without functions stands for weft's own. Throws
/// Error(invalid_argument) if only one function is there. May be called at any time, by any thread.
WEFT_API void set_allocator(const Allocator& allocator);

}  // namespace v0
}  // namespace weft
