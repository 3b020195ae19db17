// SPDX-License-Identifier: Apache-2.0
/// @file
/// Numbers from text, all of it or not at all.
#pragma once

#include <weft/core/scalar.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::cli {

/// All of `text` as a T in decimal; empty if it is anything else, or does not fit.
template <class T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

inline std::optional<std::int64_t> parse_integer(std::string_view text) {
  return parse_whole<std::int64_t>(text);
}

/// A language scalar: floating with a `.` or an `e` in it, else an integer. No infinities and no
/// NaN.
inline std::optional<Scalar> parse_number(std::string_view text) {
  if (text.find_first_of(".e") == std::string_view::npos) {
    const std::optional<std::int64_t> value = parse_integer(text);
    return value ? std::optional<Scalar>(*value) : std::nullopt;
  }
  const std::optional<double> value = parse_whole<double>(text);
  return value && std::isfinite(*value) ? std::optional<Scalar>(*value) : std::nullopt;
}

}  // namespace weft::cli
