// SPDX-License-Identifier: Apache-2.0
// Functions of two operands. Plain loops over dense spans, one for each pattern of broadcast
// operands, which the compiler vectorises: body and tail are the same IEEE operations, so results
// do not depend on level, position or length.
#include "kernels/binary/binary.hpp"

#include "kernels/complex/complex_parts.hpp"
#include "kernels/complex/complex_quotient.hpp"
#include "kernels/half/half_blocks.hpp"
#include "kernels/loops/block_spans.hpp"
#include "kernels/loops/op_table.hpp"
#include "kernels/scalar/arithmetic.hpp"

#include <limits>

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace weft {
inline namespace v0 {
namespace {

// ---- Arithmetic --------------------------------------------------------------------------------

template <class T>
struct Add {
  static constexpr bool commutes = true;
  static constexpr bool steps = true;
  using Loops = Add<typename Wrapping<T>::Type>;
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return plus(a, b); }
};
template <class T>
struct Sub {
  static constexpr bool steps = true;
  using Loops = Sub<typename Wrapping<T>::Type>;
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return minus(a, b); }
};
template <class T>
struct Mul {
  static constexpr bool commutes = true;
  static constexpr bool steps = true;
  using Loops = Mul<typename Wrapping<T>::Type>;
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return times(a, b); }
  template <class R>
  WEFT_ALWAYS_INLINE R in_registers(const R& a, const R& b) const noexcept {
    return a * b;
  }
  static constexpr SpanKernel kernel(const Mul& op) { return kernel_of_products(op); }
};
template <class T>
struct Div {
  static constexpr bool steps = sizeof(T) == 8;  // of floats, registers have twice as many
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return quotient(a, b); }
  static constexpr SpanKernel kernel(const Div& op) {
    SpanKernel kernel = strided_span_kernel(op);
    if constexpr (is_complex_type<T>)
      kernel.replace_loops(&ComplexQuotients<typename T::value_type>::run);
    return kernel;
  }
};
template <class T>
struct CopySign {
  static constexpr bool by_bits = true;
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept {
    if constexpr (is_half_type<T>)
      return from_bits<T>((bits_of(a) & 0x7fff) | (bits_of(b) & 0x8000));
    if constexpr (std::is_floating_point_v<T>) return with_sign(a, b);
  }
};
template <class T>
struct LeakyRelu {
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return a > 0 ? a : a * b; }
};

// ---- Order -------------------------------------------------------------------------------------

/// The larger of two; of two zeros the one without sign, so that the order of the operands does not
/// matter; NaN if one is. Where two numbers are equal or one is NaN, left and right are one each,
/// and elsewhere the same: the "and" of their signs and the "or" of all other bits is right for
/// all, and takes no comparison. (Left, right and that are one instruction each with AVX-512.)
template <class T>
WEFT_ALWAYS_INLINE T larger(T a, T b) noexcept {
  const T left = a > b ? a : b;
  if constexpr (std::is_floating_point_v<T>) {
    const T right = b > a ? b : a;
    const auto all = bits_of(left) & bits_of(right);
    const auto any = bits_of(left) | bits_of(right);
    return from_bits<T>(all | (any & ~bits_of(T(-0.0))));
  } else {
    return left;
  }
}
/// The smaller; of two zeros the one with a sign; NaN if one is.
template <class T>
WEFT_ALWAYS_INLINE T smaller(T a, T b) noexcept {
  const T left = a < b ? a : b;
  if constexpr (std::is_floating_point_v<T>) {
    const T right = b < a ? b : a;
    return from_bits<T>(bits_of(left) | bits_of(right));
  } else {
    return left;
  }
}
/// a if b is NaN, else b if a is; else `both`. By bits, so that compilers do not compute `both`
/// only where it is taken: masking every step of it costs more than the steps.
template <class T>
WEFT_ALWAYS_INLINE T unless_nan(T a, T b, T both) noexcept {
#if defined(__x86_64__) && !defined(__AVX2__)
  // The baseline has no comparison of 64 bits to make bits of.
  if constexpr (sizeof(T) == 8 && std::is_floating_point_v<T>) {
    const T b_or_both = a != a ? b : both;
    return b != b ? a : b_or_both;
  }
#endif
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = decltype(bits_of(a));
    const Bits from_a = Bits(0) - static_cast<Bits>(b != b);
    const Bits from_b = (Bits(0) - static_cast<Bits>(a != a)) & ~from_a;
    return from_bits<T>((bits_of(a) & from_a) | (bits_of(b) & from_b) |
                        (bits_of(both) & ~(from_a | from_b)));
  } else {
    return both;
  }
}

template <class T>
struct Maximum {
  static constexpr bool commutes = true;
  using Loops = std::conditional_t<std::is_same_v<T, bool>, Add<T>, Maximum>;
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept {
    if constexpr (std::is_same_v<T, bool>) return a | b;
    return larger(a, b);
  }
};
template <class T>
struct Minimum {
  static constexpr bool commutes = true;
  using Loops = std::conditional_t<std::is_same_v<T, bool>, Mul<T>, Minimum>;
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept {
    if constexpr (std::is_same_v<T, bool>) return a & b;
    return smaller(a, b);
  }
};
template <class T>
struct FMax {
  static constexpr bool commutes = true;
  using Loops = std::conditional_t<std::is_integral_v<T>, Maximum<T>, FMax>;
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept {
    if constexpr (std::is_same_v<T, bool>) return a | b;
    return unless_nan(a, b, larger(a, b));
  }
};
template <class T>
struct FMin {
  static constexpr bool commutes = true;
  using Loops = std::conditional_t<std::is_integral_v<T>, Minimum<T>, FMin>;
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept {
    if constexpr (std::is_same_v<T, bool>) return a & b;
    return unless_nan(a, b, smaller(a, b));
  }
};

// a itself, down to the sign of zero, wherever it lies within.
template <class T>
struct ClampMin {
  using Loops = std::conditional_t<std::is_integral_v<T>, Maximum<T>, ClampMin>;
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return at_least(a, b); }
};
template <class T>
struct ClampMax {
  using Loops = std::conditional_t<std::is_integral_v<T>, Minimum<T>, ClampMax>;
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return at_most(a, b); }
};

/// The bits of infinity: magnitudes above it are NaN.
template <class T>
inline constexpr Unsigned<sizeof(T)> bits_of_infinity =
    __builtin_bit_cast(Unsigned<sizeof(T)>, std::numeric_limits<T>::infinity());
template <>
inline constexpr std::uint16_t bits_of_infinity<float16> = 0x7c00;
template <>
inline constexpr std::uint16_t bits_of_infinity<bfloat16> = 0x7f80;

/// Spans of a formula of many steps, a block at a time: one loop, where the plain ones would be a
/// dozen copies of it.
template <class F, class T>
void block_spans_of(const void* /*context*/, char* const* data, const std::int64_t* row_bytes,
                    std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
  constexpr int length = 128 / sizeof(T);
  constexpr std::int64_t sizes[] = {sizeof(T), sizeof(T), sizeof(T)};
  struct alignas(64) Elements {
    T at[length];
  };
  const auto block = [](char* to, const char* const* from) WEFT_INLINE_LAMBDA {
    Elements a, b, result;
    __builtin_memcpy(static_cast<void*>(&a), from[0], sizeof(Elements));
    __builtin_memcpy(static_cast<void*>(&b), from[1], sizeof(Elements));
    WEFT_KEPT_LOOP
    for (int i = 0; i < length; ++i)
      result.at[i] = F()(a.at[i], b.at[i]);
    __builtin_memcpy(to, &result, sizeof(Elements));
  };
  for_each_row<3>(data, row_bytes, rows, [&](char* const* row) {
    BlockSpan<length, 2, sizeof(T)>::run(block, row, n, broadcast >> 1, sizes);
  });
}

/// The number that follows a in its type towards b; by the bits alone, so that f16 and bf16 are
/// like all others. With its sign taken for that of an integer, a magnitude's bits count the
/// numbers from 0 on.
template <class T>
struct NextAfter {
  static constexpr bool by_bits = true;
  static constexpr SpanKernel kernel(const NextAfter& op) {
    SpanKernel kernel;
    kernel.run = &block_spans_of<NextAfter, T>;
    kernel.context = &op;
    kernel.noutputs = 1;
    kernel.ninputs = 2;
    kernel.broadcastable = 0b110;
    kernel.cost = 3;
    for (int k = 0; k < 3; ++k)
      kernel.types[k] = scalar_type_of<T>;
    return kernel;
  }
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept {
    using Bits = Unsigned<sizeof(T)>;
    using Count = std::make_signed_t<Bits>;
    constexpr Bits magnitude_bits = static_cast<Bits>(~Bits{0}) >> 1;
    constexpr Bits sign = static_cast<Bits>(~magnitude_bits);
    constexpr Bits infinite = bits_of_infinity<T>;
    const Bits of_a = bits_of(a), of_b = bits_of(b);
    const auto far_a = static_cast<Bits>(of_a & magnitude_bits);
    const auto far_b = static_cast<Bits>(of_b & magnitude_bits);
    const auto from = static_cast<Count>((of_a & sign) != 0 ? Bits{0} - far_a : far_a);
    const auto to = static_cast<Count>((of_b & sign) != 0 ? Bits{0} - far_b : far_b);
    const auto up = static_cast<Bits>(to > from ? 1 : 0);
    const auto down = static_cast<Bits>(to < from ? 1 : 0);
    const auto next = static_cast<Bits>(static_cast<Bits>(from) + up - down);
    const auto far = static_cast<Bits>((next & sign) != 0 ? Bits{0} - next : next);
    // 0 is left, or stays, on b's side; everything else keeps its sign, a 0 that is reached too.
    const auto side = static_cast<Bits>((far_a == 0 ? of_b : of_a) & sign);
    const bool no_number = (far_a > infinite) | (far_b > infinite);
    return from_bits<T>(no_number ? static_cast<Bits>(infinite | (infinite >> 1)) : far | side);
  }
};

// ---- Bits --------------------------------------------------------------------------------------

template <class T>
struct BitwiseAnd {
  static constexpr bool commutes = true;
  static constexpr bool steps = true;
  using Loops = BitwiseAnd<typename Wrapping<T>::Type>;
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return static_cast<T>(a & b); }
};
template <class T>
struct BitwiseOr {
  static constexpr bool commutes = true;
  static constexpr bool steps = true;
  using Loops = BitwiseOr<typename Wrapping<T>::Type>;
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return static_cast<T>(a | b); }
};
template <class T>
struct BitwiseXor {
  static constexpr bool commutes = true;
  static constexpr bool steps = true;
  using Loops = BitwiseXor<typename Wrapping<T>::Type>;
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return static_cast<T>(a ^ b); }
};

/// A shift as an unsigned number: negative ones are past every width.
template <class T>
WEFT_ALWAYS_INLINE Modular<T> distance(T b) noexcept {
  return static_cast<Modular<T>>(static_cast<std::make_unsigned_t<T>>(b));
}
template <class T>
inline constexpr Modular<T> width = 8 * sizeof(T);

/// x shifted by y < 8 bits in three steps, for bytes: no instruction shifts bytes by amounts of
/// their own. Each step in the type itself, or compilers widen the whole loop.
WEFT_ALWAYS_INLINE std::uint8_t byte_to_left(std::uint8_t x, std::uint8_t y) noexcept {
  x = (y & 1) != 0 ? static_cast<std::uint8_t>(x + x) : x;
  x = (y & 2) != 0 ? static_cast<std::uint8_t>(x << 2) : x;
  return (y & 4) != 0 ? static_cast<std::uint8_t>(x << 4) : x;
}
template <class T>
WEFT_ALWAYS_INLINE T byte_to_right(T x, std::uint8_t y) noexcept {
  x = (y & 1) != 0 ? static_cast<T>(x >> 1) : x;
  x = (y & 2) != 0 ? static_cast<T>(x >> 2) : x;
  return (y & 4) != 0 ? static_cast<T>(x >> 4) : x;
}

#if defined(__AVX512BW__)
/// Spans of shifts of 16-bit integers by amounts of their own, F::shifted(registers). Without such
/// an instruction they are widened, by the loops that compilers make of the formulas below.
template <class F>
void word_shift_spans(const void*, char* const* data, const std::int64_t* row_bytes, std::int64_t n,
                      std::int64_t rows, std::uint32_t broadcast) {
  constexpr std::int64_t lanes = 32;
  for_each_row<3>(data, row_bytes, rows, [&](char* const* row) {
    const auto load = [&](int k, std::int64_t i, __mmask32 taken) {
      if ((broadcast >> k & 1) == 0) return _mm512_maskz_loadu_epi16(taken, row[k] + 2 * i);
      return _mm512_set1_epi16(SpanReader<std::int16_t, true>(row[k])[0]);
    };
    for (std::int64_t i = 0; i < n; i += lanes) {
      const auto taken = static_cast<__mmask32>(n - i < lanes ? (1U << (n - i)) - 1 : ~0U);
      _mm512_mask_storeu_epi16(row[0] + 2 * i, taken,
                               F::shifted(load(1, i, taken), load(2, i, taken)));
    }
  });
}
#endif
/// The kernel of a shift.
template <class F>
constexpr SpanKernel kernel_of_shifts(const F& op) {
  SpanKernel kernel = strided_span_kernel(op);
#if defined(__AVX512BW__)
  if constexpr (sizeof(typename Signature<F>::Result) == 2)
    kernel.replace_loops(&word_shift_spans<F>);
#endif
  return kernel;
}

template <class T>
struct ShiftLeft {
  using Loops = ShiftLeft<typename Wrapping<T>::Type>;
  static constexpr SpanKernel kernel(const ShiftLeft& op) { return kernel_of_shifts(op); }
#if defined(__AVX512BW__)
  // Amounts past the width, negative ones among them, give what the formulas do.
  static WEFT_ALWAYS_INLINE __m512i shifted(__m512i a, __m512i b) noexcept {
    return _mm512_sllv_epi16(a, b);
  }
#endif
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept {
    if constexpr (sizeof(T) == 1) {
      const auto by = static_cast<std::uint8_t>(b);
      const std::uint8_t shifted = byte_to_left(static_cast<std::uint8_t>(a), by);
      return static_cast<T>(by < 8 ? shifted : std::uint8_t{0});
    } else {
      // Masked, so that the shift is defined for the elements that are then not taken, too.
      const Modular<T> by = distance(b);
      const auto shifted = static_cast<T>(static_cast<Modular<T>>(a) << (by & (width<T> - 1)));
      return by < width<T> ? shifted : T(0);
    }
  }
};
template <class T>
struct ShiftRight {
  static constexpr SpanKernel kernel(const ShiftRight& op) { return kernel_of_shifts(op); }
#if defined(__AVX512BW__)
  static WEFT_ALWAYS_INLINE __m512i shifted(__m512i a, __m512i b) noexcept {
    return std::is_signed_v<T> ? _mm512_srav_epi16(a, b) : _mm512_srlv_epi16(a, b);
  }
#endif
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept {
    if constexpr (sizeof(T) == 1) {
      const auto by = static_cast<std::uint8_t>(b);
      if constexpr (std::is_signed_v<T>) {
        return byte_to_right(a, by < 8 ? by : std::uint8_t{7});
      } else {
        const T shifted = byte_to_right(a, by);
        return by < 8 ? shifted : T(0);
      }
    } else if constexpr (std::is_signed_v<T>) {
      // In full width: b, not a, decides the type of a shift's result.
      const Modular<T> by = distance(b);
      using Wide = std::make_signed_t<Modular<T>>;
      return static_cast<T>(static_cast<Wide>(a) >> (by < width<T> ? by : width<T> - 1));
    } else {
      const Modular<T> by = distance(b);
      const auto shifted = static_cast<T>(static_cast<Modular<T>>(a) >> (by & (width<T> - 1)));
      return by < width<T> ? shifted : T(0);
    }
  }
};

}  // namespace

WEFT_FOR_EACH_PLAIN_BINARY(WEFT_DEFINE_KERNEL_OF)
WEFT_FOR_EACH_NEIGHBOR(WEFT_DEFINE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
