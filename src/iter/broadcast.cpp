// SPDX-License-Identifier: Apache-2.0
#include <weft/iter/broadcast.hpp>

namespace weft {
inline namespace v0 {

void broadcast_strides(Geometry& geometry, int operand, IntSpan shape, IntSpan strides,
                       std::int64_t element_bytes) {
  const int lead = geometry.ndim() - shape.rank();
  for (int axis = 0; axis < lead; ++axis)
    geometry.stride(axis, operand) = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    const auto axis = static_cast<std::size_t>(i);
    const bool repeated = shape[axis] == 1 && geometry.extent(lead + i) != 1;
    // The stride of an axis of extent 1 is never stepped over and may be any number: unsigned
    // arithmetic, in case its product leaves 64 bits.
    const auto bytes =
        static_cast<std::uint64_t>(strides[axis]) * static_cast<std::uint64_t>(element_bytes);
    geometry.stride(lead + i, operand) = repeated ? 0 : static_cast<std::int64_t>(bytes);
  }
}

}  // namespace v0
}  // namespace weft
