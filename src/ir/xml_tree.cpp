// SPDX-License-Identifier: Apache-2.0
#include "ir/xml_tree.hpp"

#include <weft/base/error.hpp>

#include "base/text.hpp"
#include "ir/context.hpp"
#include "ir/text_values.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

std::string_view view(const char* text) { return text; }

/// Line of a position, counted from 1.
std::int64_t line_of(std::span<const std::byte> xml, std::ptrdiff_t position) {
  const auto end =
      std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(position, 0)), xml.size());
  return 1 +
         std::count(xml.begin(), xml.begin() + static_cast<std::ptrdiff_t>(end), std::byte{'\n'});
}

std::string tag(pugi::xml_node element) { return text('<', in_quotes(element.name()), '>'); }

/// Number and length of an element's attributes, and that none comes twice.
void check_element(pugi::xml_node element, const Limits& limits) {
  if (view(element.name()).size() > static_cast<std::size_t>(limits.max_name_bytes))
    fail(ErrorCode::limit,
         text("the name of an element has more than ", limits.max_name_bytes, " bytes"));
  std::vector<std::string_view> names;
  for (const pugi::xml_attribute attribute : element.attributes()) {
    if (static_cast<std::int64_t>(names.size()) == limits.max_attributes) {
      fail(ErrorCode::limit,
           text(tag(element), " has more than ", limits.max_attributes, " attributes"));
    }
    names.emplace_back(attribute.name());
    if (view(attribute.value()).size() > static_cast<std::size_t>(limits.max_value_bytes)) {
      fail(ErrorCode::limit, text("attribute ", in_quotes(attribute.name()), " of ", tag(element),
                                  " has more than ", limits.max_value_bytes, " bytes"));
    }
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end())
    fail(ErrorCode::parse, text("attribute ", in_quotes(*twice), " twice in ", tag(element)));
}

/// Walks the whole tree without recursion: it may be as deep as the text is long.
void check_tree(pugi::xml_node root, std::span<const std::byte> xml, const Limits& limits) {
  const auto here = [&](pugi::xml_node node) {
    return text("line ", line_of(xml, node.offset_debug()));
  };
  std::int64_t depth = 1;
  pugi::xml_node node = root;
  while (true) {
    if (node.type() == pugi::node_element)
      in_context([&] { return here(node); }, [&] { check_element(node, limits); });
    if (node.first_child()) {
      node = node.first_child();
      if (++depth > limits.max_xml_depth)
        fail(ErrorCode::limit,
             text(here(node), ": elements are nested more than ", limits.max_xml_depth, " deep"));
      continue;
    }
    while (node != root && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    if (node == root) return;
    node = node.next_sibling();
  }
}

[[noreturn]] void fail_number(pugi::xml_node element, const char* name, std::string_view wanted,
                              std::string_view got) {
  fail(ErrorCode::parse, text("attribute '", name, "' of ", tag(element), ": expected ", wanted,
                              ", got ", in_quotes(got)));
}

std::string_view required(pugi::xml_node element, const char* name) {
  const std::optional<std::string_view> value = find_attribute(element, name);
  if (!value)
    fail(ErrorCode::parse, text("attribute '", name, "' of ", tag(element), " is missing"));
  return *value;
}

/// Skips comments; throws for text.
bool is_element(pugi::xml_node parent, pugi::xml_node child) {
  if (child.type() == pugi::node_element) return true;
  if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
    fail(ErrorCode::parse,
         text("expected elements in ", tag(parent), ", got text ", in_quotes(child.value())));
  }
  return false;
}

}  // namespace

XmlTree::XmlTree(std::span<const std::byte> xml, const Limits& limits) {
  if (static_cast<std::int64_t>(xml.size()) > limits.max_xml_bytes) {
    fail(ErrorCode::limit, text(xml.size(), " bytes of XML, allowed are ", limits.max_xml_bytes));
  }
  // The parser would stop there, and what follows would go unread.
  if (const auto nul = std::ranges::find(xml, std::byte{0}); nul != xml.end())
    fail(ErrorCode::parse, text("line ", line_of(xml, nul - xml.begin()), ": not XML: a byte 0"));
  // The document type is asked for so that it can be refused; entities other than the five of XML
  // itself stay as they stand.
  const pugi::xml_parse_result result = document_.load_buffer(
      xml.data(), xml.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
  if (!result) {
    fail(ErrorCode::parse,
         text("line ", line_of(xml, result.offset), ": not XML: ", result.description()));
  }
  for (const pugi::xml_node node : document_.children()) {
    if (node.type() == pugi::node_doctype)
      fail(ErrorCode::parse, "a document type (<!DOCTYPE>) is not allowed");
    if (node.type() != pugi::node_element) continue;
    if (root_)
      fail(ErrorCode::parse, text("expected one root element, got ", tag(node), " as well"));
    root_ = node;
  }
  check_tree(root_, xml, limits);
}

std::optional<std::string_view> find_attribute(pugi::xml_node element, const char* name) {
  const pugi::xml_attribute attribute = element.attribute(name);
  return attribute ? std::optional(view(attribute.value())) : std::nullopt;
}

std::int64_t count_attribute(pugi::xml_node element, const char* name) {
  required(element, name);
  return *find_count_attribute(element, name);
}

std::optional<std::int64_t> find_count_attribute(pugi::xml_node element, const char* name) {
  const std::optional<std::string_view> value = find_attribute(element, name);
  if (!value) return std::nullopt;
  const std::optional<std::int64_t> parsed = parse_count(*value);
  if (!parsed) fail_number(element, name, "an integer, 0 or more", *value);
  return parsed;
}

std::optional<std::int64_t> find_integer_attribute(pugi::xml_node element, const char* name) {
  const std::optional<std::string_view> value = find_attribute(element, name);
  if (!value) return std::nullopt;
  const std::optional<std::int64_t> parsed = parse_integer(*value);
  if (!parsed) fail_number(element, name, "an integer of 64 bits", *value);
  return parsed;
}

std::int64_t integer_attribute(pugi::xml_node element, const char* name) {
  required(element, name);
  return *find_integer_attribute(element, name);
}

void check_attributes(pugi::xml_node element, std::initializer_list<std::string_view> known) {
  for (const pugi::xml_attribute attribute : element.attributes()) {
    if (std::ranges::find(known, view(attribute.name())) == known.end()) {
      fail(ErrorCode::parse,
           text("attribute ", in_quotes(attribute.name()), " of ", tag(element), " is not known"));
    }
  }
}

std::vector<pugi::xml_node> sections(pugi::xml_node element,
                                     std::initializer_list<std::string_view> known,
                                     std::initializer_list<std::string_view> ignored) {
  std::vector<pugi::xml_node> found(known.size());
  for (const pugi::xml_node child : element.children()) {
    if (!is_element(element, child)) continue;
    const auto* const at = std::ranges::find(known, view(child.name()));
    if (at == known.end()) {
      if (std::ranges::find(ignored, view(child.name())) != ignored.end()) continue;
      fail(ErrorCode::parse, text("element ", tag(child), " in ", tag(element), " is not known"));
    }
    pugi::xml_node& place = found[static_cast<std::size_t>(at - known.begin())];
    if (place) fail(ErrorCode::parse, text("element ", tag(child), " twice in ", tag(element)));
    place = child;
  }
  return found;
}

std::vector<pugi::xml_node> items(pugi::xml_node element, std::string_view name) {
  std::vector<pugi::xml_node> found;
  for (const pugi::xml_node child : element.children()) {
    if (!is_element(element, child)) continue;
    if (name != child.name()) {
      fail(ErrorCode::parse, text("expected <", name, "> in ", tag(element), ", got ", tag(child)));
    }
    found.push_back(child);
  }
  return found;
}

std::string_view element_text(pugi::xml_node element) {
  const pugi::xml_node child = element.first_child();
  if (child.next_sibling() || (child && child.type() != pugi::node_pcdata))
    fail(ErrorCode::parse, text("expected a number in ", tag(element), ", got elements"));
  return child.value();
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
