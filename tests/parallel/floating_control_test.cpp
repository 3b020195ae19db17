// SPDX-License-Identifier: Apache-2.0
// How the caller rounds, and whether subnormals are zeros to it, holds on all threads of its call.
#include "support/floating_control.hpp"

#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/catch.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

namespace {

using test::floating_bits;
using test::ScopedFloatingControl;

/// What the threads of one call have seen.
class Seen {
 public:
  /// Waits until another thread has come in, unless that takes very long.
  void note() {
    {
      const std::lock_guard lock(mutex_);
      states_.insert(floating_bits());
      threads_.insert(std::this_thread::get_id());
      if (threads_.size() > 1) are_several_ = true;
    }
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!are_several_ && std::chrono::steady_clock::now() < give_up)
      std::this_thread::yield();
  }
  bool only(std::uint64_t state) const { return states_ == std::set<std::uint64_t>{state}; }
  std::size_t threads() const { return threads_.size(); }

 private:
  std::mutex mutex_;
  std::set<std::uint64_t> states_;
  std::set<std::thread::id> threads_;
  std::atomic<bool> are_several_{false};
};

}  // namespace

TEST_CASE("floating control: workers have that of the caller, and their own afterwards",
          "[parallel]") {
  test::in_arena(4, [] {
    const std::uint64_t usual = floating_bits();
    for (const test::FloatingControl& control : test::floating_controls()) {
      CAPTURE(control.name);
      {
        const ScopedFloatingControl scope(control);
        const std::uint64_t wanted = floating_bits();
        Seen seen;
        weft::parallel_for(64, 1, [&](std::int64_t, std::int64_t) { seen.note(); });
        CHECK(seen.threads() > 1);
        CHECK(seen.only(wanted));
        CHECK(floating_bits() == wanted);
      }
      // Somebody else's work on the same threads.
      Seen seen;
      tbb::parallel_for(0, 64, [&](int) { seen.note(); });
      CHECK(seen.threads() > 1);
      CHECK(seen.only(usual));
      CHECK(floating_bits() == usual);
    }
  });
}

TEST_CASE("floating control: a nested call has that of the piece it is made in", "[parallel]") {
  test::in_arena(4, [] {
    const test::FloatingControl upward{FE_UPWARD}, downward{FE_DOWNWARD, true};
    const ScopedFloatingControl outer(upward);
    const std::uint64_t wanted = floating_bits();
    std::uint64_t nested_wanted = 0;
    {
      const ScopedFloatingControl scope(downward);
      nested_wanted = floating_bits();
    }
    Seen seen, nested;
    weft::parallel_for(8, 1, [&](std::int64_t, std::int64_t) {
      seen.note();
      {
        const ScopedFloatingControl scope(downward);
        weft::parallel_for(8, 1, [&](std::int64_t, std::int64_t) { nested.note(); });
      }
      seen.note();
    });
    CHECK(nested_wanted != wanted);
    CHECK(seen.threads() > 1);
    CHECK(nested.only(nested_wanted));
    CHECK(seen.only(wanted));
    CHECK(floating_bits() == wanted);
  });
}

TEST_CASE("floating control: an exception leaves all as it was", "[parallel]") {
  test::in_arena(4, [] {
    const std::uint64_t usual = floating_bits();
    {
      const ScopedFloatingControl scope({FE_TOWARDZERO, true, ""});
      const std::uint64_t wanted = floating_bits();
      CHECK_THROWS_AS(weft::parallel_for(64, 1,
                                         [](std::int64_t begin, std::int64_t) {
                                           if (begin >= 30) throw begin;
                                         }),
                      std::int64_t);
      CHECK(floating_bits() == wanted);
    }
    Seen seen;
    weft::parallel_for(64, 1, [&](std::int64_t, std::int64_t) { seen.note(); });
    CHECK(seen.only(usual));
  });
}
