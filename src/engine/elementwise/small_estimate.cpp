// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/small_estimate.hpp"

#include <weft/base/checked.hpp>

#include "engine/block.hpp"
#include "engine/footprint.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace weft {
inline namespace v0 {

SpanPrices::SpanPrices(const SpanKernel& kernel, const Tuning& tuning, std::uint32_t still)
    : kernel_(kernel), t_(tuning) {
  for (int k = 0; k < kernel.noutputs + kernel.ninputs; ++k) {
    const std::int64_t size = element_size(kernel.types[k]);
    widest_ = std::max(widest_, size);
    if ((still >> k & 1) == 0) narrowest_ = std::min(narrowest_, static_cast<std::uint64_t>(size));
  }
}

std::int64_t SpanPrices::spans(std::int64_t n, std::int64_t count) const {
  const std::int64_t lanes = register_bytes >> std::countr_zero(narrowest_);
  const std::int64_t bytes = n * widest_;
  const std::int64_t row = t_.row_ps + static_cast<std::int64_t>(kernel_.row_cost * cost_ps);
  if (kernel_.cost <= plain_cost) {
    return count * (row + bytes * t_.vector_ps / priced_bytes + (n & (lanes - 1)) * t_.single_ps);
  }
  const auto vector = static_cast<std::int64_t>(kernel_.cost * static_cast<float>(t_.vector_ps));
  return count * (row + ceil_div(bytes, priced_bytes) * vector);
}

SmallEstimate::SmallEstimate(const Geometry& geometry, const SpanKernel& kernel,
                             const Tuning& tuning)
    : geometry_(geometry), kernel_(kernel), t_(tuning), row_(geometry.extent(0)) {
  for (int k = 0; k < geometry.noperands; ++k)
    still_ |= geometry.stride(0, k) == 0 ? 1u << k : 0;
  std::int64_t longest = 1;
  for (int d = 1; d < geometry.ndim(); ++d) {
    const std::int64_t extent = geometry.extent(d);
    rows_ *= extent;
    planes_ *= std::min(extent, longest);
    longest = std::max(extent, longest);
  }
}

/// Bytes of lines that operand k touches, of which no two rows share one.
std::int64_t SmallEstimate::bytes_touched(int k) const {
  return row_ * rows_ * std::min(std::abs(geometry_.stride(0, k)), cache_line_bytes);
}

/// While it steps over elements, lines are on their way.
std::int64_t SmallEstimate::strided_rows() const {
  std::int64_t operands = geometry_.noperands;  // those that are stepped over count twice
  std::int64_t bytes = 0;
  for (int k = 0; k < geometry_.noperands; ++k) {
    const std::int64_t stride = geometry_.stride(0, k);
    if (stride == 0 || stride == element_size(kernel_.types[k])) continue;
    ++operands;
    bytes += bytes_touched(k);
  }
  const std::int64_t steps = t_.strided_row_ps + row_ * operands * t_.strided_ps;
  return (planes_ + 1) * t_.call_ps + std::max(rows_ * steps, fetch_ps(bytes, t_));
}

std::int64_t SmallEstimate::span(std::uint32_t packed, std::int64_t enough) const {
  std::int64_t ps = t_.call_ps + SpanPrices(kernel_, t_, still_ & ~packed).spans(row_ * rows_, 1);
  for (; packed != 0 && ps <= enough; packed &= packed - 1)
    ps += pack(std::countr_zero(packed));
  return ps;
}

/// Between memory and a buffer, plane by plane. Dims of the operand that are one, and planes that
/// this saves, are not looked for: that takes as long as to pack a few elements.
std::int64_t SmallEstimate::pack(int k) const {
  const std::int64_t size = element_size(kernel_.types[k]), elements = row_ * rows_;
  const std::int64_t ps = t_.buffer_ps + planes_ * t_.call_ps;
  const std::int64_t stride = geometry_.stride(0, k), vectors = elements * size / priced_bytes;
  if (stride == size || stride == 0) return ps + rows_ * t_.row_ps + vectors * t_.vector_ps;
  for (int d = 1; d < geometry_.ndim(); ++d) {
    const std::int64_t side = std::min(row_, geometry_.extent(d));
    if (geometry_.stride(d, k) == size && side >= transposed_lanes)
      return ps + vectors * t_.transposed_ps;
  }
  return ps + rows_ * t_.row_ps + elements * t_.gathered_ps + fetch_ps(bytes_touched(k), t_);
}

}  // namespace v0
}  // namespace weft
