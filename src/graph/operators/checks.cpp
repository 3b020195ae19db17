// SPDX-License-Identifier: Apache-2.0
#include "graph/operators/checks.hpp"

#include <weft/core/cast.hpp>

#include <algorithm>
#include <cctype>

namespace weft {
inline namespace v0 {
namespace graph {

void expect_inputs(const InferContext& context, int least, int most) {
  const int count = context.ninputs();
  if (count >= least && count <= most) return;
  const std::string range = least == most ? text(least) : text(least, " to ", most);
  fail(ErrorCode::invalid_argument, text("expected ", range, " inputs, got ", count));
}

void expect_same_type(const InferContext& context, int i, int j) {
  const ScalarType a = context.input(i).dtype;
  const ScalarType b = context.input(j).dtype;
  if (a == b) return;
  fail(ErrorCode::dtype,
       text("input ", j, ": expected ", weft::name(a), " as input ", i, ", got ", weft::name(b)));
}

void expect_integers(const InferContext& context, int input, const char* meaning) {
  const ScalarType type = context.input(input).dtype;
  if (is_integer(type)) return;
  fail(ErrorCode::dtype,
       text("input ", input, " (", meaning, "): expected integers, got ", weft::name(type)));
}

PartialShape expect_shape(const InferContext& context, int input, const char* meaning,
                          const PartialShape& expected) {
  const PartialShape& got = context.input(input).shape;
  try {
    return got.merged_with(expected);
  } catch (const Error&) {
    fail(ErrorCode::shape, text("input ", input, " (", meaning, "): expected ", to_string(expected),
                                ", got ", to_string(got)));
  }
}

void check_mask(const InferContext& context, int i) {
  const ValueType& mask = context.input(i);
  if (mask.dtype != ScalarType::boolean) {
    fail(ErrorCode::dtype,
         text("input ", i, " (mask): expected bool, got ", weft::name(mask.dtype)));
  }
  const PartialShape& in = context.input(0).shape;
  try {
    in.merged_with(broadcast_shapes(in, mask.shape));
  } catch (const Error&) {
    fail(ErrorCode::shape, text("input ", i, " (mask): expected a shape that broadcasts to ",
                                to_string(in), ", got ", to_string(mask.shape)));
  }
}

int checked_axis(std::int64_t axis, int rank, const char* meaning) {
  if (axis >= -rank && axis < rank) return static_cast<int>(axis < 0 ? axis + rank : axis);
  if (rank == 0) fail(ErrorCode::axis, text(meaning, ": a scalar has no axes, got ", axis));
  fail(ErrorCode::axis, text(meaning, ": expected from ", -rank, " to ", rank - 1, ", got ", axis));
}

bool integer_input(const InferContext& context, int i, const char* meaning, std::int64_t& out) {
  std::vector<std::int64_t> list;
  if (!context.integers(i, list)) return false;
  if (list.size() != 1) {
    fail(ErrorCode::shape,
         text("input ", i, " (", meaning, "): expected one integer, got ", list.size()));
  }
  out = list[0];
  return true;
}

std::size_t choice_of(const Attributes& attributes, std::string_view name,
                      std::span<const std::string_view> choices, std::size_t otherwise) {
  if (!attributes.has(name)) return otherwise;
  const std::string given = attributes.text(name);
  std::string lower = given;
  for (char& c : lower)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto found = std::ranges::find(choices, lower);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  std::string list(choices[0]);
  for (std::size_t i = 1; i < choices.size(); ++i)
    list += text(i + 1 == choices.size() ? " or " : ", ", choices[i]);
  fail(ErrorCode::invalid_argument,
       text("attribute '", name, "': expected ", list, ", got '", given, "'"));
}

ScalarType index_type_of(const Attributes& attributes, std::string_view name,
                         ScalarType otherwise) {
  const ScalarType type = attributes.scalar_type(name, otherwise);
  if (type == ScalarType::i32 || type == ScalarType::i64) return type;
  fail(ErrorCode::dtype,
       text("attribute '", name, "': expected i32 or i64, got ", weft::name(type)));
}

void read_integers(const TensorView& view, int input, std::int64_t* to) {
  cast_elements(to, ScalarType::i64, element_size(ScalarType::i64), view.data(), view.dtype(),
                element_size(view.dtype()), view.numel());
  if (view.dtype() != ScalarType::u64) return;
  for (std::int64_t i = 0; i < view.numel(); ++i) {
    if (to[i] >= 0) continue;  // only what is too large has become negative
    fail(ErrorCode::overflow, text("input ", input, ": expected integers that i64 holds, got ",
                                   static_cast<std::uint64_t>(to[i])));
  }
}

std::vector<std::int64_t> integers_of(const TensorView& view, int input) {
  Tensor copy;
  if (!view.is_contiguous()) copy = Tensor::copy_of(view);
  const TensorView& dense = copy.defined() ? static_cast<const TensorView&>(copy) : view;
  std::vector<std::int64_t> list(static_cast<std::size_t>(dense.numel()));
  read_integers(dense, input, list.data());
  return list;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
