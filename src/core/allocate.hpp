// SPDX-License-Identifier: Apache-2.0
/// @file
/// Memory of tensors that own theirs.
#pragma once

#include <cstdint>
#include <memory>

namespace weft {
inline namespace v0 {

/// `bytes` bytes (one at least, so that an empty tensor has an address of its own), uninitialised,
/// aligned to a cache line, from the user's allocator if there is one (weft/core/memory.hpp), else
/// one that was kept, if there is one of the size, or new. From 2 MiB on, aligned to huge pages and
/// offered to the system for them, where it has them: walking many megabytes then costs a few
/// hundred translations instead of many thousands. Throws std::bad_alloc.
std::shared_ptr<void> allocate(std::int64_t bytes);

}  // namespace v0
}  // namespace weft
