// SPDX-License-Identifier: Apache-2.0
/// @file
/// Caps on what untrusted input may ask for, and the library's own fixed limits.
#pragma once

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Largest rank of a tensor, and largest number of dims of an iterator.
inline constexpr int max_rank = 64;
/// Largest number of operands of one iterator.
inline constexpr int max_operands = 32;
/// Up to this rank and this many operands, building an iterator allocates nothing.
inline constexpr int inline_rank = 8;
inline constexpr int inline_operands = 8;

/// What a reader of files may allocate. The defaults are generous; a server that reads strangers'
/// files lowers them.
struct Limits {
  std::int64_t max_elements = std::int64_t{1} << 40;      ///< elements of one tensor
  std::int64_t max_bytes = std::int64_t{1} << 40;         ///< bytes of one tensor
  std::int64_t max_header_bytes = std::int64_t{1} << 20;  ///< bytes of a file's header
};

}  // namespace v0
}  // namespace weft
