// SPDX-License-Identifier: Apache-2.0
// Processes in which weft is used first by many threads at once, or runs out of memory at once, or
// gets no threads, or is forked.
#include <weft/machine/cpu_info.hpp>
#include <weft/machine/level.hpp>
#include <weft/parallel/parallel.hpp>

#include "failing/everything.hpp"
#include "failing/few_threads.hpp"
#include "failing/self.hpp"
#include "support/arena.hpp"
#include "support/catch.hpp"
#include "support/failing_allocation.hpp"

#if defined(__linux__)

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

namespace {

using test::run_hidden;

/// The number of a variable of the environment.
int number_of(const char* name) {
  const char* text = std::getenv(name);
  REQUIRE(text != nullptr);
  return std::atoi(text);
}

/// How many threads take part in a call that has work for all. Waits until so many are there, if
/// that does not take very long.
std::size_t threads_taking_part(std::size_t wanted) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::atomic<std::size_t> there{0};
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  weft::parallel_for(64, 1, [&](std::int64_t, std::int64_t) {
    {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
      there = threads.size();
    }
    while (there < wanted && std::chrono::steady_clock::now() < give_up)
      std::this_thread::yield();
  });
  return threads.size();
}

/// Eight threads, each of which begins with another layer, as nearly at once as can be.
int first_use_by_many() {
  bool (*const calls[])() = {test::elementwise_is_right, test::reductions_are_right,
                             test::product_is_right, test::graph_is_right, test::model_is_right};
  constexpr int count = 8;
  std::atomic<int> ready{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      ++ready;
      while (ready < count) {
      }
      for (int i = 0; i < 5; ++i)
        wrong += calls[(t + i) % 5]() ? 0 : 1;
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  return wrong == 0 ? 0 : 1;
}

/// Allocation n of the process's first use of weft fails, which looks up the machine and all
/// operators. 0: there are not so many; 1: it failed, and all is right afterwards; 2: it is not.
int first_use_without_memory(long n, test::Failing how) {
  const weft::ThreadLimit one(1);  // what oneTBB does without memory is its own
  test::FailingAllocation failing(n, how);
  try {
    weft::cpu_info();
    weft::recurrent::operators();
  } catch (const std::bad_alloc&) {
  }
  const bool reached = failing.stop();
  if (weft::cpu_info().level != weft::current_level() || !test::graph_is_right()) return 2;
  return reached ? 1 : 0;
}

}  // namespace

TEST_CASE("processes: weft is used first by many threads at once", "[failing]") {
  CHECK(run_hidden("first-use") == 0);
}
TEST_CASE("processes: first use, in one of its own", "[.first-use]") {
  // Forked from a process that has not used it either.
  for (int i = 0; i < 10; ++i)
    CHECK(test::in_child(first_use_by_many) == 0);
}

TEST_CASE("processes: the first use of weft runs out of memory", "[failing]") {
  CHECK(run_hidden("first-memory") == 0);
}
TEST_CASE("processes: first use without memory, in one of its own", "[.first-memory]") {
  for (const bool once : {true, false}) {
    int result = 1;
    long n = 1;
    for (; result == 1; n += once ? 1 : 7) {
      result = test::in_child([&] {
        return first_use_without_memory(n,
                                        once ? test::Failing::once : test::Failing::from_there_on);
      });
    }
    CAPTURE(n);
    CHECK(result == 0);
    CHECK(n > 100);
  }
}

TEST_CASE("processes: fewer threads than oneTBB wants", "[failing]") {
  for (const int allowed : {0, 1, 2, 3, 100}) {
    CAPTURE(allowed);
    CHECK(run_hidden("few-threads", "WEFT_TEST_THREADS=" + std::to_string(allowed)) == 0);
  }
}
TEST_CASE("processes: few threads, from the start", "[.few-threads]") {
  // Four processors (four_processors.cpp), so three workers.
  const int allowed = number_of("WEFT_TEST_THREADS");
  test::threads_allowed = allowed;
  CHECK(weft::num_threads() == (allowed < 3 ? 1 : 4));
  CHECK(threads_taking_part(allowed < 3 ? 1 : 4) == (allowed < 3 ? 1 : 4));
  CHECK(test::all_is_right());
}

TEST_CASE("processes: no thread for an arena that is there", "[failing]") {
  CHECK(run_hidden("arena-without-threads") == 0);
}
TEST_CASE("processes: an arena without threads, from the start", "[.arena-without-threads]") {
  // oneTBB is running already, so nobody asks whether there can be threads. The caller is the one
  // that cannot make any, and does all itself.
  test::threads_allowed = 0;
  test::in_arena(4, [] {
    CHECK(threads_taking_part(1) == 1);
    CHECK(test::all_is_right());
  });
  test::threads_allowed = 100;
  CHECK(test::all_is_right());
}

TEST_CASE("processes: a child made between calls goes on", "[failing]") {
  CHECK(run_hidden("fork") == 0);
}
TEST_CASE("processes: children, after all has been used", "[.fork]") {
  CHECK(test::all_is_right());
  CHECK(threads_taking_part(2) > 1);
  // oneTBB's locks may be held by threads that a child does not have.
  CHECK(test::in_child([] { return weft::num_threads() == 1 ? 0 : 1; }) == 0);
  for (int i = 0; i < 10; ++i) {
    CHECK(test::in_child([] { return test::all_is_right() ? 0 : 1; }) == 0);
    // And of a child, and by a thread that is not the main one.
    int grandchild = -1;
    std::thread([&] {
      grandchild = test::in_child([] {
        return test::all_is_right() ? test::in_child([] { return test::all_is_right() ? 0 : 1; })
                                    : 2;
      });
    }).join();
    CHECK(grandchild == 0);
    CHECK(test::all_is_right());
  }
  // It ends as any process does.
  std::fflush(nullptr);
  CHECK(test::in_child([] {
          if (!test::all_is_right()) return 1;
          std::exit(0);
          return 2;
        }) == 0);
}

#endif
