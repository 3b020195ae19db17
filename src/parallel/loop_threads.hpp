// SPDX-License-Identifier: Apache-2.0
/// @file
/// How many threads a parallel loop asks for.
#pragma once

#include "base/internal_api.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Threads that take part in a parallel_for() of these arguments, if it is called here and now.
WEFT_INTERNAL_API int loop_threads(std::int64_t count, std::int64_t grain,
                                   std::int64_t align = 1) noexcept;

}  // namespace v0
}  // namespace weft
