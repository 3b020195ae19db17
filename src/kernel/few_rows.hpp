// SPDX-License-Identifier: Apache-2.0
/// @file
/// Small iterations of several dims, row by row. Private to the compiled part.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include <algorithm>
#include <cstdint>

namespace weft::inline v0 {

/// A few rows, each in place: too little work to plan tiles for.
class FewRows {
 public:
  /// False if some operand is neither direct nor one value along dim 0, or there is more to do than
  /// that. Precondition: two dims or more.
  bool collect(const TensorIterator& iter, const SpanKernel& kernel) {
    constexpr std::int64_t most_elements = 1024;
    constexpr std::int64_t least_row = 4;
    const Geometry& geometry = iter.geometry();
    if (iter.numel() > most_elements || geometry.extent(0) < least_row) return false;
    // Kernels that cost more work on whole registers only, and fill up each row that is shorter.
    constexpr std::int64_t whole_row = 16;
    constexpr std::int64_t few = 6;
    const std::int64_t row = geometry.extent(0);
    if (kernel.cost >= 3 && row < whole_row && iter.numel() > few * row) return false;
    for (int k = 0; k < geometry.noperands; ++k) {
      const Operand& op = iter.operand(k);
      const ScalarType type = kernel.types[k];
      const std::int64_t stride = geometry.stride(0, k);
      if (op.storage != type || op.dtype != type) return false;
      if (stride == 0 && (kernel.broadcastable >> k & 1) != 0) {
        broadcast_ |= 1u << k;
      } else if (stride != element_size(type)) {
        return false;
      }
      data_[k] = op.data;
    }
    return true;
  }

  /// Planes of dims 0 and 1, one after the other.
  void run(const Geometry& geometry, const SpanKernel& kernel) {
    std::int64_t index[max_rank];
    std::fill_n(index, geometry.ndim(), 0);
    for (;;) {
      kernel.run(kernel.context, data_, geometry.strides(1), geometry.extent(0), geometry.extent(1),
                 broadcast_);
      int d = 2;
      for (; d < geometry.ndim(); ++d) {
        const bool more = ++index[d] < geometry.extent(d);
        const std::int64_t by = more ? 1 : 1 - geometry.extent(d);
        for (int k = 0; k < geometry.noperands; ++k)
          data_[k] += by * geometry.stride(d, k);
        if (more) break;
        index[d] = 0;
      }
      if (d >= geometry.ndim()) return;
    }
  }

  bool is_one_value(int operand) const noexcept { return (broadcast_ >> operand & 1) != 0; }

 private:
  char* data_[max_operands];
  std::uint32_t broadcast_ = 0;
};

}  // namespace weft::inline v0
