// SPDX-License-Identifier: Apache-2.0
/// @file
/// How many threads take part, and splitting a range among them.
#pragma once

#include <weft/base/export.hpp>
#include <weft/base/function_ref.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Most threads that a call made here and now would use: the least of set_num_threads(), the
/// innermost ThreadLimit of this thread, and what the surrounding oneTBB arena offers. At least 1.
WEFT_API int num_threads() noexcept;

/// Caps the threads of all calls of the process; 0 takes the cap away. The start value is the
/// environment variable WEFT_NUM_THREADS, if it is a positive number, else no cap. Threads come
/// from the caller's oneTBB arena. Throws Error(invalid_argument) for a negative number.
WEFT_API void set_num_threads(int threads);

/// Caps the threads of calls made by this thread while the object lives; the innermost one counts.
/// Throws Error(invalid_argument) for less than 1.
class WEFT_API ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int outer_;
};

/// Calls body(begin, end) for ranges that together cover [0, count) once. One call on this thread
/// if count is at most `grain` or only one thread may take part; else pieces of at least about
/// `grain`, whose borders are multiples of `align` (both at least 1), on several threads. Returns
/// when all have ended. If a body throws, the rest is stopped as far as it has not begun and the
/// first exception is thrown here. Nested calls are allowed, and a thread that waits here takes no
/// unrelated work meanwhile, so locks held during a call are safe.
///
/// Each thread begins with a stretch of count / threads, the same one in every call as long as
/// threads keep their places in the arena, so that it finds in its cache what it left there;
/// whoever has ended helps the others. Which pieces there are, and who gets them, differs from run
/// to run.
WEFT_API void parallel_for(std::int64_t count, std::int64_t grain,
                           FunctionRef<void(std::int64_t begin, std::int64_t end)> body,
                           std::int64_t align = 1);

}  // namespace v0
}  // namespace weft
