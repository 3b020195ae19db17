// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/last_outputs.hpp"

#include <weft/base/error.hpp>
#include <weft/core/tensor.hpp>
#include <weft/ops/copy.hpp>

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

void LastOutputs::write(std::size_t output, const TensorView& value) const {
  copy_out(run_.call->output(output, value.dtype(), value.shape()), value);
  run_.report->bytes_copied += value.nbytes();
}

/// A value that is row-major.
void LastOutputs::write_dense(std::size_t output, const char* from,
                              const graph::ValueType& type) const {
  const IntSpan shape = type.shape.shape();
  const std::int64_t bytes = numel(shape) * element_size(type.dtype);
  if (bytes > max_bytes_by_one) {
    write(output, TensorView::trusted(static_cast<const void*>(from), type.dtype, shape));
    return;
  }
  std::copy_n(from, bytes, static_cast<char*>(run_.call->output_memory(output, shape)));
  run_.report->bytes_copied += bytes;
}

void LastOutputs::write_state(std::size_t output) const {
  const auto number = static_cast<std::size_t>(spec_.outputs[output].state);
  const StaticPlan::State& state =
      *std::ranges::find(plan_.states, number, &StaticPlan::State::number);
  const char* const at = plan_.variables[state.variable];
  // As the body gives it; without trips, as it came.
  const graph::ValueType& type = body_.parameter_type(spec_.states[number].parameter);
  if (state.gather < 0 || run_.done == 0) {
    write_dense(output, at, type);
    return;
  }
  const StaticPlan::Gather& gather = plan_.gathers[static_cast<std::size_t>(state.gather)];
  const IntSpan shape = type.shape.shape();
  const DimVector strides = graph::row_strides(
      shape, gather.row_elements(), gather.collected.row_step() / element_size(type.dtype));
  write(output, TensorView::trusted(static_cast<const void*>(at), type.dtype, shape, strides));
}

void LastOutputs::write_value(std::size_t output, const char* at) const {
  const int result = spec_.outputs[output].result;
  const graph::ValueType& type = body_.typed->result_type(result);
  const Source source = *body_.results[static_cast<std::size_t>(result)];
  const auto number = static_cast<std::size_t>(source.number);
  const IntSpan shape = type.shape.shape();
  Tensor dense;
  if (source.kind == Source::Kind::iterator && !plan_.iterators[number].packed) {
    dense = Tensor::copy_of(geometry_.iterators[number].slice(at));
  } else if (source.kind == Source::Kind::invariant || source.kind == Source::Kind::once) {
    dense = Tensor::copy_of(views_.view(source));
  }
  write(output, dense.defined()
                    ? dense.as_strided(shape, contiguous_strides(shape))
                    : TensorView::trusted(static_cast<const void*>(at), type.dtype, shape));
}

void LastOutputs::write() const {
  std::size_t watched = 0;
  for (std::size_t o = 0; o < spec_.outputs.size(); ++o) {
    const LoopOutputKind kind = spec_.outputs[o].kind;
    if (kind == LoopOutputKind::last_state) write_state(o);
    if (kind != LoopOutputKind::last_value) continue;
    if (run_.done == 0) {
      refuse(spec_, ErrorCode::invalid_argument, "output ", o,
             " is a value of the last trip, and there was none");
    }
    write_value(o, trips_.last(watched++));
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
