// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/few_spans.hpp"

#include "engine/block.hpp"
#include "engine/elementwise/operand_access.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Most elements of rows that are run in place, and of others; of these also most bytes of an operand.
constexpr std::int64_t most_in_rows = 1024;
constexpr std::int64_t most_packed = 4096;
constexpr std::int64_t most_packed_bytes = 16 << 10;
constexpr int most_buffers = 3;
/// Rows of so many elements and bytes are run in place up to as many elements as are packed of others.
constexpr std::int64_t least_row_in_place = 8;
constexpr std::int64_t least_row_bytes = 32;
/// Kernels that cost more than this work on whole registers only: they fill up each row that is shorter.
constexpr float plain = 1;
/// Kernels that cost more than this are worth sharing among threads.
constexpr float dear = 3;

/// Moves all elements of operand k between memory and a dense buffer.
template <bool to_buffer>
void move_all(const Geometry& geometry, int k, std::int64_t size, char* memory, char* buffer) {
  BlockDim dims[max_rank + 2];
  int ndims = 0;
  for (int d = 0; d < geometry.ndim(); ++d)
    append_dim(dims, ndims, {geometry.extent(d), geometry.stride(d, k)});
  if constexpr (to_buffer) {
    pack(copy_block_kernel(size), buffer, memory, size, dims, ndims);
  } else {
    unpack(copy_block_kernel(size), memory, buffer, size, dims, ndims);
  }
}

}  // namespace

bool FewSpans::collect_rows(const Geometry& geometry, const SpanKernel& kernel) {
  constexpr std::int64_t least_row = 4;
  constexpr std::int64_t whole_row = 16;
  constexpr std::int64_t few = 6;
  const std::int64_t row = geometry.extent(0);
  if (geometry.ndim() > 1 && row < least_row) return false;
  if (kernel.cost > plain && row < whole_row && numel_ > few * row) return false;
  for (int k = 0; k < geometry.noperands; ++k) {
    const std::int64_t stride = geometry.stride(0, k);
    if (stride == 0 && (kernel.broadcastable >> k & 1) != 0) {
      broadcast_ |= 1u << k;
    } else if (stride != element_size(kernel.types[k])) {
      return false;
    }
  }
  return true;
}

/// Whether to take the kernel's strided loop: of few elements, a buffer costs more than they do.
bool FewSpans::steps_over(const Geometry& geometry, const SpanKernel& kernel) const {
  constexpr std::int64_t few = 128;
  constexpr std::int64_t least_row = 4;
  if (geometry.ndim() == 0 || !may_stride(geometry, kernel)) return false;
  return (numel_ <= few && geometry.extent(0) >= least_row) || prefers_strided(geometry, kernel);
}

bool FewSpans::collect(const Geometry& geometry, const SpanKernel& kernel, char* const* data) {
  numel_ = geometry.numel();
  if (numel_ > most_packed) return false;
  std::copy_n(data, geometry.noperands, data_);
  const std::int64_t row = geometry.ndim() > 0 ? geometry.extent(0) : 1;
  const bool long_rows = kernel.cost <= plain && row >= least_row_in_place &&
                         row * element_size(kernel.types[0]) >= least_row_bytes;
  const bool in_rows = geometry.ndim() > 0 && (numel_ <= most_in_rows || long_rows);
  if (in_rows && collect_rows(geometry, kernel)) {
    by_rows_ = true;
    return true;
  }
  broadcast_ = 0;
  if (steps_over(geometry, kernel)) {
    by_rows_ = true;
    by_steps_ = true;
    return true;
  }
  if (kernel.cost >= dear && numel_ > most_in_rows) return false;
  int count = 0;
  for (int k = 0; k < geometry.noperands; ++k) {
    const std::int64_t size = element_size(kernel.types[k]);
    const RowLayout layout = row_layout(geometry, k, size, geometry.ndim());
    if (numel_ == 1 || layout.dense) continue;
    if (layout.still && (kernel.broadcastable >> k & 1) != 0) {
      broadcast_ |= 1u << k;
    } else {
      if (count++ == most_buffers || numel_ * size > most_packed_bytes) return false;
      packed_ |= 1u << k;
    }
  }
  return true;
}

bool FewSpans::collect(const TensorIterator& iter, const SpanKernel& kernel) {
  if (iter.numel() > most_packed) return false;
  char* data[max_operands];
  for (int k = 0; k < iter.ntensors(); ++k) {
    const Operand& op = iter.operand(k);
    if (op.storage != kernel.types[k] || op.dtype != kernel.types[k]) return false;
    data[k] = op.data;
  }
  return collect(iter.geometry(), kernel, data);
}

void FewSpans::run(const Geometry& geometry, const SpanKernel& kernel) {
  if (by_rows_) {
    run_rows(geometry, kernel);
  } else if (packed_ == 0) {
    kernel.run(kernel.context, data_, nullptr, numel_, 1, broadcast_);
  } else {
    run_packed(geometry, kernel);
  }
}

/// Rows of dim 0 along dim 1, if there is that.
void FewSpans::run_plane(const Geometry& geometry, const SpanKernel& kernel) const {
  const std::int64_t row = geometry.extent(0);
  const bool many = geometry.ndim() > 1;
  const std::int64_t rows = many ? geometry.extent(1) : 1;
  const std::int64_t* const row_bytes = many ? geometry.strides(1) : nullptr;
  if (!by_steps_) {
    kernel.run(kernel.context, data_, row_bytes, row, rows, broadcast_);
    return;
  }
  char* data[max_operands];
  std::copy_n(data_, geometry.noperands, data);
  for (std::int64_t left = rows;;) {
    kernel.run_strided(kernel.context, data, geometry.strides(0), row);
    if (--left == 0) return;
    for (int k = 0; k < geometry.noperands; ++k)
      data[k] += row_bytes[k];
  }
}

/// Planes of dims 0 and 1, one after the other.
void FewSpans::run_rows(const Geometry& geometry, const SpanKernel& kernel) {
  std::int64_t index[max_rank];
  std::fill_n(index, geometry.ndim(), 0);
  for (;;) {
    run_plane(geometry, kernel);
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

#if defined(__GNUC__)
__attribute__((noinline))  // or all other calls would get its frame
#endif
void FewSpans::run_packed(const Geometry& geometry, const SpanKernel& kernel) {
  alignas(64) char buffers[most_buffers * most_packed_bytes];
  char* data[max_operands];
  char* free = buffers;
  for (int k = 0; k < geometry.noperands; ++k) {
    data[k] = data_[k];
    if (!is_packed(k)) continue;
    const std::int64_t size = element_size(kernel.types[k]);
    data[k] = free;
    free += (numel_ * size + 63) / 64 * 64;
    if (k >= kernel.noutputs) move_all<true>(geometry, k, size, data_[k], data[k]);
  }
  kernel.run(kernel.context, data, nullptr, numel_, 1, broadcast_);
  for (int k = 0; k < kernel.noutputs; ++k) {
    if (is_packed(k))
      move_all<false>(geometry, k, element_size(kernel.types[k]), data_[k], data[k]);
  }
}

}  // namespace v0
}  // namespace weft
