// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the trips of a loop gave for its outputs, where every value has memory of its own.
#pragma once

#include <weft/core/tensor.hpp>

#include "recurrent/operator/loop_call.hpp"

#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Values by output, until the loop has ended. They may differ in shape from trip to trip.
class GatheredValues {
 public:
  GatheredValues(const LoopCall& call, const LoopBody& body, LoopReport& report)
      : call_(call), spec_(call.spec()), body_(body), report_(report) {
    values_.resize(spec_.outputs.size());
  }

  /// The value of this trip, of an output of the last value.
  void set_last(std::size_t output, Tensor value) {
    values_[output].clear();
    values_[output].push_back(std::move(value));
  }
  /// The value of one trip more. Throws Error(limit).
  void add(std::size_t output, Tensor value);

  /// Writes the loop's output after so many trips. Throws Error(shape) for values that do not go
  /// together, or are more than there is room for, and Error(invalid_argument) for a last value
  /// that there is not.
  void write(std::size_t output, std::int64_t trips, const std::vector<Tensor>& states);

 private:
  void write_value(std::size_t output, const Tensor& value);
  void write_stack(std::size_t output, std::int64_t trips);
  void write_join(std::size_t output, std::int64_t trips);
  std::pair<ScalarType, DimVector> element(std::size_t output) const;
  void copy(const TensorView& to, const TensorView& from);

  const LoopCall& call_;
  const LoopSpec& spec_;
  const LoopBody& body_;
  LoopReport& report_;
  std::vector<std::vector<Tensor>> values_;  // by output
  std::int64_t bytes_ = 0;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
