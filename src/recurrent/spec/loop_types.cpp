// SPDX-License-Identifier: Apache-2.0
#include "recurrent/spec/loop_types.hpp"

#include <weft/base/error.hpp>

#include "base/operation.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace weft {
inline namespace v0 {
namespace recurrent {

using graph::PartialShape;
using graph::ValueType;

namespace {

const graph::Node& parameter_node(const graph::Graph& body, int parameter) {
  return body.node(body.parameters()[static_cast<std::size_t>(parameter)]);
}

/// Of rank 0, or of rank 1 with one element.
void check_single(const LoopSpec& spec, const EntryName& entry, const PartialShape& shape) {
  if (!shape.has_rank()) return;
  if (shape.rank() > 1) {
    refuse(spec, ErrorCode::rank, entry.text(), ": expected rank 0 or 1, got ", to_string(shape));
  }
  if (shape.rank() == 1 && shape.extent(0) != 1 && shape.extent(0) != PartialShape::unknown)
    refuse(spec, ErrorCode::shape, entry.text(), ": expected one element, got ", to_string(shape));
}

void check_integer(const LoopSpec& spec, const EntryName& entry, const ValueType& type) {
  if (type.dtype != ScalarType::i32 && type.dtype != ScalarType::i64)
    refuse(spec, ErrorCode::dtype, entry.text(), ": expected i32 or i64, got ",
           weft::name(type.dtype));
}

void check_bool(const LoopSpec& spec, const EntryName& entry, const ValueType& type) {
  if (type.dtype != ScalarType::boolean)
    refuse(spec, ErrorCode::dtype, entry.text(), ": expected bool, got ", weft::name(type.dtype));
  check_single(spec, entry, type.shape);
}

int axis_of(const LoopSpec& spec, const EntryName& entry, std::int64_t axis, int rank) {
  if (axis >= -rank && axis < rank) return static_cast<int>(axis < 0 ? axis + rank : axis);
  refuse(spec, ErrorCode::axis, entry.text(), ": axis ", axis, " of rank ", rank);
}

ValueType index_type(const LoopSpec& spec, const graph::Graph& body, int parameter) {
  const EntryName entry("index", std::nullopt, body, parameter);
  ValueType type = parameter_node(body, parameter).type;
  check_integer(spec, entry, type);
  check_single(spec, entry, type.shape);
  if (!type.shape.has_rank() || type.shape.rank() == 1) type.shape = {1};
  return type;
}

}  // namespace

SliceRange slices(const LoopSpec& spec, const EntryName& entry, const LoopIterator& iterator,
                  std::int64_t extent) {
  PortRange range = iterator.range;
  if (!iterator.keep_axis) range.part_size = 1;
  try {
    return slices_of(range, extent);
  } catch (const Error& error) {
    refuse(spec, error.code(), entry.text(), ": ", error.what());
  }
}

ValueType slice_type(const LoopSpec& spec, const EntryName& entry, const LoopIterator& iterator,
                     const ValueType& whole) {
  if (!whole.shape.has_rank()) return {whole.dtype, PartialShape::unranked()};
  const int axis = axis_of(spec, entry, iterator.axis, whole.shape.rank());
  const IntSpan extents = whole.shape.extents();
  DimVector sliced(extents.begin(), extents.end());
  if (iterator.keep_axis) {
    // The least number has no positive counterpart. No axis is as long as either, which is found
    // later.
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const std::int64_t stride = std::max(iterator.range.stride, -most);
    const std::int64_t part = iterator.range.part_size.value_or(std::abs(stride));
    sliced[static_cast<std::size_t>(axis)] = iterator.from_count ? 1 : part;
  } else {
    sliced.erase(static_cast<std::size_t>(axis));
  }
  return {whole.dtype, PartialShape(sliced)};
}

std::vector<ValueType> first_parameter_types(const LoopSpec& spec, const graph::Graph& body,
                                             std::span<const ValueType> inputs) {
  const auto input = [&](int i) -> const ValueType& { return inputs[static_cast<std::size_t>(i)]; };
  if (spec.count) {
    check_integer(spec, "count", input(*spec.count));
    check_single(spec, "count", input(*spec.count).shape);
  }
  if (spec.first_condition) check_bool(spec, "first condition", input(*spec.first_condition));
  if (spec.rows) {
    check_integer(spec, "rows' lengths", input(spec.rows->lengths));
    const PartialShape& shape = input(spec.rows->lengths).shape;
    if (shape.has_rank() && shape.rank() != 1)
      refuse(spec, ErrorCode::rank, "rows' lengths: expected rank 1, got ", to_string(shape));
  }
  for (std::size_t i = 0; i < spec.outputs.size(); ++i) {
    if (!spec.outputs[i].length) continue;
    const EntryName entry("output", i, ": length");
    check_integer(spec, entry, input(*spec.outputs[i].length));
    check_single(spec, entry, input(*spec.outputs[i].length).shape);
  }

  std::vector<ValueType> types;
  types.reserve(body.parameters().size());
  for (const int node : body.parameters())
    types.push_back(body.node(node).type);
  const auto set = [&](int parameter, ValueType type) {
    types[static_cast<std::size_t>(parameter)] = std::move(type);
  };
  for (std::size_t i = 0; i < spec.iterators.size(); ++i) {
    const LoopIterator& it = spec.iterators[i];
    set(it.parameter, slice_type(spec, {"iterator", i, body, it.parameter}, it, input(it.input)));
  }
  for (std::size_t i = 0; i < spec.states.size(); ++i) {
    const LoopState& state = spec.states[i];
    const EntryName entry("state", i, body, state.parameter);
    set(state.parameter, state.sliced
                             ? slice_type(spec, entry, *state.sliced, input(state.sliced->input))
                             : input(state.input));
  }
  for (const LoopInvariant& invariant : spec.invariants)
    set(invariant.parameter, input(invariant.input));
  for (const int parameter : spec.indexes)
    set(parameter, index_type(spec, body, parameter));
  return types;
}

std::shared_ptr<const TypedGraph> infer_body(const LoopSpec& spec, const graph::Graph& body,
                                             std::vector<ValueType> first,
                                             const graph::OperatorRegistry& operators) {
  std::vector<ValueType> types = std::move(first);
  const std::string where = text("loop '", spec.name, "'");
  for (;;) {
    auto typed = with_operation(
        where.c_str(), [&] { return std::make_shared<const TypedGraph>(body, types, operators); });
    bool settled = true;
    for (std::size_t j = 0; j < spec.states.size(); ++j) {
      const LoopState& state = spec.states[j];
      const EntryName entry("state", j, body, state.parameter);
      const ValueType& next = typed->result_type(state.result);
      ValueType& now = types[static_cast<std::size_t>(state.parameter)];
      if (next.dtype != now.dtype) {
        refuse(spec, ErrorCode::dtype, entry.text(), ": starts as ", weft::name(now.dtype),
               ", and result ", state.result, " of the body is ", weft::name(next.dtype));
      }
      if (state.fixed_shape) {
        with_operation(
            text(where, ": ", entry.text(), ": changes its shape: result ", state.result).c_str(),
            [&] { static_cast<void>(now.shape.merged_with(next.shape)); });
        continue;
      }
      PartialShape united = now.shape.united_with(next.shape);
      settled = settled && united == now.shape;
      now.shape = std::move(united);
    }
    // Every turn makes at least one extent or rank unknown, so that this comes to an end.
    if (settled) {
      if (spec.next_condition)
        check_bool(spec, "condition of the body", typed->result_type(*spec.next_condition));
      if (spec.head) check_bool(spec, "head", typed->result_type(*spec.head));
      return typed;
    }
  }
}

ValueType output_type(const LoopSpec& spec, std::size_t output, const TypedGraph& body,
                      std::span<const ValueType> inputs, std::optional<std::int64_t> ntrips,
                      std::optional<std::int64_t> length) {
  const LoopOutput& entry = spec.outputs[output];
  const EntryName name("output", output);
  if (entry.kind == LoopOutputKind::trips) return {ScalarType::i64, {}};
  if (entry.kind == LoopOutputKind::condition) return {ScalarType::boolean, {}};
  if (entry.kind == LoopOutputKind::last_state) {
    const LoopState& state = spec.states[static_cast<std::size_t>(entry.state)];
    const ValueType& next = body.result_type(state.result);
    const ValueType first = state.sliced
                                ? slice_type(spec, name, *state.sliced,
                                             inputs[static_cast<std::size_t>(state.sliced->input)])
                                : inputs[static_cast<std::size_t>(state.input)];
    if (ntrips) return *ntrips == 0 ? first : next;
    return {next.dtype, next.shape.united_with(first.shape)};
  }
  const ValueType& value = body.result_type(entry.result);
  if (entry.kind == LoopOutputKind::last_value) return value;
  if (!value.shape.has_rank()) return {value.dtype, PartialShape::unranked()};

  const IntSpan extents = value.shape.extents();
  DimVector shape(extents.begin(), extents.end());
  if (entry.kind == LoopOutputKind::stack) {
    const int axis = axis_of(spec, name, entry.axis, value.shape.rank() + 1);
    shape.push_back(0);
    std::copy_backward(shape.begin() + axis, shape.end() - 1, shape.end());
    std::optional<std::int64_t> along = ntrips;
    if (entry.length) along = length;
    shape[static_cast<std::size_t>(axis)] = along.value_or(PartialShape::unknown);
    return {value.dtype, PartialShape(shape)};
  }
  if (shape.empty()) {  // numbers join to a row
    if (entry.axis != 0 && entry.axis != -1) {
      refuse(spec, ErrorCode::axis, name.text(), ": axis ", entry.axis,
             ": values without axes are joined along axis 0");
    }
    return {value.dtype, {ntrips.value_or(PartialShape::unknown)}};
  }
  std::int64_t& along =
      shape[static_cast<std::size_t>(axis_of(spec, name, entry.axis, value.shape.rank()))];
  if (!ntrips || along == PartialShape::unknown) {
    along = PartialShape::unknown;
  } else if (__builtin_mul_overflow(along, *ntrips, &along)) {
    refuse(spec, ErrorCode::overflow, name.text(), ": ", *ntrips, " trips of ",
           to_string(value.shape));
  }
  return {value.dtype, PartialShape(shape)};
}

bool condition_always_true(const LoopSpec& spec, const graph::Graph& body, bool first_is_true) {
  if (!spec.next_condition) return true;
  graph::Value value = body.results()[static_cast<std::size_t>(*spec.next_condition)].value;
  for (;;) {
    const graph::Node& node = body.node(value.node);
    if (node.kind == graph::NodeKind::constant) {
      return node.constant.dtype() == ScalarType::boolean && node.constant.numel() == 1 &&
             *static_cast<const char*>(node.constant.data()) != 0;
    }
    if (node.kind == graph::NodeKind::operation) {
      if (node.op != "Identity") return false;
      value = node.inputs.at(0);
      continue;
    }
    // A state that keeps the first condition, or that condition itself.
    const auto parameter = static_cast<int>(std::ranges::find(body.parameters(), value.node) -
                                            body.parameters().begin());
    if (!first_is_true) return false;
    for (const LoopState& state : spec.states) {
      if (state.parameter == parameter) {
        return state.result == *spec.next_condition && !state.sliced &&
               state.input == spec.first_condition;
      }
    }
    return std::ranges::any_of(spec.invariants, [&](const LoopInvariant& invariant) {
      return invariant.parameter == parameter && invariant.input == spec.first_condition;
    });
  }
}

TripBound trip_bound(const LoopSpec& spec, const graph::Graph& body,
                     std::span<const ValueType> inputs, std::optional<std::int64_t> count) {
  TripBound bound;
  std::optional<EntryName> first_entry;
  const auto limit = [&](const EntryName& entry, const LoopIterator& iterator) {
    if (!iterator.limits_trips || iterator.from_count) return;
    const PartialShape& shape = inputs[static_cast<std::size_t>(iterator.input)].shape;
    const std::int64_t extent =
        shape.has_rank() ? shape.extent(axis_of(spec, entry, iterator.axis, shape.rank()))
                         : PartialShape::unknown;
    if (extent == PartialShape::unknown) {
      bound.certain = false;
      return;
    }
    const std::int64_t slices_here = slices(spec, entry, iterator, extent).count;
    if (!bound.trips) {
      bound.trips = slices_here;
      bound.by_slices = true;
      first_entry = entry;
    } else if (*bound.trips != slices_here) {
      refuse(spec, ErrorCode::shape, first_entry->text(), " has ", *bound.trips, " slices, and ",
             entry.text(), " has ", slices_here);
    }
  };
  for (std::size_t i = 0; i < spec.iterators.size(); ++i)
    limit({"iterator", i, body, spec.iterators[i].parameter}, spec.iterators[i]);
  for (std::size_t i = 0; i < spec.states.size(); ++i) {
    if (spec.states[i].sliced)
      limit({"state", i, body, spec.states[i].parameter}, *spec.states[i].sliced);
  }
  const auto at_most = [&](std::int64_t trips) {
    if (bound.trips && *bound.trips <= trips) return;
    bound.trips = trips;
    bound.by_slices = false;
  };
  if (spec.most_trips) at_most(std::max<std::int64_t>(*spec.most_trips, 0));
  if (spec.count) {
    if (!count) {
      bound.certain = false;
    } else if (*count >= 0 || !spec.negative_count_is_endless) {
      at_most(std::max<std::int64_t>(*count, 0));
    }
  }
  return bound;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
