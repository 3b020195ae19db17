// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/cast.hpp>
#include <weft/core/tensor.hpp>

#include "base/text.hpp"
#include "core/allocate.hpp"

#include <cstring>

namespace weft {
inline namespace v0 {
Tensor Tensor::empty_strided(IntSpan shape, IntSpan strides, ScalarType type) {
  // The geometry is checked on a view of no memory in particular before anything is allocated.
  static const std::byte probe{};
  const TensorView checked =
      TensorView::trusted(static_cast<const void*>(&probe), type, shape, strides);
  if (checked.first_byte() < 0) {
    fail(ErrorCode::invalid_argument,
         text("negative strides ", to_string(strides), " for a new tensor"));
  }
  std::shared_ptr<void> memory = allocate(checked.end_byte());
  auto* begin = static_cast<std::byte*>(memory.get());
  TensorView view = within({begin, begin + checked.end_byte()}, begin, type, shape, strides);
  return {std::move(memory), std::move(view)};
}

Tensor Tensor::empty(IntSpan shape, ScalarType type) {
  return empty_strided(shape, contiguous_strides(shape), type);
}

Tensor Tensor::zeros(IntSpan shape, ScalarType type) {
  Tensor t = empty(shape, type);
  std::memset(t.data(), 0, static_cast<std::size_t>(t.nbytes()));
  return t;
}

Tensor Tensor::full(IntSpan shape, ScalarType type, double value) {
  Tensor t = empty(shape, type);
  cast_elements(t.data(), type, element_size(type), &value, ScalarType::f64, 0, t.numel());
  return t;
}

Tensor Tensor::share(std::shared_ptr<void> owner, const TensorView& view) {
  return {std::move(owner), view};
}

Tensor Tensor::copy_of(const TensorView& view) {
  Tensor t = empty(view.shape(), view.dtype());
  cast_tensor(t, view);
  return t;
}

void Tensor::check_count(std::int64_t count) const {
  if (count != numel()) {
    fail(ErrorCode::shape,
         text("expected ", numel(), " values for shape ", to_string(shape()), ", got ", count));
  }
}

}  // namespace v0
}  // namespace weft
