// SPDX-License-Identifier: Apache-2.0
/// @file
/// One run of a loop: what it is given, and how many trips it may have.
#pragma once

#include <weft/graph/operator.hpp>
#include <weft/recurrent/loop.hpp>

#include "recurrent/body/loop_body.hpp"
#include "recurrent/operator/loop_data.hpp"
#include "recurrent/spec/loop_types.hpp"
#include "recurrent/static/slice_walk.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

inline constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

/// What stays the same from run to run of a prepared loop.
struct LoopGeometry {
  LoopGeometry(const LoopSpec& spec, const graph::Graph& body,
               const graph::PrepareContext& context);

  /// True if what is planned for the one holds for the other, slices aside: they may be others in
  /// number and in strides.
  bool is_like(const LoopGeometry& other) const;
  /// Becomes the other, which is like it. What points to slices stays good.
  void take(LoopGeometry&& other);
  /// Becomes what it would be for these inputs, left out where null, and puts the shapes of outputs
  /// right, if nothing but the number and the place of slices is different; else returns false.
  /// Throws as walk_slices().
  bool resize(std::span<const TensorView* const> given, std::span<DimVector> shapes);

  const LoopSpec& spec;
  const graph::Graph& body;
  std::vector<TensorView> inputs;   ///< at placeholders
  std::vector<TensorView> outputs;  ///< undefined if their shape turns up in the run
  std::vector<SliceWalk> iterators;
  std::vector<std::optional<SliceWalk>> states;  ///< of those whose first value is a slice
  /// Slices that each iterator, or state, that limits trips has.
  std::optional<std::int64_t> limiting_slices;
  /// Most trips besides; none: it is not known before the run.
  std::optional<std::int64_t> other_limit = endless;

  EntryName iterator_name(std::size_t i) const {
    return {"iterator", i, body, spec.iterators[i].parameter};
  }
  EntryName state_name(std::size_t i) const { return {"state", i, body, spec.states[i].parameter}; }

 private:
  void find_whole_inputs();
  void find_other_limit(const graph::PrepareContext& context);
  bool fits(std::size_t input, const TensorView& given) const;

  std::vector<char> is_whole_;  // by input: it is not only cut into slices, which may change
};

/// How many trips there can be.
struct TripLimit {
  std::int64_t trips = endless;
  LoopEnd end = LoopEnd::count;  ///< what ends it there
  std::int64_t count = endless;  ///< the least of the counts
  /// First trip of which some iterator has no slice, and which one.
  std::int64_t slices = endless;
  int lacking_iterator = -1;
};

/// One run.
class LoopCall {
 public:
  LoopCall(const LoopGeometry& geometry, const graph::KernelArguments& arguments)
      : geometry_(geometry), arguments_(arguments) {}

  const LoopGeometry& geometry() const noexcept { return geometry_; }
  const LoopSpec& spec() const noexcept { return geometry_.spec; }
  const void* input(int i) const noexcept { return arguments_.inputs[i]; }
  TensorView input_view(int i) const {
    return TensorView::trusted(const_cast<void*>(input(i)),
                               geometry_.inputs[static_cast<std::size_t>(i)]);
  }
  /// The one element of an input of i32 or i64.
  std::int64_t integer(int i) const;
  bool flag(int i) const { return *static_cast<const char*>(input(i)) != 0; }

  /// Reads counts, first condition, slices and lengths. Throws Error(bounds) if the number of trips
  /// is known (`certain`: nothing can end it before) and a slice is missing.
  TripLimit trip_limit(bool certain) const;
  [[noreturn]] void refuse_missing_slice(const TripLimit& limit, std::int64_t trip) const;

  /// Memory of an output, row-major: as planned, or allocated now.
  TensorView output(std::size_t i, ScalarType dtype, IntSpan shape) const {
    return TensorView::trusted(output_memory(i, shape), dtype, shape);
  }
  void* output_memory(std::size_t i, IntSpan shape) const {
    return has_memory(i) ? arguments_.outputs[i] : arguments_.allocate(static_cast<int>(i), shape);
  }
  /// Whether an output has its memory before the run, so that its shape is known to all.
  bool has_memory(std::size_t i) const { return geometry_.outputs[i].defined(); }
  /// Writes trips and condition into outputs that want them.
  void write_numbers(std::int64_t trips, bool condition) const;

 private:
  const LoopGeometry& geometry_;
  const graph::KernelArguments& arguments_;
};

/// Runs a loop whose states change their shapes, or that has rows; the body may be planned anew for
/// every trip.
void run_free(const LoopCall& call, LoopRuntime& runtime, LoopReport& report);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
