// SPDX-License-Identifier: Apache-2.0
#include "recurrent/dynamic/dynamic_scan_output.hpp"

#include <weft/base/error.hpp>
#include <weft/ops/copy.hpp>

#include "recurrent/static/scan_output.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

void GatheredValues::add(std::size_t output, Tensor value) {
  bytes_ += value.nbytes();
  body_.check_bytes(spec_, bytes_);
  values_[output].push_back(std::move(value));
}

void GatheredValues::copy(const TensorView& to, const TensorView& from) {
  copy_out(to, from);
  report_.bytes_copied += from.nbytes();
}

void GatheredValues::write(std::size_t o, std::int64_t trips, const std::vector<Tensor>& states) {
  const LoopOutput& output = spec_.outputs[o];
  switch (output.kind) {
    case LoopOutputKind::last_state:
      write_value(o, states[static_cast<std::size_t>(output.state)]);
      break;
    case LoopOutputKind::last_value:
      if (values_[o].empty()) {
        refuse(spec_, ErrorCode::invalid_argument, "output ", o,
               " is a value of the last trip, and there was none");
      }
      write_value(o, values_[o].front());
      break;
    case LoopOutputKind::stack: write_stack(o, trips); break;
    case LoopOutputKind::join: write_join(o, trips); break;
    default: break;
  }
}

void GatheredValues::write_value(std::size_t o, const Tensor& value) {
  copy(call_.output(o, value.dtype(), value.shape()), value);
}

/// Type and shape of what a trip adds: of the first, or as inferred, 0 for extents not known.
std::pair<ScalarType, DimVector> GatheredValues::element(std::size_t o) const {
  if (!values_[o].empty()) {
    const Tensor& first = values_[o].front();
    return {first.dtype(), DimVector(first.shape().begin(), first.shape().end())};
  }
  const graph::ValueType& type = body_.typed->result_type(spec_.outputs[o].result);
  DimVector shape;
  if (type.shape.has_rank()) {
    for (const std::int64_t extent : type.shape.extents())
      shape.push_back(std::max<std::int64_t>(extent, 0));
  }
  return {type.dtype, shape};
}

void GatheredValues::write_stack(std::size_t o, std::int64_t trips) {
  const auto [dtype, shape] = element(o);
  std::int64_t length = trips;
  if (spec_.outputs[o].length) {
    length = call_.integer(*spec_.outputs[o].length);
    if (length < trips) {
      refuse(spec_, ErrorCode::shape, "output ", o, ": has length ", length, ", and the loop has ",
             trips, " trips");
    }
  }
  Collected collected(spec_, o, dtype, shape);
  collected.open(call_.output_memory(o, collected.shape(length)), length, trips);
  for (std::int64_t i = 0; i < trips; ++i) {
    const Tensor& value = values_[o][static_cast<std::size_t>(i)];
    if (!std::ranges::equal(value.shape(), shape)) {
      refuse(spec_, ErrorCode::shape, "output ", o, ": trip ", i, " gave shape ",
             to_string(value.shape()), ", and trip 0 ", to_string(shape),
             ": values of one shape can be stacked");
    }
    copy(collected.places(i, 1), value.unsqueeze(0));
  }
  collected.clear_tail(trips);
}

/// Extents along the axis may differ.
void GatheredValues::write_join(std::size_t o, std::int64_t trips) {
  auto [dtype, shape] = element(o);
  const LoopOutput& output = spec_.outputs[o];
  const Collected checked(spec_, o, dtype, shape);  // the axis
  if (shape.empty()) {
    write_stack(o, trips);
    return;
  }
  const auto axis =
      static_cast<std::size_t>(normalize_axis(output.axis, static_cast<int>(shape.size())));
  std::int64_t length = 0;
  for (std::size_t i = 0; i < values_[o].size(); ++i) {
    const Tensor& value = values_[o][i];
    bool fits = value.shape().size() == shape.size();
    for (std::size_t a = 0; fits && a < shape.size(); ++a)
      fits = a == axis || value.shape()[a] == shape[a];
    if (!fits) {
      refuse(spec_, ErrorCode::shape, "output ", o, ": trip ", i, " gave shape ",
             to_string(value.shape()), ", and trip 0 ", to_string(values_[o].front().shape()),
             ": they may differ along axis ", axis, " only");
    }
    length += value.shape()[axis];
  }
  shape[axis] = length;
  const TensorView out = call_.output(o, dtype, shape);
  std::int64_t at = output.backwards ? length : 0;
  for (const Tensor& value : values_[o]) {
    const std::int64_t extent = value.shape()[axis];
    if (output.backwards) at -= extent;
    copy(out.slice(static_cast<std::int64_t>(axis), at, at + extent), value);
    if (!output.backwards) at += extent;
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
