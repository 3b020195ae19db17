// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running something with each of several numbers of threads.
#pragma once

#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"

namespace test {

/// Calls f(threads) for 1, 2, 3, 4 and 8 threads, which there really are, whatever the machine. The
/// process-wide cap does the limiting. f runs on the calling thread, and must not use Catch's
/// assertions inside what runs in parallel.
template <class F>
void for_thread_counts(F&& f) {
  in_arena(8, [&] {
    for (const int threads : {1, 2, 3, 4, 8}) {
      weft::set_num_threads(threads);
      f(threads);
    }
    weft::set_num_threads(0);
  });
}

}  // namespace test
