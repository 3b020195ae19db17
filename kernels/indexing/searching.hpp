// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of what searching needs of the indexing family: places in a few sorted keys.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Ascending keys that all values are compared with, dense.
struct SortedKeys {
  ScalarType type;  ///< f64, i64 or u64
  const char* keys;
  std::int64_t count;
  std::int64_t numbers;  ///< how many of them are not NaN, which come last
  bool or_equal;         ///< whether keys that equal a value come before it
};
/// to[i] = how many keys come before value i, of n dense ones. NaN equals NaN, and comes behind all
/// numbers. Takes as long as there are keys.
WEFT_DECLARE_KERNEL(find_places_kernel, void(std::int64_t* to, const char* values, std::int64_t n,
                                             const SortedKeys& sorted));
/// The most keys for which that is quicker than to search each value.
WEFT_DECLARE_KERNEL(most_compared_keys, std::int64_t(ScalarType key));

}  // namespace v0
}  // namespace weft
