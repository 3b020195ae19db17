// SPDX-License-Identifier: Apache-2.0
/// @file
/// How much work is worth a thread of its own.
#pragma once

#include "base/internal_api.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Nanoseconds of work that are worth a thread here and now: what takes no longer is best done
/// without parallel_for(), which would find out as much.
WEFT_INTERNAL_API double worth_a_thread_ns() noexcept;

/// Pieces of work, `ns` nanoseconds each, that are worth a thread: a grain for parallel_for() here
/// and now. At least 1.
WEFT_INTERNAL_API std::int64_t pieces_worth_a_thread(double ns) noexcept;

/// Says, while it lives, that calls of parallel_for() on this thread follow each other closely, as
/// trips of a loop do: other threads are still awake when the next one begins, so less work is
/// worth one. It changes grains alone, so no result.
class WEFT_INTERNAL_API AwakeThreads {
 public:
  AwakeThreads() noexcept;
  ~AwakeThreads();
  AwakeThreads(const AwakeThreads&) = delete;
  AwakeThreads& operator=(const AwakeThreads&) = delete;

 private:
  bool outer_;
};

}  // namespace v0
}  // namespace weft
