// SPDX-License-Identifier: Apache-2.0
/// @file
/// Types of what goes through a loop: from those of its inputs to those of its body and outputs.
#pragma once

#include <weft/graph/operator_registry.hpp>
#include <weft/graph/partial_shape.hpp>
#include <weft/recurrent/loop_spec.hpp>

#include "base/text.hpp"
#include "recurrent/body/subgraph.hpp"
#include "recurrent/spec/entry_name.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

template <class... Args>
[[noreturn]] void refuse(const LoopSpec& spec, ErrorCode code, const Args&... args) {
  fail(code, weft::text("loop '", spec.name, "': ", args...));
}

/// Whether an output is made of its `result`, which is not read of the others.
inline bool has_result(const LoopOutput& output) {
  using enum LoopOutputKind;
  return output.kind == last_value || output.kind == stack || output.kind == join;
}

/// The slices of an axis of `extent`, of an iterator that has a range. What slices_of() throws gets
/// the loop and the entry in front.
SliceRange slices(const LoopSpec& spec, const EntryName& entry, const LoopIterator& iterator,
                  std::int64_t extent);

/// Type of a slice.
graph::ValueType slice_type(const LoopSpec& spec, const EntryName& entry,
                            const LoopIterator& iterator, const graph::ValueType& whole);

/// The types that the body's parameters have in trip 0; those that nothing feeds keep what is
/// declared. Checks the types of counts, conditions, lengths and indexes as well. Throws
/// Error(dtype), Error(rank), Error(shape), Error(axis).
std::vector<graph::ValueType> first_parameter_types(const LoopSpec& spec, const graph::Graph& body,
                                                    std::span<const graph::ValueType> inputs);

/// The body for all trips: what differs from trip to trip in the shape of a state is unknown.
/// Throws Error(dtype) for a state that changes its element type, Error(shape) for one of a fixed
/// shape that does not keep it, and what inferring the body throws.
std::shared_ptr<const TypedGraph> infer_body(const LoopSpec& spec, const graph::Graph& body,
                                             std::vector<graph::ValueType> first,
                                             const graph::OperatorRegistry& operators);

/// Type of an output, as far as it is known; `trips` likewise.
graph::ValueType output_type(const LoopSpec& spec, std::size_t output, const TypedGraph& body,
                             std::span<const graph::ValueType> inputs,
                             std::optional<std::int64_t> trips, std::optional<std::int64_t> length);

/// True if the condition that the body gives is true in every trip that it decides on.
bool condition_always_true(const LoopSpec& spec, const graph::Graph& body, bool first_is_true);

/// The least of the counts and numbers of slices that are known; nothing if there is none. Throws
/// Error(shape) for iterators that limit trips and have different numbers of slices.
struct TripBound {
  std::optional<std::int64_t> trips;
  bool by_slices = false;
  bool certain = true;  ///< false if a bound is there whose value is not known
};
TripBound trip_bound(const LoopSpec& spec, const graph::Graph& body,
                     std::span<const graph::ValueType> inputs, std::optional<std::int64_t> count);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
