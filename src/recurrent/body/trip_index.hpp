// SPDX-License-Identifier: Apache-2.0
/// @file
/// The number of a trip as a value.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/graph/partial_shape.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// The number of the current trip, as bodies want to see it: of i64, or of i32. It is read where it
/// is.
class TripIndex {
 public:
  void set(std::int64_t i) noexcept {
    wide_ = i;
    narrow_ = static_cast<std::int32_t>(i);
  }
  TensorView view(const graph::ValueType& type) const {
    const void* at = type.dtype == ScalarType::i32 ? static_cast<const void*>(&narrow_) : &wide_;
    return TensorView::trusted(at, type.dtype, type.shape.shape());
  }

 private:
  std::int64_t wide_ = 0;
  std::int32_t narrow_ = 0;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
