// SPDX-License-Identifier: Apache-2.0
/// @file
/// Whether a sanitizer watches: memory that is kept for reuse hides from it what is wrong.
#pragma once

// GCC says it one way, Clang another.
#if defined(__SANITIZE_ADDRESS__)
#define WEFT_HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_HAS_ADDRESS_SANITIZER 1
#endif
#endif
#if !defined(WEFT_HAS_ADDRESS_SANITIZER)
#define WEFT_HAS_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__)
#define WEFT_HAS_OTHER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define WEFT_HAS_OTHER_SANITIZER 1
#endif
#endif
#if !defined(WEFT_HAS_OTHER_SANITIZER)
#define WEFT_HAS_OTHER_SANITIZER 0
#endif

namespace weft {
inline namespace v0 {

inline constexpr bool memory_is_watched =
    WEFT_HAS_ADDRESS_SANITIZER != 0 || WEFT_HAS_OTHER_SANITIZER != 0;

}  // namespace v0
}  // namespace weft
