// SPDX-License-Identifier: Apache-2.0
/// @file
/// Arrays of accumulators, which lie member by member.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/cast.hpp>
#include <weft/machine/level.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Stands for a number where the question is what could be made of one. Not for a number that no
/// vector holds, such as a long double.
struct AnyNumber {
  template <class T>
    requires(std::is_arithmetic_v<T> && sizeof(T) <= sizeof(double))
  constexpr operator T() const noexcept;  // NOLINT(google-explicit-constructor)
};

/// Whether T is a struct of `count` members that are numbers each. Its initializers tell: of an
/// array, whose braces may be left out, there is one for each element, but the first of them may
/// have braces with two numbers.
template <class T, std::size_t count>
concept StructOf =
    std::is_class_v<T> && std::is_aggregate_v<T> && std::is_trivially_copyable_v<T> &&
    []<std::size_t... I>(std::index_sequence<I...>) {
      constexpr auto is_one = []<std::size_t at>() {
        return []<std::size_t... J, std::size_t... K>(std::index_sequence<J...>,
                                                      std::index_sequence<K...>) {
          constexpr bool takes_one = requires {
            T{(void(J), AnyNumber())..., {AnyNumber()}, (void(K), AnyNumber())...};
          };
          constexpr bool takes_two = requires {
            T{(void(J), AnyNumber())..., {AnyNumber(), AnyNumber()}, (void(K), AnyNumber())...};
          };
          return takes_one && !takes_two;
        }(std::make_index_sequence<at>(), std::make_index_sequence<count - at - 1>());
      };
      constexpr bool takes_all = requires { T{(void(I), AnyNumber())...}; };
      constexpr bool takes_more = requires { T{(void(I), AnyNumber())..., AnyNumber()}; };
      return takes_all && !takes_more && (is_one.template operator()<I>() && ...);
    }(std::make_index_sequence<count>());

/// An array of one number takes a number as well.
template <class... Members>
inline constexpr bool any_is_array = (std::is_array_v<Members> || ...);

/// The members of a struct of two to four numbers, in a tuple; nothing if one is an array.
template <class T>
  requires StructOf<T, 2> || StructOf<T, 3> || StructOf<T, 4>
WEFT_ALWAYS_INLINE constexpr auto members_of(const T& value) noexcept {
  if constexpr (StructOf<T, 2>) {
    const auto& [a, b] = value;
    if constexpr (!any_is_array<decltype(a), decltype(b)>) return std::tuple(a, b);
  } else if constexpr (StructOf<T, 3>) {
    const auto& [a, b, c] = value;
    if constexpr (!any_is_array<decltype(a), decltype(b), decltype(c)>) return std::tuple(a, b, c);
  } else {
    const auto& [a, b, c, d] = value;
    if constexpr (!any_is_array<decltype(a), decltype(b), decltype(c), decltype(d)>)
      return std::tuple(a, b, c, d);
  }
}

#if !defined(WEFT_BUILDING)
/// The parts of a complex number. (The library's own formulas take them one by one.)
template <class T>
  requires(is_complex_type<T> && sizeof(T) <= 2 * sizeof(double))
WEFT_ALWAYS_INLINE constexpr auto members_of(const T& value) noexcept {
  return std::tuple(value.real(), value.imag());
}
#endif

/// A truth value in memory as the byte that it is, compared with 0 as elements are: GCC makes no
/// vectors where one of two truth values is read and the other comes of a comparison.
template <class T>
WEFT_ALWAYS_INLINE T read_value(const T& value) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return reinterpret_cast<const unsigned char&>(value) != 0;
  } else {
    return value;
  }
}

/// An array of values that are read and written one by one.
template <class T, std::size_t count>
class MemberArrays {
 public:
  static constexpr bool by_member = false;

  MemberArrays() noexcept {}  // NOLINT: a tuple would fill what a defaulted one makes with zeros
  WEFT_ALWAYS_INLINE T get(std::size_t i) const noexcept { return read_value(values_[i]); }
  WEFT_ALWAYS_INLINE void set(std::size_t i, const T& value) noexcept { values_[i] = value; }
  WEFT_ALWAYS_INLINE T* data() noexcept { return values_; }

 private:
  alignas(64) T values_[count];
};

/// Of a struct, each member is an array of its own: compilers make vectors of loops over numbers
/// one after the other, and none where they lie between others.
template <class T, std::size_t count>
  requires requires(const T& value) {
    members_of(value);
    requires !std::is_void_v<decltype(members_of(value))>;
  }
class MemberArrays<T, count> {
  using Members = decltype(members_of(std::declval<const T&>()));
  static constexpr auto indices = std::make_index_sequence<std::tuple_size_v<Members>>();

 public:
  static constexpr bool by_member = true;

  MemberArrays() noexcept {}  // NOLINT: as above
  WEFT_ALWAYS_INLINE T get(std::size_t i) const noexcept {
    return [&]<std::size_t... K>(std::index_sequence<K...>)
               WEFT_INLINE_LAMBDA { return T{read_value(std::get<K>(arrays_)[i])...}; }(indices);
  }
  WEFT_ALWAYS_INLINE void set(std::size_t i, const T& value) noexcept {
    const Members members = members_of(value);
    [&]<std::size_t... K>(std::index_sequence<K...>)
        WEFT_INLINE_LAMBDA { ((std::get<K>(arrays_)[i] = std::get<K>(members)), ...); }(indices);
  }

 private:
  /// An array that a tuple leaves as it is where it makes one.
  template <class M>
  struct Array {
    M values[count];

    Array() noexcept {}  // NOLINT: as above
    WEFT_ALWAYS_INLINE M& operator[](std::size_t i) noexcept { return values[i]; }
    WEFT_ALWAYS_INLINE const M& operator[](std::size_t i) const noexcept { return values[i]; }
  };
  template <class>
  struct ArraysOf;
  template <class... M>
  struct ArraysOf<std::tuple<M...>> {
    using Type = std::tuple<Array<M>...>;
  };

  alignas(64) typename ArraysOf<Members>::Type arrays_;
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
