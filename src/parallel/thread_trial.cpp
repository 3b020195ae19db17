// SPDX-License-Identifier: Apache-2.0
#include "parallel/thread_trial.hpp"

#include "parallel/keep_loaded.hpp"

#include <oneapi/tbb/task_arena.h>

#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace weft {
inline namespace v0 {
namespace {

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
    return tbb::this_task_arena::current_thread_index() >= 0 ||
           can_make_threads(tbb::this_task_arena::max_concurrency() - 1);
  }();
  return has;
}

}  // namespace v0
}  // namespace weft
