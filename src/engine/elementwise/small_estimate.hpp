// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a few elements cost, by prices of the tuning table: in picoseconds, but for what every way
/// of running them costs. They are in the first-level cache, or if they touch more, in the second.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "machine/tuning.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// What spans cost a kernel, in picoseconds.
class SpanPrices {
 public:
  /// Refers to the kernel and the tuning. `still`: operands (bits) that are one value in each span.
  SpanPrices(const SpanKernel& kernel, const Tuning& tuning, std::uint32_t still);

  /// `count` spans of n elements. Plain loops take as many elements at a time as the narrowest ones
  /// that are not still fill a register, and what is left one by one; others fill the register up.
  std::int64_t spans(std::int64_t n, std::int64_t count) const;

 private:
  const SpanKernel& kernel_;
  const Tuning& t_;
  std::int64_t widest_ = 1;  // bytes of an element
  std::uint64_t narrowest_ = max_element_bytes;
};

/// Elements of the kernel's own types, in one to three of the ways of a SimpleRun.
class SmallEstimate {
 public:
  /// Refers to all of them. Precondition: ndim > 0, numel > 0.
  SmallEstimate(const Geometry& geometry, const SpanKernel& kernel, const Tuning& tuning);

  /// As rows along dim 0, in place.
  std::int64_t rows() const {
    return planes_ * t_.call_ps + SpanPrices(kernel_, t_, still_).spans(row_, rows_);
  }
  /// The same by the kernel's strided loop.
  std::int64_t strided_rows() const;
  /// As one span, of which the operands in `packed` (bits) go through buffers; or something above
  /// `enough`, if it is more than that.
  std::int64_t span(std::uint32_t packed, std::int64_t enough) const;
  /// No span that needs a buffer costs less.
  std::int64_t least_buffered() const { return 2 * t_.call_ps + t_.buffer_ps; }

 private:
  std::int64_t pack(int k) const;
  std::int64_t bytes_touched(int k) const;

  const Geometry& geometry_;
  const SpanKernel& kernel_;
  const Tuning& t_;
  std::uint32_t still_ = 0;          // operands that are one value in each row
  std::int64_t row_ = 1, rows_ = 1;  // elements of a row, and how many rows
  std::int64_t planes_ = 1;          // of rows along the longest dim; packing takes about as many
};

}  // namespace v0
}  // namespace weft
