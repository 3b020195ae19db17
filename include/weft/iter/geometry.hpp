// SPDX-License-Identifier: Apache-2.0
/// @file
/// Extents and byte strides of all operands at once: what the stages of build() work on.
#pragma once

#include <weft/core/shape.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Byte strides, dim-major: those of all operands for dim 0, then for dim 1, ...
using StrideVector = SmallVector<std::int64_t, inline_rank * inline_operands>;
/// perm[d] is the axis that became dim d.
using Permutation = SmallVector<std::uint8_t, inline_rank>;

/// One shape and, for each of its dims, every operand's stride in bytes. A stride of 0 repeats the
/// operand (broadcast), or, for an output, reduces into it. Before ordering, "dim" d is axis d,
/// outermost first; after it, dim 0 is the innermost.
struct Geometry {
  int noperands = 0;
  DimVector shape;
  StrideVector strides_bytes;

  int ndim() const noexcept { return static_cast<int>(shape.size()); }
  std::int64_t* strides(int dim) noexcept { return strides_bytes.data() + dim * noperands; }
  const std::int64_t* strides(int dim) const noexcept {
    return strides_bytes.data() + dim * noperands;
  }
  std::int64_t& stride(int dim, int operand) noexcept { return strides(dim)[operand]; }
  std::int64_t stride(int dim, int operand) const noexcept { return strides(dim)[operand]; }
  std::int64_t extent(int dim) const noexcept { return shape[static_cast<std::size_t>(dim)]; }
  std::int64_t& extent(int dim) noexcept { return shape[static_cast<std::size_t>(dim)]; }
  std::int64_t numel() const noexcept {
    // Unsigned: with an extent of 0 among them, the others may be of any size.
    std::uint64_t count = 1;
    for (const std::int64_t extent : shape) {
      count *= static_cast<std::uint64_t>(extent);
    }
    return static_cast<std::int64_t>(count);
  }
  void resize(int ndim) {
    shape.resize_for_overwrite(static_cast<std::size_t>(ndim));
    strides_bytes.resize_for_overwrite(static_cast<std::size_t>(ndim * noperands));
  }
};

}  // namespace v0
}  // namespace weft
