// SPDX-License-Identifier: Apache-2.0
/// @file
/// Replaces operator new of the whole program by one that counts, and fails where it is told to:
/// include it in exactly one source file of a test program that asks for it. Others include
/// failing_allocation.hpp.
#pragma once

#include "support/failing_allocation.hpp"

#include <cstddef>
#include <cstdlib>

namespace test {

inline void* counted_allocation(std::size_t size, std::size_t alignment) {
  ++allocation_count;
  if (FailingAllocation::fails_now()) throw std::bad_alloc();
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  ++live_allocations;
  return memory;
}

inline void counted_free(void* memory) {
  if (memory != nullptr) --live_allocations;
  std::free(memory);
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
[[gnu::noinline]] void operator delete(void* memory) noexcept { test::counted_free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  test::counted_free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  test::counted_free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  test::counted_free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  test::counted_free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t,
                                       const std::nothrow_t&) noexcept {
  test::counted_free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept { test::counted_free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
  test::counted_free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  test::counted_free(memory);
}
