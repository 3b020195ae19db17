// SPDX-License-Identifier: Apache-2.0
// The parts of TensorIterator that run on several threads. They are declared with the iterator, one
// layer down, so that a kernel written for PyTorch finds them where it expects them.
#include <weft/iter/tensor_iterator.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/text.hpp"
#include "iter/loop_tiles.hpp"

#include <algorithm>
#include <cstring>

namespace weft {
inline namespace v0 {

namespace {

/// Runs the loop tile by tile.
void for_each_tile(const TensorIterator& iter, const LoopTiles& tiles, Loop2d loop,
                   std::int64_t grain) {
  const Geometry& geometry = iter.geometry();
  const int noperands = geometry.noperands;
  std::int64_t strides[2 * max_operands];
  std::copy_n(geometry.strides(0), noperands, strides);
  std::copy_n(geometry.strides(tiles.second), noperands, strides + noperands);
  const std::int64_t tile_grain =
      std::max<std::int64_t>(1, grain / (tiles.side0 * LoopTiles::side));
  parallel_for(tiles.count, tile_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      char* ptrs[max_operands];
      for (int k = 0; k < noperands; ++k)
        ptrs[k] = iter.operand(k).data;
      std::int64_t n0 = 0;
      std::int64_t n1 = 0;
      tiles.locate(geometry, i, ptrs, n0, n1);
      loop(ptrs, strides, n0, n1);
    }
  });
}

/// The largest dim that output 0 keeps, or -1.
int largest_kept_dim(const Geometry& geometry) {
  int kept = -1;
  for (int d = 0; d < geometry.ndim(); ++d) {
    if (geometry.stride(d, 0) != 0 && (kept < 0 || geometry.extent(d) >= geometry.extent(kept)))
      kept = d;
  }
  return kept;
}

}  // namespace

/// Each output is reduced by one thread, in one order: threads share the largest kept dim.
void TensorIterator::for_each_kept(Loop2d loop, std::int64_t grain) const {
  const int kept = largest_kept_dim(geometry_);
  if (kept < 0 || numel_ < grain) {
    serial_for_each_2d(loop, {0, numel_});
    return;
  }
  const std::int64_t extent = geometry_.extent(kept);
  const std::int64_t per_index = std::max<std::int64_t>(1, numel_ / extent);
  parallel_for(extent, std::max<std::int64_t>(1, grain / per_index),
               [&](std::int64_t begin, std::int64_t end) {
                 TensorIterator part = *this;
                 part.narrow(kept, begin, end - begin);
                 part.serial_for_each_2d(loop, {0, part.numel_});
               });
}

void TensorIterator::for_each_2d(Loop2d loop, std::int64_t grain) const {
  if (numel_ == 0) return;
  require_uncast("for_each");
  if (is_reduction_) {
    for_each_kept(loop, grain);
    return;
  }
  if (!linear_ && !pytorch_order_) {
    if (const auto tiles = tiles_for_loops(geometry_, numel_)) {
      for_each_tile(*this, *tiles, loop, grain);
      return;
    }
  }
  // Whole rows where there are enough of them, else whole cache lines of the smallest type.
  const std::int64_t row = ndim() > 0 ? geometry_.extent(0) : 1;
  const std::int64_t align = row <= grain ? row : 64;
  parallel_for(
      numel_, grain,
      [&](std::int64_t begin, std::int64_t end) {
        serial_for_each_2d(loop, {begin, end});
      },
      align);
}

/// One output element: pieces of a size fixed by the geometry, each with an element of its own.
void TensorIterator::reduce_to_one(Loop2d loop) const {
  constexpr std::int64_t piece = default_grain;
  const std::int64_t pieces = (numel_ + piece - 1) / piece;
  if (pieces == 1) {
    serial_for_each_2d(loop, {0, numel_});
    return;
  }
  const auto size = static_cast<std::size_t>(weft::element_size(operands_[0].dtype));
  std::vector<char> partial(static_cast<std::size_t>(pieces) * size);
  parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      char* own = partial.data() + static_cast<std::size_t>(i) * size;
      std::memcpy(own, operands_[0].data, size);
      TensorIterator part = *this;
      part.unsafe_replace_operand(0, own);
      part.serial_for_each_2d(loop, {i * piece, std::min(numel_, (i + 1) * piece)});
    }
  });
  char* data[2] = {operands_[0].data, partial.data()};
  const std::int64_t strides[4] = {0, static_cast<std::int64_t>(size), 0, 0};
  loop(data, strides, pieces, 1);
}

void TensorIterator::parallel_reduce(Loop2d loop) const {
  if (noutputs_ != 1 || ninputs() != 1) {
    fail(ErrorCode::invalid_argument,
         text("parallel_reduce: expected one output and one input, got ", noutputs_, " and ",
              ninputs()));
  }
  if (numel_ == 0) return;
  require_uncast("parallel_reduce");
  if (num_output_elements() == 1) {
    reduce_to_one(loop);
    return;
  }
  for_each_kept(loop, default_grain);
}

void TensorIterator::foreach_reduced_elt(FunctionRef<void(TensorIterator&)> loop,
                                         bool parallelize) const {
  if (noutputs_ < 1 || ninputs() < 1) {
    fail(ErrorCode::invalid_argument, text("foreach_reduced_elt: expected outputs and inputs, got ",
                                           noutputs_, " and ", ninputs()));
  }
  if (numel_ == 0) return;
  const std::int64_t outputs = num_output_elements();
  const std::int64_t per_output = numel_ / outputs;
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t flat = begin; flat < end; ++flat) {
      TensorIterator part = *this;
      part.is_reduction_ =
          true;  // keeps narrow() from merging dims while others are still to be narrowed
      std::int64_t left = flat;
      for (int d = 0; d < ndim(); ++d) {
        if (geometry_.stride(d, 0) == 0) continue;
        part.narrow(d, left % geometry_.extent(d), 1);
        left /= geometry_.extent(d);
      }
      loop(part);
    }
  };
  if (!parallelize) {
    run(0, outputs);
    return;
  }
  parallel_for(outputs,
               std::max<std::int64_t>(1, default_grain / std::max<std::int64_t>(1, per_output)),
               run);
}

}  // namespace v0
}  // namespace weft
