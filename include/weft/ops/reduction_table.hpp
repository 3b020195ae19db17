// SPDX-License-Identifier: Apache-2.0
/// @file
/// The reductions, one line each.
///
///     F(amax, real, common, not_empty, "the largest; NaN if there is one")
///
/// is the function `amax` of ops/reduce.hpp on elements of the kinds `real`, with a result of the
/// input's type, for which there has to be an element. From these lists are made: the public
/// functions, the operations by name, the tests that run over every reduction, and the check of
/// docs/functions.md. The text is what that page says.
#pragma once

#include <weft/ops/function_table.hpp>

#include <cstdint>

// Over any axes, with ReduceOptions.
#define WEFT_FOR_EACH_REDUCTION(F)                                                               \
  F(sum, all, counted, any_number, "the sum; integers wrap in i64; 0 of nothing")                \
  F(nansum, all, counted, any_number, "the sum of what is not NaN")                              \
  F(mean, all, floating, any_number, "the sum over the number of elements; NaN of nothing")      \
  F(prod, all, counted, any_number, "the product; integers wrap in i64; 1 of nothing")           \
  F(var, all, magnitude, any_number,                                                             \
    "squared deviations from the mean over their number less `correction`, which is 1")          \
  F(std, all, magnitude, any_number, "the root of var")                                          \
  F(logsumexp, real, floating, any_number, "log of the sum of e^a, without overflow on the way") \
  F(amax, real, common, not_empty, "the largest; NaN if there is one")                           \
  F(amin, real, common, not_empty, "the smallest; NaN if there is one")                          \
  F(any, all, truth, any_number, "whether any element is not 0; NaN is not; stops early")        \
  F(all, all, truth, any_number, "whether no element is 0; true of nothing; stops early")        \
  F(count_nonzero, all, count, any_number, "how many elements are not 0; NaN is not")

// Over one axis, or over all in row-major order.
#define WEFT_FOR_EACH_ARG_REDUCTION(F)                                                    \
  F(argmax, real, count, not_empty, "where the largest is: the first, and the first NaN") \
  F(argmin, real, count, not_empty, "where the smallest is: the first, and the first NaN")

// Two results at once.
#define WEFT_FOR_EACH_PAIR_REDUCTION(F)                                                    \
  F(aminmax, real, common, not_empty, "the smallest and the largest; NaN if there is one") \
  F(var_mean, real, floating, any_number, "var and mean")                                  \
  F(std_mean, real, floating, any_number, "std and mean")

namespace weft {
inline namespace v0 {

/// The type of a reduction's result.
enum class ReduceResult : std::uint8_t {
  common,     ///< the input's
  counted,    ///< the input's; i64 for integers and bool
  floating,   ///< the input's; f32 for integers and bool
  truth,      ///< bool
  count,      ///< i64
  magnitude,  ///< the input's; of complex its real type; f32 for integers and bool
};

/// Whether there has to be an element.
enum class ReduceNeeds : std::uint8_t { any_number, not_empty };

/// What a line of the table says.
struct ReductionInfo {
  const char* name;
  Kinds kinds;  ///< of the input's elements; others are Error(dtype)
  ReduceResult result;
  ReduceNeeds needs;
  const char* text;
};

#define WEFT_ENUMERATOR(NAME, ...) NAME,
enum class Reduction : std::uint8_t {
  WEFT_FOR_EACH_REDUCTION(WEFT_ENUMERATOR) WEFT_FOR_EACH_ARG_REDUCTION(WEFT_ENUMERATOR)
      WEFT_FOR_EACH_PAIR_REDUCTION(WEFT_ENUMERATOR)
};
#undef WEFT_ENUMERATOR

#define WEFT_INFO(NAME, KINDS, RESULT, NEEDS, TEXT) \
  {#NAME, kinds::KINDS, ReduceResult::RESULT, ReduceNeeds::NEEDS, TEXT},
/// The lists as data, in the enumerators' order.
inline constexpr ReductionInfo reductions[] = {WEFT_FOR_EACH_REDUCTION(
    WEFT_INFO) WEFT_FOR_EACH_ARG_REDUCTION(WEFT_INFO) WEFT_FOR_EACH_PAIR_REDUCTION(WEFT_INFO)};
#undef WEFT_INFO

/// Whether a reduction has two results.
constexpr bool is_pair(Reduction op) {
  switch (op) {
#define WEFT_CASE(NAME, ...) case Reduction::NAME:
    WEFT_FOR_EACH_PAIR_REDUCTION(WEFT_CASE)
#undef WEFT_CASE
    return true;
    default: return false;
  }
}

constexpr const ReductionInfo& info(Reduction op) { return reductions[static_cast<int>(op)]; }

}  // namespace v0
}  // namespace weft
