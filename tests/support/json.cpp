// SPDX-License-Identifier: Apache-2.0
#include "support/json.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace test {
namespace {

/// Recursive descent over a whole text.
class JsonReader {
 public:
  static Json read(std::string_view text) {
    JsonReader reader(text);
    Json value = reader.value();
    if (reader.next() != '\0') reader.fail("end of text");
    return value;
  }

 private:
  explicit JsonReader(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const char* expected) const {
    throw std::runtime_error("JSON: expected " + std::string(expected) + " at byte " +
                             std::to_string(at_));
  }
  /// The next character that is no white space, not yet taken; 0 at the end.
  char next() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos)
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(std::string_view word) {
    next();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Json value() {
    Json out;
    if (accept("{")) {
      out.kind = Json::Kind::object;
      if (accept("}")) return out;
      do {
        if (next() != '"') fail("a member's name");
        std::string key = string();
        if (!accept(":")) fail("':'");
        out.names.push_back(std::move(key));
        out.items.push_back(value());
      } while (accept(","));
      if (!accept("}")) fail("',' or '}'");
    } else if (accept("[")) {
      out.kind = Json::Kind::array;
      if (accept("]")) return out;
      do {
        out.items.push_back(value());
      } while (accept(","));
      if (!accept("]")) fail("',' or ']'");
    } else if (next() == '"') {
      out.kind = Json::Kind::string;
      out.string = string();
    } else if (accept("true") || accept("false")) {
      out.kind = Json::Kind::boolean;
      out.boolean = text_[at_ - 2] == 'u';
    } else if (!accept("null")) {
      read_number(out);
    }
    return out;
  }
  std::string string() {
    ++at_;
    std::string out;
    for (;; ++at_) {
      if (at_ >= text_.size()) fail("'\"'");
      char c = text_[at_];
      if (c == '"') break;
      if (c == '\\') {
        c = text_.at(++at_);
        if (c == 'u') fail("an escape other than \\u");
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
      }
      out += c;
    }
    ++at_;
    return out;
  }
  void read_number(Json& out) {
    out.kind = Json::Kind::number;
    const char* const begin = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    const auto [after, error] = std::from_chars(begin, end, out.number);
    if (error != std::errc()) fail("a value");
    const auto whole = std::from_chars(begin, end, out.integer);
    if (whole.ptr != after) out.integer = static_cast<std::int64_t>(out.number);
    at_ += static_cast<std::size_t>(after - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const Json* Json::find(std::string_view key) const {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == key) return &items[i];
  }
  return nullptr;
}

const Json& Json::operator[](std::string_view key) const {
  const Json* found = find(key);
  if (found == nullptr) throw std::out_of_range("no member \"" + std::string(key) + "\"");
  return *found;
}

std::vector<std::int64_t> Json::integers() const {
  std::vector<std::int64_t> out;
  for (const Json& item : items)
    out.push_back(item.integer);
  return out;
}

std::vector<double> Json::numbers() const {
  std::vector<double> out;
  for (const Json& item : items)
    out.push_back(item.is(Kind::boolean) ? static_cast<double>(item.boolean) : item.number);
  return out;
}

std::vector<std::string> Json::strings() const {
  std::vector<std::string> out;
  for (const Json& item : items)
    out.push_back(item.string);
  return out;
}

Json parse_json(std::string_view text) { return JsonReader::read(text); }

Json read_json(const std::string& name) {
  std::ifstream file(WEFT_TESTS_DIR "/data/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("no file tests/data/" + name);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return JsonReader::read(text);
}

}  // namespace test
