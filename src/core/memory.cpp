// SPDX-License-Identifier: Apache-2.0
#include "core/memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
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

template <std::size_t alignment>
std::shared_ptr<void> allocate_aligned(std::size_t size) {
  void* const memory = ::operator new(size, std::align_val_t{alignment}, std::nothrow);
  // Not left to operator new, of which the address sanitizer's aborts instead.
  if (memory == nullptr) throw std::bad_alloc();
  return {memory, [](void* p) { ::operator delete(p, std::align_val_t{alignment}); }};
}

}  // namespace

std::shared_ptr<void> allocate(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  if (size < huge_page_bytes) return allocate_aligned<line_bytes>(size);
  static std::atomic<std::size_t> count{0};
  const std::size_t before = count.fetch_add(1, std::memory_order_relaxed);
  const std::size_t offset = before * lines_between % lines_of_page * line_bytes;
  const std::shared_ptr<void> memory = allocate_aligned<huge_page_bytes>(size + offset);
#if defined(__linux__)
  // Advice: where it is not taken, pages are small and all else is the same.
  madvise(memory.get(), size + offset, MADV_HUGEPAGE);
#endif
  return {memory, static_cast<char*>(memory.get()) + offset};
}

}  // namespace v0
}  // namespace weft
