// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reads the JSON of test data into plain values. For files of our own only: what is wrong with one
/// is an exception, and the test that reads it fails.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace test {

/// One value. Numbers keep both readings, since a 64-bit integer does not fit a double.
class Json {
 public:
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

  Kind kind = Kind::null;
  bool boolean = false;
  double number = 0;
  std::int64_t integer = 0;  ///< of a number without fraction or exponent
  std::string string;
  std::vector<Json> items;         ///< of an array; of an object the members' values
  std::vector<std::string> names;  ///< of an object: those of its items, in the file's order
  bool is(Kind wanted) const { return kind == wanted; }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const Json* find(std::string_view key) const;
  const Json& operator[](std::string_view key) const;
  const Json& at(std::size_t i) const { return items.at(i); }
  std::size_t size() const { return items.size(); }
  auto begin() const { return items.begin(); }
  auto end() const { return items.end(); }

  std::vector<std::int64_t> integers() const;
  /// Numbers, and bools as 0 and 1.
  std::vector<double> numbers() const;
  std::vector<std::string> strings() const;
};

/// A whole text.
Json parse_json(std::string_view text);

/// A file below tests/data.
Json read_json(const std::string& name);

}  // namespace test
