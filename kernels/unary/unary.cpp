// SPDX-License-Identifier: Apache-2.0
// Functions of one operand that need no approximation: loops that the compiler vectorises. The
// others are in kernels/math/.
#include "kernels/unary/unary.hpp"

#include <weft/kernel/detail/math/power.hpp>

#include "kernels/complex/complex_parts.hpp"
#include "kernels/complex/complex_quotient.hpp"
#include "kernels/loops/op_table.hpp"
#include "kernels/math/complex.hpp"
#include "kernels/math/formulas.hpp"
#include "kernels/math/half_functions.hpp"
#include "kernels/scalar/arithmetic.hpp"
#include "kernels/scalar/rounding.hpp"

namespace weft {
inline namespace v0 {
namespace {

// ---- Arithmetic --------------------------------------------------------------------------------

/// What functions come to that change nothing in a type.
template <class T>
struct Same {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return a; }
};

template <class T>
struct Neg {
  using Loops = Neg<typename Wrapping<T>::Type>;
  static constexpr bool by_bits = true;
  static constexpr bool steps = true;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (is_half_type<T>) {
      return from_bits<T>(bits_of(a) ^ 0x8000);
    } else if constexpr (is_complex_type<T>) {
      return T(-a.real(), -a.imag());
    } else if constexpr (std::is_floating_point_v<T>) {
      return -a;  // 0 - a would lose the sign of zero
    } else {
      return minus(T(0), a);
    }
  }
};

template <class T>
struct Abs {
  using Loops = std::conditional_t<std::is_unsigned_v<T>, Same<typename Moved<T>::Type>, Abs>;
  static constexpr bool by_bits = true;
  WEFT_ALWAYS_INLINE auto operator()(T a) const noexcept {
    if constexpr (is_half_type<T>) {
      return from_bits<T>(bits_of(a) & 0x7fff);
    } else if constexpr (std::is_same_v<T, std::complex<float>>) {
      // Squares of floats neither overflow nor vanish in double. As C99, infinite if a part is.
      const double re = a.real(), im = a.imag();
      const auto length = static_cast<float>(__builtin_sqrt(re * re + im * im));
      constexpr float infinity = std::numeric_limits<float>::infinity();
      const bool infinite = (static_cast<int>(magnitude(a.real()) == infinity) |
                             static_cast<int>(magnitude(a.imag()) == infinity)) != 0;
      return infinite ? infinity : length;
    } else if constexpr (std::is_same_v<T, std::complex<double>>) {
      return __builtin_hypot(a.real(), a.imag());
    } else if constexpr (std::is_unsigned_v<T>) {
      return a;
    } else if constexpr (std::is_integral_v<T>) {
      return a < 0 ? minus(T(0), a) : a;
    } else {
      return magnitude(a);
    }
  }
  static constexpr SpanKernel kernel(const Abs& op) {
    if constexpr (std::is_same_v<T, std::complex<double>>) {
      return complex_span_kernel<ComplexAbs>(op, 6);
    } else {
      return typed_span_kernel(op);
    }
  }
};

// Without a branch for the single elements that short rows end with: one in two would be
// mispredicted.
template <class T>
struct Sign {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (std::is_unsigned_v<T>) {
      return a != 0 ? T(1) : T(0);
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<T>(a > 0) - static_cast<T>(a < 0));
    } else {
      using Bits = decltype(bits_of(a));
      const Bits above = Bits(0) - static_cast<Bits>(a > 0);
      const Bits below = Bits(0) - static_cast<Bits>(a < 0);
      return from_bits<T>((bits_of(T(1)) & above) | (bits_of(T(-1)) & below));
    }
  }
};

template <class T>
struct Square {
  using Loops = Square<typename Wrapping<T>::Type>;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return times(a, a); }
  template <class R>
  WEFT_ALWAYS_INLINE R in_registers(const R& a) const noexcept {
    return a * a;
  }
  static constexpr SpanKernel kernel(const Square& op) { return kernel_of_products(op); }
};

template <class T>
struct Sqrt {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (std::is_same_v<T, float>) return __builtin_sqrtf(a);
    if constexpr (std::is_same_v<T, double>) return __builtin_sqrt(a);
  }
};
WEFT_COMPLEX_FORMULA(Sqrt, sqrt, ComplexSqrt, 12)

template <class T>
struct Rsqrt {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return quotient(T(1), Sqrt<T>()(a)); }
  static constexpr SpanKernel kernel(const Rsqrt& op) {
    if constexpr (is_complex_type<T>) {
      return complex_span_kernel<ComplexRsqrt>(op, 16);
    } else {
      return typed_span_kernel(op);
    }
  }
};
template <>
struct Rsqrt<float> {
  static constexpr float cost = 2;
  struct OfHalves {
    // Not by levels that cannot convert halves.
    [[maybe_unused]] static constexpr float cost = 2;
    WEFT_ALWAYS_INLINE Register<float> operator()(const Register<float>& a) const noexcept {
      return half_rsqrt(a);
    }
  };
  WEFT_ALWAYS_INLINE Register<float> operator()(const Register<float>& a) const noexcept {
    return rsqrt(a);
  }
};

template <class T>
struct Reciprocal {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return quotient(T(1), a); }
  template <class R>
  WEFT_ALWAYS_INLINE R in_registers(const R& a) const noexcept {
    return a.reciprocal();
  }
  static constexpr SpanKernel kernel(const Reciprocal& op) { return kernel_of_products(op); }
};

// ---- Rounding, parts and bits ------------------------------------------------------------------

template <class T>
struct Floor {
  using Loops = std::conditional_t<std::is_integral_v<T>, Same<typename Moved<T>::Type>, Floor>;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (std::is_integral_v<T>) return a;
    return floor_of(a);
  }
};
template <class T>
struct Ceil {
  using Loops = std::conditional_t<std::is_integral_v<T>, Same<typename Moved<T>::Type>, Ceil>;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (std::is_integral_v<T>) return a;
    return ceil_of(a);
  }
};
template <class T>
struct Trunc {
  using Loops = std::conditional_t<std::is_integral_v<T>, Same<typename Moved<T>::Type>, Trunc>;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (std::is_integral_v<T>) return a;
    return trunc_of(a);
  }
};
template <class T>
struct Round {
  using Loops = std::conditional_t<std::is_integral_v<T>, Same<typename Moved<T>::Type>, Round>;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (std::is_integral_v<T>) return a;
    return nearest_of(a);
  }
};
template <class T>
struct Frac {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return a - trunc_of(a); }
};

template <class T>
struct BitwiseNot {
  using Loops = BitwiseNot<typename Wrapping<T>::Type>;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (std::is_same_v<T, bool>) {
      return !a;
    } else {
      return static_cast<T>(~static_cast<Modular<T>>(a));
    }
  }
};

/// Between -pi and pi; of real numbers 0 or pi.
template <class T>
struct Angle {
  WEFT_ALWAYS_INLINE auto operator()(T a) const noexcept {
    if constexpr (std::is_same_v<T, std::complex<float>>) {
      return static_cast<float>(__builtin_atan2(a.imag(), a.real()));
    } else {
      return __builtin_atan2(a.imag(), a.real());
    }
  }
  static constexpr SpanKernel kernel(const Angle& op) {
    return complex_span_kernel<ComplexAngle>(op, 20);
  }
};
template <class T>
WEFT_ALWAYS_INLINE Register<T> real_angle(const Register<T>& a) noexcept {
  const Register<T> turned = select(a < T(0), static_cast<T>(3.141592653589793), T(0));
  return select(isnan(a), a, turned);
}
WEFT_REGISTER_FORMULA(RealAngle, real_angle, 1)
template <>
struct Angle<float> : RealAngle<float> {};
template <>
struct Angle<double> : RealAngle<double> {};

template <class T>
struct Conj {
  using Loops = std::conditional_t<!is_complex_type<T>, Same<typename Moved<T>::Type>, Conj>;
  static constexpr bool by_bits = true;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (is_complex_type<T>) return T(a.real(), -a.imag());
    return a;
  }
};
template <class T>
struct Real {
  using Loops = std::conditional_t<!is_complex_type<T>, Same<typename Moved<T>::Type>, Real>;
  static constexpr bool by_bits = true;
  WEFT_ALWAYS_INLINE auto operator()(T a) const noexcept {
    if constexpr (is_complex_type<T>) {
      return a.real();
    } else {
      return a;
    }
  }
};
template <class T>
struct Imag {
  WEFT_ALWAYS_INLINE auto operator()(T a) const noexcept { return a.imag(); }
};

// ---- Activations -------------------------------------------------------------------------------

template <class T>
struct Relu {
  using Loops = std::conditional_t<std::is_unsigned_v<T>, Same<typename Moved<T>::Type>, Relu>;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return a <= 0 ? T(0) : a; }
};

/// a / (1 + |a|), 1 with its sign for infinities.
template <class T>
struct SoftSign {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    const T length = magnitude(a);
    return length == std::numeric_limits<T>::infinity() ? with_sign(T(1), a) : a / (1 + length);
  }
};
/// a + 3 within 0 and 6; NaN stays NaN. In registers, or GCC 12 divides three times, once for each
/// case.
template <class T>
WEFT_ALWAYS_INLINE Register<T> six_steps(const Register<T>& a) noexcept {
  return clamped(a + T(3), T(0), T(6));
}
template <class T>
WEFT_ALWAYS_INLINE Register<T> hard_sigmoid(const Register<T>& a) noexcept {
  return six_steps(a) / T(6);
}
template <class T>
WEFT_ALWAYS_INLINE Register<T> hard_swish(const Register<T>& a) noexcept {
  return a * six_steps(a) / T(6);
}
// More than their arithmetic: a row that does not fill a register is filled up, so short ones are
// better gathered.
WEFT_REGISTER_FORMULA(HardSigmoid, hard_sigmoid, 3)
WEFT_REGISTER_FORMULA(HardSwish, hard_swish, 3)

// ---- Predicates --------------------------------------------------------------------------------

// On both parts without a branch; as int, or Clang takes it for a slip of the pen.

template <class T>
struct IsNan {
  using Loops = std::conditional_t<std::is_integral_v<T>, IsNan<std::uint8_t>, IsNan>;
  WEFT_ALWAYS_INLINE bool operator()(T a) const noexcept {
    if constexpr (is_complex_type<T>) {
      return (static_cast<int>(a.real() != a.real()) | static_cast<int>(a.imag() != a.imag())) != 0;
    } else if constexpr (std::is_integral_v<T>) {
      return false;
    } else {
      return a != a;
    }
  }
};
template <class T>
struct IsInf {
  using Loops = std::conditional_t<std::is_integral_v<T>, IsNan<std::uint8_t>, IsInf>;
  WEFT_ALWAYS_INLINE bool operator()(T a) const noexcept {
    if constexpr (is_complex_type<T>) {
      const IsInf<typename T::value_type> part;
      return (static_cast<int>(part(a.real())) | static_cast<int>(part(a.imag()))) != 0;
    } else if constexpr (std::is_integral_v<T>) {
      return false;
    } else {
      return magnitude(a) == std::numeric_limits<T>::infinity();
    }
  }
};
template <class T>
struct IsFinite {
  using Loops = std::conditional_t<std::is_integral_v<T>, IsFinite<std::uint8_t>, IsFinite>;
  WEFT_ALWAYS_INLINE bool operator()(T a) const noexcept {
    if constexpr (is_complex_type<T>) {
      const IsFinite<typename T::value_type> part;
      return (static_cast<int>(part(a.real())) & static_cast<int>(part(a.imag()))) != 0;
    } else if constexpr (std::is_integral_v<T>) {
      return true;
    } else {
      return magnitude(a) < std::numeric_limits<T>::infinity();
    }
  }
};
template <class T>
struct SignBit {
  using Loops = std::conditional_t<std::is_unsigned_v<T>, IsNan<std::uint8_t>, SignBit>;
  WEFT_ALWAYS_INLINE bool operator()(T a) const noexcept {
    if constexpr (std::is_integral_v<T>) {
      return std::is_signed_v<T> && a < T(0);
    } else {
      return bits_of(a) >> (8 * sizeof(T) - 1) != 0;
    }
  }
};
template <class T>
struct LogicalNot {
  using Loops = LogicalNot<typename Truthful<T>::Type>;
  WEFT_ALWAYS_INLINE bool operator()(T a) const noexcept { return !cast<bool>(a); }
};

}  // namespace

WEFT_FOR_EACH_PLAIN_UNARY(WEFT_DEFINE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
