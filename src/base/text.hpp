// SPDX-License-Identifier: Apache-2.0
/// @file
/// Building messages.
#pragma once

#include "base/internal_api.hpp"

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft {
inline namespace v0 {

/// What messages are put together from, as one type, so that putting them together is compiled once
/// and not for every combination. Refers to text and lists.
class TextPiece {
 public:
  TextPiece(std::string_view text) noexcept : kind_(Kind::text), text_(text) {}
  TextPiece(const std::string& text) noexcept : TextPiece(std::string_view(text)) {}
  TextPiece(const char* text) noexcept : TextPiece(std::string_view(text)) {}
  TextPiece(char c) noexcept : kind_(Kind::character), character_(c) {}
  TextPiece(std::signed_integral auto value) noexcept : kind_(Kind::number), number_(value) {}
  TextPiece(std::unsigned_integral auto value) noexcept : kind_(Kind::count), count_(value) {}
  /// Prints the fewest digits that tell the number from its neighbours. Without this, it would
  /// become a character.
  TextPiece(std::floating_point auto value) noexcept : kind_(Kind::real), real_(value) {}
  /// Prints as [2, 3, 4].
  TextPiece(std::span<const std::int64_t> list) noexcept : kind_(Kind::list), list_(list) {}

  void append_to(std::string& out) const;

 private:
  enum class Kind : std::uint8_t { text, character, number, count, real, list };

  Kind kind_;
  union {
    std::string_view text_;
    char character_;
    std::int64_t number_;
    std::uint64_t count_;
    double real_;
    std::span<const std::int64_t> list_;
  };
};

WEFT_INTERNAL_API std::string joined(std::span<const TextPiece> pieces);

/// The arguments, one after the other, as text.
template <class... Args>
std::string text(const Args&... args) {
  const TextPiece pieces[] = {TextPiece(args)...};
  return joined(pieces);
}

}  // namespace v0
}  // namespace weft
