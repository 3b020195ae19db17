// SPDX-License-Identifier: Apache-2.0
/// @file
/// One line for a formula that is a function on registers.
#pragma once

#include <weft/kernel/detail/vectorized_widened.hpp>

#include "kernels/complex/complex_spans.hpp"
#include "kernels/loops/op_table.hpp"

/// FORMULA<T> for real T is FUNCTION of a register of T; COST in adds per element.
#define WEFT_REGISTER_FORMULA(FORMULA, FUNCTION, COST)                               \
  template <class T>                                                                 \
  struct FORMULA {                                                                   \
    static constexpr float cost = COST;                                              \
    WEFT_ALWAYS_INLINE Register<T> operator()(const Register<T>& a) const noexcept { \
      return FUNCTION(a);                                                            \
    }                                                                                \
  };

/// The same, f16 and bf16 having a function of their own, HALF_FUNCTION of a register of f32.
#define WEFT_REGISTER_FORMULA_WITH_HALVES(FORMULA, FUNCTION, HALF_FUNCTION, COST)              \
  template <class T>                                                                           \
  struct FORMULA {                                                                             \
    static constexpr float cost = COST;                                                        \
    struct OfHalves {                                                                          \
      static constexpr float cost = COST;                                                      \
      WEFT_ALWAYS_INLINE Register<float> operator()(const Register<float>& a) const noexcept { \
        return HALF_FUNCTION(a);                                                               \
      }                                                                                        \
    };                                                                                         \
    WEFT_ALWAYS_INLINE Register<T> operator()(const Register<T>& a) const noexcept {           \
      return FUNCTION(a);                                                                      \
    }                                                                                          \
  };

/// The same, f32 being computed in f64.
#define WEFT_WIDE_FORMULA(FORMULA, FUNCTION, COST)                                   \
  template <class T>                                                                 \
  struct FORMULA {                                                                   \
    static constexpr float cost = COST;                                              \
    WEFT_ALWAYS_INLINE Register<T> operator()(const Register<T>& a) const noexcept { \
      if constexpr (sizeof(T) == 4) return in_double(FORMULA<double>(), a);          \
      if constexpr (sizeof(T) == 8) return FUNCTION(a);                              \
    }                                                                                \
  };

/// FORMULA<T> for complex T is FUNCTION on registers of f64, and the C library's function NAME
/// where that does not do.
#define WEFT_COMPLEX_FORMULA(FORMULA, NAME, FUNCTION, COST)                                 \
  template <class Part>                                                                     \
  struct FORMULA<std::complex<Part>> {                                                      \
    WEFT_ALWAYS_INLINE std::complex<Part> operator()(std::complex<Part> a) const noexcept { \
      return complex_##NAME(a);                                                             \
    }                                                                                       \
    static constexpr SpanKernel kernel(const FORMULA& op) {                                 \
      return complex_span_kernel<FUNCTION>(op, COST);                                       \
    }                                                                                       \
  };

/// The same for c64; of c128 it is the C library's function.
#define WEFT_COMPLEX_FORMULA_OF_SINGLE(FORMULA, NAME, FUNCTION, COST)                       \
  template <class Part>                                                                     \
  struct FORMULA<std::complex<Part>> {                                                      \
    WEFT_ALWAYS_INLINE std::complex<Part> operator()(std::complex<Part> a) const noexcept { \
      return complex_##NAME(a);                                                             \
    }                                                                                       \
    static constexpr SpanKernel kernel(const FORMULA& op) {                                 \
      if constexpr (sizeof(Part) == 4) {                                                    \
        return complex_span_kernel<FUNCTION>(op, COST);                                     \
      } else {                                                                              \
        return typed_span_kernel(op);                                                       \
      }                                                                                     \
    }                                                                                       \
  };
