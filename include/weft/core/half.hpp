// SPDX-License-Identifier: Apache-2.0
/// @file
/// The two 16-bit floating types. They are for storage: arithmetic happens in float, rounded once
/// on the way back.
#pragma once

#include <weft/base/export.hpp>

#include <bit>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits. Largest finite value 65504.
struct float16 {
  std::uint16_t bits = 0;

  float16() = default;
  WEFT_ALWAYS_INLINE constexpr explicit float16(float value) noexcept;
  WEFT_ALWAYS_INLINE constexpr operator float() const noexcept;
  static constexpr float16 from_bits(std::uint16_t bits) noexcept {
    float16 h;
    h.bits = bits;
    return h;
  }
};

/// bfloat16: the upper half of a float; 1 sign, 8 exponent and 7 fraction bits.
struct bfloat16 {
  std::uint16_t bits = 0;

  bfloat16() = default;
  WEFT_ALWAYS_INLINE constexpr explicit bfloat16(float value) noexcept;
  WEFT_ALWAYS_INLINE constexpr operator float() const noexcept;
  static constexpr bfloat16 from_bits(std::uint16_t bits) noexcept {
    bfloat16 h;
    h.bits = bits;
    return h;
  }
};

// Both conversions round to nearest, ties to even, keep infinities and signed zeros, and turn every
// NaN into a quiet NaN of the same sign. They have no branches, so that a loop over them
// vectorises.

/// binary32 to binary16. A value whose half is subnormal is rounded by adding a power of two at
/// which one unit in the last place of a float is one unit of the subnormal half; a normal one by
/// integer arithmetic on the bits.
constexpr float16::float16(float value) noexcept {
  const std::uint32_t all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = all & 0x80000000u;
  const std::uint32_t magnitude = all ^ sign;
  // Normal halves: rebias the exponent (127 - 15 = 112), add just under half a unit plus the lowest
  // kept bit.
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  // Subnormal halves: below 2^-14.
  const float pushed = std::bit_cast<float>(magnitude) + 0.5f;
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(pushed) - std::bit_cast<std::uint32_t>(0.5f);
  std::uint32_t result = magnitude < (113u << 23) ? subnormal : normal;
  result = magnitude >= 0x477ff000u ? 0x7c00u : result;  // 65520 and more round to infinity
  result = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x1ffu) : result;
  bits = static_cast<std::uint16_t>(result | (sign >> 16));
}

/// binary16 to binary32, exact. A subnormal half is made from its integer fraction by a float
/// subtraction.
constexpr float16::operator float() const noexcept {
  const std::uint32_t magnitude = bits & 0x7fffu;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t shifted = magnitude << 13;
  const std::uint32_t normal = shifted + (112u << 23);
  const float tiny =
      std::bit_cast<float>(shifted + (113u << 23)) - std::bit_cast<float>(113u << 23);
  std::uint32_t result = magnitude < 0x400u ? std::bit_cast<std::uint32_t>(tiny) : normal;
  result = magnitude >= 0x7c00u ? shifted + (224u << 23) : result;
  result |= magnitude > 0x7c00u ? 0x400000u : 0u;  // signalling NaN becomes quiet
  return std::bit_cast<float>(result | sign);
}

constexpr bfloat16::bfloat16(float value) noexcept {
  const std::uint32_t all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (all + 0x7fffu + ((all >> 16) & 1u)) >> 16;
  const std::uint32_t quiet_nan = (all >> 16) | 0x40u;
  bits = static_cast<std::uint16_t>((all & 0x7fffffffu) > 0x7f800000u ? quiet_nan : rounded);
}

constexpr bfloat16::operator float() const noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace v0
}  // namespace weft
