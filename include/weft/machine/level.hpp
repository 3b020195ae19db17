// SPDX-License-Identifier: Apache-2.0
/// @file
/// Instruction-set levels: the one being compiled for, and the one this machine runs.
#pragma once

#include <weft/base/export.hpp>

#include <cstdint>
#include <string_view>

// The level of a translation unit follows from what its compiler flags allow. Functions of kernel
// files live in a namespace named after it (level_avx2), templates of this layer's headers in an
// inline one (inline_level_avx2), so that the code of different levels never shares a symbol.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__) && defined(__FMA__)
#define WEFT_LEVEL_NAMESPACE level_avx512
#define WEFT_INLINE_LEVEL_NAMESPACE inline_level_avx512
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define WEFT_LEVEL_NAMESPACE level_avx2
#define WEFT_INLINE_LEVEL_NAMESPACE inline_level_avx2
#elif defined(__aarch64__)
#define WEFT_LEVEL_NAMESPACE level_neon
#define WEFT_INLINE_LEVEL_NAMESPACE inline_level_neon
#else
#define WEFT_LEVEL_NAMESPACE level_baseline
#define WEFT_INLINE_LEVEL_NAMESPACE inline_level_baseline
#endif

// Where a product and a sum can be rounded as one.
#if defined(__FMA__) || defined(__aarch64__)
#define WEFT_HAS_FMA
#endif

// The highest level that this library has, on x86-64: 0 baseline, 1 avx2, 2 avx512. Set by the
// build (CMake: WEFT_LEVELS) where levels are left out. Other processors have one level.
#if !defined(__x86_64__)
#undef WEFT_HIGHEST_LEVEL
#define WEFT_HIGHEST_LEVEL 0
#elif !defined(WEFT_HIGHEST_LEVEL)
#define WEFT_HIGHEST_LEVEL 2
#endif

// On a function with loops over elements: they become vectors whatever else is optimised. At -O2,
// GCC 12 leaves loops alone whose length it does not know. It inlines such a function into none
// that has not the same options, so all stations between a kernel's pointer and its loops say it;
// kernel files, which are optimised as a whole (cmake/WeftKernels.cmake), need it nowhere.
//
// WEFT_SPAN_LOOP is the same for the last of them, which holds the loop. All that a user's function
// calls is inlined there, at whatever -O: as a call it would not become part of a vector. (At -O2,
// GCC inlines up to 70 instructions; the text of tanh has more.)
//
// Jumps are not threaded: where two choices follow each other, as in bounds on either side, GCC has
// the code twice, so that the second can be skipped after the first. As vectors, all are made.
#if defined(__GNUC__) && !defined(__clang__) && !defined(WEFT_KERNEL_FILE)
#define WEFT_VECTORISED \
  __attribute__((       \
      optimize("tree-vectorize", "vect-cost-model=dynamic", "align-loops=32", "no-thread-jumps")))
#if defined(WEFT_BUILDING)
#define WEFT_SPAN_LOOP WEFT_VECTORISED
#else
#define WEFT_SPAN_LOOP WEFT_VECTORISED __attribute__((flatten))
#endif
#else
#define WEFT_VECTORISED
#define WEFT_SPAN_LOOP
#endif

// A function whose loops are made of wider vectors than its file allows; which machines take it,
// weft/kernel/detail/wide_loops.hpp says. Code that it is to hold has to be inlined into it, and it
// into nothing.
//
// Of kernel files of AVX-512: 64 bytes, where compilers are told to prefer 32
// (cmake/WeftKernels.cmake). What is left over at the end costs more, and so do rows that begin
// anywhere within lines, so it is for long spans on machines with units of that width.
//
// Of what users write in ordinary files, compiled for the baseline: AVX2, with the baseline's
// results. GCC is told not to contract, so that FMA is there for std::fma. Clang cannot be told so
// of one function; it gets no FMA. (AVX-512 gained nothing: docs/design/0015.)
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__) && defined(__GNUC__) && !defined(__clang__)
#define WEFT_WIDE_LOOPS __attribute__((noinline, target("prefer-vector-width=512")))
#elif defined(__x86_64__) && defined(__GNUC__) && !defined(__AVX2__) && !defined(__FMA__) && \
    !defined(WEFT_KERNEL_FILE) && !defined(WEFT_BUILDING)
#define WEFT_WIDE_LOOPS_ARE_AVX2
#if defined(__clang__)
#define WEFT_WIDE_LOOPS __attribute__((noinline, target("avx2")))
#else
#define WEFT_WIDE_LOOPS                                                                   \
  __attribute__((noinline, flatten, target("avx2,fma"),                                   \
                 optimize("tree-vectorize", "vect-cost-model=dynamic", "fp-contract=off", \
                          "align-loops=32", "no-thread-jumps")))
#endif
#endif

// GCC 12 makes a difference of products beside a sum of products one fused operation where loops
// over complex numbers become vectors, whether or not it may contract, and not of what is left over
// at the end: bits would depend on where a span ends. So what users write on complex numbers has no
// wide loops, and no vectors in files that have FMA. (The library's own formulas take the parts one
// by one: kernels/complex/.)
#if defined(__GNUC__) && !defined(__clang__) && !defined(WEFT_BUILDING)
#if defined(__FMA__)
#define WEFT_UNFUSED_LOOP \
  __attribute__((noinline, flatten, optimize("no-tree-vectorize", "fp-contract=off")))
#define WEFT_UNCONTRACTED_LOOP \
  __attribute__((              \
      noinline, flatten,       \
      optimize("tree-vectorize", "vect-cost-model=dynamic", "fp-contract=off", "align-loops=32")))
#endif
#if defined(__FMA__) || defined(WEFT_WIDE_LOOPS_ARE_AVX2)
#define WEFT_FUSES_COMPLEX
#endif
#endif

// Before a loop over the few registers of a value: it must not survive as a loop, or they live in
// memory. Without -O3, GCC unrolls none that makes the code longer.
#if defined(__clang__)
#define WEFT_UNROLLED _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define WEFT_UNROLLED _Pragma("GCC unroll 64")
#else
#define WEFT_UNROLLED
#endif

// Before a loop of known length that is to stay one: because its steps have most of their text in
// common, or because it is to become one of vectors. At -O3, GCC makes single statements of such a
// loop before it looks for vectors, and of those finds few.
#if defined(__clang__)
#define WEFT_NOT_UNROLLED _Pragma("clang loop unroll(disable)")
#elif defined(__GNUC__)
#define WEFT_NOT_UNROLLED _Pragma("GCC unroll 1")
#else
#define WEFT_NOT_UNROLLED
#endif

namespace weft {
inline namespace v0 {

/// A set of instructions that kernels are compiled for. Levels, not single features. Those of one
/// architecture follow each other, each with all that the one before it has.
enum class Level : std::uint8_t {
  baseline,  ///< what the compiler targets by default: SSE2 on x86-64
  avx2,      ///< AVX2, FMA, F16C, BMI, BMI2, LZCNT
  avx512,    ///< AVX-512 F, CD, BW, DQ, VL besides
  neon,      ///< AArch64: its vectors of 16 bytes, with FMA, which all of these processors have
};
#if defined(__x86_64__)
/// The lowest level of the architecture, which all its processors have, and how many levels it has,
/// this one included.
inline constexpr Level lowest_level = Level::baseline;
inline constexpr int level_count = 3;
#elif defined(__aarch64__)
inline constexpr Level lowest_level = Level::neon;
inline constexpr int level_count = 1;
#else
inline constexpr Level lowest_level = Level::baseline;
inline constexpr int level_count = 1;
#endif
/// The place of a level among those of its architecture: 0 is the lowest.
constexpr int place_of(Level level) noexcept {
  return static_cast<int>(level) - static_cast<int>(lowest_level);
}
/// The other way round.
constexpr Level level_at(int place) noexcept {
  return static_cast<Level>(static_cast<int>(lowest_level) + place);
}

/// The level that kernels run at: the best that CPU and operating system offer, or a lower one
/// named by the environment variable WEFT_ISA ("baseline", "avx2"). Chosen once.
WEFT_API Level current_level() noexcept;
/// The best level that CPU and operating system offer, and the library has.
WEFT_API Level best_level() noexcept;
/// "baseline", "avx2", "avx512", "neon".
WEFT_API std::string_view name(Level level) noexcept;

}  // namespace v0
}  // namespace weft
