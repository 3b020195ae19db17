// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/graph/attributes.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

[[noreturn]] void fail_kind(std::string_view name, std::string_view wanted, std::string_view got) {
  fail(ErrorCode::parse, text("attribute '", name, "': expected ", wanted, ", got ", got));
}

std::string quoted(std::string_view value) { return text('\'', value, '\''); }

std::string_view trimmed(std::string_view value) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = value.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return value.substr(first, value.find_last_not_of(blanks) - first + 1);
}

std::string lower(std::string_view value) {
  std::string out(value);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// A number, all of it, by the rules of the C locale.
template <class T>
bool read(std::string_view value, T& out) {
  value = trimmed(value);
  if (value.starts_with('+')) value.remove_prefix(1);
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, out);
  return error == std::errc() && stop == end;
}

std::vector<std::string> split(std::string_view value) {
  std::vector<std::string> parts;
  if (trimmed(value).empty()) return parts;
  while (true) {
    const std::size_t comma = value.find(',');
    parts.emplace_back(trimmed(value.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    value.remove_prefix(comma + 1);
  }
}

std::int64_t to_integer(std::string_view name, const std::string& value) {
  std::int64_t out = 0;
  if (!read(value, out)) fail_kind(name, "an integer of 64 bits", quoted(value));
  return out;
}

double to_number(std::string_view name, const std::string& value) {
  double out = 0;
  if (!read(value, out)) fail_kind(name, "a number", quoted(value));
  return out;
}

}  // namespace

Attributes::Attributes() = default;
Attributes::Attributes(std::initializer_list<std::pair<const std::string, Attribute>> list)
    : values_(list) {}
Attributes::Attributes(const Attributes& other) = default;
Attributes::Attributes(Attributes&& other) noexcept = default;
Attributes& Attributes::operator=(const Attributes& other) = default;
Attributes& Attributes::operator=(Attributes&& other) noexcept = default;
Attributes::~Attributes() = default;

Attributes& Attributes::set(std::string name, Attribute value) {
  values_.insert_or_assign(std::move(name), std::move(value));
  return *this;
}

const Attribute* Attributes::find(std::string_view name) const noexcept {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

const Attribute& Attributes::at(std::string_view name) const {
  const Attribute* found = find(name);
  if (found == nullptr) {
    fail(ErrorCode::invalid_argument, weft::text("attribute '", name, "' is missing"));
  }
  return *found;
}

std::int64_t Attributes::integer(std::string_view name) const {
  const Attribute& value = at(name);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* words = std::get_if<std::string>(&value)) return to_integer(name, *words);
  fail_kind(name, "an integer", "a value of another kind");
}

double Attributes::number(std::string_view name) const {
  const Attribute& value = at(name);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* words = std::get_if<std::string>(&value)) return to_number(name, *words);
  fail_kind(name, "a number", "a value of another kind");
}

bool Attributes::flag(std::string_view name) const {
  const Attribute& value = at(name);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer != 0;
  if (const auto* words = std::get_if<std::string>(&value)) {
    const std::string word = lower(trimmed(*words));
    if (word == "true" || word == "1") return true;
    if (word == "false" || word == "0") return false;
    fail_kind(name, "true or false", quoted(*words));
  }
  fail_kind(name, "true or false", "a value of another kind");
}

std::string Attributes::text(std::string_view name) const {
  const Attribute& value = at(name);
  if (const auto* words = std::get_if<std::string>(&value)) return *words;
  fail_kind(name, "text", "a value of another kind");
}

std::vector<std::int64_t> Attributes::integers(std::string_view name) const {
  const Attribute& value = at(name);
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) return *list;
  if (const auto* words = std::get_if<std::string>(&value)) {
    std::vector<std::int64_t> out;
    for (const std::string& part : split(*words))
      out.push_back(to_integer(name, part));
    return out;
  }
  return {integer(name)};
}

std::vector<double> Attributes::numbers(std::string_view name) const {
  const Attribute& value = at(name);
  if (const auto* list = std::get_if<std::vector<double>>(&value)) return *list;
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
    return {list->begin(), list->end()};
  }
  if (const auto* words = std::get_if<std::string>(&value)) {
    std::vector<double> out;
    for (const std::string& part : split(*words))
      out.push_back(to_number(name, part));
    return out;
  }
  return {number(name)};
}

std::vector<std::string> Attributes::texts(std::string_view name) const {
  const Attribute& value = at(name);
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) return *list;
  if (const auto* words = std::get_if<std::string>(&value)) return split(*words);
  fail_kind(name, "a list of words", "a value of another kind");
}

ScalarType Attributes::scalar_type(std::string_view name) const {
  const std::string value = text(name);
  try {
    return parse_element_type(value);
  } catch (const Error&) {
    fail_kind(name, "an element type", quoted(value));
  }
}

const Tensor& Attributes::tensor(std::string_view name) const {
  if (const auto* tensor = std::get_if<Tensor>(&at(name))) return *tensor;
  fail_kind(name, "a tensor", "a value of another kind");
}

std::int64_t Attributes::integer(std::string_view name, std::int64_t fallback) const {
  return has(name) ? integer(name) : fallback;
}
double Attributes::number(std::string_view name, double fallback) const {
  return has(name) ? number(name) : fallback;
}
bool Attributes::flag(std::string_view name, bool fallback) const {
  return has(name) ? flag(name) : fallback;
}
std::string Attributes::text(std::string_view name, std::string_view fallback) const {
  return has(name) ? text(name) : std::string(fallback);
}
std::vector<std::int64_t> Attributes::integers(std::string_view name,
                                               std::vector<std::int64_t> fallback) const {
  return has(name) ? integers(name) : fallback;
}
std::vector<double> Attributes::numbers(std::string_view name, std::vector<double> fallback) const {
  return has(name) ? numbers(name) : fallback;
}
std::vector<std::string> Attributes::texts(std::string_view name,
                                           std::vector<std::string> fallback) const {
  return has(name) ? texts(name) : fallback;
}
ScalarType Attributes::scalar_type(std::string_view name, ScalarType fallback) const {
  return has(name) ? scalar_type(name) : fallback;
}

ScalarType parse_element_type(std::string_view text) {
  struct Name {
    std::string_view text;
    ScalarType type;
  };
  constexpr Name names[] = {
      {"bool", ScalarType::boolean}, {"boolean", ScalarType::boolean}, {"fp16", ScalarType::f16},
      {"half", ScalarType::f16},     {"fp32", ScalarType::f32},        {"float", ScalarType::f32},
      {"fp64", ScalarType::f64},     {"double", ScalarType::f64},
  };
  const std::string key = lower(trimmed(text));
  for (const Name& name : names) {
    if (name.text == key) return name.type;
  }
  for (int i = 0; i < scalar_type_count; ++i) {
    const auto type = static_cast<ScalarType>(i);
    if (name(type) == key) return type;
  }
  fail(ErrorCode::parse, weft::text("unknown element type ", quoted(text)));
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
