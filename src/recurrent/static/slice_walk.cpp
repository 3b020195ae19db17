// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/slice_walk.hpp"

#include <weft/base/error.hpp>

#include "recurrent/spec/loop_types.hpp"

#include <limits>

namespace weft {
inline namespace v0 {
namespace recurrent {

DimVector usual_strides(IntSpan shape, IntSpan strides) {
  DimVector usual(strides.begin(), strides.end());
  std::int64_t product = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 1) usual[axis] = product;
    product = usual[axis] * shape[axis];
  }
  return usual;
}

bool is_row_major(IntSpan shape, IntSpan strides) {
  std::int64_t product = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 0) return true;
    if (shape[axis] != 1 && strides[axis] != product) return false;
    product *= shape[axis];
  }
  return true;
}

void SliceWalk::set_range(const LoopSpec& spec, const EntryName& entry,
                          const LoopIterator& iterator, std::int64_t stride_bytes) {
  if (from_count) {
    step_bytes = -stride_bytes;
    count = extent;
    part_size = 1;
    return;
  }
  const SliceRange range = slices(spec, entry, iterator, extent);
  first_bytes = range.first * stride_bytes;
  step_bytes = range.step * stride_bytes;
  count = range.count;
  part_size = range.size;
}

bool SliceWalk::follow(const LoopSpec& spec, const EntryName& entry, const LoopIterator& iterator,
                       const TensorView& before, const TensorView& now) {
  if (now.dtype() != before.dtype() || !same_list(now.strides(), before.strides())) return false;
  const auto axis =
      static_cast<std::size_t>(iterator.axis < 0 ? iterator.axis + now.rank() : iterator.axis);
  for (std::size_t a = 0; a < now.shape().size(); ++a) {
    if (a != axis && now.shape()[a] != before.shape()[a]) return false;
  }
  extent = now.shape()[axis];
  set_range(spec, entry, iterator, now.strides()[axis] * element_size(dtype));
  return true;
}

TensorView SliceWalk::stacked(const void* at, std::int64_t trips) const {
  DimVector stacked_shape(1, trips);
  DimVector stacked_strides(1, step_bytes / element_size(dtype));
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    stacked_shape.push_back(shape[axis]);
    stacked_strides.push_back(strides[axis]);
  }
  return TensorView::trusted(at, dtype, stacked_shape, stacked_strides);
}

SliceWalk walk_slices(const LoopSpec& spec, const EntryName& entry, const LoopIterator& iterator,
                      const TensorView& tensor) {
  SliceWalk walk;
  if (iterator.axis < -tensor.rank() || iterator.axis >= tensor.rank()) {
    refuse(spec, ErrorCode::axis, entry.text(), ": axis ", iterator.axis, " of rank ",
           tensor.rank());
  }
  const auto axis =
      static_cast<std::size_t>(iterator.axis < 0 ? iterator.axis + tensor.rank() : iterator.axis);
  const std::int64_t bytes = element_size(tensor.dtype());
  const std::int64_t stride_bytes = tensor.strides()[axis] * bytes;
  walk.dtype = tensor.dtype();
  walk.extent = tensor.shape()[axis];
  walk.from_count = iterator.from_count;
  walk.set_range(spec, entry, iterator, stride_bytes);
  std::int64_t elements = 1;
  DimVector strides;
  for (std::size_t a = 0; a < tensor.shape().size(); ++a) {
    if (a == axis && !iterator.keep_axis) continue;
    walk.shape.push_back(a == axis ? walk.part_size : tensor.shape()[a]);
    strides.push_back(tensor.strides()[a]);
    elements *= walk.shape.back();
  }
  walk.strides = usual_strides(walk.shape, strides);
  walk.slice_bytes = elements * bytes;
  walk.dense = is_row_major(walk.shape, walk.strides);
  if (walk.dense) return walk;
  std::int64_t run = 0;
  for (std::size_t a = 0; a < walk.shape.size(); ++a) {
    if (walk.strides[a] == 1) run = std::max(run, walk.shape[a] * bytes);
  }
  walk.runs = run >= min_run_bytes;
  return walk;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
