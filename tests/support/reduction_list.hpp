// SPDX-License-Identifier: Apache-2.0
/// @file
/// The reductions of reduction_table.hpp as a list, and what the table says their results are.
#pragma once

#include <weft/ops/reduce.hpp>

#include <vector>

namespace test {

/// A reduction over one axis; of two results, the first or the second.
struct ReductionCall {
  weft::Reduction op;
  weft::Tensor (*make)(const weft::TensorView& a, std::int64_t axis);
  const weft::ReductionInfo& info() const { return weft::info(op); }
};

inline const std::vector<ReductionCall>& all_reductions() {
  using weft::Tensor, weft::TensorView;
  static const std::vector<ReductionCall> list = {
#define WEFT_CALL(NAME, ...) \
  {weft::Reduction::NAME,    \
   [](const TensorView& a, std::int64_t axis) -> Tensor { return weft::NAME(a, {axis}); }},
      WEFT_FOR_EACH_REDUCTION(WEFT_CALL)
#undef WEFT_CALL
#define WEFT_CALL(NAME, ...) \
  {weft::Reduction::NAME,    \
   [](const TensorView& a, std::int64_t axis) -> Tensor { return weft::NAME(a, axis); }},
          WEFT_FOR_EACH_ARG_REDUCTION(WEFT_CALL)
#undef WEFT_CALL
#define WEFT_CALL(NAME, ...)                                                                      \
  {weft::Reduction::NAME,                                                                         \
   [](const TensorView& a, std::int64_t axis) -> Tensor { return weft::NAME(a, {axis}).first; }}, \
      {weft::Reduction::NAME, [](const TensorView& a, std::int64_t axis) -> Tensor {              \
         return weft::NAME(a, {axis}).second;                                                     \
       }},
              WEFT_FOR_EACH_PAIR_REDUCTION(WEFT_CALL)
#undef WEFT_CALL
  };
  return list;
}

/// The type of the result for elements of a type.
inline weft::ScalarType result_type(const weft::ReductionInfo& info, weft::ScalarType type) {
  using weft::ReduceResult, weft::ScalarType;
  const bool whole = weft::is_integer(type) || type == ScalarType::boolean;
  switch (info.result) {
    case ReduceResult::common: return type;
    case ReduceResult::counted: return whole ? ScalarType::i64 : type;
    case ReduceResult::floating: return whole ? ScalarType::f32 : type;
    case ReduceResult::truth: return ScalarType::boolean;
    case ReduceResult::count: return ScalarType::i64;
    case ReduceResult::magnitude:
      return whole || type == ScalarType::c64 ? ScalarType::f32
             : type == ScalarType::c128       ? ScalarType::f64
                                              : type;
  }
  return type;
}

}  // namespace test
