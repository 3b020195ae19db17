// SPDX-License-Identifier: Apache-2.0
/// @file
/// Non-temporal stores.
#pragma once

#include <weft/base/export.hpp>
#include <weft/machine/level.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// True where stream() is more than a store.
#if defined(__SSE2__)
inline constexpr bool can_stream = true;
#else
inline constexpr bool can_stream = false;
#endif

/// Vectors of words.
template <int bytes>
struct WordsOf;
template <>
struct WordsOf<16> {
  using Type [[gnu::vector_size(16), gnu::may_alias]] = long long;
};
template <>
struct WordsOf<32> {
  using Type [[gnu::vector_size(32), gnu::may_alias]] = long long;
};
template <>
struct WordsOf<64> {
  using Type [[gnu::vector_size(64), gnu::may_alias]] = long long;
};

/// Writes a vector of 16 bytes, or of as many as the level's registers have, to an address aligned
/// to its size, by a non-temporal store. What is written so is ordered before later stores by a
/// fence only.
// Builtins: the headers of the intrinsics would take a reader of kernels' headers longer than those
// themselves.
template <class V>
WEFT_ALWAYS_INLINE void stream(char* to, const V& value) noexcept {
  if constexpr (!can_stream) {
    __builtin_memcpy(to, &value, sizeof(V));
  } else {
    using Words = typename WordsOf<static_cast<int>(sizeof(V))>::Type;
    auto* at = reinterpret_cast<Words*>(to);
    const auto& words = reinterpret_cast<const Words&>(value);
#if defined(__clang__)
    __builtin_nontemporal_store(words, at);
#elif defined(__SSE2__)
    if constexpr (sizeof(V) == 16) __builtin_ia32_movntdq(at, words);
#if defined(__AVX__)
    if constexpr (sizeof(V) == 32) __builtin_ia32_movntdq256(at, words);
#endif
#if defined(__AVX512F__)
    if constexpr (sizeof(V) == 64) __builtin_ia32_movntdq512(at, words);
#endif
#endif
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
