// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/frame_geometry.hpp"

#include <weft/base/error.hpp>

#include "base/text.hpp"
#include "graph/compile/program.hpp"

namespace weft {
inline namespace v0 {
namespace graph {

void FrameGeometry::check_counts(const Program& program, std::span<const TensorView> parameters,
                                 std::span<const ResultPlace> places) {
  const auto check = [&](std::size_t expected, std::size_t got, const char* what) {
    if (got == expected) return;
    fail(ErrorCode::invalid_argument,
         text("graph '", program.name, "': expected ", expected, what, ", got ", got));
  };
  if (!places.empty()) check(program.results.size(), places.size(), " places of results");
  check(program.parameters.size(), parameters.size(), " parameters");
}

void FrameGeometry::check_parameter(const Executable& executable, int i, const TensorView& given) {
  const ValueType& type = executable.parameter_type(i);
  const auto refuse = [&](ErrorCode code) {
    const std::string got =
        given.defined() ? to_string(ValueType{given.dtype(), given.shape()}) : "nothing";
    fail(code, text("graph '", executable.name(), "': parameter ", i, " '",
                    executable.parameter_name(i), "': expected ", to_string(type), ", got ", got));
  };
  if (!given.defined()) refuse(ErrorCode::undefined);
  if (given.dtype() != type.dtype) refuse(ErrorCode::dtype);
  if (!type.shape.admits(given.shape())) refuse(ErrorCode::shape);
}

void FrameGeometry::assign(std::span<const TensorView> parameters,
                           std::span<const ResultPlace> places, std::size_t nresults) {
  parameters_.assign(parameters.begin(), parameters.end());
  places_.assign(places.begin(), places.end());
  places_.resize(nresults);
}

bool FrameGeometry::has_parameter(int i, const TensorView& given) const {
  const TensorView& old = parameter(i);
  return given.defined() && given.dtype() == old.dtype() && same_list(given.shape(), old.shape()) &&
         same_list(given.strides(), old.strides());
}

bool FrameGeometry::has_places(std::span<const ResultPlace> places) const {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const bool external = !places.empty() && places[i].external;
    const IntSpan strides = places.empty() ? IntSpan() : IntSpan(places[i].strides);
    if (external != places_[i].external || !same_list(strides, places_[i].strides)) return false;
  }
  return true;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
