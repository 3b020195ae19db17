// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running something with a number of threads that does not depend on the machine.
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <cstddef>

namespace test {

/// Calls f inside an arena of `threads` slots. oneTBB starts no more workers than there are cores
/// unless it is told otherwise.
template <class F>
void in_arena(int threads, F&& f) {
  const tbb::global_control workers(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute([&] { f(); });
}

}  // namespace test
