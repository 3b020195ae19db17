// SPDX-License-Identifier: Apache-2.0
#include "engine/axis/axis_walk.hpp"

#include <weft/base/checked.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/text.hpp"
#include "engine/axis/along_axis.hpp"
#include "engine/grain.hpp"
#include "engine/stage_buffers.hpp"
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
std::int64_t along(IntSpan values, int axis, std::int64_t scalar) {
  return values.empty() ? scalar : values[static_cast<std::size_t>(axis)];
}

}  // namespace

AxisOperand::AxisOperand(const TensorIterator& iter, int k, std::int64_t axis_stride,
                         ScalarType type)
    : TypeChange(iter.operand(k), type),
      axis_bytes(axis_stride * memory_size),
      column_bytes(iter.ndim() > 0 ? iter.geometry().stride(0, k) : memory_size),
      lines_dense(axis_bytes == memory_size),
      columns_dense(column_bytes == memory_size || iter.numel() == 1) {}

AxisWalk::AxisWalk(const AlongAxis& given, const ScalarType* types, double ns)
    : iter_(plan_along_axis(given, types)),
      leading_(given.noutputs()),
      length_(along(given.shape(), given.axis(), 1)),
      ns_(ns) {
  const Geometry& g = iter_.geometry();
  for (int k = 0; k < given.size(); ++k) {
    operands_.emplace_back(iter_, k, along(given[k].strides(), given.axis(), 0), types[k]);
    origin_.push_back(iter_.operand(k).data);
  }
  for (int k = given.noutputs(); k < given.noutputs() + given.ninputs(); ++k) {
    const AxisOperand& o = operands_[k];
    if ((o.axis_bytes == 0 && length_ > 1) || (o.column_bytes == 0 && iter_.numel() > 1)) continue;
    leading_ = k;
    break;
  }
  const AxisOperand& in = operands_[leading_];
  int second = 1;
  std::int64_t nearest = std::min(std::abs(in.axis_bytes), std::abs(in.column_bytes));
  for (int d = 1; d < g.ndim() && nearest >= cache_line_bytes; ++d) {
    const std::int64_t step = std::abs(g.stride(d, leading_));
    if (step == 0 || step >= nearest || g.extent(d) == 1) continue;
    nearest = step;
    second = d;
    dense_second_ = true;
  }
  const auto walk_along = [&](std::int64_t extent, auto&& stride_of) {
    extent = std::max<std::int64_t>(extent, 1);
    steps_.push_back({walked_.ndim(), 1, extent});
    walked_.shape.push_back(extent);
    for (int k = 0; k < size(); ++k)
      walked_.strides_bytes.push_back(stride_of(k));
  };
  const auto walk_dim = [&](int d) {
    const bool is_there = d < g.ndim();
    walk_along(is_there ? g.extent(d) : 1, [&](int k) { return is_there ? g.stride(d, k) : 0; });
  };
  walked_.noperands = size();
  walk_along(length_, [&](int k) { return operands_[k].axis_bytes; });
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

std::int64_t AxisWalk::max_size() const {
  std::int64_t size = 1;
  for (const AxisOperand& o : operands_)
    size = std::max<std::int64_t>({size, o.kernel_size, o.memory_size});
  return size;
}

bool AxisWalk::reads_rows() const {
  const AxisOperand& in = operands_[leading_];
  return std::abs(in.axis_bytes) > std::abs(in.column_bytes) && tile_columns() >= line_elements;
}

// ---- Running ------------------------------------------------------------------------------------

std::int64_t AxisWalk::pieces() const {
  std::int64_t pieces = elements() == 0 ? 0 : 1;
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
  for (const AxisOperand& o : operands_)
    e.run.bytes_moved += elements() * o.memory_size;
  e.run.blocks = pieces() * blocks();
  if (e.run.blocks == 0) return e;
  e.run.threads = loop_threads(pieces(), grain(options));
  explain_form(all_in_place() ? AxisForm::in_place : staged_form_, by_lines_, tile_columns(),
               tile(0), e);
  for (int k = 0; k < size(); ++k)
    if (operands_[k].in_place) e.operands[k].access = access_text(AxisForm::in_place, by_lines_);
  return e;
}

std::string access_text(AxisForm form, bool lines) {
  constexpr const char* accesses[] = {"direct: ", "direct: ", "staged: ", "staged: many "};
  return text(accesses[static_cast<std::size_t>(form)],
              lines ? "lines along the axis" : "columns next to each other");
}

void explain_form(AxisForm form, bool lines, std::int64_t columns, std::int64_t rows,
                  Explanation& e) {
  constexpr const char* forms[] = {"few-", "", "staged-", "gathered-"};
  for (Explanation::Operand& op : e.operands)
    op.access = access_text(form, lines);
  e.run.form = text(forms[static_cast<std::size_t>(form)], lines ? "lines" : "columns");
  e.run.span = lines ? rows : columns;
  e.run.tile[0] = columns;
  e.run.tile[1] = rows;
}

// ---- Blocks -------------------------------------------------------------------------------------

struct AxisWalk::Memory {
  Memory(const AxisWalk& walk, const TileCursor& at, std::int64_t rows, int k) {
    for (const int i : walk.by_lines_ ? std::array{0, 1, 2} : std::array{1, 2, 0})
      append_dim(dims, ndims, {i == 0 ? rows : at.extents[i], walk.walked_.stride(i, k)});
    dense = is_dense(dims, ndims, walk.operands_[k].memory_size);
  }

  BlockDim dims[3];
  int ndims = 0;
  bool dense;
};

char* AxisWalk::target(const TileCursor& at, int k, char* dense) const {
  const AxisOperand& o = operands_[k];
  const bool there = o.in_place || (!o.converts() && Memory(*this, at, at.extents[0], k).dense);
  return there ? at.ptrs[k] : dense;
}

char* AxisWalk::load(const TileCursor& at, int k, std::int64_t rows, char* dense,
                     char* others) const {
  const AxisOperand& o = operands_[k];
  if (o.in_place) return at.ptrs[k];
  Memory memory(*this, at, rows, k);
  if (memory.dense && !o.converts()) return at.ptrs[k];
  load_block(o, copy_block_kernel(o.memory_size), {dense, nullptr, others}, at.ptrs[k], memory.dims,
             memory.ndims, rows * at.extents[1] * at.extents[2]);
  return dense;
}

void AxisWalk::store(const TileCursor& at, int k, char* results, char* others) const {
  if (results == at.ptrs[k]) return;
  const AxisOperand& o = operands_[k];
  Memory memory(*this, at, at.extents[0], k);
  store_block(o, copy_block_kernel(o.memory_size), {results, nullptr, others}, at.ptrs[k],
              memory.dims, memory.ndims, at.elements(3));
}

}  // namespace v0
}  // namespace weft
