// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a few elements cost, by prices of the tuning table: in picoseconds, but for what every way
/// of running them costs. They are in the first-level cache, or if they touch more, in the second.
#pragma once

#include <weft/base/checked.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "engine/elementwise/small_layout.hpp"
#include "engine/footprint.hpp"
#include "machine/tuning.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

namespace weft {
inline namespace v0 {

/// What spans cost a kernel, in picoseconds.
class SpanPrices {
 public:
  /// Refers to the kernel and the tuning. `element_bytes`: the bytes of an element of all operands,
  /// or-ed as in SmallRows. `moving_bytes`: the same of those that are not one value in each span.
  SpanPrices(const SpanKernel& kernel, const Tuning& tuning, std::int64_t element_bytes,
             std::int64_t moving_bytes)
      : kernel_(kernel),
        t_(tuning),
        widest_(std::bit_floor(static_cast<std::uint64_t>(element_bytes))),
        narrowest_(std::countr_zero(static_cast<std::uint64_t>(moving_bytes | max_element_bytes))) {
  }

  /// `count` spans of n elements. Plain loops take as many elements at a time as the narrowest ones
  /// that are not still fill a register, and what is left one by one; others fill the register up.
  std::int64_t spans(std::int64_t n, std::int64_t count) const {
    const std::int64_t bytes = n * static_cast<std::int64_t>(widest_);
    const std::int64_t row = t_.row_ps + static_cast<std::int64_t>(kernel_.row_cost * cost_ps);
    if (kernel_.cost <= plain_cost) {
      const std::int64_t left = n & ((register_bytes >> narrowest_) - 1);
      return count * (row + bytes * t_.vector_ps / priced_bytes + left * t_.single_ps);
    }
    const auto vector = static_cast<std::int64_t>(kernel_.cost * static_cast<float>(t_.vector_ps));
    return count * (row + ceil_div(bytes, priced_bytes) * vector);
  }

 private:
  const SpanKernel& kernel_;
  const Tuning& t_;
  std::uint64_t widest_;  // bytes of an element
  int narrowest_;         // log2 of the bytes of one that is not still
};

/// Elements of the kernel's own types, in each of the ways of a SimpleRun. All of it is
/// inline: it takes about as long as to pack a few elements.
class SmallEstimate {
 public:
  /// Refers to all of them. `sizes`: bytes of each operand's elements. Precondition: ndim > 0,
  /// numel > 0.
  SmallEstimate(const Geometry& geometry, const SmallRows& layout, const std::int64_t* sizes,
                const SpanKernel& kernel, const Tuning& tuning)
      : geometry_(geometry),
        layout_(layout),
        sizes_(sizes),
        kernel_(kernel),
        t_(tuning),
        prices_(kernel, tuning, layout.element_bytes, layout.moving_bytes) {}

  /// As rows along dim 0, in place.
  std::int64_t rows() const {
    return layout_.planes * t_.call_ps + prices_.spans(layout_.row, layout_.rows);
  }
  /// The same by the kernel's strided loop.
  std::int64_t strided_rows() const {
    // Operands that are stepped over count twice.
    const std::int64_t operands = geometry_.noperands + layout_.strided_count;
    const std::int64_t steps = t_.strided_row_ps + layout_.row * operands * t_.strided_ps;
    return (layout_.planes + 1) * t_.call_ps + with_lines(layout_.rows * steps);
  }
  /// As rows of one element each, along the longest dim. Of a plain kernel: loops that fill
  /// registers up, or find their operands for each row, take longer.
  std::int64_t elements() const {
    const std::int64_t calls =
        layout_.planes * std::min(layout_.row, layout_.rows / layout_.planes);
    return calls * t_.call_ps + with_lines(prices_.spans(1, layout_.numel()));
  }
  /// Whether no span that needs a buffer costs less. What is strided along dim 0 needs one.
  bool is_below_any_span(std::int64_t ps) const {
    const std::int64_t buffers = std::max(layout_.strided_count, 1);
    const std::int64_t least = t_.call_ps + buffers * (t_.buffer_ps + layout_.planes * t_.call_ps);
    return ps <= least || ps <= least + prices_.spans(layout_.numel(), 1);
  }
  /// As one span, of which the operands in `packed` (bits) go through buffers, those in
  /// `transposed` turned round; or something above `enough`, if it is more than that.
  std::int64_t span(std::uint32_t packed, std::uint32_t transposed, std::int64_t enough) const {
    std::int64_t moving = layout_.moving_bytes;
    for (std::uint32_t left = packed & layout_.still; left != 0; left &= left - 1)
      moving |= sizes_[std::countr_zero(left)];
    const SpanPrices prices(kernel_, t_, layout_.element_bytes, moving);
    std::int64_t ps = t_.call_ps + prices.spans(layout_.numel(), 1);
    for (; packed != 0 && ps <= enough; packed &= packed - 1) {
      const int k = std::countr_zero(packed);
      ps += pack(k, (transposed >> k & 1) != 0);
    }
    return ps;
  }

 private:
  /// `ps` of stepping over elements, while which their lines are on their way.
  std::int64_t with_lines(std::int64_t ps) const {
    if (layout_.numel() * layout_.strided_count * cache_line_bytes <= t_.l1_bytes) return ps;
    std::int64_t bytes = 0;
    for (int k = 0; k < geometry_.noperands; ++k)
      bytes += ((layout_.unit | layout_.still) >> k & 1) != 0 ? 0 : line_bytes_of(k);
    return std::max(ps, fetch_ps(bytes, t_));
  }
  /// Bytes of lines that operand k touches, of which no two rows share one.
  std::int64_t line_bytes_of(int k) const {
    return layout_.numel() * std::min(std::abs(geometry_.stride(0, k)), cache_line_bytes);
  }
  /// Between memory and a buffer, plane by plane. Dims of the operand that are one, and planes that
  /// this saves, are not looked for.
  std::int64_t pack(int k, bool is_transposed) const {
    const std::int64_t elements = layout_.numel();
    const std::int64_t vectors = elements * sizes_[k] / priced_bytes;
    const std::int64_t ps = t_.buffer_ps + layout_.planes * t_.call_ps;
    if (((layout_.unit | layout_.still) >> k & 1) != 0)
      return ps + moved_rows_ps(layout_.rows, t_) + vectors * t_.vector_ps;
    if (is_transposed) return ps + vectors * t_.transposed_ps;
    return ps + moved_rows_ps(layout_.rows, t_) +
           gather(geometry_, k, layout_, vectors, line_bytes_of(k), t_);
  }
  /// Bringing together what is strided along dim 0: once, if it repeats along the longest other
  /// dim. Not inline, nor a function of the estimate: small calls without it would take longer.
  [[gnu::noinline]] static std::int64_t gather(const Geometry& geometry, int k,
                                               const SmallRows& layout, std::int64_t vectors,
                                               std::int64_t line_bytes, const Tuning& t) {
    const std::int64_t ps = layout.numel() * t.gathered_ps + fetch_ps(line_bytes, t);
    for (int d = 1; d < geometry.ndim(); ++d) {
      const std::int64_t extent = geometry.extent(d);
      if (geometry.stride(d, k) == 0 && extent * layout.planes == layout.rows)
        return ps / extent + vectors * t.vector_ps;
    }
    return ps;
  }

  const Geometry& geometry_;
  const SmallRows& layout_;
  const std::int64_t* sizes_;
  const SpanKernel& kernel_;
  const Tuning& t_;
  SpanPrices prices_;  // of rows, and of a span of the same operands
};

}  // namespace v0
}  // namespace weft
