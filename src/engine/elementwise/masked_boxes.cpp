// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/masked_boxes.hpp"

#include <weft/base/checked.hpp>
#include <weft/machine/level.hpp>

#include "engine/block.hpp"
#include "kernels/stage/masked_store.hpp"
#include "machine/fixed_sizes.hpp"
#include "machine/masked_stores.hpp"
#include "machine/scratch_memory.hpp"
#include "parallel/loop_threads.hpp"

#include <algorithm>
#include <cstdlib>

namespace weft {
inline namespace v0 {
namespace {

/// The dim along which elements of an operand are next to each other; -1: none is.
int innermost_dim(const Geometry& geometry, int k) {
  int best = -1;
  std::int64_t least = 0;
  for (int d = 0; d < geometry.ndim(); ++d) {
    const std::int64_t stride = std::abs(geometry.stride(d, k));
    if (geometry.extent(d) < 2 || stride == 0 || (best >= 0 && stride >= least)) continue;
    best = d;
    least = stride;
  }
  return best;
}

}  // namespace

int MaskedBoxes::second_dim(const Geometry& geometry) {
  for (int k = 0; k < geometry.noperands; ++k) {
    const int dim = innermost_dim(geometry, k);
    // What stands still along dim 0 is read once for each row.
    if (dim > 0 && geometry.stride(0, k) != 0) return dim;
  }
  return 0;
}

MaskedBoxes::MaskedBoxes(const Geometry& geometry, std::span<const std::int64_t> sizes, int second,
                         std::int64_t box_bytes)
    : geometry_(geometry), sizes_(sizes) {
  std::int64_t bytes = 0;
  for (const std::int64_t size : sizes)
    bytes += size;
  const std::int64_t most_elements = box_bytes / bytes;
  DimVector box(geometry.shape.size(), 1);
  const auto extend = [&](int dim, std::int64_t most) {
    std::int64_t& extent = box[static_cast<std::size_t>(dim)];
    const std::int64_t room = std::max<std::int64_t>(most_elements / box_elements_, 1);
    const std::int64_t longer = std::max(std::min({geometry.extent(dim), room, most}), extent);
    box_elements_ = box_elements_ / extent * longer;
    extent = longer;
  };
  if (second != 0) {
    extend(0, fixed::masked_box_side);
    extend(second, fixed::masked_box_side);
  }
  for (int d = 0; d < geometry.ndim(); ++d) {
    if (d == 0 || box[static_cast<std::size_t>(d) - 1] == geometry.extent(d - 1))
      extend(d, geometry.extent(d));
  }
  for (int d = 0; d < geometry.ndim(); ++d) {
    const std::int64_t tile = box[static_cast<std::size_t>(d)];
    steps_.push_back({d, tile, ceil_div(geometry.extent(d), tile)});
    count_ *= steps_.back().tiles;
  }
}

std::int64_t MaskedBoxes::boxes_of(std::int64_t elements) const noexcept {
  return std::max<std::int64_t>(ceil_div(elements, box_elements_), 1);
}

bool MaskedBoxes::is_whole(const TileCursor& box) const {
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if (box.extents[i] != steps_[i].tile) return false;
  return true;
}

void MaskedBoxes::for_each_shape(FunctionRef<void(const TileCursor&)> f) const {
  // From the last box along a dim to the first one, for dims whose last box is shorter.
  SmallVector<std::int64_t, inline_rank> last;
  std::int64_t step = 1;
  for (const TileStep& s : steps_) {
    if (geometry_.extent(s.dim) % s.tile != 0) last.push_back((s.tiles - 1) * step);
    step *= s.tiles;
  }
  char* nowhere[max_operands] = {};
  TileCursor box(geometry_, steps_, 0);
  for (std::uint64_t shape = 0; shape < std::uint64_t{1} << last.size(); ++shape) {
    std::int64_t number = 0;
    for (std::size_t i = 0; i < last.size(); ++i)
      number += (shape >> i & 1) != 0 ? last[i] : 0;
    box.seek(number, nowhere);
    f(box);
  }
}

void MaskedBoxes::run(std::int64_t begin, std::int64_t end, char* const* origins, const Mask& mask,
                      const Compute& compute) const {
  std::int64_t bytes = whole_lines(box_elements_);
  for (const std::int64_t size : sizes_)
    bytes += whole_lines(box_elements_ * size);
  const ScratchMemory memory(bytes);
  char* results[max_operands];
  char* free = memory.data() + whole_lines(box_elements_);
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    results[k] = free;
    free += whole_lines(box_elements_ * sizes_[k]);
  }
  TileCursor box(geometry_, steps_, geometry_.noperands);
  box.seek(begin, origins);
  for (std::int64_t number = begin; number < end; ++number) {
    if (number != begin) box.next();
    const char* const flags = mask(box, memory.data());
    if (!selects_any(flags, box.elements(geometry_.ndim()))) continue;
    compute(box, flags, results);
  }
}

void MaskedBoxes::store(const TileCursor& box, char* const* values, const char* flags) const {
  for (std::size_t k = 0; k < sizes_.size(); ++k)
    store_output(box, static_cast<int>(k), values[k], flags);
}

/// Row after row of the box, as the output has rows.
void MaskedBoxes::store_output(const TileCursor& box, int k, const char* values,
                               const char* flags) const {
  const std::int64_t size = sizes_[static_cast<std::size_t>(k)];
  const MaskedStoreFn store_row = masked_store_kernel(size, has_fast_masked_stores());
  BlockDim dims[max_rank + 2];
  const int ndims = block_of(geometry_, k, box.extents, dims);
  for_each_plane(box.ptrs[k], dims, ndims, size,
                 [&](char* to, std::int64_t offset, const BlockDim& d0, const BlockDim& d1) {
                   for (std::int64_t r = 0; r < d1.extent; ++r) {
                     const std::int64_t at = offset + r * d1.step;
                     store_row(to + r * d1.stride, d0.stride, values + at, flags + at / size,
                               d0.extent);
                   }
                 });
}

Explanation::Run MaskedBoxes::explain(std::int64_t grain) const {
  Explanation::Run run;
  run.instruction_set = weft::name(current_level());
  run.form = "masked-boxes";
  run.threads = loop_threads(count_, grain);
  run.span = run.tile[0] = box_elements_;
  run.tile[1] = 1;
  run.blocks = count_;
  return run;
}

}  // namespace v0
}  // namespace weft
