// SPDX-License-Identifier: Apache-2.0
#include "ir/constants.hpp"

#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "ir/text_values.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

std::int64_t count_of(const Layer& layer, std::string_view attribute) {
  const std::int64_t value = layer.integer(attribute);
  if (value < 0) {
    fail(ErrorCode::parse,
         text(layer.describe(), ": attribute '", attribute, "': expected 0 or more, got ", value));
  }
  return value;
}

/// A byte that is neither 0 nor 1 must never be read as a C++ bool.
bool needs_normalising(const std::byte* first, std::int64_t count) {
  return std::any_of(first, first + count, [](std::byte b) { return b > std::byte{1}; });
}

}  // namespace

graph::ValueType declared_type(const Layer& layer) {
  const Port* port = layer.outputs.size() == 1 ? layer.outputs.data() : nullptr;
  if (port == nullptr) {
    fail(ErrorCode::parse,
         text(layer.describe(), ": expected one output port, got ", layer.outputs.size()));
  }
  graph::ValueType type;
  if (layer.has("element_type")) {
    type.dtype = layer.element_type("element_type");
  } else if (const auto found = find_element_type(port->precision)) {
    type.dtype = *found;
  } else {
    fail(ErrorCode::dtype, text(layer.describe(), ": output port ", port->id, ": element type ",
                                in_quotes(port->precision), " is not supported"));
  }
  if (!layer.has("shape")) {
    type.shape = graph::PartialShape(port->dims);
  } else if (const auto shape = layer.shape("shape")) {
    type.shape = graph::PartialShape(*shape);
  } else {
    type.shape = graph::PartialShape::unranked();
  }
  return type;
}

Constants::Constants(const Tensor& weights, const Limits& limits)
    : weights_(weights), limits_(limits) {
  if (!weights.defined()) return;
  if (weights.dtype() != ScalarType::u8 || weights.rank() != 1 || !weights.is_contiguous()) {
    fail(ErrorCode::invalid_argument, text("weights: expected contiguous u8 of rank 1, got ",
                                           name(weights.dtype()), ' ', to_string(weights.shape())));
  }
}

Tensor Constants::value(const Layer& layer) {
  const std::int64_t offset = count_of(layer, "offset");
  const std::int64_t size = count_of(layer, "size");
  const graph::ValueType type = declared_type(layer);
  if (!type.shape.is_static()) {
    fail(ErrorCode::shape,
         text(layer.describe(), ": expected a constant's shape, got ", to_string(type)));
  }
  const IntSpan shape = type.shape.shape();
  const std::int64_t elements = numel(shape);
  std::int64_t needed = 0;
  if (elements > limits_.max_elements || !checked_mul(elements, element_size(type.dtype), needed) ||
      needed > limits_.max_tensor_bytes) {
    fail(ErrorCode::limit,
         text(layer.describe(), ": ", to_string(type), " is larger than allowed"));
  }
  if (size < needed) {
    fail(ErrorCode::shape, text(layer.describe(), ": attribute 'size': expected ", needed,
                                " bytes for ", to_string(type), ", got ", size));
  }
  const std::int64_t have = weights_.defined() ? weights_.numel() : 0;
  if (offset > have || size > have - offset) {
    fail(ErrorCode::bounds,
         text(layer.describe(), ": attributes 'offset' and 'size': bytes ", offset, " and the ",
              size, " that follow it, and the weights have ",
              weights_.defined() ? text(have, " bytes") : std::string("not been given")));
  }
  if (!checked_add(bytes_, needed, bytes_) || bytes_ > limits_.max_constant_bytes) {
    fail(ErrorCode::limit,
         text(layer.describe(), ": more than ", limits_.max_constant_bytes, " bytes of constants"));
  }
  if (elements == 0) return Tensor::empty(shape, type.dtype);

  const auto* first = static_cast<const std::byte*>(weights_.data()) + offset;
  const bool is_bool = type.dtype == ScalarType::boolean;
  const bool aligned = reinterpret_cast<std::uintptr_t>(first) %
                           static_cast<std::uintptr_t>(element_size(type.dtype)) ==
                       0;
  if (aligned && !(is_bool && needs_normalising(first, needed))) {
    const ByteRange range{first, first + needed};
    return Tensor::share(weights_.owner(), TensorView::within(range, first, type.dtype, shape,
                                                              contiguous_strides(shape)));
  }
  Tensor copy = Tensor::empty(shape, type.dtype);
  auto* to = static_cast<std::byte*>(copy.data());
  if (is_bool) {
    std::transform(first, first + needed, to,
                   [](std::byte b) { return b == std::byte{0} ? b : std::byte{1}; });
  } else {
    std::memcpy(to, first, static_cast<std::size_t>(needed));
  }
  return copy;
}

Tensor load_weights(const std::string& path, const Limits& limits) {
  const File file(path, "rb");
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) fail(ErrorCode::io, text("cannot read '", path, "': ", error.message()));
  if (size > static_cast<std::uintmax_t>(limits.max_weights_bytes)) {
    fail(ErrorCode::limit,
         text("'", path, "' has ", size, " bytes, allowed are ", limits.max_weights_bytes));
  }
  Tensor weights = Tensor::empty({static_cast<std::int64_t>(size)}, ScalarType::u8);
  file.read_all({static_cast<std::byte*>(weights.data()), static_cast<std::size_t>(size)});
  return weights;
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
