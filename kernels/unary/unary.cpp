// SPDX-License-Identifier: Apache-2.0
// Functions of one operand. exp of real types goes through Vectorized; the rest are loops that the
// compiler vectorises.
#include "kernels/unary/unary.hpp"

#include <weft/kernel/vectorized_math.hpp>

#include "kernels/arithmetic.hpp"
#include "kernels/complex_parts.hpp"
#include "kernels/op_table.hpp"
#include "kernels/rounding.hpp"

namespace weft::inline v0 {
namespace {

// ---- Arithmetic --------------------------------------------------------------------------------

template <class T>
struct Neg {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (is_complex_type<T>) return T(-a.real(), -a.imag());
    if constexpr (std::is_floating_point_v<T>) return -a;  // 0 - a would lose the sign of zero
    return minus(T(0), a);
  }
};

template <class T>
struct Abs {
  WEFT_ALWAYS_INLINE auto operator()(T a) const noexcept {
    if constexpr (std::is_same_v<T, std::complex<float>>) {
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
};

template <class T>
struct Sign {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (std::is_unsigned_v<T>) {
      return a != 0 ? T(1) : T(0);
    } else {
      return a > 0 ? T(1) : a < 0 ? T(-1) : T(0);
    }
  }
};

template <class T>
struct Square {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return times(a, a); }
  static constexpr SpanKernel kernel(const Square& op) { return kernel_of_products(op); }
};

template <class T>
struct Sqrt {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (std::is_same_v<T, float>) return __builtin_sqrtf(a);
    if constexpr (std::is_same_v<T, double>) return __builtin_sqrt(a);
    if constexpr (is_complex_type<T>) return std::sqrt(a);
  }
};

template <class T>
struct Rsqrt {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return divided_by(T(1), Sqrt<T>()(a)); }
  static constexpr SpanKernel kernel(const Rsqrt& op) { return kernel_of_products(op); }
};

template <class T>
struct Reciprocal {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return divided_by(T(1), a); }
  static constexpr SpanKernel kernel(const Reciprocal& op) { return kernel_of_products(op); }
};

/// The kernel of a formula on vectors. `cost` in adds.
template <class T, class F>
constexpr SpanKernel vectorized_kernel(const F& op, float cost) {
  SpanKernel kernel;
  kernel.run = &VectorizedSpans<F, T>::template run<1>;
  kernel.context = &op;
  kernel.noutputs = kernel.ninputs = 1;
  kernel.broadcastable = 2;
  kernel.cost = cost;
  kernel.types[0] = kernel.types[1] = scalar_type_of<T>;
  return kernel;
}

template <class T>
struct Exp {
  WEFT_ALWAYS_INLINE Vectorized<T> operator()(const Vectorized<T>& a) const noexcept {
    return exp(a);
  }
  static constexpr SpanKernel kernel(const Exp& op) { return vectorized_kernel<T>(op, 8); }
};
template <class Part>
struct Exp<std::complex<Part>> {
  using T = std::complex<Part>;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return std::exp(a); }
};

// ---- Whole numbers, parts and bits -------------------------------------------------------------

template <class T>
struct Floor {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (std::is_integral_v<T>) return a;
    return floor_of(a);
  }
};
template <class T>
struct Ceil {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (std::is_integral_v<T>) return a;
    return ceil_of(a);
  }
};
template <class T>
struct Trunc {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (std::is_integral_v<T>) return a;
    return trunc_of(a);
  }
};
template <class T>
struct Round {
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
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (std::is_same_v<T, bool>) {
      return !a;
    } else {
      return static_cast<T>(~static_cast<Modular<T>>(a));
    }
  }
};

template <class T>
struct Conj {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (is_complex_type<T>) return T(a.real(), -a.imag());
    return a;
  }
};
template <class T>
struct Real {
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
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return a <= 0 ? T(0) : a; }
};

/// a + 3 within 0 and 6; NaN stays NaN.
template <class T>
WEFT_ALWAYS_INLINE T six_steps(T a) noexcept {
  const T b = a + 3;
  const T c = b < 0 ? T(0) : b;
  return c > 6 ? T(6) : c;
}
template <class T>
struct HardSigmoid {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return six_steps(a) / 6; }
};
template <class T>
struct HardSwish {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return a * six_steps(a) / 6; }
};

// ---- Predicates --------------------------------------------------------------------------------

// On both parts without a branch; as int, or Clang takes it for a slip of the pen.

template <class T>
struct IsNan {
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
  WEFT_ALWAYS_INLINE bool operator()(T a) const noexcept { return !cast<bool>(a); }
};

constexpr const SpanKernel* const* rows[] = {WEFT_FOR_EACH_UNARY(WEFT_KERNEL_ROW)};

}  // namespace

const SpanKernel* WEFT_KERNEL(unary_kernel)(UnaryOp op, ScalarType type) {
  return rows[static_cast<int>(op)][static_cast<int>(type)];
}

}  // namespace weft::inline v0
