// SPDX-License-Identifier: Apache-2.0
#include "parallel/thread_worth.hpp"

#include "machine/tuning.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

thread_local bool are_awake = false;

}  // namespace

double worth_a_thread_ns() noexcept {
  const Tuning& t = tuning();
  return static_cast<double>(are_awake ? std::min(t.awake_thread_ns, t.thread_ns) : t.thread_ns);
}

std::int64_t pieces_worth_a_thread(double ns) noexcept {
  constexpr double most = 1e18;  // fits into what is returned
  const double pieces = std::min(worth_a_thread_ns() / ns, most);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(pieces));
}

AwakeThreads::AwakeThreads() noexcept : outer_(are_awake) { are_awake = true; }
AwakeThreads::~AwakeThreads() { are_awake = outer_; }

}  // namespace v0
}  // namespace weft
