// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <charconv>
#include <iterator>

namespace weft {
inline namespace v0 {

void TextPiece::append_to(std::string& out) const {
  switch (kind_) {
    case Kind::text: out += text_; return;
    case Kind::character: out += character_; return;
    case Kind::number: out += std::to_string(number_); return;
    case Kind::count: out += std::to_string(count_); return;
    case Kind::real: {
      char digits[32];
      out.append(digits, std::to_chars(std::begin(digits), std::end(digits), real_).ptr);
      return;
    }
    case Kind::list:
      out += '[';
      for (std::size_t i = 0; i < list_.size(); ++i) {
        if (i != 0) out += ", ";
        out += std::to_string(list_[i]);
      }
      out += ']';
      return;
  }
}

std::string joined(std::span<const TextPiece> pieces) {
  std::string out;
  for (const TextPiece& piece : pieces)
    piece.append_to(out);
  return out;
}

}  // namespace v0
}  // namespace weft
