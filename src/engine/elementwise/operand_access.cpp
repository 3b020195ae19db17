// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/operand_access.hpp"

#include <weft/core/cast.hpp>

#include "engine/footprint.hpp"
#include "machine/tuning.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace weft {
inline namespace v0 {
namespace {

/// Bytes of a chunk that is streamed: of plain kernels whose inputs are read as they lie, in rows
/// longer than that, fewer once they fill the last level.
std::int64_t streamed_chunk_bytes(const TensorIterator& iter, const SpanKernel& kernel,
                                  const Tuning& t) {
  if (t.full_chunk_bytes == t.chunk_bytes || kernel.cost >= high_cost) return t.chunk_bytes;
  if (iter.geometry().extent(0) * element_size(iter.operand(0).storage) < t.chunk_bytes)
    return t.chunk_bytes;
  int direct = 0;
  for (int k = kernel.noutputs; k < iter.ntensors(); ++k) {
    const Operand& op = iter.operand(k);
    const std::int64_t size = element_size(op.storage);
    const bool as_it_lies = op.storage == kernel.types[k] && iter.geometry().stride(0, k) == size;
    if (as_it_lies && op.storage == iter.operand(0).storage) ++direct;
  }
  const std::int64_t full = t.last_level_without(t.l3_bytes, t.streams_before_short);
  return direct < 2 || bytes_touched(iter) <= full ? t.chunk_bytes : t.full_chunk_bytes;
}

/// The dim other than 0 along which an operand that is not dense along dim 0 is dense, or 0: one of
/// at least so many elements, or of fewer if those after them go on where they end.
int dense_dim(const Geometry& geometry, const Tuning& t, int k, std::int64_t size,
              std::int64_t least) {
  if (std::abs(geometry.stride(0, k)) <= size) return 0;
  for (int d = 1; d < geometry.ndim(); ++d) {
    if (std::abs(geometry.stride(d, k)) != size) continue;
    if (geometry.extent(d) >= least || continuing_dim(geometry, t, k, d, size) != 0) return d;
  }
  return 0;
}

/// Where no operand is transposed, and rows are not short, those are of which two or three elements
/// lie side by side, all along one dim: registers join and split them. Not wide elements, which are
/// moved one by one as fast, nor what is narrower than a streamed result: two or three passes over
/// that cost less than gaps between non-temporal stores.
void transpose_few_rows(TileOperands& operands, const Geometry& geometry, const Tuning& tuning) {
  if (geometry.extent(0) < tuning.min_transposed_side) return;
  std::int64_t streamed = 0;  // bytes of an element, at most
  for (const TileOperand& t : operands)
    if (t.access == Access::streamed) streamed = std::max<std::int64_t>(streamed, t.memory_size);
  int side = 0;
  SmallVector<int, inline_operands> found;
  for (int k = 0; k < geometry.noperands; ++k) {
    const std::int64_t size = operands[k].memory_size;
    if (operands[k].access != Access::staged || size >= wide_bytes || size < streamed) continue;
    const int dim = dense_dim(geometry, tuning, k, size, 2);
    if (dim == 0) continue;
    if (side != 0 && dim != side) return;
    side = dim;
    found.push_back(k);
  }
  for (const int k : found)
    operands[k].dense_dim = static_cast<std::int16_t>(side);
}

/// Elements of a chunk of which what is read, buffered and written stays in the first-level cache,
/// lines read for a single element included.
std::int64_t chunk_in_cache(const TileOperands& operands, const Geometry& geometry,
                            const Tuning& tuning) {
  std::int64_t touched = 0;  // bytes an element
  std::int64_t buffers = 0;
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& t = operands[k];
    touched += std::min(std::abs(geometry.stride(0, k)), cache_line_bytes);
    if (t.access == Access::staged || t.access == Access::streamed) buffers += t.buffer_bytes();
  }
  return std::min(tuning.strided_chunk_bytes / (touched + buffers),
                  tuning.tile_bytes / 2 / buffers);
}

/// Whether the kernel writes rows of so many elements of a streamed output by non-temporal stores
/// itself. Of each row what lies before its first line and after its last few is written by plain
/// stores, for which those lines are read.
bool goes_by_lines(const TilePlan& plan, const TensorIterator& iter, const SpanKernel& kernel,
                   const Tuning& tuning, std::int64_t row_elements) {
  // Rows of tiles that are prefetched come one by one, and go through a buffer as quickly.
  const std::int64_t min_row_bytes = tuning.min_streamed_row_bytes * (plan.prefetches ? 2 : 1);
  const TileOperand& out = plan.operands[0];
  if (kernel.run_streamed == nullptr || out.access != Access::streamed || out.converts())
    return false;
  int values = 0;
  for (const TileOperand& t : plan.operands)
    if (t.is_value()) ++values;
  if (values > 1) return false;
  auto bits = reinterpret_cast<std::uintptr_t>(iter.operand(0).data);
  for (int d = 1; d < iter.ndim(); ++d)
    bits |= static_cast<std::uintptr_t>(iter.geometry().stride(d, 0));
  // Some element has to begin on a line.
  if (bits % static_cast<std::uintptr_t>(out.memory_size) != 0) return false;
  const std::int64_t row_bytes = row_elements * out.memory_size;
  const bool whole = bits % cache_line_bytes == 0 && row_bytes % SpanKernel::streamed_bytes == 0;
  return whole || row_bytes >= min_row_bytes;
}

/// Whether operand k is the same along a dim that tiles reach, or hold what they packed for: its
/// rows fit one, and several of them if it repeats beyond dim 1.
bool is_packed_once(const Geometry& geometry, int k, const Tuning& t) {
  std::int64_t elements = geometry.extent(0);
  for (int d = 1; d < geometry.ndim(); ++d) {
    if (elements > (d == 1 ? t.max_staged : t.enough_gathered)) return false;
    if (geometry.stride(d, k) == 0) return true;
    elements *= geometry.extent(d);
  }
  return false;
}

/// Finds the staged operands that lie element by element beside others, of the same types in
/// memory, in the iterator and in the kernel: they share conversions. Of several that lie beside
/// one, the first.
void find_those_beside(TileOperands& operands, const TensorIterator& iter,
                       const SpanKernel& kernel) {
  const auto is_packed = [&](int k) {
    const TileOperand& t = operands[k];
    return t.access == Access::staged && !t.one_per_row && !t.is_transposed();
  };
  const auto same = [&](int a, int b) {
    const Operand &one = iter.operand(a), &other = iter.operand(b);
    return one.is_output == other.is_output && one.storage == other.storage &&
           one.dtype == other.dtype && kernel.types[a] == kernel.types[b];
  };
  std::uint32_t followed = 0;
  for (int next = 0; next < iter.ntensors(); ++next) {
    TileOperand& t = operands[next];
    for (int k = 0; is_packed(next) && k < iter.ntensors() && !t.is_beside_another(); ++k) {
      if ((followed >> k & 1) != 0 || !is_packed(k) || !same(k, next)) continue;
      if (!lies_beside(iter, k, next, t.memory_size)) continue;
      t.beside = static_cast<std::int8_t>(k);
      followed |= 1U << k;
    }
  }
}

}  // namespace

bool lies_beside(const TensorIterator& iter, int k, int next, std::int64_t size) {
  if (iter.operand(k).data + size != iter.operand(next).data) return false;
  const Geometry& geometry = iter.geometry();
  for (int d = 0; d < geometry.ndim(); ++d) {
    const std::int64_t stride = geometry.stride(d, k);
    if (stride != geometry.stride(d, next) || std::abs(stride) == size) return false;
  }
  return true;
}

int continuing_dim(const Geometry& geometry, const Tuning& t, int k, int d, std::int64_t size) {
  const std::int64_t bytes = geometry.extent(d) * size;
  if (geometry.stride(d, k) != size || bytes >= cache_line_bytes) return 0;
  if (2 * geometry.numel() * size < t.min_layered_bytes ||
      geometry.extent(0) * size < t.transposed_run_bytes / 2) {
    return 0;
  }
  for (int next = 1; next < geometry.ndim(); ++next)
    if (geometry.extent(next) > 1 && geometry.stride(next, k) == bytes) return next;
  return 0;
}

/// Through the iterator's dtype().
void read_constants(TileOperands& operands, const TensorIterator& iter, const SpanKernel& kernel) {
  for (int k = 0; k < iter.ntensors(); ++k) {
    if (!operands[k].constant) continue;
    const Operand& op = iter.operand(k);
    alignas(max_element_bytes) char value[max_element_bytes];
    cast_elements(value, op.dtype, 0, op.data, op.storage, 0, 1);
    cast_elements(operands[k].value, kernel.types[k], 0, value, op.dtype, 0, 1);
  }
}

void stage(TileOperand& t) {
  t.access = Access::staged;
  t.move = copy_block_kernel(t.memory_size);
}

Totals totals_of(const TileOperands& operands) {
  Totals totals;
  for (const TileOperand& t : operands) {
    totals.all_bytes += t.kernel_size + t.via_size + t.memory_size;
    if (t.access == Access::streamed) totals.chunk_bytes += t.chunk * t.buffer_bytes();
    if (t.access != Access::staged) continue;
    ++totals.staged;
    totals.staged_bytes += t.buffer_bytes();
    if (t.one_per_row) totals.per_row_bytes += t.buffer_bytes();
    if (!t.is_transposed()) continue;
    if (totals.transposed_dim == 0) totals.transposed_dim = t.dense_dim;
    totals.transposed_size = std::max<std::int64_t>(totals.transposed_size, t.memory_size);
  }
  return totals;
}

TileOperands classify(const TensorIterator& iter, const SpanKernel& kernel, const Tuning& tuning,
                      Streaming streaming) {
  const auto streams = [&](int k, bool unbuffered) {
    return streaming == Streaming::if_worth ? worth_streaming(iter, k, unbuffered, tuning)
                                            : streaming == Streaming::always && can_stream(iter, k);
  };
  TileOperands operands;
  const Geometry& geometry = iter.geometry();
  std::int64_t chunk_bytes = 0;  // of all buffers for chunks
  for (int k = 0; k < geometry.noperands; ++k) {
    const Operand& op = iter.operand(k);
    const ScalarType type = kernel.types[k];
    const std::int64_t stride = geometry.stride(0, k);
    TileOperand& t = operands.emplace_back(TypeChange(op, type));
    t.is_output = op.is_output;
    const bool convert = t.converts();
    const bool may_broadcast = (kernel.broadcastable >> k & 1) != 0;
    if (op.is_output && streams(k, !convert && kernel.run_streamed != nullptr)) {
      const std::int32_t widest = std::max({t.kernel_size, t.via_size, t.memory_size});
      t.chunk = static_cast<std::int32_t>(streamed_chunk_bytes(iter, kernel, tuning) / widest);
      const std::int64_t bytes = t.chunk * t.buffer_bytes();
      if (chunk_bytes + bytes <= tuning.tile_bytes / 2) {
        chunk_bytes += bytes;
        t.access = Access::streamed;
        t.move = stream_block_kernel(t.memory_size);
        continue;
      }
    }
    if (!convert && stride == t.memory_size) {
      t.access = Access::direct;
    } else if (!convert && stride == 0 && may_broadcast) {
      t.access = Access::broadcast;
    } else if (convert && stride == 0 && may_broadcast &&
               row_layout(geometry, k, t.memory_size, geometry.ndim()).still) {
      t.access = Access::broadcast;
      t.constant = true;
    } else {
      stage(t);
      t.one_per_row = stride == 0 && may_broadcast;
      t.dense_dim = static_cast<std::int16_t>(
          dense_dim(geometry, tuning, k, t.memory_size, tuning.min_dense_extent));
    }
  }
  if (std::ranges::none_of(operands, &TileOperand::is_transposed))
    transpose_few_rows(operands, geometry, tuning);
  find_those_beside(operands, iter, kernel);
  read_constants(operands, iter, kernel);
  return operands;
}

bool may_stride(const Geometry& geometry, const SpanKernel& kernel) {
  if (kernel.run_strided == nullptr) return false;
  return kernel.strides_outputs || geometry.stride(0, 0) == element_size(kernel.types[0]);
}

bool prefers_strided(const TileOperands& operands, const Geometry& geometry,
                     const SpanKernel& kernel, const Tuning& t) {
  // Bytes of memory an element, of what would be brought together, that take longer to move than to
  // step over: a register holds few wide elements, and what comes from memory, or nearly so, had
  // better be asked for all at once. Of a single strided operand, moving it is quicker unless that
  // leaves out lines, or elements fill a lane each.
  if (!may_stride(geometry, kernel) || geometry.extent(0) < t.min_strided_row) return false;
  std::int64_t touched = 0, narrowest = max_element_bytes, last_step = 0, shared = 0;
  int strided = 0;
  for (int k = 0; k < geometry.noperands; ++k) {
    const std::int64_t size = element_size(kernel.types[k]);
    const std::int64_t step = std::abs(geometry.stride(0, k));
    // Rows that run backwards are turned round by registers of several elements.
    if (step == 0 || geometry.stride(0, k) == size || (step == size && size < max_element_bytes))
      continue;
    narrowest = std::min(narrowest, size);
    if (is_packed_once(geometry, k, t)) return false;
    if (operands[k].is_transposed()) {
      // A transposition is quicker, but for elements that fill a lane, if their lines are still
      // there when those beside them are wanted.
      if (size < max_element_bytes) return false;
      shared += bytes_of_lines(step, geometry.extent(0));
    }
    // Registers split and join what lies beside each other.
    if (operands[k].is_beside_another()) return false;
    touched += std::min(step, cache_line_bytes);
    last_step = step;
    ++strided;
  }
  if (shared > t.transposed_tile_bytes) return false;
  const std::int64_t bytes = geometry.numel() * touched;
  // Where the last level is as far away as memory, chunks ask for more of it at a time.
  if (bytes > t.strided_reach * t.l2_bytes) return false;
  if (strided == 1 && narrowest == max_element_bytes) return true;
  if (strided == 1) return last_step >= 2 * cache_line_bytes && narrowest >= word_bytes;
  if (bytes > t.l3_bytes / 2) return touched >= t.strided_bytes / 2;
  return touched >= t.strided_bytes - (narrowest >= wide_bytes ? t.strided_bytes / 5 : 0);
}

bool can_step(const TileOperands& operands, const Geometry& geometry, const SpanKernel& kernel) {
  const auto is_staged = [](const TileOperand& t) { return t.access == Access::staged; };
  const auto is_cast = [](const TileOperand& t) { return t.converts(); };
  return std::ranges::any_of(operands, is_staged) && std::ranges::none_of(operands, is_cast) &&
         may_stride(geometry, kernel);
}

void stop_streaming(TileOperands& operands) {
  for (TileOperand& t : operands) {
    if (t.access != Access::streamed) continue;
    t.access = Access::direct;
    if (t.converts()) stage(t);
  }
}

std::int64_t pack_in_chunks(TileOperands& operands, const Geometry& geometry, const Tuning& tuning,
                            std::int64_t most) {
  if (totals_of(operands).staged == 0) return most;
  const std::int64_t chunk = chunk_in_cache(operands, geometry, tuning);
  if (chunk < cache_line_bytes) return most;
  bool in_chunks = false;
  for (int k = 0; k < geometry.noperands; ++k) {
    TileOperand& t = operands[k];
    const bool repeats = geometry.ndim() > 1 && geometry.stride(1, k) == 0;
    if (t.access == Access::staged && !t.one_per_row && !repeats &&
        geometry.stride(0, k) != t.memory_size) {
      t.access = Access::chunked;
    }
    in_chunks = in_chunks || t.has_chunk_buffer();
  }
  return in_chunks ? std::min(most, chunk / cache_line_bytes * cache_line_bytes) : most;
}

void stream_several_rows(TilePlan& plan, const TensorIterator& iter, const SpanKernel& kernel,
                         const Tuning& tuning) {
  const Geometry& geometry = iter.geometry();
  const std::int64_t row = geometry.extent(0);
  // What little is left of a row after a chunk costs as much as a row of its own.
  if (!plan.streams() || geometry.ndim() == 1 || row >= plan.chunk + plan.chunk / 8) return;
  if (goes_by_lines(plan, iter, kernel, tuning, row)) return;
  std::int64_t unit = 1;  // rows
  bool dense = kernel.cost <= plain_cost;
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& t = plan.operands[k];
    if (t.access == Access::chunked) dense = false;
    if (t.access != Access::streamed) continue;
    const std::int64_t row_bytes = row * t.memory_size;
    unit = std::lcm(unit, cache_line_bytes / std::gcd(cache_line_bytes, row_bytes));
    dense = dense && geometry.stride(1, k) == row_bytes &&
            reinterpret_cast<std::uintptr_t>(iter.operand(k).data) % cache_line_bytes == 0;
  }
  // What buffers can hold: of a tile that cuts rows, these do not follow each other.
  const Totals totals = totals_of(plan.operands);
  const std::int64_t most = std::min(tuning.tile_bytes / 2 / totals.chunk_bytes * plan.chunk,
                                     elements_of_rows(totals, tuning));
  if (dense && unit * row <= most) {
    plan.chunk_rows = std::max(std::min(plan.chunk, most) / (unit * row), std::int64_t{1}) * unit;
    plan.chunk = std::max(plan.chunk, plan.chunk_rows * row);
  } else {
    stop_streaming(plan.operands);
  }
}

void stream_in_place(TilePlan& plan, const TensorIterator& iter, const SpanKernel& kernel,
                     const Tuning& tuning) {
  if (goes_by_lines(plan, iter, kernel, tuning, plan.row_elements))
    plan.operands[0].access = Access::streamed_in_place;
}

}  // namespace v0
}  // namespace weft
