// SPDX-License-Identifier: Apache-2.0
/// @file
/// Values in text, read strictly: the whole text is the value, or there is none. No sign for what
/// counts, no blanks (but around the items of a list), no locale.
#pragma once

#include <weft/core/shape.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
inline namespace v0 {
namespace ir {

/// -9223372036854775808 to 9223372036854775807, in decimal.
std::optional<std::int64_t> parse_integer(std::string_view text) noexcept;
/// 0 to 9223372036854775807.
std::optional<std::int64_t> parse_count(std::string_view text) noexcept;
/// The items between commas, without the blanks around them; "" has none.
std::vector<std::string_view> split_list(std::string_view text);

/// One extent: a count; or open_extent for "?", "-1" and ranges such as "1..10", "..10" and "5..".
std::optional<std::int64_t> parse_extent(std::string_view text) noexcept;

/// For messages: the text in quotes, shortened, with nothing in it that is not printable ASCII.
std::string in_quotes(std::string_view text);

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;

}  // namespace ir
}  // namespace v0
}  // namespace weft
