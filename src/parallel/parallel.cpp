// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/text.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace weft::inline v0 {
namespace {

constexpr int no_cap = std::numeric_limits<int>::max();

int cap_from_environment() noexcept {
  const char* value = std::getenv("WEFT_NUM_THREADS");
  if (value == nullptr) return no_cap;
  int cap = 0;
  const auto [end, error] = std::from_chars(value, value + std::strlen(value), cap);
  return error == std::errc() && *end == '\0' && cap > 0 ? cap : no_cap;
}

std::atomic<int>& process_cap() noexcept {
  static std::atomic<int> cap = cap_from_environment();
  return cap;
}

thread_local int thread_cap = no_cap;

}  // namespace

int num_threads() noexcept {
  const int cap = std::min(thread_cap, process_cap().load(std::memory_order_relaxed));
  return cap == 1 ? 1 : std::clamp(tbb::this_task_arena::max_concurrency(), 1, cap);
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

void parallel_for(std::int64_t count, std::int64_t grain,
                  FunctionRef<void(std::int64_t, std::int64_t)> body, std::int64_t align) {
  if (count <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  align = std::max<std::int64_t>(align, 1);
  const int threads = count <= grain ? 1 : num_threads();
  if (threads == 1) {
    body(0, count);
    return;
  }
  // With the whole arena at our disposal, several pieces a thread even out what one of them loses
  // to other work. Under a cap there are just as many pieces as threads, since nothing else keeps
  // further threads of the arena away.
  const bool capped = threads < tbb::this_task_arena::max_concurrency();
  const std::int64_t wanted =
      std::min<std::int64_t>(ceil_div(count, grain), capped ? threads : 4 * threads);
  std::int64_t piece = 0;
  if (!checked_mul(ceil_div(ceil_div(count, wanted), align), align, piece)) piece = count;
  const std::int64_t pieces = ceil_div(count, piece);
  const int limit = thread_cap;
  // A context of its own: an outer group that is cancelled must not end this loop silently
  // half-way.
  tbb::task_group_context context(tbb::task_group_context::isolated);
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        std::int64_t{0}, pieces,
        [&](std::int64_t i) {
          // A nested call obeys the limit of the call it came from, on whichever thread it runs.
          const int outer = thread_cap;
          thread_cap = limit;
          struct Restore {
            int cap;
            ~Restore() { thread_cap = cap; }
          } restore{outer};
          const std::int64_t begin = i * piece;
          body(begin, begin + std::min(piece, count - begin));
        },
        tbb::simple_partitioner(), context);
  });
}

}  // namespace weft::inline v0
