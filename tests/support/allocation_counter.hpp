// SPDX-License-Identifier: Apache-2.0
/// @file
/// Counts heap allocations, and lets one fail. Replaces operator new of the whole program, so
/// include it in exactly one source file of a test program that asks for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace test {

inline std::atomic<long> allocation_count{0};

/// Number of calls of operator new while f runs, on all threads.
template <class F>
long allocations(F&& f) {
  const long before = allocation_count.load();
  f();
  return allocation_count.load() - before;
}

/// The allocation that fails, once, counted from 1; 0: none does.
inline std::atomic<long> failing_allocation{0};

/// Calls f with its first allocation failing, with its second, and so on until none is left to
/// fail, and after_failure() each time that f threw std::bad_alloc. Returns how often that was.
template <class F, class AfterFailure>
long fail_each_allocation(F&& f, AfterFailure&& after_failure) {
  for (long n = 1;; ++n) {
    failing_allocation = n;
    try {
      f();
      const bool was_reached = failing_allocation.exchange(0) <= 0;
      if (!was_reached) return n - 1;
    } catch (const std::bad_alloc&) {
      failing_allocation = 0;
      after_failure();
    }
  }
}

inline void* counted_allocation(std::size_t size, std::size_t alignment) {
  ++allocation_count;
  if (failing_allocation > 0 && --failing_allocation == 0) {
    failing_allocation = -1;  // reached
    throw std::bad_alloc();
  }
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace test

// Not inlined: otherwise GCC sees malloc's memory given to delete, or new's to free, and warns. All
// forms, since a sanitizer brings those of its own that are left out, and finds the pairs
// mismatched.
[[gnu::noinline]] void* operator new(std::size_t size) {
  return test::counted_allocation(size, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return test::counted_allocation(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return test::counted_allocation(size, alignof(std::max_align_t));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment,
                                     const std::nothrow_t&) noexcept {
  try {
    return test::counted_allocation(size, static_cast<std::size_t>(alignment));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void* operator new[](std::size_t size) { return operator new(size); }
[[gnu::noinline]] void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t,
                                       const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
