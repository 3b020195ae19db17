// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/parallel/parallel.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "support/arena.hpp"
#include "support/errors.hpp"
#include "support/own_program.hpp"
#include "support/tally.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace {

using test::in_arena;
using weft::num_threads;
using weft::ThreadLimit;

struct Piece {
  std::int64_t begin, end;
};

/// The pieces of one call, in ascending order.
std::vector<Piece> pieces_of(std::int64_t count, std::int64_t grain, std::int64_t align = 1) {
  std::mutex mutex;
  std::vector<Piece> pieces;
  weft::parallel_for(
      count, grain,
      [&](std::int64_t begin, std::int64_t end) {
        const std::lock_guard lock(mutex);
        pieces.push_back({begin, end});
      },
      align);
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  return pieces;
}

/// One after the other, none empty, from 0 to count.
bool cover(const std::vector<Piece>& pieces, std::int64_t count) {
  std::int64_t at = 0;
  for (const Piece& piece : pieces) {
    if (piece.begin != at || piece.end <= piece.begin) return false;
    at = piece.end;
  }
  return at == count;
}

/// Long enough for other threads to come in.
void linger() { std::this_thread::sleep_for(std::chrono::microseconds(300)); }

/// Waits until something is so; false if it does not come to be so in reasonable time.
template <class Condition>
bool wait_for(Condition so) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!so() && std::chrono::steady_clock::now() < give_up)
    std::this_thread::yield();
  return so();
}

/// Puts the process's cap back, whatever a test does.
struct RestoreCap {
  ~RestoreCap() { weft::set_num_threads(0); }
};

}  // namespace

TEST_CASE("parallel: every position once, for all counts, grains, borders and threads",
          "[parallel]") {
  test::Tally tally;
  for (const int threads : {1, 2, 3, 4, 8}) {
    in_arena(threads, [&] {
      for (std::int64_t count : {0, 1, 2, 7, 8, 9, 63, 64, 65, 100, 1000, 4097}) {
        for (std::int64_t grain : {0, 1, 2, 7, 64, 1000, 5000}) {
          for (std::int64_t align : {1, 2, 7, 64, 10000}) {
            const std::vector<Piece> pieces = pieces_of(count, grain, align);
            bool right = cover(pieces, count);
            for (const Piece& piece : pieces)
              right = right && piece.begin % align == 0;
            if (threads == 1 || count <= grain) right = right && pieces.size() <= 1;
            // At least about the grain: no more pieces than grains fit.
            const std::int64_t most = weft::ceil_div(count, std::max<std::int64_t>(grain, 1));
            right = right && static_cast<std::int64_t>(pieces.size()) <= most;
            tally.check(right, [&](auto& out) {
              out << threads << " threads, " << count << " in " << grain << " at " << align << ": "
                  << pieces.size() << " pieces";
            });
          }
        }
      }
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("parallel: counts up to the last 64-bit integer", "[parallel]") {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  in_arena(4, [&] {
    for (const std::int64_t count : {most, most - 1, most / 2 + 1}) {
      for (const std::int64_t align : {std::int64_t{1}, std::int64_t{64}, most / 3, most / 2 + 5}) {
        CAPTURE(count, align);
        CHECK(cover(pieces_of(count, 1, align), count));
        const ThreadLimit limit(3);
        CHECK(cover(pieces_of(count, 1, align), count));
      }
    }
    CHECK(pieces_of(most, most).size() == 1);
    CHECK(pieces_of(-5, 1).empty());
  });
}

TEST_CASE("parallel: large work is spread over threads", "[parallel]") {
  in_arena(4, [] {
    CHECK(num_threads() == 4);
    CHECK(pieces_of(1 << 20, 1).size() >= 4);
    // Threads that meet: each waits for the others, so that one alone would never end.
    std::atomic<int> inside{0};
    std::atomic<bool> met{false};
    const ThreadLimit limit(2);
    weft::parallel_for(2, 1, [&](std::int64_t, std::int64_t) {
      ++inside;
      if (wait_for([&] { return inside.load() == 2; })) met = true;
    });
    CHECK(met);
  });
}

TEST_CASE("parallel: a thread begins where it began before", "[parallel]") {
  in_arena(2, [] {
    const auto caller = std::this_thread::get_id();
    for (const std::int64_t count : {2, 100, 4096, 100000}) {
      for (int round = 0; round < 20; ++round) {
        std::mutex mutex;
        std::set<std::thread::id> inside;
        bool own = true;
        weft::parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
          const auto met = [&] {
            const std::lock_guard lock(mutex);
            return inside.size() == 2;
          };
          {
            const std::lock_guard lock(mutex);
            if (!inside.insert(std::this_thread::get_id()).second) return;
            const bool front = end <= count / 2;
            own = own && front == (std::this_thread::get_id() == caller);
            own = own && begin == (front ? 0 : count / 2);
          }
          wait_for(met);
        });
        CAPTURE(count, round);
        CHECK(inside.size() == 2);
        CHECK(own);
      }
    }
  });
}

TEST_CASE("parallel: others do what a thread does not come to", "[parallel]") {
  for (const int threads : {2, 4}) {
    in_arena(threads, [] {
      constexpr std::int64_t count = 1000;
      std::atomic<std::int64_t> done{0};
      bool all = false;
      weft::parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
        // Whoever has the first piece stays in it until everything else is done.
        if (begin == 0) all = wait_for([&] { return done.load() == count - end; });
        done += end - begin;
      });
      CHECK(all);
      CHECK(done == count);
    });
  }
}

TEST_CASE("parallel: pieces become shorter, and none is shorter than the grain", "[parallel]") {
  in_arena(2, [] {
    constexpr std::int64_t count = 1 << 16, grain = 1000;
    for (int round = 0; round < 50; ++round) {
      const std::vector<Piece> pieces = pieces_of(count, grain);
      CHECK(cover(pieces, count));
      std::int64_t longest = 0, shortest = count;
      for (const Piece& piece : pieces) {
        longest = std::max(longest, piece.end - piece.begin);
        shortest = std::min(shortest, piece.end - piece.begin);
      }
      CHECK(longest == count / 4);
      CHECK(shortest >= grain);
    }
  });
}

TEST_CASE("parallel: many quick calls, from several threads and nested", "[parallel]") {
  std::atomic<int> wrong{0};
  const auto calls = [&](std::int64_t grain) {
    for (std::int64_t i = 0; i < 2000; ++i) {
      const std::int64_t count = 2 + i % 70;
      std::atomic<std::int64_t> sum{0};
      weft::parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
        if (i % 50 != 0) {
          for (std::int64_t k = begin; k < end; ++k)
            sum += k;
          return;
        }
        weft::parallel_for(end - begin, 1, [&](std::int64_t b, std::int64_t e) {
          for (std::int64_t k = b; k < e; ++k)
            sum += begin + k;
        });
      });
      if (sum != count * (count - 1) / 2) ++wrong;
    }
  };
  const tbb::global_control workers(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena own[] = {tbb::task_arena(2), tbb::task_arena(3), tbb::task_arena(4)};
  tbb::task_arena shared(3);
  for (const bool together : {false, true}) {
    std::vector<std::thread> callers;
    for (int i = 0; i < 3; ++i)
      callers.emplace_back([&, i] { (together ? shared : own[i]).execute([&] { calls(1 + i); }); });
    for (std::thread& caller : callers)
      caller.join();
  }
  CHECK(wrong == 0);
}

TEST_CASE("parallel: more threads than a loop has room for by itself", "[parallel]") {
  in_arena(40, [] {
    CHECK(cover(pieces_of(100000, 1), 100000));
    CHECK_ERROR(io, ("last"), weft::parallel_for(1000, 1, [](std::int64_t, std::int64_t e) {
                  if (e == 1000) weft::fail(weft::ErrorCode::io, "last");
                }));
  });
}

TEST_CASE("parallel: num_threads is the least of three limits", "[parallel]") {
  const RestoreCap restore;
  in_arena(6, [] {
    weft::set_num_threads(0);
    CHECK(num_threads() == 6);
    weft::set_num_threads(4);
    CHECK(num_threads() == 4);
    {
      const ThreadLimit five(5);
      CHECK(num_threads() == 4);
      const ThreadLimit two(2);
      CHECK(num_threads() == 2);
      {
        const ThreadLimit three(3);  // the innermost counts
        CHECK(num_threads() == 3);
      }
      CHECK(num_threads() == 2);
    }
    CHECK(num_threads() == 4);
    weft::set_num_threads(100);
    CHECK(num_threads() == 6);
  });
  in_arena(1, [] { CHECK(num_threads() == 1); });
}

TEST_CASE("parallel: impossible limits are errors", "[parallel]") {
  const RestoreCap restore;
  weft::set_num_threads(2);
  CHECK_ERROR(invalid_argument, ("set_num_threads", "-1"), weft::set_num_threads(-1));
  CHECK_ERROR(invalid_argument, ("ThreadLimit", "got 0"), ThreadLimit(0));
  in_arena(4, [] { CHECK(num_threads() == 2); });  // nothing was changed
}

TEST_CASE("parallel: a limit is one of the calling thread", "[parallel]") {
  in_arena(4, [] {
    const ThreadLimit limit(1);
    CHECK(pieces_of(1000, 1).size() == 1);
    int elsewhere = 0;
    std::thread([&] { in_arena(4, [&] { elsewhere = num_threads(); }); }).join();
    CHECK(elsewhere == 4);
  });
}

TEST_CASE("parallel: no more threads than the limit take part, nested calls included",
          "[parallel]") {
  in_arena(8, [] {
    for (const int limit : {1, 2, 3}) {
      const ThreadLimit scope(limit);
      std::mutex mutex;
      std::set<std::thread::id> threads;
      std::atomic<bool> same_limit{true};
      weft::parallel_for(64, 1, [&](std::int64_t, std::int64_t) {
        if (num_threads() != limit) same_limit = false;
        linger();
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
      });
      CAPTURE(limit);
      CHECK(threads.size() <= static_cast<std::size_t>(limit));
      CHECK(same_limit);
    }
    CHECK(num_threads() == 8);
  });
}

TEST_CASE("parallel: a worker's limit is its own again afterwards", "[parallel]") {
  in_arena(4, [] {
    {
      const ThreadLimit limit(2);
      weft::parallel_for(64, 1, [](std::int64_t, std::int64_t) { linger(); });
    }
    // Whoever took part, and now does work of somebody else's, is not limited by that call.
    std::atomic<int> least{100};
    tbb::parallel_for(0, 64, [&](int) {
      linger();
      least = std::min(least.load(), num_threads());
    });
    CHECK(least == 4);
  });
}

TEST_CASE("parallel: what a piece throws is thrown to the caller", "[parallel]") {
  for (const int threads : {1, 2, 4}) {
    in_arena(threads, [&] {
      for (std::int64_t at = 0; at < 40; ++at) {
        CAPTURE(threads, at);
        std::atomic<int> running{0};
        CHECK_ERROR(io, ("position"),
                    weft::parallel_for(40, 1, [&](std::int64_t b, std::int64_t e) {
                      ++running;
                      struct Leave {
                        std::atomic<int>& running;
                        ~Leave() { --running; }
                      } leave{running};
                      if (b <= at && at < e) weft::fail(weft::ErrorCode::io, "position");
                    }));
        CHECK(running == 0);  // all have ended by then
      }
      CHECK(cover(pieces_of(100, 1), 100));  // and the next call is as good as new
    });
  }
}

TEST_CASE("parallel: an exception inside a nested call comes all the way out", "[parallel]") {
  in_arena(4, [] {
    CHECK_ERROR(dtype, ("inner"), weft::parallel_for(8, 1, [](std::int64_t, std::int64_t) {
                  weft::parallel_for(8, 1, [](std::int64_t b, std::int64_t e) {
                    if (b <= 5 && 5 < e) weft::fail(weft::ErrorCode::dtype, "inner");
                  });
                }));
  });
}

TEST_CASE("parallel: a cancelled outer call does not end an inner one half-way", "[parallel]") {
  in_arena(4, [] {
    std::atomic<int> complete{0};
    std::atomic<int> cut_short{0};
    for (int round = 0; round < 5; ++round) {
      std::atomic<bool> inner_runs{false};
      CHECK_ERROR(io, ("stop"), weft::parallel_for(16, 1, [&](std::int64_t begin, std::int64_t) {
                    if (begin == 0) {
                      wait_for([&] { return inner_runs.load(); });
                      weft::fail(weft::ErrorCode::io, "stop");
                    }
                    std::atomic<std::int64_t> done{0};
                    weft::parallel_for(50, 1, [&](std::int64_t b, std::int64_t e) {
                      inner_runs = true;
                      linger();
                      done += e - b;
                    });
                    ++(done == 50 ? complete : cut_short);
                  }));
    }
    CHECK(complete > 0);
    CHECK(cut_short == 0);
  });
}

#if defined(__linux__)
TEST_CASE("parallel: a child forked between calls works, without the parent's threads",
          "[parallel]") {
  const auto right = [] {
    std::atomic<std::int64_t> sum{0};
    weft::parallel_for(10000, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        sum += i;
    });
    return sum == 49995000;
  };
  in_arena(4, [&] {
    CHECK(right());
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      alarm(20);  // ends a child that waits for threads that are not there
      _exit(right() ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(right());
  });
}

TEST_CASE("parallel: the environment's cap, seen by a process of its own", "[.environment]") {
  const char* wanted = std::getenv("WEFT_TEST_WANTED_THREADS");
  REQUIRE(wanted != nullptr);
  in_arena(4, [&] { CHECK(num_threads() == std::atoi(wanted)); });
}

TEST_CASE("parallel: WEFT_NUM_THREADS is the start value", "[parallel]") {
  const std::string program = test::own_program();
  REQUIRE(!program.empty());
  const auto child = [&](const std::string& value, int wanted) {
    const std::string command = "WEFT_NUM_THREADS='" + value +
                                "' WEFT_TEST_WANTED_THREADS=" + std::to_string(wanted) + " " +
                                program + " '[.environment]' > /dev/null";
    return std::system(command.c_str());
  };
  CHECK(child("3", 3) == 0);
  CHECK(child("3", 2) != 0);  // the child does look
  for (const char* meaningless : {"", "0", "-2", "two", "3x", "99999999999999"}) {
    CAPTURE(meaningless);
    CHECK(child(meaningless, 4) == 0);
  }
}
#endif
