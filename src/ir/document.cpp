// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/ir/document.hpp>

#include "base/text.hpp"
#include "ir/text_values.hpp"

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

[[noreturn]] void fail_attribute(const Layer& layer, std::string_view attribute,
                                 std::string_view wanted, std::string_view got) {
  fail(ErrorCode::parse, text(layer.describe(), ": attribute '", attribute, "': expected ", wanted,
                              ", got ", in_quotes(got)));
}

}  // namespace

std::optional<ScalarType> find_element_type(std::string_view precision) noexcept {
  if (equal_ignoring_case(precision, "BOOL") || equal_ignoring_case(precision, "boolean"))
    return ScalarType::boolean;
  // Otherwise weft's own short names, in any case, and FP for f in older files.
  const bool fp = precision.size() == 4 && equal_ignoring_case(precision.substr(0, 2), "FP");
  for (int i = 0; i < scalar_type_count; ++i) {
    const auto type = static_cast<ScalarType>(i);
    const std::string_view known = weft::name(type);
    if (is_complex(type) || type == ScalarType::boolean) continue;
    if (fp ? is_floating(type) && known.substr(1) == precision.substr(2)
           : equal_ignoring_case(precision, known)) {
      return type;
    }
  }
  return std::nullopt;
}

std::string Layer::describe() const {
  return text("layer ", id, ' ', in_quotes(name), " (", type.substr(0, 60), ')');
}

const std::string* Layer::find(std::string_view attribute) const noexcept {
  for (const Attribute& candidate : data)
    if (candidate.name == attribute) return &candidate.value;
  return nullptr;
}

const std::string& Layer::string(std::string_view attribute) const {
  const std::string* value = find(attribute);
  if (value == nullptr)
    fail(ErrorCode::parse, text(describe(), ": attribute '", attribute, "' of <data> is missing"));
  return *value;
}

std::string Layer::string_or(std::string_view attribute, std::string_view otherwise) const {
  const std::string* value = find(attribute);
  return value == nullptr ? std::string(otherwise) : *value;
}

std::int64_t Layer::integer(std::string_view attribute) const {
  const std::string& value = string(attribute);
  const std::optional<std::int64_t> parsed = parse_integer(value);
  if (!parsed) fail_attribute(*this, attribute, "an integer of 64 bits", value);
  return *parsed;
}

std::int64_t Layer::integer_or(std::string_view attribute, std::int64_t otherwise) const {
  return has(attribute) ? integer(attribute) : otherwise;
}

std::optional<DimVector> Layer::shape(std::string_view attribute) const {
  if (string(attribute) == "...") return std::nullopt;
  const std::string& value = string(attribute);
  DimVector extents;
  for (const std::string_view item : split_list(value)) {
    const std::optional<std::int64_t> extent = parse_extent(item);
    if (!extent) fail_attribute(*this, attribute, "extents separated by commas", value);
    extents.push_back(*extent);
  }
  if (extents.size() > static_cast<std::size_t>(max_rank)) {
    fail(ErrorCode::rank, text(describe(), ": attribute '", attribute, "': rank ", extents.size(),
                               ", at most ", max_rank, " is possible"));
  }
  return extents;
}

ScalarType Layer::element_type(std::string_view attribute) const {
  const std::string& value = string(attribute);
  const std::optional<ScalarType> found = find_element_type(value);
  if (!found) {
    fail(ErrorCode::dtype, text(describe(), ": attribute '", attribute, "': element type ",
                                in_quotes(value), " is not supported"));
  }
  return *found;
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
