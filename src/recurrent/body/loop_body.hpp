// SPDX-License-Identifier: Apache-2.0
/// @file
/// A loop's body divided by when its operations have to run: once, for blocks of trips, or in
/// every trip.
#pragma once

#include <weft/graph/executable.hpp>
#include <weft/recurrent/loop_spec.hpp>

#include "recurrent/body/subgraph.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Where a value comes from that a stage reads, or that a result of the body is.
struct Source {
  enum class Kind : std::uint8_t {
    iterator,   ///< slice of spec.iterators[number]
    state,      ///< spec.states[number]
    invariant,  ///< spec.invariants[number]
    index,      ///< the number of the trip
    once,       ///< result of the stage that runs once
    block,      ///< slice of a result of the stage that runs for a block of trips
    trip,       ///< result of the stage that runs in every trip
    own,        ///< a place of the loop itself
  };
  Kind kind = Kind::trip;
  int number = 0;

  friend bool operator==(const Source&, const Source&) = default;
};

/// A part of the body.
struct Stage {
  std::optional<graph::Executable> program;  ///< none: nothing to do
  std::vector<Source> parameters;            ///< of the program
};

/// A loop's body for one list of parameter types.
struct LoopBody {
  std::shared_ptr<const TypedGraph> typed;
  std::vector<graph::ValueType>
      first_types;  ///< of the parameters in trip 0: what this was made for
  Stage once;
  Stage block;
  Stage head;
  Stage trip;
  /// What each result of the body is, the shape aside: results that only show another's elements in
  /// another shape are that one. Results that nothing needs are left out.
  std::vector<std::optional<Source>> results;
  std::vector<bool> state_is_live;  ///< false: no output depends on it
  bool has_condition = false;       ///< false: none, or it is always true
  std::optional<Source> head_value;
  std::vector<graph::ValueType> block_types;  ///< of a slice of each result of the block stage
  std::vector<std::string> hoisted;           ///< descriptions of operations, for people
  std::vector<std::string> blocked;
  std::int64_t max_bytes = 0;  ///< OperatorRegistry::max_bytes()
  std::int64_t max_trips = 0;  ///< OperatorRegistry::max_trips()

  const graph::ValueType& parameter_type(int parameter) const {
    return typed->type({typed->graph().parameters()[static_cast<std::size_t>(parameter)], 0});
  }
  bool has_fixed_shapes(const LoopSpec& spec) const;
  /// True if nothing but its limit ends the loop.
  bool has_certain_end() const { return !has_condition && !head_value; }
  /// Throws Error(limit) if a loop of unknown length would collect more than it may.
  void check_bytes(const LoopSpec& spec, std::int64_t bytes) const;
};

/// How much to take out of the trips.
struct HoistOptions {
  bool once = true;   ///< what depends on nothing that changes
  bool block = true;  ///< what depends on slices only
};

/// Divides the body. `first_is_true`: the first condition is known to be true.
LoopBody divide_body(const LoopSpec& spec, std::shared_ptr<const TypedGraph> typed,
                     const graph::OperatorRegistry& operators, bool first_is_true,
                     const HoistOptions& options);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
