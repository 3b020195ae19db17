// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/small_estimate.hpp"

namespace weft {
inline namespace v0 {

SpanPrices::SpanPrices(const SpanKernel& kernel, const Tuning& tuning, std::uint32_t still)
    : kernel_(kernel), t_(tuning) {
  std::uint64_t sizes = 0, moving = max_element_bytes;
  for (int k = 0; k < kernel.noutputs + kernel.ninputs; ++k) {
    const auto size = static_cast<std::uint64_t>(element_size(kernel.types[k]));
    sizes |= size;
    moving |= (still >> k & 1) == 0 ? size : 0;
  }
  widest_ = std::bit_floor(sizes);
  narrowest_ = std::countr_zero(moving);
}

}  // namespace v0
}  // namespace weft
