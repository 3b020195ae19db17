// SPDX-License-Identifier: Apache-2.0
#include "parallel/thread_trial.hpp"

#include "parallel/keep_loaded.hpp"

#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace weft {
inline namespace v0 {
namespace {

/// Whether this is a child of a process that used threads.
std::atomic<bool> is_child = false;

/// A child has none of its parent's threads, but what they held when it was made: a worker that was
/// about to sleep may have had one of oneTBB's locks.
void watch_for_fork() noexcept {
#if defined(__unix__) || defined(__APPLE__)
  pthread_atfork(nullptr, nullptr, [] { is_child.store(true, std::memory_order_relaxed); });
#endif
}

/// Whether so many threads can be there at a time.
bool can_make_threads(int count) noexcept {
  std::mutex until_all_are_there;
  std::vector<std::thread> threads;
  bool made = true;
  try {
    const std::lock_guard lock(until_all_are_there);
    threads.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      threads.emplace_back([&] { const std::lock_guard wait(until_all_are_there); });
  } catch (const std::exception&) {  // no thread, or no memory for one
    made = false;
  }
  for (std::thread& thread : threads)
    thread.join();
  return made;
}

}  // namespace

bool has_threads() noexcept {
  static const bool has = [] {
    keep_loaded();
    watch_for_fork();
    return tbb::this_task_arena::current_thread_index() >= 0 ||
           can_make_threads(tbb::this_task_arena::max_concurrency() - 1);
  }();
  return has && !is_child.load(std::memory_order_relaxed);
}

}  // namespace v0
}  // namespace weft
