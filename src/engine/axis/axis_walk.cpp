// SPDX-License-Identifier: Apache-2.0
#include "engine/axis/axis_walk.hpp"

#include <weft/base/checked.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/text.hpp"
#include "engine/axis/along_axis.hpp"
#include "engine/grain.hpp"
#include "machine/fixed_sizes.hpp"
#include "machine/tuning.hpp"
#include "parallel/loop_threads.hpp"

#include <array>
#include <cstdlib>
#include <limits>

namespace weft {
inline namespace v0 {

using fixed::line_elements;
using fixed::min_columns;

namespace {

/// What stands for the axis in a tensor's shape or strides; `scalar` of a tensor without axes.
std::int64_t along(IntSpan values, std::int64_t axis, std::int64_t scalar) {
  const auto rank = static_cast<std::int64_t>(values.size());
  return rank == 0 ? scalar : values[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
}

}  // namespace

AxisOperand::AxisOperand(const TensorIterator& iter, int k, std::int64_t axis_stride,
                         ScalarType type)
    : TypeChange(iter.operand(k), type),
      axis_bytes(axis_stride * memory_size),
      column_bytes(iter.ndim() > 0 ? iter.geometry().stride(0, k) : memory_size),
      lines_dense(axis_bytes == memory_size),
      columns_dense(column_bytes == memory_size || iter.numel() == 1) {}

AxisWalk::AxisWalk(const TensorView& out, const TensorView& in, std::int64_t axis,
                   ScalarType out_type, ScalarType in_type, double ns)
    : iter_(plan_along_axis(out, in, axis, out_type, in_type)),
      out_(iter_, 0, along(out.strides(), axis, 0), out_type),
      in_(iter_, 1, along(in.strides(), axis, 0), in_type),
      origin_{iter_.operand(0).data, iter_.operand(1).data},
      length_(along(in.shape(), axis, 1)),
      ns_(ns) {
  const Geometry& g = iter_.geometry();
  int second = 1;
  std::int64_t nearest = std::min(std::abs(in_.axis_bytes), std::abs(in_.column_bytes));
  for (int d = 1; d < g.ndim() && nearest >= cache_line_bytes; ++d) {
    const std::int64_t step = std::abs(g.stride(d, 1));
    if (step == 0 || step >= nearest || g.extent(d) == 1) continue;
    nearest = step;
    second = d;
    dense_second_ = true;
  }
  const auto walk_along = [&](std::int64_t extent, std::int64_t to, std::int64_t from) {
    extent = std::max<std::int64_t>(extent, 1);
    steps_.push_back({walked_.ndim(), 1, extent});
    walked_.shape.push_back(extent);
    walked_.strides_bytes.push_back(to);
    walked_.strides_bytes.push_back(from);
  };
  const auto walk_dim = [&](int d) {
    d < g.ndim() ? walk_along(g.extent(d), g.stride(d, 0), g.stride(d, 1)) : walk_along(1, 0, 0);
  };
  walked_.noperands = 2;
  walk_along(length_, out_.axis_bytes, in_.axis_bytes);
  walk_dim(0);
  walk_dim(second);
  for (int d = 1; d < g.ndim(); ++d)
    if (d != second) walk_dim(d);
  set_tile(0, extent(0));
}

// ---- The plan -----------------------------------------------------------------------------------

void AxisWalk::set_tile(int i, std::int64_t max) {
  const std::int64_t n = std::min(extent(i), max);
  steps_[i] = {i, n, ceil_div(extent(i), n)};
}

void AxisWalk::set_columns(std::int64_t max) {
  // Some of both dims, where each is dense on one side.
  const std::int64_t second = dense_second_ ? std::min(extent(2), line_elements / 2) : 1;
  const std::int64_t wide = std::max<std::int64_t>(max / second, 1);
  const std::int64_t whole = wide >= line_elements ? wide - wide % line_elements : wide;
  set_tile(1, extent(1) <= wide ? extent(1) : whole);
  set_tile(2, std::max<std::int64_t>(max / tile(1), 1));
}

void AxisWalk::set_width(std::int64_t max) {
  set_tile(1, max);
  set_tile(2, 1);
}

std::int64_t AxisWalk::even_columns(std::int64_t max) const {
  const std::int64_t columns = iter_.numel();
  if (columns <= min_columns) return min_columns;
  const std::int64_t threads = num_threads(), rounds = ceil_div(columns, threads * max);
  const std::int64_t share = ceil_div(columns, threads * rounds);
  return std::clamp(ceil_div(share, min_columns) * min_columns, min_columns, max);
}

bool AxisWalk::reads_rows() const {
  return std::abs(in_.axis_bytes) > std::abs(in_.column_bytes) && tile_columns() >= line_elements;
}

// ---- Running ------------------------------------------------------------------------------------

std::int64_t AxisWalk::pieces() const {
  std::int64_t pieces = bytes(in_) == 0 ? 0 : 1;
  for (std::size_t i = 1; i < steps_.size(); ++i)
    pieces *= steps_[i].tiles;
  return pieces;
}

std::int64_t AxisWalk::grain(const RunOptions& options) const {
  if (options.serial) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t elements = options.grain > 0 ? options.grain : least_elements_a_thread(ns_);
  return std::max<std::int64_t>(1, elements / (tile_columns() * extent(0)));
}

void AxisWalk::share(const RunOptions& options,
                     FunctionRef<void(std::int64_t begin, std::int64_t end)> run) const {
  parallel_for(pieces(), grain(options), run);
}

Explanation AxisWalk::explain(const RunOptions& options) const {
  Explanation e = iter_.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.bytes_moved = bytes(out_) + bytes(in_);
  e.run.blocks = pieces() * blocks();
  if (e.run.blocks == 0) return e;
  e.run.threads = loop_threads(pieces(), grain(options));
  explain_form(all_in_place() ? AxisForm::in_place : staged_form_, by_lines_, tile_columns(),
               tile(0), e);
  return e;
}

void explain_form(AxisForm form, bool lines, std::int64_t columns, std::int64_t rows,
                  Explanation& e) {
  constexpr const char* forms[] = {"few-", "", "staged-", "gathered-"};
  constexpr const char* accesses[] = {"direct: ", "direct: ", "staged: ", "staged: many "};
  const auto i = static_cast<std::size_t>(form);
  for (Explanation::Operand& op : e.operands)
    op.access = text(accesses[i], lines ? "lines along the axis" : "columns next to each other");
  e.run.form = text(forms[i], lines ? "lines" : "columns");
  e.run.span = lines ? rows : columns;
  e.run.tile[0] = columns;
  e.run.tile[1] = rows;
}

// ---- Blocks -------------------------------------------------------------------------------------

struct AxisWalk::Memory {
  Memory(const AxisWalk& walk, const TileCursor& at, int k) {
    const AxisOperand& o = k == 0 ? walk.out_ : walk.in_;
    for (const int i : walk.by_lines_ ? std::array{0, 1, 2} : std::array{1, 2, 0})
      append_dim(dims, ndims, {at.extents[i], walk.walked_.stride(i, k)});
    dense = ndims == 0 || (ndims == 1 && dims[0].stride == o.memory_size);
  }

  BlockDim dims[3];
  int ndims = 0;
  bool dense;
};

AxisBlock AxisWalk::block(const TileCursor& at, char* dense) const {
  const std::int64_t rows = at.extents[0], columns = at.extents[1] * at.extents[2];
  const auto step = [&](const AxisOperand& o) {
    return !o.in_place ? (by_lines_ ? rows : columns) * o.kernel_size
           : by_lines_ ? o.column_bytes
                       : o.axis_bytes;
  };
  const bool there = out_.in_place || (!out_.converts() && Memory(*this, at, 0).dense);
  return {there ? at.ptrs[0] : dense, step(out_), nullptr, step(in_), rows, columns};
}

const char* AxisWalk::load(const TileCursor& at, char* dense, char* others) const {
  char* from = at.ptrs[1];
  if (in_.in_place) return from;
  Memory memory(*this, at, 1);
  if (!memory.dense) {
    from = in_.converts() ? others : dense;
    pack(copy_block_kernel(in_.memory_size), from, at.ptrs[1], in_.memory_size, memory.dims,
         memory.ndims);
  }
  if (!in_.converts()) return from;
  in_.convert(dense, from, nullptr, at.elements(3));
  return dense;
}

void AxisWalk::store(const TileCursor& at, const char* results, char* others) const {
  if (results == at.ptrs[0]) return;
  Memory memory(*this, at, 0);
  if (out_.converts()) {
    if (memory.dense) others = at.ptrs[0];
    out_.convert(others, results, nullptr, at.elements(3));
    if (memory.dense) return;
    results = others;
  }
  unpack(copy_block_kernel(out_.memory_size), at.ptrs[0], results, out_.memory_size, memory.dims,
         memory.ndims);
}

}  // namespace v0
}  // namespace weft
