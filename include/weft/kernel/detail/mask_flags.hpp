// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a mask selects, as numbers beside which accumulators are chosen.
#pragma once

#include <weft/kernel/detail/member_arrays.hpp>
#include <weft/kernel/detail/span_element.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

WEFT_REQUESTED_LOOPS_BEGIN
namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Bytes of a mask `step` from each other; any but 0 selects.
struct MaskRow {
  const char* data;
  std::int64_t step;

  /// Whether nothing of a row of any length is selected.
  WEFT_ALWAYS_INLINE bool is_left_out() const noexcept { return step == 0 && *data == 0; }
};

/// An unsigned integer as large as a number.
template <class T>
using FlagOf = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

/// `selected` where `left_out` has no bits, `other` where it has all. By bits: of a condition
/// compilers make a branch around what computes `selected`, where floating point may trap, and no
/// vectors.
template <class T>
WEFT_ALWAYS_INLINE T choose_number(FlagOf<T> left_out, T selected, T other) noexcept {
  using Flag = FlagOf<T>;
  const auto bits =
      static_cast<Flag>((__builtin_bit_cast(Flag, selected) & static_cast<Flag>(~left_out)) |
                        (__builtin_bit_cast(Flag, other) & left_out));
  return __builtin_bit_cast(T, bits);
}

/// A flag: all bits for what a byte of a mask leaves out, none for others. So is a comparison of
/// vectors, which is then widened with its sign.
template <class Flag>
WEFT_ALWAYS_INLINE Flag flag_of(char byte) noexcept {
  const auto is_left_out = static_cast<signed char>(-static_cast<signed char>(byte == 0));
  return static_cast<Flag>(static_cast<std::make_signed_t<Flag>>(is_left_out));
}
/// Writes the flags of n bytes.
template <class Flag>
WEFT_ALWAYS_INLINE void write_flags(Flag* flags, const MaskRow& mask, std::int64_t n) noexcept {
  if (mask.step == 1) {
    for (std::int64_t j = 0; j < n; ++j)
      flags[j] = flag_of<Flag>(mask.data[j]);
  } else if (mask.step == 0) {
    const Flag flag = flag_of<Flag>(*mask.data);
    for (std::int64_t j = 0; j < n; ++j)
      flags[j] = flag;
  } else {
    for (std::int64_t j = 0; j < n; ++j)
      flags[j] = flag_of<Flag>(mask.data[j * mask.step]);
  }
}
/// Out of line, the same for all structs.
template <class Flag>
[[gnu::noinline]] WEFT_VECTORISED void fill_flags(Flag* flags, const MaskRow& mask,
                                                  std::int64_t n) noexcept {
  write_flags(flags, mask, n);
}
#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
template <class Flag>
WEFT_WIDE_LOOPS void fill_flags_wide(Flag* flags, const MaskRow& mask, std::int64_t n) noexcept {
  write_flags(flags, mask, n);
}
#endif

/// Bytes that all select, or that none does.
template <std::size_t count>
inline constexpr auto uniform_bytes = [] {
  std::array<std::array<char, count>, 2> bytes{};
  bytes[1].fill(1);
  return bytes;
}();

/// Which of up to `count` accumulators a mask selects, where these are one value each: the mask's
/// own bytes if they lie one after the other.
template <class T, std::size_t count>
class MaskBytes {
 public:
  /// By value: what stores to memory that compilers do not know cannot change it.
  struct Selection {
    const char* bytes;

    WEFT_ALWAYS_INLINE T choose(std::int64_t j, const T& selected, const T& other) const noexcept {
      const char byte = bytes[j];
      if constexpr (is_complex_type<T>) {
        using Flag = FlagOf<typename T::value_type>;
        const auto left_out = flag_of<Flag>(byte);
        return T(choose_number(left_out, selected.real(), other.real()),
                 choose_number(left_out, selected.imag(), other.imag()));
      } else if constexpr (std::is_floating_point_v<T> && sizeof(T) <= sizeof(std::uint64_t)) {
        return choose_number(flag_of<FlagOf<T>>(byte), selected, other);
      } else {
        return byte != 0 ? selected : other;
      }
    }
  };

  WEFT_ALWAYS_INLINE Selection select(const MaskRow& mask, std::int64_t n) noexcept {
    const char* bytes = mask.data;
    if (count > 1 && mask.step == 0) {
      bytes = uniform_bytes<count>[*mask.data != 0].data();
    } else if (count > 1 && mask.step != 1) {
      for (std::int64_t j = 0; j < n; ++j)
        room_[j] = mask.data[j * mask.step];
      bytes = room_;
    }
    return {unknown(bytes)};  // or there were a loop for each
  }

 private:
  char room_[count];
};

/// Flags of one size, if they are `present`. `wide`: for loops of WEFT_WIDE_LOOPS.
template <class Flag, std::size_t count, bool wide, bool present>
struct FlagArray {
  WEFT_ALWAYS_INLINE void fill(const MaskRow&, std::int64_t) noexcept {}
};
template <class Flag, std::size_t count, bool wide>
struct FlagArray<Flag, count, wide, true> {
  alignas(64) Flag flags[count];

  WEFT_ALWAYS_INLINE void fill(const MaskRow& mask, std::int64_t n) noexcept {
#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
    if constexpr (wide) return fill_flags_wide(flags, mask, n);
#endif
    fill_flags(flags, mask, n);
  }
};

template <class Flag, class Members>
inline constexpr bool has_flag = false;
template <class Flag, class... Members>
inline constexpr bool has_flag<Flag, std::tuple<Members...>> =
    (std::is_same_v<FlagOf<Members>, Flag> || ...);

/// Which of up to `count` accumulators a mask selects, where these are structs of numbers: loops
/// choose for each member. Flags are as large as the members: of bytes, compilers would make such
/// flags anew for each member, in vectors as long as the bytes want them.
template <class T, std::size_t count, bool wide>
class MaskFlags {
  using Members = decltype(members_of(std::declval<const T&>()));
  static constexpr auto indices = std::make_index_sequence<std::tuple_size_v<Members>>();
  template <class Flag>
  using Array = FlagArray<Flag, count, wide, has_flag<Flag, Members>>;

 public:
  struct Selection {
    const MaskFlags* of;

    WEFT_ALWAYS_INLINE T choose(std::int64_t j, const T& selected, const T& other) const noexcept {
      const Members a = members_of(selected), b = members_of(other);
      return [&]<std::size_t... K>(std::index_sequence<K...>) WEFT_INLINE_LAMBDA {
        return T{choose_number(of->flags<std::tuple_element_t<K, Members>>()[j], std::get<K>(a),
                               std::get<K>(b))...};
      }(indices);
    }
  };

  WEFT_ALWAYS_INLINE Selection select(const MaskRow& mask, std::int64_t n) noexcept {
    of1_.fill(mask, n);
    of2_.fill(mask, n);
    of4_.fill(mask, n);
    of8_.fill(mask, n);
    return {this};
  }

 private:
  template <class Number>
  WEFT_ALWAYS_INLINE const FlagOf<Number>* flags() const noexcept {
    if constexpr (sizeof(Number) == 8) return of8_.flags;
    if constexpr (sizeof(Number) == 4) return of4_.flags;
    if constexpr (sizeof(Number) == 2) return of2_.flags;
    if constexpr (sizeof(Number) == 1) return of1_.flags;
  }

  [[no_unique_address]] Array<std::uint8_t> of1_;
  [[no_unique_address]] Array<std::uint16_t> of2_;
  [[no_unique_address]] Array<std::uint32_t> of4_;
  [[no_unique_address]] Array<std::uint64_t> of8_;
};

/// In place of these where there is no mask: all are selected.
struct NoFlags {
  struct Selection {
    template <class T>
    WEFT_ALWAYS_INLINE T choose(std::int64_t, const T& selected, const T&) const noexcept {
      return selected;
    }
  };
  WEFT_ALWAYS_INLINE Selection select(const MaskRow&, std::int64_t) noexcept { return {}; }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
WEFT_REQUESTED_LOOPS_END
