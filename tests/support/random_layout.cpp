// SPDX-License-Identifier: Apache-2.0
#include "support/random_layout.hpp"

namespace test {

Layout fit(Layout layout) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    if (layout.shape[axis] == 0) {
      layout.origin = layout.size = 0;
      return layout;
    }
    const std::int64_t span = (layout.shape[axis] - 1) * layout.strides[axis];
    (span < 0 ? low : high) += span;
  }
  layout.origin = -low;
  layout.size = high - low + 1;
  return layout;
}

Dims random_shape(Random& random, int max_rank, std::int64_t max_extent) {
  Dims shape(static_cast<std::size_t>(random.integer(0, max_rank)), 1);
  for (std::int64_t& extent : shape) {
    extent = random.chance(3) ? 0 : random.chance(20) ? 1 : random.integer(2, max_extent);
  }
  return shape;
}

Dims random_operand_shape(Random& random, const Dims& common) {
  Dims shape = common;
  for (std::int64_t& extent : shape) {
    if (random.chance(25)) extent = 1;
  }
  if (random.chance(20)) {
    const auto rank = static_cast<std::int64_t>(shape.size());
    shape.erase(shape.begin(), shape.begin() + random.integer(0, rank));
  }
  return shape;
}

Layout random_layout(Random& random, const Dims& shape, LayoutKinds kinds) {
  Layout layout{shape, Dims(shape.size(), 0)};
  const auto rank = static_cast<std::int64_t>(shape.size());
  Dims outermost_first(shape.size(), 0);
  for (std::size_t i = 0; i < shape.size(); ++i)
    outermost_first[i] = static_cast<std::int64_t>(i);
  if (kinds.permuted && random.chance(50)) outermost_first = random.permutation(rank);
  std::int64_t step = kinds.padded && random.chance(20) ? random.integer(2, 3) : 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(outermost_first[i]);
    layout.strides[axis] = step;
    step *= std::max<std::int64_t>(shape[axis], 1);
    if (kinds.padded && random.chance(20)) step += random.integer(1, 3);
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (kinds.negative && random.chance(20)) layout.strides[axis] = -layout.strides[axis];
    if (kinds.zero && random.chance(10)) layout.strides[axis] = 0;
    // The stride along a single element means nothing, so it may be anything.
    if (shape[axis] == 1 && random.chance(30)) layout.strides[axis] = random.integer(-1000, 1000);
  }
  return fit(layout);
}

Memory::Memory(weft::ScalarType type, const Layout& layout)
    : layout_(layout),
      type_(type),
      element_bytes_(weft::element_size(type)),
      bytes_(layout.size * element_bytes_),
      data_(bytes_ == 0 ? nullptr : new std::byte[static_cast<std::size_t>(bytes_)]) {
  if (data_ != nullptr) std::memset(data_.get(), 0, static_cast<std::size_t>(bytes_));
}

weft::TensorView Memory::view() const {
  return weft::TensorView::within({data_.get(), data_.get() + bytes_}, origin(), type_,
                                  layout_.shape, layout_.strides);
}

}  // namespace test
