// SPDX-License-Identifier: Apache-2.0
/// @file
/// A few elements that lie anyhow.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "engine/elementwise/operand_access.hpp"
#include "engine/elementwise/tile_plan.hpp"
#include "kernels/stage/stage.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace weft {
inline namespace v0 {

/// So few elements that planning a tile takes longer than moving them one by one: operands are had in
/// place where they are dense or one value and of the kernel's type, else through buffers.
class FewElements {
 public:
  static constexpr std::int64_t most = 64;

  /// False if there are more elements than that or none, an output has to be converted, an input twice, or
  /// too many operands need a buffer. Precondition: one dim or more, the kernel's counts fit the iterator.
  bool collect(const TensorIterator& iter, const SpanKernel& kernel) {
    if (iter.numel() > most || iter.numel() == 0) return false;
    const Geometry& geometry = iter.geometry();
    for (int k = 0; k < geometry.noperands; ++k) {
      const Operand& op = iter.operand(k);
      const ScalarType type = kernel.types[k];
      if (op.dtype != type || (op.is_output && op.storage != type)) return false;
      const RowLayout layout = row_layout(geometry, k, element_size(op.storage), geometry.ndim());
      const bool one_value = layout.still && (kernel.broadcastable >> k & 1) != 0;
      if (one_value) broadcast_ |= 1u << k;
      data_[k] = op.data;
      if (op.storage == type && (one_value || layout.dense)) continue;
      if (!one_value && !layout.dense) packed_ |= 1u << k;
      if (count_ == most_buffers) return false;
      data_[k] = buffers_[count_];
      buffered_[count_++] = k;
    }
    return true;
  }

  /// Precondition: collect() has said yes to the same two.
  void run(const TensorIterator& iter, const SpanKernel& kernel) {
    const Geometry& geometry = iter.geometry();
    for (int i = 0; i < count_; ++i) {
      const int k = buffered_[i];
      const Operand& op = iter.operand(k);
      if (op.is_output) continue;
      if (is_one_value(k)) {
        convert_value(buffers_[i], op.dtype, op);
      } else if (op.storage == op.dtype) {
        move<true>(geometry, k, element_size(op.storage), op.data, buffers_[i]);
      } else {
        alignas(64) char in_memory[most * largest];
        move<true>(geometry, k, element_size(op.storage), op.data, in_memory);
        convert_kernel(op.dtype, op.storage)(buffers_[i], in_memory, iter.numel());
      }
    }
    kernel.run(kernel.context, data_, nullptr, iter.numel(), 1, broadcast_);
    for (int i = 0; i < count_; ++i) {
      const Operand& op = iter.operand(buffered_[i]);
      if (op.is_output) {
        move<false>(geometry, buffered_[i], element_size(op.storage), op.data, buffers_[i]);
      }
    }
  }

  bool is_one_value(int operand) const noexcept { return (broadcast_ >> operand & 1) != 0; }
  /// Whether its elements lie apart or in another order.
  bool is_packed(int operand) const noexcept { return (packed_ >> operand & 1) != 0; }

 private:
  static constexpr int most_buffers = 4;
  static constexpr std::int64_t largest = 16;

  /// All elements of operand k between memory and a dense buffer.
  template <bool to_buffer>
  static void move(const Geometry& geometry, int k, std::int64_t size, char* memory, char* buffer) {
    switch (size) {
      case 1: return move_elements<to_buffer, 1>(geometry, k, memory, buffer);
      case 2: return move_elements<to_buffer, 2>(geometry, k, memory, buffer);
      case 4: return move_elements<to_buffer, 4>(geometry, k, memory, buffer);
      case 8: return move_elements<to_buffer, 8>(geometry, k, memory, buffer);
      default: return move_elements<to_buffer, 16>(geometry, k, memory, buffer);
    }
  }

  template <bool to_buffer, std::size_t size>
  static void move_elements(const Geometry& geometry, int k, char* memory, char* buffer) {
    const int ndim = geometry.ndim();
    std::int64_t index[max_rank];
    std::fill_n(index, ndim, 0);
    const std::int64_t row = geometry.extent(0);
    const std::int64_t step = geometry.stride(0, k);
    for (;;) {
      for (std::int64_t i = 0; i < row; ++i) {
        char* element = memory + i * step;
        std::memcpy(to_buffer ? buffer : element, to_buffer ? element : buffer, size);
        buffer += size;
      }
      int d = 1;
      for (; d < ndim; ++d) {
        const bool more = ++index[d] < geometry.extent(d);
        memory += (more ? 1 : 1 - geometry.extent(d)) * geometry.stride(d, k);
        if (more) break;
        index[d] = 0;
      }
      if (d >= ndim) return;
    }
  }

  alignas(64) char buffers_[most_buffers][most * largest];
  char* data_[max_operands];
  int buffered_[most_buffers];
  int count_ = 0;
  std::uint32_t broadcast_ = 0;
  std::uint32_t packed_ = 0;
};

}  // namespace v0
}  // namespace weft
