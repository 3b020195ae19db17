// SPDX-License-Identifier: Apache-2.0
/// @file
/// A recurrent loop as plain data: which tensors it slices, carries on and collects, and when it
/// ends. Both builders (port_map.hpp, network.hpp) make one of these.
#pragma once

#include <weft/base/export.hpp>
#include <weft/graph/graph.hpp>
#include <weft/recurrent/port_range.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

// The numbers below count from 0: `input` the inputs of the loop, `parameter` and `result` those of
// its body, `state` the loop's own states.

/// A tensor of which trip i sees a slice. A slice is a view: nothing is copied.
struct LoopIterator {
  int input = 0;
  int parameter = 0;
  std::int64_t axis = 0;   ///< of the tensor; negative: from the end
  PortRange range = {};    ///< in trip order
  bool keep_axis = false;  ///< a slice has the axis, with the part's extent; else parts are of one
                           ///< element, and the axis is gone
  /// Trip i sees element count - 1 - i, whatever the extent: TensorRT's backwards. Needs a count;
  /// `range` is not read.
  bool from_count = false;
  /// The loop has as many trips as there are slices, unless it ends before. If not, a trip whose
  /// slice does not exist is an error.
  bool limits_trips = true;
};

/// A tensor carried from trip to trip. All states step at once.
struct LoopState {
  int input = 0;      ///< its value in trip 0
  int parameter = 0;  ///< where the body sees it
  int result = 0;     ///< its value in the next trip
  std::optional<LoopIterator> sliced =
      {};                    ///< trip 0 sees the first of these slices, of a range, instead
                             ///< of the whole input; `input` and `parameter` are not read
  bool fixed_shape = false;  ///< refuse a body that changes the shape; else it may, every trip
};

/// A tensor that every trip sees as it is.
struct LoopInvariant {
  int input = 0;
  int parameter = 0;
};

enum class LoopOutputKind : std::uint8_t {
  last_state,  ///< a state after the last trip; without trips its first value
  last_value,  ///< a result in the last trip; without trips there is none, which is an error
  stack,       ///< a result of all trips along a new axis
  join,        ///< a result of all trips along one of its axes; extents there may differ
  trips,       ///< the number of trips, i64, 0-d
  condition,   ///< the last condition, bool, 0-d
};

/// An output of the loop; they are numbered as they are listed.
struct LoopOutput {
  LoopOutputKind kind = LoopOutputKind::last_value;
  int state = -1;                  ///< of last_state
  int result = -1;                 ///< of last_value, stack and join
  std::int64_t axis = 0;           ///< of stack (in the output) and join; negative: from the end
  bool backwards = false;          ///< trip i goes to place n - 1 - i of n trips
  std::optional<int> length = {};  ///< of stack: the input that holds the axis' extent, at least n;
                                   ///< zeros follow the last trip. Left out: n
};

/// Rows of a batch that end at different trips. Row r of every state holds still from trip
/// lengths[r] on, and what is collected from it is 0.
struct LoopRows {
  int lengths = 0;        ///< input: i32 or i64 [rows], each at least 0
  std::int64_t axis = 0;  ///< along which rows lie, in states and in the results collected
};

/// A loop. The body is a graph of its own that sees nothing but its parameters; each of these has
/// one use: iterator, state, invariant or index.
///
/// The number of trips is the least i for which one of these holds, whichever are there:
/// i is a count; the head is false before trip i; the condition is false before trip i (the
/// first is given, the others are results of the trips before); i is the number of slices of an
/// iterator that limits trips (they all have equally many); i is the largest of the rows' lengths.
/// A loop without any of them is refused.
struct LoopSpec {
  std::string name;                             ///< for messages
  std::optional<std::int64_t> most_trips = {};  ///< a count that is known
  std::optional<int> count = {};                ///< input: i32 or i64, one element
  bool negative_count_is_endless = true;        ///< else there are no trips
  std::optional<int> first_condition = {};      ///< input: bool, one element; left out: true
  std::optional<int> next_condition = {};  ///< result: bool, one element; decides on the next trip
  std::optional<int> head =
      {};  ///< result: bool, one element; computed before trip i of states, index
           ///< and invariants, decides on trip i itself
  std::vector<LoopIterator> iterators;
  std::vector<LoopState> states;
  std::vector<LoopInvariant> invariants;
  std::vector<int> indexes;  ///< parameters that see i, as i32 or i64, 0-d or of one element
  std::optional<LoopRows> rows = {};
  std::vector<LoopOutput> outputs;
};

/// Checks all numbers of a spec against its body and `ninputs`, and that they make sense together;
/// shapes are checked when it is run. Throws Error(invalid_argument) that names the loop, the
/// entry, expected and got.
WEFT_API void check(const LoopSpec& spec, const graph::Graph& body, int ninputs);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
