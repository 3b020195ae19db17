// SPDX-License-Identifier: Apache-2.0
/// @file
/// Is this JSON?
#pragma once

#include <cctype>
#include <cstddef>
#include <string_view>

namespace weft::cli {

/// Checks the form of JSON text; keeps no values.
class JsonCheck {
 public:
  /// True if `text` is one JSON value with nothing but white space around it.
  static bool is_json(std::string_view text) {
    JsonCheck check(text);
    return check.value() && (check.space(), check.at_ == text.size());
  }

 private:
  explicit JsonCheck(std::string_view text) : text_(text) {}

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(char c) { return peek() == c && c != '\0' && (++at_, true); }
  bool accept(std::string_view word) {
    return text_.substr(at_).starts_with(word) && (at_ += word.size(), true);
  }
  void space() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r')
      ++at_;
  }

  bool value() {
    space();
    switch (peek()) {
      case '{': return list('{', '}', true);
      case '[': return list('[', ']', false);
      case '"': return string();
      default: return accept("true") || accept("false") || accept("null") || number();
    }
  }
  bool list(char open, char close, bool with_keys) {
    if (!accept(open)) return false;
    if (space(), accept(close)) return true;
    do {
      if (with_keys && !(space(), string() && (space(), accept(':')))) return false;
      if (!value()) return false;
      space();
    } while (accept(','));
    return accept(close);
  }
  bool string() {
    if (!accept('"')) return false;
    while (peek() != '"') {
      if (static_cast<unsigned char>(peek()) < 0x20 || static_cast<unsigned char>(peek()) > 0x7e)
        return false;
      if (accept('\\')) {
        if (accept('u')) {
          for (int i = 0; i < 4; ++i, ++at_) {
            if (std::isxdigit(static_cast<unsigned char>(peek())) == 0) return false;
          }
          continue;
        }
        if (std::string_view("\"\\/bfnrt").find(peek()) == std::string_view::npos) return false;
      }
      ++at_;
    }
    return accept('"');
  }
  bool digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9')
      ++at_;
    return at_ > begin;
  }
  bool number() {
    accept('-');
    if (!accept('0') && !digits()) return false;
    if (accept('.') && !digits()) return false;
    if (accept('e') || accept('E')) {
      if (!accept('-')) accept('+');
      return digits();
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace weft::cli
