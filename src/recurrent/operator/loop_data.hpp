// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a loop's node keeps: its spec, bodies divided for the types seen so far, and frames to
/// run them.
#pragma once

#include <weft/graph/executable.hpp>
#include <weft/recurrent/loop.hpp>

#include "recurrent/body/loop_body.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Memory that grows and is kept.
class Buffer {
 public:
  /// At least `bytes`; what was there may be lost.
  char* reserve(std::int64_t bytes) {
    if (!memory_.defined() || memory_.nbytes() < bytes)
      memory_ = Tensor::empty({bytes}, ScalarType::u8);
    return data();
  }
  char* data() const noexcept { return static_cast<char*>(memory_.data()); }
  std::int64_t size() const noexcept { return memory_.defined() ? memory_.nbytes() : 0; }

 private:
  Tensor memory_;
};

/// What it takes to run a body: frames, which hold plans and packed weights, and buffers. It
/// outlives the kernels, of which there is a new one whenever a sequence has another length.
struct LoopRuntime {
  explicit LoopRuntime(std::shared_ptr<const LoopBody> of);

  std::shared_ptr<const LoopBody> body;
  std::optional<graph::Frame> once, block, head, trip;
  std::vector<Buffer> starts;        ///< by state: its first value, if it has to be made dense
  std::vector<Buffer> fixed_states;  ///< values that are the same in every trip, likewise
  std::vector<Buffer> rings;         ///< by result of the trip stage
  std::vector<Buffer> staged;        ///< by iterator: slices of a block
  std::vector<Buffer> blocks;        ///< by output: elements of a block
  std::vector<std::vector<Buffer>> chunks;  ///< by output: elements of a loop of unknown length
  /// Of the stage of trips, for reports. Null: not made yet.
  std::shared_ptr<const std::vector<graph::PlanNote>> trip_notes;

  std::int64_t bytes_held() const noexcept;
};

class LoopData final : public graph::NodeData {
 public:
  explicit LoopData(LoopSpec of) : spec(std::move(of)) {}

  const LoopSpec spec;

  /// The body for these types of parameters in trip 0; remembered.
  std::shared_ptr<const TypedGraph> typed_body(const graph::Graph& body,
                                               const std::vector<graph::ValueType>& first,
                                               const graph::OperatorRegistry& operators) const;
  /// The same divided. With `block`: what depends on slices only is done block by block.
  std::shared_ptr<const LoopBody> body(const graph::Graph& body,
                                       const std::vector<graph::ValueType>& first,
                                       const graph::OperatorRegistry& operators, bool first_is_true,
                                       bool block) const;

  /// Frames for a body: used ones, or new. To be given back.
  std::unique_ptr<LoopRuntime> take(const std::shared_ptr<const LoopBody>& body) const;
  void give_back(std::unique_ptr<LoopRuntime> runtime) const noexcept;

  /// `notes` become in_trips; may be null.
  void set_report(const LoopReport& report,
                  const std::shared_ptr<const std::vector<graph::PlanNote>>& notes) const;
  LoopReport report() const;

 private:
  /// Operators that a body's nodes are computed by: part of what it is remembered by.
  using Operators = std::vector<const graph::Operator*>;
  struct Typed {
    std::vector<graph::ValueType> first;
    Operators operators;
    std::shared_ptr<const TypedGraph> typed;
  };
  struct Divided {
    std::shared_ptr<const TypedGraph> typed;
    bool first_is_true;
    bool block;
    std::shared_ptr<const LoopBody> body;
  };

  mutable std::mutex mutex_;
  mutable std::vector<Typed> typed_;
  mutable std::vector<Divided> divided_;
  mutable std::vector<std::unique_ptr<LoopRuntime>> idle_;
  mutable LoopReport report_;
  mutable std::shared_ptr<const std::vector<graph::PlanNote>> trip_notes_;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
