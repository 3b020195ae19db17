// SPDX-License-Identifier: Apache-2.0
#include "engine/stage_buffers.hpp"

namespace weft {
inline namespace v0 {

bool converts_rows(const TypeChange& change, const BlockDim* dims, int ndims) noexcept {
  if (!change.converts() || ndims == 0 || dims[0].stride != change.memory_size) return false;
  return ndims == 1 || dims[0].extent >= tuning().min_staged_row;
}

namespace {

/// Calls f(memory, index, n) for the rows of a block if these are converted one by one. Returns
/// whether they are.
template <class F>
bool convert_rows(const TypeChange& change, char* memory, BlockDim* dims, int ndims, const F& f) {
  if (!converts_rows(change, dims, ndims)) return false;
  const std::int64_t size = change.memory_size;
  for_each_plane(memory, dims, ndims, size,
                 [&](char* rows, std::int64_t offset, const BlockDim& d0, const BlockDim& d1) {
                   for (std::int64_t r = 0; r < d1.extent; ++r)
                     f(rows + r * d1.stride, (offset + r * d1.step) / size, d0.extent);
                 });
  return true;
}

/// The dim along which the operands of such buffers alternate.
BlockDim beside(const TypeChange& change, const StageBuffers& buffers) {
  return {buffers.operands, change.memory_size, buffers.operand_bytes};
}

}  // namespace

void convert_loaded(const TypeChange& change, const StageBuffers& to, std::int64_t n) {
  for (std::int64_t i = 0; i < to.operands; ++i) {
    const std::int64_t at = i * to.operand_bytes;
    change.convert(to.kernel + at, to.memory + at, to.via + at, n);
  }
}
void convert_stored(const TypeChange& change, const StageBuffers& from, std::int64_t n) {
  for (std::int64_t i = 0; i < from.operands; ++i) {
    const std::int64_t at = i * from.operand_bytes;
    change.convert(from.memory + at, from.kernel + at, from.via + at, n);
  }
}

void load_block(const TypeChange& change, CopyBlockFn move, const StageBuffers& to, char* memory,
                BlockDim* dims, int ndims, std::int64_t n) {
  const auto load = [&](const char* row, std::int64_t index, std::int64_t count) {
    change.convert(to.kernel + index * change.kernel_size, row, to.via, count);
  };
  if (convert_rows(change, memory, dims, ndims, load)) return;
  pack(move, to.packed(change), memory, change.memory_size, dims, ndims, beside(change, to));
  if (change.converts()) convert_loaded(change, to, n);
}

void store_block(const TypeChange& change, CopyBlockFn move, const StageBuffers& from, char* memory,
                 BlockDim* dims, int ndims, std::int64_t n) {
  const auto store = [&](char* row, std::int64_t index, std::int64_t count) {
    change.convert(row, from.kernel + index * change.kernel_size, from.via, count);
  };
  if (convert_rows(change, memory, dims, ndims, store)) return;
  if (change.converts()) convert_stored(change, from, n);
  unpack(move, memory, from.packed(change), change.memory_size, dims, ndims, beside(change, from));
}

}  // namespace v0
}  // namespace weft
