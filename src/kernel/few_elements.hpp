// SPDX-License-Identifier: Apache-2.0
/// @file
/// A few elements that lie anyhow. Private to the compiled part.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "kernel/tile_plan.hpp"
#include "kernels/stage/stage.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace weft::inline v0 {

/// So few elements that planning a tile takes longer than moving them one by one.
class FewElements {
 public:
  static constexpr std::int64_t most = 64;

  /// Operands in place where they are dense or one value and of the kernel's type, else through buffers.
  /// False, with nothing done, if an output has to be converted, an input twice, or too many need a
  /// buffer. Precondition: 0 < numel <= most, one dim or more, the kernel fits the iterator.
#if defined(__GNUC__)
  __attribute__((noinline))  // or all other calls would get its frame
#endif
  static bool
  run(const TensorIterator& iter, const SpanKernel& kernel) {
    for (int k = 0; k < iter.ntensors(); ++k) {
      const Operand& op = iter.operand(k);
      const ScalarType type = kernel.types[k];
      if (op.dtype != type || (op.is_output && op.storage != type)) return false;
    }
    return run_buffered(iter, kernel);
  }

 private:
  enum class Layout : std::uint8_t { dense, one_value, other };
  static constexpr int most_buffers = 4;
  static constexpr std::int64_t largest = 16;

  static bool run_buffered(const TensorIterator& iter, const SpanKernel& kernel) {
    alignas(64) char buffers[most_buffers][most * largest];
    char* data[max_operands];
    int buffered[most_buffers];
    int count = 0;
    std::uint32_t broadcast = 0;
    const Geometry& geometry = iter.geometry();
    for (int k = 0; k < geometry.noperands; ++k) {
      const Operand& op = iter.operand(k);
      data[k] = op.data;
      const Layout layout = layout_of(geometry, k, element_size(op.storage));
      const bool one_value = layout == Layout::one_value && (kernel.broadcastable >> k & 1) != 0;
      if (one_value) broadcast |= 1u << k;
      if (op.storage == op.dtype && (one_value || layout == Layout::dense)) continue;
      if (count == most_buffers) return false;
      data[k] = buffers[count];
      buffered[count++] = k;
    }
    for (int i = 0; i < count; ++i) {
      const int k = buffered[i];
      const Operand& op = iter.operand(k);
      if (op.is_output) continue;
      if ((broadcast >> k & 1) != 0) {
        convert_value(buffers[i], op.dtype, op);
      } else if (op.storage == op.dtype) {
        move<true>(geometry, k, element_size(op.storage), op.data, buffers[i]);
      } else {
        alignas(64) char in_memory[most * largest];
        move<true>(geometry, k, element_size(op.storage), op.data, in_memory);
        convert_kernel(op.dtype, op.storage)(buffers[i], in_memory, iter.numel());
      }
    }
    kernel.run(kernel.context, data, nullptr, iter.numel(), 1, broadcast);
    for (int i = 0; i < count; ++i) {
      const Operand& op = iter.operand(buffered[i]);
      if (op.is_output) {
        move<false>(geometry, buffered[i], element_size(op.storage), op.data, buffers[i]);
      }
    }
    return true;
  }

  static Layout layout_of(const Geometry& geometry, int k, std::int64_t size) {
    bool dense = true;
    bool still = true;
    for (int d = 0; d < geometry.ndim(); ++d) {
      const std::int64_t stride = geometry.stride(d, k);
      dense = dense && stride == size;
      still = still && stride == 0;
      size *= geometry.extent(d);
    }
    return dense ? Layout::dense : still ? Layout::one_value : Layout::other;
  }

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
};

}  // namespace weft::inline v0
