// SPDX-License-Identifier: Apache-2.0
#include "parallel/thread_worth.hpp"

#include <weft/machine/cpu_info.hpp>

#include "machine/tuning.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <thread>

namespace {

using weft::AwakeThreads;
using weft::pieces_worth_a_thread;

}  // namespace

TEST_CASE("parallel: pieces that are worth a thread take as long as the table says", "[parallel]") {
  const weft::Tuning& t = weft::tuning();
  CHECK(weft::default_tuning(weft::cpu_info()).awake_thread_ns <
        weft::default_tuning(weft::cpu_info()).thread_ns);
  CHECK(weft::worth_a_thread_ns() == static_cast<double>(t.thread_ns));
  CHECK(pieces_worth_a_thread(1) == t.thread_ns);
  CHECK(pieces_worth_a_thread(0.5) == 2 * t.thread_ns);
  CHECK(pieces_worth_a_thread(1e30) == 1);
  CHECK(pieces_worth_a_thread(0) > std::numeric_limits<std::int64_t>::max() / 10);
}

TEST_CASE("parallel: less work is worth a thread that is awake, where that is said", "[parallel]") {
  const weft::Tuning& t = weft::tuning();
  const std::int64_t awake_ns = std::min(t.awake_thread_ns, t.thread_ns);
  std::optional<AwakeThreads> outer(std::in_place);
  CHECK(pieces_worth_a_thread(1) == awake_ns);
  {
    const AwakeThreads inner;
    CHECK(pieces_worth_a_thread(1) == awake_ns);
    std::int64_t elsewhere = 0;
    std::thread([&] { elsewhere = pieces_worth_a_thread(1); }).join();
    CHECK(elsewhere == t.thread_ns);
  }
  CHECK(pieces_worth_a_thread(1) == awake_ns);
  outer.reset();
  CHECK(pieces_worth_a_thread(1) == t.thread_ns);
}
