// SPDX-License-Identifier: Apache-2.0
/// @file
/// Heap allocations counted, and made to fail. Works in programs one source of which replaces
/// operator new (allocation_counter.hpp).
#pragma once

#include <atomic>
#include <new>

namespace test {

/// Calls of operator new so far, on all threads, and how many of them nobody has given back.
inline std::atomic<long> allocation_count{0}, live_allocations{0};

/// Number of calls of operator new while f runs, on all threads.
template <class F>
long allocations(F&& f) {
  const long before = allocation_count.load();
  f();
  return allocation_count.load() - before;
}

/// The same of a second run: what it stages goes through memory that the thread has kept.
template <class F>
long later_allocations(F&& f) {
  f();
  return allocations(f);
}

/// What fails besides the allocation that is named.
enum class Failing {
  once,           ///< nothing
  from_there_on,  ///< all that follow
};
/// Whose allocations are counted, and fail.
enum class Of { this_thread, all_threads };

/// While it lives, allocation n from now on fails, counted from 1. One at a time.
class FailingAllocation {
 public:
  explicit FailingAllocation(long n, Failing how = Failing::once, Of whose = Of::this_thread) {
    how_ = how;
    here_ = true;
    everywhere_ = whose == Of::all_threads;
    left_ = n;
  }
  ~FailingAllocation() { stop(); }
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  /// Nothing fails any more. True if allocation n was reached.
  bool stop() {
    here_ = everywhere_ = false;
    return left_.exchange(none) < 0;
  }

  /// Whether those of all threads count.
  static bool is_everywhere() { return everywhere_; }
  /// Whether an allocation that is being made fails. For operator new.
  static bool fails_now() {
    if (!here_ && !everywhere_) return false;
    const long left = left_.load();
    if (left == none) return false;
    if (left < 0) return how_ == Failing::from_there_on;
    if (left_.fetch_sub(1) != 1) return false;
    left_ = reached;
    return true;
  }

 private:
  static constexpr long none = 1L << 60, reached = -1;

  inline static std::atomic<long> left_{none};
  inline static std::atomic<Failing> how_{Failing::once};
  inline static std::atomic<bool> everywhere_{false};
  inline static thread_local bool here_ = false;
};

/// Calls f with its first allocation failing, with its second, and so on until none is left to
/// fail, and after_failure() each time that f threw std::bad_alloc. Returns how often that was.
template <class F, class AfterFailure>
long fail_each_allocation(F&& f, AfterFailure&& after_failure) {
  for (long n = 1;; ++n) {
    FailingAllocation failing(n);
    try {
      f();
      if (!failing.stop()) return n - 1;
    } catch (const std::bad_alloc&) {
      failing.stop();
      after_failure();
    }
  }
}

}  // namespace test
