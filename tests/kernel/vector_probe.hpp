// SPDX-License-Identifier: Apache-2.0
/// @file
/// Vectorized at every level: functions over plain memory, compiled once per level, that tests can
/// call for each level the machine has.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace test {

enum class VectorOp : std::uint8_t {
  add,
  sub,
  mul,
  div,
  neg,
  add_assign,
  sub_assign,
  mul_assign,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  both,     ///< (a < b) & (b < c)
  either,   ///< (a < b) | (b < c)
  negated,  ///< !(a < b)
  select,   ///< a < b ? b : c
  max,
  min,
  abs,
  sqrt,
  fma,
  exp,
  broadcast  ///< lane 0 of a everywhere
};
inline constexpr int vector_op_count = static_cast<int>(VectorOp::broadcast) + 1;

/// out = op(a, b, c) on one Vectorized each; 64 bytes, any alignment. Masks come as lanes of 1 and
/// 0. False, with nothing written, where a type does not have the operation.
WEFT_DECLARE_KERNEL(vector_op, bool(VectorOp op, weft::ScalarType type, void* out, const void* a,
                                    const void* b, const void* c));
/// Loads `count` lanes, the others as `fill` has them in its first, and stores all.
WEFT_DECLARE_KERNEL(vector_load_part, void(weft::ScalarType type, void* out, const void* from,
                                           std::int64_t count, const void* fill));
/// Loads all lanes and stores the first `count`.
WEFT_DECLARE_KERNEL(vector_store_part,
                    void(weft::ScalarType type, void* out, const void* from, std::int64_t count));
/// reduce_lanes with a - 2 * b, which shows the order of combination; integers wrap.
WEFT_DECLARE_KERNEL(vector_reduce, void(weft::ScalarType type, void* out, const void* from));
/// exp of `count` elements, whole vectors at a time; the elements of the last one that are missing
/// are `fill`. f32 and f64.
WEFT_DECLARE_KERNEL(vector_exp, void(weft::ScalarType type, void* out, const void* from,
                                     std::int64_t count, double fill));

}  // namespace test
