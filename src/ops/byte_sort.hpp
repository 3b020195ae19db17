// SPDX-License-Identifier: Apache-2.0
/// @file
/// Keys of one byte, which are sorted by counting them.
#pragma once

#include "kernels/sorting/sorting.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// What sorting_kernel() is for keys of 4 and 8 bytes. Sorts all keys, whichever are asked for.
const SortingKernel& byte_sorting_kernel();

/// The positions of n keys in order, those of equal ones ascending.
void order_byte_keys(std::int64_t* positions, const char* keys, std::int64_t n);

}  // namespace v0
}  // namespace weft
