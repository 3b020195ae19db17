// SPDX-License-Identifier: Apache-2.0
#include "ops/masked_walk.hpp"

#include <weft/base/checked.hpp>
#include <weft/parallel/parallel.hpp>

#include "engine/axis/along_axis.hpp"
#include "engine/block.hpp"
#include "kernels/stage/masked_store.hpp"
#include "machine/masked_stores.hpp"
#include "ops/line_walk.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

/// Elements that a thread should have: a few nanoseconds each.
constexpr std::int64_t line_grain = default_grain / 8;
/// Bytes of a block in each of its buffers, all of which stay in the second-level cache.
constexpr std::int64_t block_bytes = 16 << 10;
/// Lines whose accumulators are kept together, and those of long lines, which wait for each other.
constexpr std::int64_t max_lines = 256, several_lines = 8;
/// What prefix kernels take together.
constexpr std::int64_t step_elements = 4;

TensorIterator plan(const TensorView& out, const TensorView& a, const TensorView& mask,
                    std::int64_t axis, ScalarType out_type, ScalarType in_type) {
  const TensorView inputs[] = {a, mask};
  const ScalarType types[] = {out_type, in_type, ScalarType::boolean};
  return plan_along_axis(AlongAxis({{&out, 1}, inputs}, axis), types);
}

}  // namespace

/// The parts of one thread's memory.
struct MaskedWalk::Memory {
  Memory(const MaskedWalk& walk, std::int64_t room_bytes) : memory_(reserve(walk, room_bytes)) {}

  enum Part { values, results, flags, packed, converted, turned, turned_flags, room, count };
  char* part(Part k) const { return memory_.data() + at_[k]; }

 private:
  std::int64_t reserve(const MaskedWalk& walk, std::int64_t room_bytes) {
    const Side &out = walk.sides_[0], &in = walk.sides_[1];
    const std::int64_t n = walk.most_lines_ * walk.block_length_;
    const std::int64_t bytes[count] = {n * in.work_size,
                                       walk.has_results_ ? n * out.work_size : 0,
                                       n,
                                       in.convert == nullptr ? 0 : n * in.memory_size,
                                       out.convert == nullptr ? 0 : n * out.memory_size,
                                       walk.turns_ ? n * out.memory_size : 0,
                                       walk.turns_ ? n : 0,
                                       room_bytes};
    std::int64_t sum = 0;
    for (int k = 0; k < count; ++k) {
      at_[k] = sum;
      sum += whole_lines(bytes[k]);
    }
    return sum;
  }

  std::int64_t at_[count] = {};
  LineMemory memory_;
};

MaskedWalk::MaskedWalk(const TensorView& out, const TensorView& a, const TensorView& mask,
                       std::int64_t axis, ScalarType out_type, ScalarType in_type, Neutral number,
                       Cut cut)
    : iter_(plan(out, a, mask, axis, out_type, in_type)),
      left_out_(in_type, number),
      has_results_(out_type != in_type) {
  const int along = normalize_axis(axis, a.rank());
  length_ = a.rank() == 0 ? 1 : a.shape()[static_cast<std::size_t>(along)];
  sides_[0] = side(0, out, along, out_type, true);
  sides_[1] = side(1, a, along, in_type, false);
  sides_[2] = side(2, mask, along, ScalarType::boolean, false);
  if (iter_.numel() == 0 || length_ == 0) return;

  const std::int64_t lines = iter_.ndim() > 0 ? iter_.geometry().extent(0) : 1;
  std::int64_t size = 1;
  for (const Side& s : sides_)
    size = std::max({size, s.memory_size, s.work_size});
  const std::int64_t fit = block_bytes / size;
  const Side& to = sides_[0];
  by_lines_ =
      cut == Cut::whole_lines || lines == 1 || std::abs(to.axis_bytes) <= std::abs(to.line_bytes);
  const bool is_along = std::abs(to.axis_bytes) <= std::abs(to.line_bytes);
  std::int64_t several = by_lines_ ? several_lines : max_lines;
  turns_ = cut == Cut::whole_lines && !is_along && lines > 1;
  if (cut == Cut::whole_lines) several = turns_ ? most_staged_lines() : 1;
  most_lines_ = std::min({lines, max_lines, std::max(fit / length_, several)});
  block_length_ = length_;
  if (cut == Cut::along && most_lines_ * length_ > fit) {
    const std::int64_t rows = fit / most_lines_;
    block_length_ = std::min(length_, rows - rows % step_elements);
  }
}

/// Lines next to each other, which share cache lines: as many as scratch memory has room for.
std::int64_t MaskedWalk::most_staged_lines() const {
  constexpr std::int64_t most = 64, gaps = 4 << 10;
  const Side &out = sides_[0], &in = sides_[1];
  std::int64_t bytes = in.work_size + out.memory_size + 2;
  if (in.convert != nullptr) bytes += in.memory_size;
  if (out.convert != nullptr) bytes += out.memory_size;
  return std::clamp<std::int64_t>((scratch_block_bytes - gaps) / bytes / length_, 1, most);
}

MaskedWalk::Side MaskedWalk::side(int k, const TensorView& view, int axis, ScalarType type,
                                  bool is_output) const {
  const ScalarType memory = view.dtype();
  const std::int64_t size = element_size(memory);
  const std::int64_t stride = view.rank() == 0 ? 0 : view.strides()[static_cast<std::size_t>(axis)];
  const bool converts = memory != type;
  return {static_cast<char*>(iter_.operand(k).data),
          stride * size,
          iter_.ndim() > 0 ? iter_.geometry().stride(0, k) : size,
          size,
          element_size(type),
          !converts   ? nullptr
          : is_output ? convert_kernel(memory, type)
                      : convert_kernel(type, memory)};
}

MaskedWalk::Rows MaskedWalk::rows_of(const Side& s, std::int64_t group_offset,
                                     std::int64_t first) const {
  char* const data = s.origin + group_offset + first * s.axis_bytes;
  return by_lines_ ? Rows{data, s.axis_bytes, s.line_bytes}
                   : Rows{data, s.line_bytes, s.axis_bytes};
}

/// Brings rows together in `to`, if their elements are not next to each other.
void MaskedWalk::pack_rows(char* to, Rows& rows, std::int64_t size, const MaskedBlock& b) const {
  if (rows.step == size || b.n == 1) return;
  BlockDim dims[2];
  int ndims = 0;
  append_dim(dims, ndims, {b.n, rows.step});
  append_dim(dims, ndims, {b.rows, rows.row});
  pack(copy_block_kernel(size), to, rows.data, size, dims, ndims);
  rows = {to, size, b.n * size};
}

void MaskedWalk::store(MaskedBlock b, Rows out, Rows flags, const Memory& memory) const {
  const Side& s = sides_[0];
  const char* from = b.results;
  if (s.convert != nullptr) {
    char* const converted = memory.part(Memory::converted);
    s.convert(converted, from, b.n * b.rows);
    from = converted;
  }
  if (turns_) {
    // Lines become columns again: the output is written along its own rows.
    char *const turned = memory.part(Memory::turned), *const marks =
                                                          memory.part(Memory::turned_flags);
    const std::int64_t size = s.memory_size;
    copy_block_kernel(size)(turned, b.rows * size, size, from, size, b.n * size, b.n, b.rows);
    copy_block_kernel(1)(marks, b.rows, 1, flags.data, 1, flags.row, b.n, b.rows);
    from = turned;
    flags = {marks, 1, b.rows};
    std::swap(out.step, out.row);
    std::swap(b.n, b.rows);
  }
  const MaskedStoreFn put = masked_store_kernel(s.memory_size, has_fast_masked_stores());
  const bool is_one_row = out.row == b.n * out.step && flags.row == b.n;
  const std::int64_t n = is_one_row ? b.n * b.rows : b.n, rows = is_one_row ? 1 : b.rows;
  for (std::int64_t r = 0; r < rows; ++r)
    put(out.data + r * out.row, out.step, from + r * n * s.memory_size, flags.data + r * flags.row,
        n);
}

void MaskedWalk::run(
    std::int64_t room_bytes,
    FunctionRef<void(const MaskedBlock& block, char* room, bool is_first)> work) const {
  if (iter_.numel() == 0 || length_ == 0) return;
  const std::int64_t lines = iter_.ndim() > 0 ? iter_.geometry().extent(0) : 1;
  const std::int64_t in_row = ceil_div(lines, most_lines_);
  const std::int64_t groups = in_row * (iter_.numel() / lines);
  const auto run_group = [&](std::int64_t group, const Memory& memory) {
    const std::int64_t first_line = group % in_row * most_lines_;
    std::int64_t offsets[3];
    for (int k = 0; k < 3; ++k)
      offsets[k] = first_line * sides_[k].line_bytes;
    std::int64_t rest = group / in_row;
    for (int d = 1; d < iter_.ndim(); ++d) {
      const std::int64_t extent = iter_.geometry().extent(d);
      for (int k = 0; k < 3; ++k)
        offsets[k] += rest % extent * iter_.geometry().stride(d, k);
      rest /= extent;
    }
    const std::int64_t count = std::min(most_lines_, lines - first_line);
    for (std::int64_t at = 0; at < length_; at += block_length_) {
      const std::int64_t some = std::min(block_length_, length_ - at);
      const Side &to = sides_[0], &in = sides_[1];
      MaskedBlock block{memory.part(Memory::values), memory.part(Memory::values),
                        by_lines_ ? some : count, by_lines_ ? count : some};
      Rows from = rows_of(in, offsets[1], at), flags = rows_of(sides_[2], offsets[2], at);
      pack_rows(memory.part(Memory::flags), flags, 1, block);
      pack_rows(memory.part(in.convert != nullptr ? Memory::packed : Memory::values), from,
                in.memory_size, block);
      const std::int64_t dense = block.n * in.work_size;
      if (in.convert != nullptr) {
        for (std::int64_t r = 0; r < block.rows; ++r)
          in.convert(block.values + r * dense, from.data + r * from.row, block.n);
        from = {block.values, in.work_size, dense};
      }
      left_out_.fill(block.values, dense, from.data, from.row, flags.data, flags.row, block.n,
                     block.rows);
      if (has_results_) block.results = memory.part(Memory::results);
      work(block, memory.part(Memory::room), at == 0);
      store(block, rows_of(to, offsets[0], at), flags, memory);
    }
  };
  const std::int64_t grain =
      std::max<std::int64_t>(1, line_grain / std::max<std::int64_t>(1, most_lines_ * length_));
  parallel_for(groups, grain, [&](std::int64_t begin, std::int64_t end) {
    const Memory memory(*this, room_bytes);
    for (std::int64_t group = begin; group < end; ++group)
      run_group(group, memory);
  });
}

}  // namespace v0
}  // namespace weft
