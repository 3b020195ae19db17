// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running something on a thread with little stack, and seeing how much of it was used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <stdexcept>

#if defined(__unix__)
#include <pthread.h>
#include <sys/mman.h>
#endif

// Sanitizers make frames larger. (Of that of undefined behaviour, compilers say nothing.)
#if defined(__unix__) && !defined(WEFT_TEST_SANITIZED)
#define WEFT_TEST_HAS_SMALL_STACKS 1
#else
#define WEFT_TEST_HAS_SMALL_STACKS 0
#endif

namespace test {

#if WEFT_TEST_HAS_SMALL_STACKS
/// A stack below which no page can be touched, every byte of which is known.
class SmallStack {
 public:
  explicit SmallStack(std::size_t bytes) : bytes_(bytes) {
    void* const pages =
        mmap(nullptr, guard + bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::runtime_error("no pages for a stack");
    pages_ = static_cast<unsigned char*>(pages);
    mprotect(begin(), bytes_, PROT_READ | PROT_WRITE);
    std::fill_n(begin(), bytes_, paint);
  }
  ~SmallStack() { munmap(pages_, guard + bytes_); }
  SmallStack(const SmallStack&) = delete;
  SmallStack& operator=(const SmallStack&) = delete;

  unsigned char* begin() const { return pages_ + guard; }
  std::size_t size() const { return bytes_; }
  /// The lowest byte that was written to.
  const unsigned char* lowest_used() const {
    return std::find_if(begin(), begin() + bytes_,
                        [](unsigned char byte) { return byte != paint; });
  }

 private:
  static constexpr std::size_t guard = std::size_t{1} << 16;
  static constexpr unsigned char paint = 0xa5;

  std::size_t bytes_;
  unsigned char* pages_ = nullptr;
};

/// Calls f on a new thread whose stack, with all that the system itself puts there, has so many
/// bytes, and returns how many f used. Throws what f throws.
template <class F>
std::size_t stack_used(std::size_t stack_bytes, F&& f) {
  struct Call {
    F& f;
    const unsigned char* entered = nullptr;
    std::exception_ptr error = nullptr;
  } call{f};
  const SmallStack stack(stack_bytes);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack.begin(), stack.size());
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    auto& here = *static_cast<Call*>(argument);
    here.entered = static_cast<const unsigned char*>(__builtin_frame_address(0));
    try {
      here.f();
    } catch (...) {
      here.error = std::current_exception();
    }
    return nullptr;
  };
  const int failed = pthread_create(&thread, &attributes, run, &call);
  pthread_attr_destroy(&attributes);
  if (failed != 0) throw std::runtime_error("no thread with a small stack");
  pthread_join(thread, nullptr);
  if (call.error) std::rethrow_exception(call.error);
  return static_cast<std::size_t>(call.entered - stack.lowest_used());
}
#endif

}  // namespace test
