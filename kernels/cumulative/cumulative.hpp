// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the family of prefix operations.
#pragma once

#include <weft/kernel/cumulative_kernel.hpp>
#include <weft/machine/dispatch.hpp>

namespace weft {
inline namespace v0 {

enum class CumulativeOp : std::uint8_t {
  cumsum,
  cumprod,
  nancumsum,
  logcumsumexp,
  cummax,
  cummin,
  cummax_index,
  cummin_index,
};

/// Prefix sums and products over elements of a type, or null where there is none: i64, f32, f64,
/// c64 and c128 have them, logcumsumexp f32 and f64 only. f32 accumulates in f64, c64 in c128. To
/// nancumsum, NaN is 0, and so is a complex number of which one part is NaN.
///
/// Real sums, and products of f32 and i64, are taken by fours: of elements 4k ... 4k + 3 of a line
/// and the total t of all before, t + x0, t + (x0 + x1) = u, u + x2 and u + (x2 + x3), which is the
/// next total. That is the same along dense lines, where the four are lanes of a register, and
/// along another dim.
WEFT_DECLARE_KERNEL(running_total_kernel,
                    const CumulativeKernel*(CumulativeOp op, ScalarType type));

/// Running maxima and minima, or the positions (i64) at which they stand, over elements of a real
/// type; null for complex ones. NaN wins, and 0.0 is above -0.0; of equal elements the last stands.
WEFT_DECLARE_KERNEL(running_extreme_kernel,
                    const CumulativeKernel*(CumulativeOp op, ScalarType type));

}  // namespace v0
}  // namespace weft
