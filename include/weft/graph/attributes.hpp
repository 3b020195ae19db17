// SPDX-License-Identifier: Apache-2.0
/// @file
/// The named settings of a node, such as a convolution's strides or a concatenation's axis.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

using Attribute = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                               std::vector<double>, std::vector<std::string>, Tensor>;

/// Settings by name; names are case-sensitive. Values that come as text, as a reader of files gives
/// them, are read by the getters as what is asked for: "2" as an integer, "true", "True" and "1" as
/// a flag, "1, 2" as a list, numbers always with a decimal point whatever the locale.
///
/// A getter without fallback throws Error(invalid_argument) that names the attribute if there is
/// none; all throw Error(parse) with name and value if it is of another kind or cannot be read.
class WEFT_API Attributes {
 public:
  // Not in the header, or every file that reads it compiles the map and all that an Attribute may
  // be.
  Attributes();
  Attributes(std::initializer_list<std::pair<const std::string, Attribute>> list);
  Attributes(const Attributes& other);
  Attributes(Attributes&& other) noexcept;
  Attributes& operator=(const Attributes& other);
  Attributes& operator=(Attributes&& other) noexcept;
  ~Attributes();

  Attributes& set(std::string name, Attribute value);
  bool has(std::string_view name) const noexcept { return find(name) != nullptr; }
  /// Null if there is none.
  const Attribute* find(std::string_view name) const noexcept;

  std::int64_t integer(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  double number(std::string_view name) const;
  double number(std::string_view name, double fallback) const;
  bool flag(std::string_view name) const;
  bool flag(std::string_view name, bool fallback) const;
  std::string text(std::string_view name) const;
  std::string text(std::string_view name, std::string_view fallback) const;
  /// Lists. A single value is a list of one; empty text is an empty list.
  std::vector<std::int64_t> integers(std::string_view name) const;
  std::vector<std::int64_t> integers(std::string_view name,
                                     std::vector<std::int64_t> fallback) const;
  std::vector<double> numbers(std::string_view name) const;
  std::vector<double> numbers(std::string_view name, std::vector<double> fallback) const;
  std::vector<std::string> texts(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name, std::vector<std::string> fallback) const;
  /// An element type by name (see parse_element_type).
  ScalarType scalar_type(std::string_view name) const;
  ScalarType scalar_type(std::string_view name, ScalarType fallback) const;
  const Tensor& tensor(std::string_view name) const;

  auto begin() const noexcept { return values_.begin(); }
  auto end() const noexcept { return values_.end(); }

 private:
  const Attribute& at(std::string_view name) const;

  std::map<std::string, Attribute, std::less<>> values_;
};

/// An element type by weft's own name ("f32", "bool"), or as OpenVINO writes it ("boolean", "FP32",
/// "I64", "BOOL", "float", ...), upper or lower case. Throws Error(parse) that names it.
WEFT_API ScalarType parse_element_type(std::string_view text);

}  // namespace graph
}  // namespace v0
}  // namespace weft
