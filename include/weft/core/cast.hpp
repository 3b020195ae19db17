// SPDX-License-Identifier: Apache-2.0
/// @file
/// What converting one element to another type means, and plain loops that do it.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/scalar_type.hpp>
#include <weft/core/tensor_view.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace weft {
inline namespace v0 {

template <class T>
inline constexpr bool is_complex_type = false;
template <class T>
inline constexpr bool is_complex_type<std::complex<T>> = true;
template <class T>
inline constexpr bool is_half_type = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

/// `value` as a To. Defined for every value and pair of element types:
/// - integer to integer wraps modulo 2^bits; anything to bool is `value != 0` (NaN gives true);
/// - floating to integer drops the fraction, saturates at the ends of the range, and gives 0 for
/// NaN;
/// - to f16 and bf16 rounds through float, so f64 and 64-bit integers are rounded twice, as in
/// PyTorch;
/// - complex to real takes the real part, real to complex has imaginary part 0.
template <Element To, Element From>
WEFT_ALWAYS_INLINE constexpr To cast(From value) noexcept {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_complex_type<From>) {
    if constexpr (is_complex_type<To>) {
      using Part = typename To::value_type;
      return To(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
    } else if constexpr (std::is_same_v<To, bool>) {
      // Without a branch; as int, or Clang takes it for a slip of the pen.
      return (static_cast<int>(value.real() != 0) | static_cast<int>(value.imag() != 0)) != 0;
    } else {
      return cast<To>(value.real());
    }
  } else if constexpr (is_complex_type<To>) {
    return To(cast<typename To::value_type>(value), 0);
  } else if constexpr (is_half_type<From>) {
    return cast<To>(static_cast<float>(value));
  } else if constexpr (is_half_type<To>) {
    return To(cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (std::is_same_v<From, bool>) {
    // As a selection it vectorises, as a conversion it does not. Of 8 bytes a selection can become
    // a branch.
    if constexpr (std::is_same_v<To, double>) return static_cast<int>(value);
    return value ? To(1) : To(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    constexpr int digits = std::numeric_limits<To>::digits;
    constexpr From least = static_cast<From>(std::numeric_limits<To>::min());
    const From kept = value == value ? value : From{};
    if constexpr (digits <= std::numeric_limits<From>::digits) {
      // The ends of the range are exact: clamped before the conversion, and converted through 32
      // bits where that is enough, all of it is vector instructions.
      constexpr From most = static_cast<From>(std::numeric_limits<To>::max());
      const From low = kept < least ? least : kept;
      const From clamped = low > most ? most : low;
      using Via = std::conditional_t<sizeof(To) < 4, std::int32_t, To>;
      return static_cast<To>(static_cast<Via>(clamped));
    } else {
      // 2^digits is the least value too large for To, and exact in every floating type.
      constexpr From too_large = static_cast<From>(std::uint64_t{1} << (digits - 1)) * 2;
      if (kept >= too_large) return std::numeric_limits<To>::max();
      if (kept < least) return std::numeric_limits<To>::min();
      return static_cast<To>(kept);
    }
  } else {
    return static_cast<To>(value);
  }
}

/// Converts `count` elements, strides in bytes (0 repeats the first source element). Source and
/// destination may be unaligned and must not overlap unless they are the same elements. A bool may
/// hold any byte; non-zero reads as true.
WEFT_API void cast_elements(void* to, ScalarType to_type, std::int64_t to_stride_bytes,
                            const void* from, ScalarType from_type, std::int64_t from_stride_bytes,
                            std::int64_t count);

/// Converts every element of `from` to its place in `to`, of the same shape. Throws Error(shape). A
/// plain loop on one thread, for setting up and checking; weft::copy is the fast one.
WEFT_API void cast_tensor(const TensorView& to, const TensorView& from);

}  // namespace v0
}  // namespace weft
