// SPDX-License-Identifier: Apache-2.0
/// @file
/// Symbol visibility. Everything is compiled hidden; WEFT_API marks what a shared library exports.
#pragma once

// A file that is not there ends the compilation; behind an #error, a thousand lines would follow.
#if defined(__cplusplus) && __cplusplus < 202002L && !defined(_MSVC_LANG)
#define WEFT_LANGUAGE_TOO_OLD "weft needs C++20: compile with -std=c++20 or newer"
#include WEFT_LANGUAGE_TOO_OLD
#endif

#if defined(WEFT_STATIC)
#define WEFT_API
#elif defined(_WIN32) && defined(WEFT_BUILDING)
#define WEFT_API __declspec(dllexport)
#elif defined(_WIN32)
#define WEFT_API __declspec(dllimport)
#else
#define WEFT_API __attribute__((visibility("default")))
#endif

/// For small functions that kernel files use. A kernel file is compiled once per instruction set;
/// an inline function that is not inlined there would become a weak symbol which the linker shares
/// between instruction sets. Forcing it in leaves no symbol behind.
#if defined(__GNUC__)
#define WEFT_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define WEFT_ALWAYS_INLINE inline
#endif

/// On a lambda that stands for the inside of a loop. As a call it would keep registers in memory,
/// and load constants anew each time.
#if defined(__GNUC__)
#define WEFT_INLINE_LAMBDA __attribute__((always_inline))
#else
#define WEFT_INLINE_LAMBDA
#endif
