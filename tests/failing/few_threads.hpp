// SPDX-License-Identifier: Apache-2.0
/// @file
/// A process that may have few threads only.
#pragma once

#include <atomic>

namespace test {

/// How many threads may be there besides those that are; making another fails as it does where the
/// system's limit is reached.
inline std::atomic<int> threads_allowed{1'000'000};

}  // namespace test
