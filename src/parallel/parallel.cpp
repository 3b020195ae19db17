// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/text.hpp"
#include "parallel/loop_threads.hpp"
#include "parallel/shared_loop.hpp"
#include "parallel/thread_cap.hpp"
#include "parallel/thread_trial.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>

namespace weft {
inline namespace v0 {
namespace {

constexpr int no_cap = std::numeric_limits<int>::max();

int cap_from_environment() noexcept {
  const char* value = std::getenv("WEFT_NUM_THREADS");
  if (value == nullptr) return no_cap;
  const int cap = thread_cap_of(value);
  return cap > 0 ? cap : no_cap;
}

std::atomic<int>& process_cap() noexcept {
  static std::atomic<int> cap = cap_from_environment();
  return cap;
}

thread_local int thread_cap = no_cap;

}  // namespace

int num_threads() noexcept {
  const int cap = std::min(thread_cap, process_cap().load(std::memory_order_relaxed));
  const int most = cap == 1 ? 1 : std::clamp(tbb::this_task_arena::max_concurrency(), 1, cap);
  return most > 1 && has_threads() ? most : 1;
}

void set_num_threads(int threads) {
  if (threads < 0)
    fail(ErrorCode::invalid_argument, text("set_num_threads: expected 0 or more, got ", threads));
  process_cap().store(threads == 0 ? no_cap : threads, std::memory_order_relaxed);
}

ThreadLimit::ThreadLimit(int threads) : outer_(thread_cap) {
  if (threads < 1)
    fail(ErrorCode::invalid_argument, text("ThreadLimit: expected at least 1, got ", threads));
  thread_cap = threads;
}
ThreadLimit::~ThreadLimit() { thread_cap = outer_; }

int loop_threads(std::int64_t count, std::int64_t grain, std::int64_t align) noexcept {
  grain = std::max<std::int64_t>(grain, 1);
  if (count <= grain) return 1;
  const std::int64_t threads = num_threads();
  if (threads == 1) return 1;
  const LoopUnits units(count, std::max<std::int64_t>(align, 1));
  return static_cast<int>(std::min({threads, ceil_div(count, grain), units.count}));
}

void parallel_for(std::int64_t count, std::int64_t grain,
                  FunctionRef<void(std::int64_t, std::int64_t)> body, std::int64_t align) {
  if (count <= 0) return;
  const int parts = loop_threads(count, grain, align);
  if (parts == 1) {
    body(0, count);
    return;
  }
  grain = std::max<std::int64_t>(grain, 1);
  const LoopUnits units(count, std::max<std::int64_t>(align, 1));
  SharedLoop loop(units, grain, parts, body);
  const int limit = thread_cap;
  // A context of its own: an outer group that is cancelled must not end this loop silently
  // half-way. It carries the caller's rounding mode and treatment of subnormals to the workers:
  // without it these, and the caller itself, would work with those of when the arena was made.
  using Context = tbb::task_group_context;
  Context context(Context::isolated, Context::default_traits | Context::fp_settings);
  try {
    // As many tasks as threads may take part: nothing else keeps others of the arena away.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          0, parts,
          [&](int) {
            // A nested call obeys the limit of the call it came from, on whichever thread it runs.
            const int outer = thread_cap;
            thread_cap = limit;
            struct Restore {
              int cap;
              ~Restore() { thread_cap = cap; }
            } restore{outer};
            loop.take_part(std::max(0, tbb::this_task_arena::current_thread_index()));
          },
          tbb::simple_partitioner(), context);
    });
  } catch (...) {
    // Not of a body: oneTBB had no memory for a task, or no thread. What nobody has begun, this
    // thread does.
    loop.take_part(0);
  }
  loop.rethrow();
}

}  // namespace v0
}  // namespace weft
