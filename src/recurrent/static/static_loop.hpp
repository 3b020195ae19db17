// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running a loop whose body is planned once: what moves from trip to trip are addresses.
#pragma once

#include "graph/frame/row_form.hpp"
#include "kernels/stage/stage.hpp"
#include "recurrent/body/trip_index.hpp"
#include "recurrent/operator/loop_call.hpp"
#include "recurrent/static/scan_output.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// A prepared loop. Every value that passes between trips or stages is a *variable*: its address in
/// the current trip.
class FixedLoop {
 public:
  /// Plans the body. Both must outlive it. `in_rows`: where slices and collected elements are rows
  /// with gaps between them, trips read and write them there, whatever the gaps.
  FixedLoop(const LoopGeometry& geometry, LoopRuntime& runtime, bool in_rows);

  /// Whether it is worth trying with `in_rows`, and then whether the body can do so.
  static bool may_run_in_rows(const LoopBody& body);
  bool can_step_rows() const noexcept { return can_step_; }
  /// False if shapes inside the body depend on data: then it cannot be run this way.
  bool is_possible() const noexcept { return possible_; }

  /// Makes up for what has changed in the geometry, which is like it was. False if it can no longer
  /// be run this way.
  bool follow();

  /// Throws what the body throws; Error(bounds) for a slice that does not exist, Error(shape) for
  /// an output that is too short. Allocates outputs of unknown shape, and buffers, which are kept.
  void run(const LoopCall& call, LoopReport& report);

 private:
  static constexpr std::int64_t most_block_trips = 256;
  /// Larger elements are copied by several threads.
  static constexpr std::int64_t most_bytes_by_one = std::int64_t{256} << 10;

  /// Bytes of a Variable's elements lie at now_[variable].
  using Variable = std::size_t;

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
    bool by_rows = strided == nullptr && bytes <= most_bytes_by_one;
  };
  struct State {
    std::size_t number;
    Variable variable;
    Variable from;  ///< its next value
    int parameter;  ///< of the trip stage, or -1
    int head_parameter;
    std::int64_t bytes;
    int gather = -1;  ///< in whose output it is, as rows, from the second trip on
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
    std::size_t chunks = 0;        ///< in use
    std::int64_t chunk_trips = 0;  ///< room in the last of them
    std::int64_t chunk_left = 0;

    std::int64_t row_elements() const {
      return collected.row_bytes() / element_size(collected.dtype());
    }
  };

  // ---- Set up, once
  Variable variable_of(Source source);
  Variable own_variable();
  void set_up_iterators();
  void limit_blocks(std::int64_t bytes);
  void set_up_states();
  void set_up_gathers();
  bool is_written(Source source) const;
  static Gather::Way way_of(const Gather& gather);
  void set_up_rest();
  void connect_states();
  bool lasts(Source source) const;
  void plan_trip();
  bool stays_in_rows(const Gather& gather) const;
  void step_rows();
  bool writes_rows(const Gather& gather) const {
    return gather.way == Gather::Way::direct && !gather.collected.is_direct() &&
           writers_[gather.writer].result >= 0;
  }
  bool reads_in_place(const Iterator& iterator) const {
    return iterator.needed && !iterator.packed;
  }
  std::int64_t longest_chain(Source from) const;
  Source next_value(std::size_t state) const;
  std::int64_t add_ring(Variable variable, int result, std::int64_t bytes, std::int64_t slots);

  // ---- A run
  void start_values();
  void start_iterators();
  void run_once();
  void open(Collected& collected, std::int64_t places, std::int64_t trips);
  void open_outputs();
  void set_rows();
  std::int64_t fitting_trips() const;
  void plan_block();
  void bind_fixed();
  void bind_fixed(graph::Frame& frame, const Stage& stage);
  char* dense(const TensorView& view, Buffer& buffer);
  TensorView view_of(Source source) const;
  void run_all();
  void produce();
  void open_chunks(std::int64_t& trips);
  void run_trips(std::int64_t trips);
  void copy_elements(const Copy& copy);
  bool head_holds();
  void flush(std::int64_t first);
  void refuse_end(std::int64_t last);
  void finish();
  void finish_gather(Gather& gather);
  void write_last(std::size_t output, const TensorView& value);
  void write_last(std::size_t output, const char* from, const graph::ValueType& type);
  void move_elements(Gather& gather, std::int64_t first, std::int64_t count, const char* from);
  void count_copy(std::int64_t bytes);
  [[noreturn]] void refuse_short(std::size_t output, std::int64_t length) const;

  const LoopGeometry& geometry_;
  const LoopSpec& spec_;
  const LoopBody& body_;
  LoopRuntime& runtime_;
  bool in_rows_;
  bool can_step_ = true;
  bool trip_planned_ = false;  // for the geometry there is; not if planning failed
  bool possible_ = true;
  bool needs_blocks_ = false;
  std::int64_t block_trips_ = most_block_trips;  ///< most trips in a block
  std::int64_t least_block_trips_ = 1;  ///< so that a state outlives its place in a block's buffer

  std::vector<Source> sources_;  // by variable
  std::vector<char*> now_;       // by variable
  std::vector<char*> next_;      // by state
  std::vector<Iterator> iterators_;
  std::vector<Mover> movers_;
  std::vector<Writer> writers_;
  std::vector<Copy> copies_;
  CopyBlockFn copy_bytes_ = copy_block_kernel(1);
  std::vector<State> states_;
  std::vector<FixedState> fixed_states_;
  std::vector<Gather> gathers_;
  std::vector<std::size_t> ring_buffers_;  // by buffer of the runtime: the writer that uses it
  std::vector<Variable> watched_;          // whose addresses in the last trip are wanted
  std::vector<const char*> last_;          // by watched variable
  std::optional<Variable> condition_;
  std::optional<Variable> head_;
  std::vector<std::size_t> row_states_;  // that are in an output, as rows
  std::vector<TensorView> views_;        // scratch

  // Of the current run.
  const LoopCall* call_ = nullptr;
  LoopReport* report_ = nullptr;
  TripLimit limit_;
  std::int64_t most_trips_ = endless;  ///< that outputs of a given length have room for
  std::int64_t available_ = 0;         ///< slices to make blocks of
  std::int64_t produced_trips_ = 0;    ///< trips in a block in this run
  std::int64_t produced_to_ = 0;
  std::int64_t done_ = 0;
  TripIndex index_;
  bool go_ = true;
  bool ended_ = false;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
