// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which axes of what is computed a dim of its reduction is.
#pragma once

#include <weft/iter/tensor_iterator.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// A dim of a reduction's iterator whose inputs are computed: these are dense tensors of one shape,
/// and the dim is one axis of them or several that follow each other.
struct ComputedDim {
  std::int64_t stride, end;  ///< elements from one to the next, and to behind the last

  ComputedDim(const TensorIterator& iter, int dim) {
    const int k = iter.noutputs();
    stride = iter.geometry().stride(dim, k) / element_size(iter.operand(k).storage);
    end = stride * iter.geometry().extent(dim);
  }
  /// Whether an axis of more than one element is part of it, by the axis' stride in elements.
  bool has(std::int64_t axis_stride) const noexcept {
    return axis_stride >= stride && axis_stride < end;
  }
};

}  // namespace v0
}  // namespace weft
