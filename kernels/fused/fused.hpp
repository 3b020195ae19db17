// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the fused family: several elementwise functions over one floating type, in one walk,
/// with what passes from one to the next in registers.
#pragma once

#include <weft/base/limits.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/dispatch.hpp>

#include "kernels/reduce/reduce.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

// x is the value in registers, m that of the instruction's operand.
#define WEFT_FOR_EACH_FUSED_BINARY(F)                           \
  F(load, "m")                                                  \
  F(add, "x + m")                                               \
  F(sub, "x - m")                                               \
  F(sub_from, "m - x")                                          \
  F(mul, "x * m")                                               \
  F(div, "x / m")                                               \
  F(div_from, "m / x")                                          \
  F(maximum, "maximum(x, m)")                                   \
  F(minimum, "minimum(x, m)")                                   \
  F(clamp_min, "clamp_min(x, m)")                               \
  F(clamp_max, "clamp_max(x, m)")                               \
  F(eq, "x == m, in truth values: all bits of a lane, or none") \
  F(ne, "x != m")                                               \
  F(lt, "x < m")                                                \
  F(le, "x <= m")                                               \
  F(gt, "x > m")                                                \
  F(ge, "x >= m")                                               \
  F(both, "x and m, truth values")                              \
  F(either, "x or m, truth values")                             \
  F(differ, "x is not m, truth values")                         \
  F(choose, "the second operand, truth values in a temporary, ? x : m")
// Two of them in one jump. The operand of the second is the instruction's second one.
#define WEFT_FOR_EACH_FUSED_PAIR(F) \
  F(load_add, load, add)            \
  F(load_sub, load, sub)            \
  F(load_mul, load, mul)            \
  F(add_mul, add, mul)              \
  F(sub_mul, sub, mul)              \
  F(mul_add, mul, add)
#define WEFT_FOR_EACH_FUSED_UNARY(F) \
  F(neg, "-x")                       \
  F(abs, "|x|")                      \
  F(square, "x * x")                 \
  F(sqrt, "sqrt(x)")                 \
  F(reciprocal, "1 / x")             \
  F(relu, "x above 0, else 0")
#define WEFT_FOR_EACH_FUSED_FUNCTION(F) \
  F(exp, "e^x")                         \
  F(sigmoid, "1 / (1 + e^-x)")          \
  F(tanh, "the hyperbolic tangent of x")

/// What becomes of x. The arithmetic is that of the functions of the same names, bit for bit.
enum class FusedOp : std::uint8_t {
#define WEFT_DEFINE(NAME, TEXT) NAME,
  WEFT_FOR_EACH_FUSED_BINARY(WEFT_DEFINE) WEFT_FOR_EACH_FUSED_UNARY(WEFT_DEFINE)
      WEFT_FOR_EACH_FUSED_FUNCTION(WEFT_DEFINE)
#undef WEFT_DEFINE
#define WEFT_DEFINE(NAME, FIRST, SECOND) NAME,
          WEFT_FOR_EACH_FUSED_PAIR(WEFT_DEFINE)
#undef WEFT_DEFINE
              flags,  ///< x is the truth values of an input of bools
  complement,         ///< not x, truth values
  store,              ///< x stays, and goes to an output or a temporary
  store_flags,        ///< the same of truth values to an output of bools
  store_selected,     ///< x goes to an output where the second operand, bools, selects it
};

/// Whether an instruction is two, each with an operand.
constexpr bool is_pair(FusedOp op) noexcept {
  switch (op) {
#define WEFT_CASE(NAME, FIRST, SECOND) case FusedOp::NAME:
    WEFT_FOR_EACH_FUSED_PAIR(WEFT_CASE) return true;
#undef WEFT_CASE
    default: return false;
  }
}

struct FusedInstruction {
  FusedOp op = FusedOp::load;
  std::uint8_t operand = 0;  ///< outputs, inputs, then temporaries
  /// The choice of `choose`, a temporary; the other operand of pairs; the input that selects.
  std::uint8_t second = 0;
};

/// A list of instructions: the context of the kernel. What is stored into an output is stored
/// behind all that is loaded, so that an output may be an input.
struct FusedProgram {
  static constexpr int max_instructions = 96;
  static constexpr int max_temporaries = 16;

  int count = 0;
  int noutputs = 0;
  int ninputs = 0;
  int ntemporaries = 0;
  /// Operands of bools: `flags` and `store_selected` read them, `store_flags` writes them.
  std::uint32_t flags = 0;
  FusedInstruction instructions[max_instructions];
};

/// The loop over spans that carries out the program that is its context, for operands of f32 or of
/// f64, and bools; any of its inputs may be one value. Null for other types.
WEFT_DECLARE_KERNEL(fused_loop, SpanKernel::Run(ScalarType type));
/// The same for programs that end by storing what is selected of their only output: nothing else is
/// written, not even with its old value. What selects is no single value. Null also where the level
/// has no masked stores.
WEFT_DECLARE_KERNEL(fused_selecting_loop, SpanKernel::Run(ScalarType type));

/// Whether rows of n results of f32 are best summed in registers: those of whole blocks of
/// 128, but for a single one, which is summed in f32 as shorter ones are, and those so long that it
/// does not tell that a part of the last block is computed twice.
constexpr bool sums_in_registers(std::int64_t n) noexcept {
  constexpr std::int64_t block = 128;
  return n % block == 0 ? n > block : n > 5 * block;
}

/// The buffer that other rows are computed in, as many as fit, and reduced from. It is on the
/// stack.
inline constexpr std::int64_t reduced_bytes = 8 << 10;
/// Whether rows of n results of a program are for fused_spans(): by that buffer, or summed in
/// registers. Of other rows blocks are computed first.
constexpr bool reduces_programs(ScalarType type, std::int64_t n, bool sums) noexcept {
  return (sums && type == ScalarType::f32 && sums_in_registers(n)) ||
         n <= reduced_bytes / element_size(type);
}

/// What reductions of a program's results take.
struct FusedReduction {
  LoopsInMemory in_memory;
  /// Of one output, which it stores last.
  FusedProgram program;
  std::uint32_t broadcast = 0;  ///< inputs that are one value in each row, as SpanKernel::Run's
};

/// The reduce_spans of reductions of one input, whose context is a FusedReduction: what the program
/// makes of its inputs is reduced as it comes, by way of a buffer in the first level, or in
/// registers if it is added. The accumulators are those of the kernel for elements in memory, bit
/// for bit, but for which NaN it is. `sums`: that is one for sums or means. Null where there is
/// none: it is there for f32 and f64. Precondition: reduces_programs().
WEFT_DECLARE_KERNEL(fused_spans, ReduceSpans(ScalarType type, bool sums));

/// Whether rows of n columns are best computed as they are reduced: a few of them at a time, so
/// that memory is read in long stretches. Of others blocks are computed first.
constexpr bool reduces_columns_of_programs(std::int64_t n) noexcept { return n >= 128; }
/// The buffer for a piece of those rows. Shorter pieces are too many stretches of memory.
inline constexpr std::int64_t reduced_columns_bytes = 16 << 10;
/// The reduce_columns of the same, for any number of columns. The kernel for elements in memory has
/// accumulators of 8 bytes at most, and adds eight rows before they meet these, or takes row by
/// row: a few rows that are combined with those before them are what it makes of all.
WEFT_DECLARE_KERNEL(fused_columns, ReduceColumns(ScalarType type));

}  // namespace v0
}  // namespace weft
