// SPDX-License-Identifier: Apache-2.0
/// @file
/// How the operands of a few elements lie in memory. No more of it is looked at than is needed:
/// choosing must not take longer than what it decides about.
#pragma once

#include <weft/iter/geometry.hpp>

#include "machine/tuning.hpp"

#include <algorithm>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// Rows along dim 0, and how operands lie along that. Operands are bits.
struct SmallRows {
  /// `sizes`: bytes of each operand's elements in memory.
  SmallRows(const Geometry& geometry, const std::int64_t* sizes) {
    const std::int64_t* const extents = geometry.shape.data();
    const int ndim = geometry.ndim();
    if (ndim == 0) return;
    std::int64_t longest = 1, count = 1, others = 1;
    for (int d = 1; d < ndim; ++d) {
      const std::int64_t extent = extents[d];
      count *= extent;
      others *= std::min(extent, longest);
      longest = std::max(extent, longest);
    }
    row = extents[0];
    rows = count;
    planes = others;
    const std::int64_t* const steps = geometry.strides(0);
    std::uint32_t units = 0, values = 0;
    std::int64_t any = 0, moving = 0;
    int scattered = 0;
    for (int k = 0; k < geometry.noperands; ++k) {
      const bool is_unit = steps[k] == sizes[k], is_still = steps[k] == 0;
      units |= static_cast<std::uint32_t>(is_unit) << k;
      values |= static_cast<std::uint32_t>(is_still) << k;
      scattered += static_cast<int>(!is_unit && !is_still);
      any |= sizes[k];
      moving |= is_still ? 0 : sizes[k];
    }
    unit = units;
    still = values;
    strided_count = scattered;
    element_bytes = any;
    moving_bytes = moving;
  }

  std::int64_t numel() const { return row * rows; }

  std::int64_t row = 1, rows = 1;  ///< elements along dim 0, and how often that is repeated
  std::int64_t planes = 1;         ///< of rows along the longest other dim
  std::uint32_t unit = 0;          ///< next to each other along dim 0
  std::uint32_t still = 0;         ///< one value along dim 0
  int strided_count = 0;           ///< how many operands are neither
  /// Bytes of an element of all operands, and of all that are not still; or-ed: they are powers of
  /// two.
  std::int64_t element_bytes = 0, moving_bytes = 0;
};

/// How operands lie over all dims. Operands are bits.
struct SmallSpans {
  /// `rows` is of the same geometry and sizes.
  SmallSpans(const Geometry& geometry, const SmallRows& rows, const std::int64_t* sizes) {
    const std::int64_t* const extents = geometry.shape.data();
    const int ndim = geometry.ndim(), n = geometry.noperands;
    for (int k = 0; k < n; ++k) {
      const std::uint32_t operand = 1U << k;
      const std::int64_t* stride = geometry.strides(0) + k;
      int d = 1;
      if ((rows.unit & operand) != 0) {
        std::int64_t next = sizes[k] * rows.row;
        for (; d < ndim && *(stride += n) == next; ++d)
          next *= extents[d];
        if (d == ndim) dense |= operand;
      } else if ((rows.still & operand) != 0) {
        while (d < ndim && *(stride += n) == 0)
          ++d;
        if (d == ndim) value |= operand;
      } else {
        constexpr std::int64_t least = transposed_lanes * transposed_lanes;
        for (; d < ndim; ++d)
          if (*(stride += n) == sizes[k] && rows.row * extents[d] >= least) transposed |= operand;
      }
    }
  }

  std::uint32_t dense = 0;       ///< next to each other
  std::uint32_t value = 0;       ///< one value
  std::uint32_t transposed = 0;  ///< next to each other along another dim than 0, worth transposing
};

}  // namespace v0
}  // namespace weft
