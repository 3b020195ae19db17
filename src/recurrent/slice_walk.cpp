// SPDX-License-Identifier: Apache-2.0
#include "recurrent/slice_walk.hpp"

#include <weft/base/error.hpp>

#include "recurrent/loop_types.hpp"

#include <limits>

namespace weft::inline v0::recurrent {

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
  std::int64_t size = 1;
  if (iterator.from_count) {
    walk.step_bytes = -stride_bytes;
    walk.count = walk.extent;
  } else {
    const SliceRange range = slices(spec, entry, iterator, walk.extent);
    walk.first_bytes = range.first * stride_bytes;
    walk.step_bytes = range.step * stride_bytes;
    walk.count = range.count;
    size = range.size;
  }
  std::int64_t elements = 1;
  DimVector strides;
  for (std::size_t a = 0; a < tensor.shape().size(); ++a) {
    if (a == axis && !iterator.keep_axis) continue;
    walk.shape.push_back(a == axis ? size : tensor.shape()[a]);
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
  walk.runs = run >= least_run_bytes;
  return walk;
}

}  // namespace weft::inline v0::recurrent
