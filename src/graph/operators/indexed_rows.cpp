// SPDX-License-Identifier: Apache-2.0
#include "graph/operators/indexed_rows.hpp"

#include <weft/base/error.hpp>
#include <weft/core/cast.hpp>
#include <weft/core/scalar_type.hpp>
#include <weft/iter/loop.hpp>

#include "base/text.hpp"
#include "graph/operators/checks.hpp"
#include "machine/tuning.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// An indexed element costs some ten times a plain one.
constexpr std::int64_t indexed_grain = default_grain / 8;

std::int64_t product(IntSpan extents, int first, int last) {
  std::int64_t count = 1;
  for (int i = first; i < last; ++i)
    count *= extents[static_cast<std::size_t>(i)];
  return count;
}

ScalarType unsigned_type(std::int64_t bytes) {
  switch (bytes) {
    case 1: return ScalarType::u8;
    case 2: return ScalarType::u16;
    case 4: return ScalarType::u32;
    case 8: return ScalarType::u64;
    default: return ScalarType::c128;
  }
}

/// Index number i. Of u64 at most the largest i64, which is beyond every axis.
std::int64_t index_at(const TensorView& view, const void* data, std::int64_t i) {
  const std::int64_t size = element_size(view.dtype());
  const char* const at = static_cast<const char*>(data) + i * size;
  if (view.dtype() == ScalarType::u64) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof(value));
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::min(value, most));
  }
  std::int64_t value = 0;
  cast_elements(&value, ScalarType::i64, 8, at, view.dtype(), size, 1);
  return value;
}

std::string text_of(const TensorView& view, const void* data, std::int64_t i) {
  if (view.dtype() != ScalarType::u64) return text(index_at(view, data, i));
  std::uint64_t value;
  std::memcpy(&value, static_cast<const char*>(data) + 8 * i, sizeof(value));
  return text(value);
}

/// Whether kernels read indexes of a type as they are.
bool is_read_as_it_is(ScalarType type) {
  return type == ScalarType::i32 || type == ScalarType::i64;
}

}  // namespace

IndexesInput::IndexesInput(const TensorView& view, int input) : view_(view), input_(input) {
  if (!is_read_as_it_is(view.dtype())) own_.resize(static_cast<std::size_t>(view.numel()));
}

void IndexesInput::read(const void* data, std::int64_t extent) {
  const std::int64_t n = view_.numel(), size = element_size(view_.dtype());
  outside_.clear();
  type_ = view_.dtype();
  data_ = static_cast<const char*>(data);
  if (n == 0 || (is_read_as_it_is(type_) && !index_check_kernel(type_)(data_, size, n, extent)))
    return;
  own_.resize(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t index = index_at(view_, data, i);
    if (index < -extent || index >= extent) {
      outside_.push_back(i);
      index = 0;
    }
    own_[static_cast<std::size_t>(i)] = index;
  }
  type_ = ScalarType::i64;
  data_ = reinterpret_cast<const char*>(own_.data());
}

void IndexesInput::fail_outside(const void* data, int axis, std::int64_t extent) const {
  fail(ErrorCode::axis,
       text("input ", input_, " (indices): index ", text_of(view_, data, outside_.front()),
            " for axis ", axis, " of extent ", extent));
}

IndexedRows::IndexedRows(const TensorView& indexed, const TensorView& indices, int axis,
                         int batch_dims)
    : batch(product(indexed.shape(), 0, batch_dims)),
      before(product(indexed.shape(), batch_dims, axis)),
      extent(indexed.extent(axis)),
      inner_bytes(product(indexed.shape(), axis + 1, indexed.rank()) *
                  element_size(indexed.dtype())),
      count(product(indices.shape(), batch_dims, indices.rank())),
      word_(element_size(indexed.dtype())),
      words_(inner_bytes / word_) {
  // A short row is moved as one word.
  if (inner_bytes > 0 && inner_bytes <= max_element_bytes &&
      std::has_single_bit(static_cast<std::uint64_t>(inner_bytes))) {
    word_ = inner_bytes;
    words_ = 1;
  }
}

void IndexedRows::for_each_block(char* rows, char* indexed, const IndexesInput& indexes,
                                 bool by_index, Run f) const {
  if (batch == 0 || before == 0 || count == 0 || inner_bytes == 0) return;
  const std::int64_t index_bytes = element_size(indexes.type());
  const IndexedAxes axes{indexes.type(), extent, 1, &extent, &inner_bytes};
  // Lines of `before` have the same indexes. Where there is one for each of the batch, these are
  // lines with indexes of their own.
  const bool is_one_line = before == 1;
  const std::int64_t groups = is_one_line ? 1 : batch, lines = is_one_line ? batch : before;
  const std::int64_t line_index_bytes = is_one_line ? count * index_bytes : 0;
  const std::int64_t line_to = count * inner_bytes, line_from = extent * inner_bytes;
  const auto run = [&](std::int64_t group, std::int64_t line, std::int64_t nlines, std::int64_t i,
                       std::int64_t n) {
    const std::int64_t first = group * lines + line;
    IndexedBlock block{rows + first * line_to + i * inner_bytes,
                       indexed + first * line_from,
                       indexes.data() + (group * count + i) * index_bytes + line * line_index_bytes,
                       {inner_bytes, line_to},
                       {0, line_from},
                       {index_bytes, line_index_bytes},
                       n,
                       nlines};
    if (words_ == 1) return f(block, axes);
    // Rows of words along dim 0; along dim 1 indexes, or lines, whichever there are more of.
    const IndexedBlock all = block;
    const int along = n >= nlines ? 0 : 1, other = 1 - along;
    block.n0 = words_;
    block.n1 = along == 0 ? n : nlines;
    block.to_steps[1] = all.to_steps[along];
    block.from_steps[1] = all.from_steps[along];
    block.index_steps[1] = all.index_steps[along];
    block.to_steps[0] = block.from_steps[0] = word_;
    block.index_steps[0] = 0;
    for (std::int64_t k = along == 0 ? nlines : n; k > 0; --k) {
      f(block, axes);
      block.to += all.to_steps[other];
      block.from += all.from_steps[other];
      block.index += all.index_steps[other];
    }
  };
  const std::int64_t all_lines = groups * lines;
  const auto grain_of = [&](std::int64_t elements) {
    return std::max<std::int64_t>(1, indexed_grain / elements);
  };
  if (by_index && count > all_lines) {
    parallel_for(count, grain_of(all_lines * words_), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t group = 0; group < groups; ++group)
        run(group, 0, lines, begin, end - begin);
    });
    return;
  }
  parallel_for(all_lines, grain_of(count * words_), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end;) {
      const std::int64_t group = line / lines, within = line % lines;
      const std::int64_t nlines = std::min(lines - within, end - line);
      run(group, within, nlines, 0, count);
      line += nlines;
    }
  });
}

void IndexedRows::gather(char* rows, const char* indexed, const IndexesInput& indexes) const {
  const GatherFn kernel = gather_kernel(word_);
  // Read only.
  const auto run = [&](const IndexedBlock& block, const IndexedAxes& axes) { kernel(block, axes); };
  for_each_block(rows, const_cast<char*>(indexed), indexes, true, run);
}

void IndexedRows::scatter(char* indexed, const char* rows, const IndexesInput& indexes) const {
  const ScatterFn kernel = scatter_kernel(ScatterOp::set, unsigned_type(word_));
  const auto run = [&](const IndexedBlock& block, const IndexedAxes& axes) {
    IndexedBlock turned = block;
    turned.to = const_cast<char*>(block.from);
    turned.from = block.to;
    std::swap(turned.to_steps, turned.from_steps);
    kernel(turned, axes);
  };
  for_each_block(const_cast<char*>(rows), indexed, indexes, false, run);
}

void IndexedRows::clear(char* rows, std::int64_t number) const {
  const std::int64_t group = number / count, i = number % count;
  for (std::int64_t line = group * before; line < (group + 1) * before; ++line)
    std::memset(rows + (line * count + i) * inner_bytes, 0, static_cast<std::size_t>(inner_bytes));
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
