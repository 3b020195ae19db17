// SPDX-License-Identifier: Apache-2.0
/// @file
/// One line for a formula that is a function on registers.
#pragma once

#include "kernels/complex_library.hpp"
#include "kernels/math/widened.hpp"
#include "kernels/op_table.hpp"

/// FORMULA<T> for real T is FUNCTION of a register of T; COST in adds per element.
#define WEFT_REGISTER_FORMULA(FORMULA, FUNCTION, COST)                               \
  template <class T>                                                                 \
  struct FORMULA {                                                                   \
    static constexpr float cost = COST;                                              \
    WEFT_ALWAYS_INLINE Register<T> operator()(const Register<T>& a) const noexcept { \
      return FUNCTION(a);                                                            \
    }                                                                                \
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

/// FORMULA<T> for complex T is the C library's function NAME.
#define WEFT_COMPLEX_FORMULA(FORMULA, NAME)                                                 \
  template <class Part>                                                                     \
  struct FORMULA<std::complex<Part>> {                                                      \
    WEFT_ALWAYS_INLINE std::complex<Part> operator()(std::complex<Part> a) const noexcept { \
      return complex_##NAME(a);                                                             \
    }                                                                                       \
  };
