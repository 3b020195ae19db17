// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a frame is planned for.
#pragma once

#include <weft/graph/executable.hpp>

#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// Parameters and places of results that a plan is made for.
class FrameGeometry {
 public:
  /// Throws Error(invalid_argument) for numbers of parameters or places that the program does not
  /// have.
  static void check_counts(const Program& program, std::span<const TensorView> parameters,
                           std::span<const ResultPlace> places);
  /// Throws Error that names the parameter if it is not of the type that was declared.
  static void check_parameter(const Executable& executable, int i, const TensorView& given);

  /// `places`: one per result, or none for the default.
  void assign(std::span<const TensorView> parameters, std::span<const ResultPlace> places,
              std::size_t nresults);
  void set_parameter(int i, const TensorView& view) {
    parameters_[static_cast<std::size_t>(i)] = view;
  }

  std::span<const TensorView> parameters() const noexcept { return parameters_; }
  const TensorView& parameter(int i) const { return parameters_[static_cast<std::size_t>(i)]; }
  const ResultPlace& place(int i) const { return places_[static_cast<std::size_t>(i)]; }
  /// True if parameter i has this type and these strides.
  bool has_parameter(int i, const TensorView& given) const;
  bool has_places(std::span<const ResultPlace> places) const;

 private:
  std::vector<TensorView> parameters_;
  std::vector<ResultPlace> places_;  // by result
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
