// SPDX-License-Identifier: Apache-2.0
/// @file
/// What moves from trip to trip of a loop whose body is planned once: addresses.
#pragma once

#include "graph/frame/row_form.hpp"
#include "recurrent/body/loop_body.hpp"
#include "recurrent/static/loop_variables.hpp"
#include "recurrent/static/scan_output.hpp"
#include "recurrent/static/slice_walk.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Larger elements are copied by several threads.
inline constexpr std::int64_t max_bytes_by_one = std::int64_t{256} << 10;
inline constexpr std::int64_t max_block_trips = 256;

/// Made once by StaticPlanner. A run sets what depends on the memory that it is given: origins,
/// steps in outputs, what is left of rings.
struct StaticPlan {
  /// A variable that moves on by the same step in every trip: a slice, or a value of a block.
  struct Mover {
    Variable variable;
    int parameter;  ///< of the trip stage; -1: it is not read there
    std::int64_t step;
  };
  /// A place that moves on in every trip, maybe round and round.
  struct Writer {
    Variable variable;
    int result;  ///< of the trip stage, which writes there; -1: a copy does
    std::int64_t step;
    std::int64_t ring_size = 0;  ///< 0: it goes on and on
    std::int64_t ring_left = 0;
    char* ring = nullptr;
  };
  struct Copy {
    Variable to;
    Variable from;
    std::int64_t bytes;
    const SliceWalk* strided = nullptr;  ///< geometry of the source, unless it is dense
    int gather = -1;                     ///< into whose output it goes, row by row
    // Rows of the destination, from row to row of which it is row_step.
    std::int64_t rows = 1;
    std::int64_t row_bytes = bytes;
    std::int64_t row_step = 0;
    bool by_rows = strided == nullptr && bytes <= max_bytes_by_one;
  };
  struct State {
    std::size_t number;
    Variable variable;
    Variable from;  ///< its next value
    Source next;    ///< what that is; `from` may be a copy of it
    int parameter;  ///< of the trip stage, or -1
    int head_parameter;
    std::int64_t bytes;
    int gather = -1;  ///< in whose output it is, as rows, from the second trip on

    Source source() const { return {Source::Kind::state, static_cast<int>(number)}; }
  };
  struct Iterator {
    Variable variable;
    bool needed = false;
    bool packed = false;           ///< slices are copied block by block, to lie next to each other
    const char* origin = nullptr;  ///< slice 0
    char* buffer = nullptr;
    DimVector strides = {};  ///< that the stages are planned for, if they read it where it is
    std::optional<graph::RowForm> rows = {};  ///< if trips read slices as rows
    int parameter = -1;                       ///< of the trip stage

    bool is_read_in_place() const { return needed && !packed; }
  };
  /// A value that is the same in every trip, and becomes a state: row-major.
  struct FixedState {
    Variable variable;
    Source source;
  };
  /// A collected output.
  struct Gather {
    enum class Way : std::uint8_t {
      direct,  ///< every trip writes into the output, or copies its rows there
      blocks,  ///< into a buffer, which goes to the output block by block
      chunks,  ///< into buffers of growing size, which go there at the end
      after,   ///< the output is a copy of what is there already
    };
    Collected collected;
    Source source;
    Way way;
    Variable variable = 0;         ///< where the current trip's element is
    std::size_t writer = 0;        ///< that moves it, unless the elements are a block's own
    bool is_open = false;          ///< the output has memory before the first trip
    const char* block = nullptr;   ///< first element of the current block
    std::int64_t block_used = 0;   ///< trips that the block's buffer holds
    std::size_t chunks = 0;        ///< in use
    std::int64_t chunk_trips = 0;  ///< room in the last of them
    std::int64_t chunk_left = 0;

    std::int64_t row_elements() const {
      return collected.row_bytes() / element_size(collected.dtype());
    }
  };

  /// Has blocks no longer than fits, of values of which those of a trip are so many bytes.
  /// `computed`: there are operations that work on blocks.
  void limit_blocks(std::int64_t bytes, bool computed);
  /// Trips that a value has to last beyond its own because states hand it on to each other.
  std::int64_t longest_chain(Source from) const;
  /// True if the trip stage has been told where to write this result of it.
  bool is_written(Source source) const;
  /// True if the trip stage writes into the output itself, row by row.
  bool writes_rows(const Gather& gather) const;
  /// The output that a state is in, as rows.
  const Collected& output_of(const State& state) const {
    return gathers[static_cast<std::size_t>(state.gather)].collected;
  }

  LoopVariables variables;
  std::vector<Iterator> iterators;
  std::vector<Mover> movers;
  std::vector<Writer> writers;
  std::vector<Copy> copies;
  std::vector<State> states;
  std::vector<FixedState> fixed_states;
  std::vector<Gather> gathers;
  std::vector<std::size_t> row_states;  ///< that are in an output, as rows
  std::vector<Variable> watched;        ///< whose addresses in the last trip are wanted
  std::optional<Variable> condition, head;
  bool needs_blocks = false;
  std::int64_t block_trips = max_block_trips;  ///< most trips in a block
  std::int64_t min_block_trips = 1;  ///< so that a state outlives its place in a block's buffer
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
