// SPDX-License-Identifier: Apache-2.0
/// @file
/// Lambdas that stand for the inside of a loop. As calls they would keep registers in memory, and
/// load constants anew each time.
#pragma once

#if defined(__GNUC__)
#define WEFT_INLINE_LAMBDA __attribute__((always_inline))
#else
#define WEFT_INLINE_LAMBDA
#endif
