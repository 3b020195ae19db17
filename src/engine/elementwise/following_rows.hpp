// SPDX-License-Identifier: Apache-2.0
/// @file
/// Rows that a kernel may take for a single one.
#pragma once

#include <weft/iter/geometry.hpp>

#include "machine/tuning.hpp"

namespace weft {
inline namespace v0 {

/// Whether rows along dim 1 follow each other in every operand that has rows, the others being one
/// value in each or the same row in all, and are a long span together. They are best given to the
/// kernel at once, even if there are more of them along another dim: a fused chain takes as long
/// for what a row ends with as for a hundred elements.
inline bool has_following_rows(const Geometry& geometry, const Tuning& tuning) {
  if (geometry.ndim() < 2 || geometry.extent(0) * geometry.extent(1) < tuning.enough_gathered)
    return false;
  for (int k = 0; k < geometry.noperands; ++k) {
    const std::int64_t step = geometry.stride(0, k), row = geometry.stride(1, k);
    if (step != 0 && row != 0 && row != geometry.extent(0) * step) return false;
  }
  return true;
}

}  // namespace v0
}  // namespace weft
