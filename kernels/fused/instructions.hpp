// SPDX-License-Identifier: Apache-2.0
/// @file
/// The instructions of fused programs, and how all of them are carried out for a block of elements.
#pragma once

#include <weft/kernel/detail/math/exponential.hpp>
#include <weft/kernel/detail/vectorized_register.hpp>

#include "kernels/fused/fused.hpp"
#include "kernels/loops/flag_registers.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

// ---- What the functions do ----------------------------------------------------------------------

/// As `larger` and `smaller` of kernels/binary/binary.cpp.
template <class R>
WEFT_ALWAYS_INLINE R larger(const R& a, const R& b) noexcept {
  const R left = larger_or_second(a, b), right = larger_or_second(b, a);
  return (left & right) | ((left | right) & R::of_bits(~(-R(0)).bits()));
}
template <class R>
WEFT_ALWAYS_INLINE R smaller(const R& a, const R& b) noexcept {
  return smaller_or_second(a, b) | smaller_or_second(b, a);
}
template <class R>
WEFT_ALWAYS_INLINE R at_least(const R& a, const R& b) noexcept {
  return select(isnan(b), b, larger_or_second(b, a));
}
template <class R>
WEFT_ALWAYS_INLINE R at_most(const R& a, const R& b) noexcept {
  return select(isnan(b), b, smaller_or_second(b, a));
}
template <class R>
WEFT_ALWAYS_INLINE R all_bits() noexcept {
  using Whole = typename R::Whole;
  return R::of_bits(Whole(~typename Whole::value_type(0)));
}
/// A mask as truth values.
template <class R>
WEFT_ALWAYS_INLINE R truth(const typename R::Mask& mask) noexcept {
  return select(mask, all_bits<R>(), R(0));
}

/// The result of an instruction: of x, its operand, and a choice.
template <FusedOp op, class R>
WEFT_ALWAYS_INLINE R result_of(const R& x, const R& m, const R& choice) noexcept {
  switch (op) {
    case FusedOp::load: return m;
    case FusedOp::add: return x + m;
    case FusedOp::sub: return x - m;
    case FusedOp::sub_from: return m - x;
    case FusedOp::mul: return x * m;
    case FusedOp::div: return x / m;
    case FusedOp::div_from: return m / x;
    case FusedOp::maximum: return larger(x, m);
    case FusedOp::minimum: return smaller(x, m);
    case FusedOp::clamp_min: return at_least(x, m);
    case FusedOp::clamp_max: return at_most(x, m);
    case FusedOp::eq: return truth<R>(x == m);
    case FusedOp::ne: return truth<R>(!(x == m));
    case FusedOp::lt: return truth<R>(x < m);
    case FusedOp::le: return truth<R>(x <= m);
    case FusedOp::gt: return truth<R>(x > m);
    case FusedOp::ge: return truth<R>(x >= m);
    case FusedOp::both: return x & m;
    case FusedOp::either: return x | m;
    case FusedOp::differ: return x ^ m;
    case FusedOp::choose: return m ^ (choice & (x ^ m));
    case FusedOp::neg: return -x;
    case FusedOp::abs: return abs(x);
    case FusedOp::square: return x * x;
    case FusedOp::sqrt: return sqrt(x);
    case FusedOp::reciprocal: return R(1) / x;
    case FusedOp::relu: return select(x <= R(0), R(0), x);
    case FusedOp::complement: return x ^ all_bits<R>();
    default: return x;
  }
}

/// Functions of so many instructions that they are there once, for two registers at a time: one
/// computes while the other waits.
#define WEFT_DEFINE(NAME, TEXT)                                                             \
  template <class T>                                                                        \
  [[gnu::noinline]] void NAME##_pairs(Register<T>* from, const Register<T>* end) noexcept { \
    for (; from != end; from += 2) {                                                        \
      const Register<T> first = NAME(from[0]), second = NAME(from[1]);                      \
      from[0] = first;                                                                      \
      from[1] = second;                                                                     \
    }                                                                                       \
  }
WEFT_FOR_EACH_FUSED_FUNCTION(WEFT_DEFINE)
#undef WEFT_DEFINE

// ---- Carrying a program out ---------------------------------------------------------------------

/// Registers that one instruction works on.
inline constexpr int fused_width = 8;

/// Where an operand or a temporary is.
struct FusedPlace {
  char* at;
  std::int64_t moves;  ///< bits of the offset: all of elements, none of what stays where it is
};

/// Each instruction of an operand twice, for elements and for one value; of two four times.
constexpr int code_of(FusedOp op, bool one, bool second_one = false) {
  return 4 * static_cast<int>(op) + 2 * static_cast<int>(second_one) + static_cast<int>(one);
}
/// An instruction with all that it takes, so that a jump is all that is left to do.
struct FusedStep {
  FusedPlace place, second;
  std::int64_t row_step, second_row_step;  ///< bytes to the places in the next row
  int code;
};

/// All instructions for `count` registers of elements, which are at `offset` bytes in their rows.
/// What is in registers in the end is given to `take`, as an array of them.
template <class T, int count, class Take>
WEFT_ALWAYS_INLINE void carry_out(const FusedStep* step, const FusedStep* end, std::int64_t offset,
                                  const Take& take) noexcept {
  using R = Register<T>;
  R x[count];
  WEFT_UNROLLED
  for (R& r : x)
    r = R(0);
  for (; step != end; ++step) {
    auto* const m = reinterpret_cast<T*>(step->place.at + (offset & step->place.moves));
    const auto* const seconds =
        reinterpret_cast<const T*>(step->second.at + (offset & step->second.moves));
    const auto apply = [&]<FusedOp op, bool one>() WEFT_INLINE_LAMBDA {
      const R same = R::load(m);
      WEFT_UNROLLED
      for (int i = 0; i < count; ++i) {
        const R choice = op == FusedOp::choose ? R::load(seconds + i * R::lanes) : same;
        x[i] = result_of<op>(x[i], one ? same : R::load(m + i * R::lanes), choice);
      }
    };
    const auto apply_pair =
        [&]<FusedOp first, bool one, FusedOp second, bool second_one>() WEFT_INLINE_LAMBDA {
          const R same = R::load(m), second_same = R::load(seconds);
          WEFT_UNROLLED
          for (int i = 0; i < count; ++i) {
            const R a = one ? same : R::load(m + i * R::lanes);
            const R b = second_one ? second_same : R::load(seconds + i * R::lanes);
            x[i] = result_of<second>(result_of<first>(x[i], a, a), b, b);
          }
        };
    // Nothing is read: the place is that of some operand, which may have no such element.
    const auto change = [&]<FusedOp op>() WEFT_INLINE_LAMBDA {
      WEFT_UNROLLED
      for (R& r : x)
        r = result_of<op>(r, r, r);
    };
    const auto in_pairs = [&](auto* function) WEFT_INLINE_LAMBDA {
      constexpr int pairs = (count + 1) / 2 * 2;
      R values[pairs];
      WEFT_UNROLLED
      for (int i = 0; i < pairs; ++i)
        values[i] = x[i < count ? i : 0];
      function(values, values + pairs);
      WEFT_UNROLLED
      for (int i = 0; i < count; ++i)
        x[i] = values[i];
    };
    const auto read_flags = [&]<bool one>() WEFT_INLINE_LAMBDA {
      const char* const at =
          step->place.at + (offset & step->place.moves) / static_cast<std::int64_t>(sizeof(T));
      WEFT_UNROLLED
      for (int i = 0; i < count; ++i)
        x[i] = truth_of_flags<T>(at + (one ? 0 : i * R::lanes));
    };
    const auto store_truth = [&]() WEFT_INLINE_LAMBDA {
      char* const at =
          step->place.at + (offset & step->place.moves) / static_cast<std::int64_t>(sizeof(T));
      WEFT_UNROLLED
      for (int i = 0; i < count; ++i)
        store_flags(at + i * R::lanes, x[i]);
    };
    const auto store_some = [&]() WEFT_INLINE_LAMBDA {
      const char* const flags =
          step->second.at + (offset & step->second.moves) / static_cast<std::int64_t>(sizeof(T));
      WEFT_UNROLLED
      for (int i = 0; i < count; ++i)
        store_selected(m + i * R::lanes, x[i], flags + i * R::lanes);
    };
    switch (step->code) {
#define WEFT_CASE(NAME, TEXT)                                                                   \
  case code_of(FusedOp::NAME, false): apply.template operator()<FusedOp::NAME, false>(); break; \
  case code_of(FusedOp::NAME, true): apply.template operator()<FusedOp::NAME, true>(); break;
      WEFT_FOR_EACH_FUSED_BINARY(WEFT_CASE)
#undef WEFT_CASE
#define WEFT_CASE(NAME, TEXT) \
  case code_of(FusedOp::NAME, false): change.template operator()<FusedOp::NAME>(); break;
      WEFT_FOR_EACH_FUSED_UNARY(WEFT_CASE)
#undef WEFT_CASE
#define WEFT_CASE(NAME, TEXT) \
  case code_of(FusedOp::NAME, false): in_pairs(&NAME##_pairs<T>); break;
      WEFT_FOR_EACH_FUSED_FUNCTION(WEFT_CASE)
#undef WEFT_CASE
#define WEFT_CASE_OF(NAME, FIRST, ONE, SECOND, SECOND_ONE)                              \
  case code_of(FusedOp::NAME, ONE, SECOND_ONE):                                         \
    apply_pair.template operator()<FusedOp::FIRST, ONE, FusedOp::SECOND, SECOND_ONE>(); \
    break;
#define WEFT_CASE(NAME, FIRST, SECOND)            \
  WEFT_CASE_OF(NAME, FIRST, false, SECOND, false) \
  WEFT_CASE_OF(NAME, FIRST, true, SECOND, false)  \
  WEFT_CASE_OF(NAME, FIRST, false, SECOND, true)  \
  WEFT_CASE_OF(NAME, FIRST, true, SECOND, true)
      WEFT_FOR_EACH_FUSED_PAIR(WEFT_CASE)
#undef WEFT_CASE
#undef WEFT_CASE_OF
      case code_of(FusedOp::complement, false):
        change.template operator()<FusedOp::complement>();
        break;
      case code_of(FusedOp::flags, false): read_flags.template operator()<false>(); break;
      case code_of(FusedOp::flags, true): read_flags.template operator()<true>(); break;
      case code_of(FusedOp::store, false):
        WEFT_UNROLLED
        for (int i = 0; i < count; ++i)
          x[i].store(m + i * R::lanes);
        break;
      case code_of(FusedOp::store_flags, false): store_truth(); break;
      case code_of(FusedOp::store_selected, false):
        if constexpr (has_selected_stores) store_some();
        break;
      default: __builtin_unreachable();
    }
  }
  take(x);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
