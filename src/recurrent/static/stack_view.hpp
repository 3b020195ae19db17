// SPDX-License-Identifier: Apache-2.0
/// @file
/// Elements of several trips as one view.
#pragma once

#include <weft/core/tensor_view.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// n row-major elements of a shape, one behind the other, with the axis of trips in front.
inline TensorView stack_of(const void* at, ScalarType dtype, IntSpan element, std::int64_t n) {
  DimVector shape(1, n);
  for (const std::int64_t extent : element)
    shape.push_back(extent);
  return TensorView::trusted(at, dtype, shape);
}
inline TensorView stack_of(void* at, ScalarType dtype, IntSpan element, std::int64_t n) {
  DimVector shape(1, n);
  for (const std::int64_t extent : element)
    shape.push_back(extent);
  return TensorView::trusted(at, dtype, shape);
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
