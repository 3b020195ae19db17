// SPDX-License-Identifier: Apache-2.0
/// @file
/// A parsed XML text whose size, depth and attributes have been checked; and reading elements.
#pragma once

#include <weft/ir/limits.hpp>

#include <pugixml.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
inline namespace v0 {
namespace ir {

/// A text as a tree. Its one root element is at most Limits::max_xml_depth high, no element names
/// an attribute twice, and there is no document type: nothing in it stands for something else.
class XmlTree {
 public:
  /// Throws Error: parse, with the line; limit.
  XmlTree(std::span<const std::byte> xml, const Limits& limits);

  pugi::xml_node root() const { return root_; }

 private:
  pugi::xml_document document_;
  pugi::xml_node root_;
};

/// The value of an attribute; nothing if the element does not have it.
std::optional<std::string_view> find_attribute(pugi::xml_node element, const char* name);

/// Attributes as numbers. Throw Error(parse) that names element, attribute and text.
std::int64_t count_attribute(pugi::xml_node element, const char* name);
std::optional<std::int64_t> find_count_attribute(pugi::xml_node element, const char* name);
std::optional<std::int64_t> find_integer_attribute(pugi::xml_node element, const char* name);
std::int64_t integer_attribute(pugi::xml_node element, const char* name);

/// Throws Error(parse) for an attribute that is not in the list.
void check_attributes(pugi::xml_node element, std::initializer_list<std::string_view> known);

/// The child elements by name, each at most once; null where there is none. What is in `ignored` is
/// passed over. Throws Error(parse) for any other element, for one that comes twice, and for text
/// between elements.
std::vector<pugi::xml_node> sections(pugi::xml_node element,
                                     std::initializer_list<std::string_view> known,
                                     std::initializer_list<std::string_view> ignored = {});

/// The child elements, all of which have to have this name. Throws Error(parse).
std::vector<pugi::xml_node> items(pugi::xml_node element, std::string_view name);

/// The text of an element that has nothing else inside.
std::string_view element_text(pugi::xml_node element);

}  // namespace ir
}  // namespace v0
}  // namespace weft
