// SPDX-License-Identifier: Apache-2.0
/// @file
/// The element types, their C++ types and what is known of each.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/half.hpp>

#include <complex>
#include <cstdint>
#include <string_view>

namespace weft {
inline namespace v0 {

/// Type of a tensor's elements.
enum class ScalarType : std::uint8_t {
  boolean,
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  u64,
  i64,
  f16,
  bf16,
  f32,
  f64,
  c64,
  c128
};

inline constexpr int scalar_type_count = 15;

/// WEFT_FOR_EACH_SCALAR_TYPE(M) expands M(enumerator, C++ type) for every element type, in the
/// enumeration's order.
#define WEFT_FOR_EACH_SCALAR_TYPE(M) \
  M(boolean, bool)                   \
  M(u8, std::uint8_t)                \
  M(i8, std::int8_t)                 \
  M(u16, std::uint16_t)              \
  M(i16, std::int16_t)               \
  M(u32, std::uint32_t)              \
  M(i32, std::int32_t)               \
  M(u64, std::uint64_t)              \
  M(i64, std::int64_t)               \
  M(f16, ::weft::float16)            \
  M(bf16, ::weft::bfloat16)          \
  M(f32, float)                      \
  M(f64, double)                     \
  M(c64, std::complex<float>)        \
  M(c128, std::complex<double>)

template <class T>
struct ScalarTypeOf;  // no definition for types that are not element types
template <ScalarType>
struct CppTypeOf;

#define WEFT_MAP_SCALAR_TYPE(NAME, TYPE)                  \
  template <>                                             \
  struct ScalarTypeOf<TYPE> {                             \
    static constexpr ScalarType value = ScalarType::NAME; \
  };                                                      \
  template <>                                             \
  struct CppTypeOf<ScalarType::NAME> {                    \
    using type = TYPE;                                    \
  };
WEFT_FOR_EACH_SCALAR_TYPE(WEFT_MAP_SCALAR_TYPE)
#undef WEFT_MAP_SCALAR_TYPE

/// The element type of a C++ type: scalar_type_of<float> == ScalarType::f32.
template <class T>
inline constexpr ScalarType scalar_type_of = ScalarTypeOf<T>::value;
/// The C++ type of an element type: cpp_type<ScalarType::f32> is float.
template <ScalarType S>
using cpp_type = typename CppTypeOf<S>::type;
/// True for the fifteen C++ types that are element types.
template <class T>
concept Element = requires { ScalarTypeOf<T>::value; };

/// Size of one element, in bytes: 1, 2, 4, 8 or 16.
WEFT_ALWAYS_INLINE constexpr std::int64_t element_size(ScalarType type) noexcept {
  // Logarithms, four bits a type, bool last: compilers build a table on the stack anew for each
  // call.
  constexpr std::uint64_t log2_sizes = 0x4332'1133'2211'000;
  return std::int64_t{1} << (log2_sizes >> 4 * static_cast<int>(type) & 15);
}
constexpr bool is_complex(ScalarType type) noexcept { return type >= ScalarType::c64; }
constexpr bool is_floating(ScalarType type) noexcept {
  return type >= ScalarType::f16 && type <= ScalarType::f64;
}
/// Integers, bool not among them.
constexpr bool is_integer(ScalarType type) noexcept {
  return type >= ScalarType::u8 && type <= ScalarType::i64;
}
constexpr bool is_unsigned_integer(ScalarType type) noexcept {
  return is_integer(type) && (static_cast<int>(type) & 1) == 1;
}

/// Short name as in case files and messages: "bool", "u8", ..., "f32", "c128"; "unknown" of a
/// number that is no element type.
WEFT_API std::string_view name(ScalarType type) noexcept;
/// The type of that name. Throws Error(parse) that lists the names if there is none.
WEFT_API ScalarType parse_scalar_type(std::string_view text);

}  // namespace v0
}  // namespace weft
