// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the sorting family: elements become integers of the same order, their keys, and keys
/// are sorted.
#pragma once

#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// What elements are that become keys, and in which order these stand.
struct KeyOrder {
  bool floating;       ///< NaNs get the largest key, zeros of both signs the same one
  bool unsigned_type;  ///< of integers
  bool descending;     ///< NaNs are the last even so
};

/// What was met that keys do not tell.
struct KeyCounts {
  std::int64_t nans = 0, negative_zeros = 0;
};

/// For keys of one size, signed integers. Elements have the size of their keys and are dense.
struct SortingKernel {
  /// In place, too.
  KeyCounts (*to_keys)(char* keys, const char* elements, std::int64_t n, KeyOrder order);
  /// The other way; zeros are positive, and NaNs are some NaN.
  void (*from_keys)(char* elements, const char* keys, std::int64_t n, KeyOrder order);
  /// Brings to places [from, to) of n keys what ascending order has there. Those before are not
  /// larger then, those behind not smaller. `room` is for n keys.
  void (*sort)(char* keys, char* room, std::int64_t n, std::int64_t from, std::int64_t to);
};
/// For keys of 4 or 8 bytes, which are aligned; null for others.
WEFT_DECLARE_KERNEL(sorting_kernel, const SortingKernel*(std::int64_t key_bytes));

}  // namespace v0
}  // namespace weft
