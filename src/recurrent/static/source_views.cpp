// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/source_views.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

DimVector planned_strides(IntSpan shape, std::int64_t row_elements) {
  return graph::row_strides(shape, row_elements, 2 * row_elements);
}

TensorView SourceViews::view(Source source) const {
  using enum Source::Kind;
  const LoopBody& body = *runtime_.body;
  const auto number = static_cast<std::size_t>(source.number);
  if (source.kind == iterator) return slice_view(number);
  if (source.kind == state) return state_view(number);
  if (source.kind == block) {
    const graph::ValueType& type = body.block_types[number];
    return TensorView::trusted(nowhere(), type.dtype, type.shape.shape());
  }
  if (source.kind == once) return runtime_.once->result(source.number);
  if (source.kind == index) return run_.index.view(body.parameter_type(source.number));
  const int input = geometry_.spec.invariants[number].input;
  return run_.call != nullptr ? run_.call->input_view(input)
                              : geometry_.inputs[static_cast<std::size_t>(input)];
}

TensorView SourceViews::slice_view(std::size_t iterator) const {
  const SliceWalk& walk = geometry_.iterators[iterator];
  const StaticPlan::Iterator& it = plan_.iterators[iterator];
  if (it.packed) return TensorView::trusted(nowhere(), walk.dtype, walk.shape);
  if (!it.rows) return walk.slice(nowhere());
  return TensorView::trusted(nowhere(), walk.dtype, walk.shape,
                             planned_strides(walk.shape, it.rows->row_elements));
}

TensorView SourceViews::state_view(std::size_t number) const {
  const graph::ValueType& type =
      runtime_.body->parameter_type(geometry_.spec.states[number].parameter);
  const IntSpan shape = type.shape.shape();
  const auto found = std::ranges::find(plan_.states, number, &StaticPlan::State::number);
  if (found == plan_.states.end() || found->gather < 0)
    return TensorView::trusted(nowhere(), type.dtype, shape);
  const auto gather = static_cast<std::size_t>(found->gather);
  return TensorView::trusted(nowhere(), type.dtype, shape,
                             planned_strides(shape, plan_.gathers[gather].row_elements()));
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
