// SPDX-License-Identifier: Apache-2.0
#include "ir/text_values.hpp"

#include <weft/ir/document.hpp>

#include <algorithm>
#include <charconv>

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) noexcept {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_count(std::string_view text) noexcept {
  if (text.empty() || text.front() == '-') return std::nullopt;
  return parse_integer(text);
}

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> items;
  if (trim(text).empty()) return items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    items.push_back(trim(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return items;
}

std::optional<std::int64_t> parse_extent(std::string_view text) noexcept {
  if (text == "?" || text == "-1") return open_extent;
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return parse_count(text);
  const std::string_view low = text.substr(0, dots);
  const std::string_view high = text.substr(dots + 2);
  if (low.empty() && high.empty()) return std::nullopt;
  if (!low.empty() && !parse_count(low)) return std::nullopt;
  if (!high.empty() && !parse_count(high)) return std::nullopt;
  return open_extent;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string out = "'";
  for (const char c : text.substr(0, longest))
    out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > longest ? "...'" : "'");
}

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
