// SPDX-License-Identifier: Apache-2.0
#include "ops/part_copies.hpp"

#include <weft/base/checked.hpp>
#include <weft/iter/config.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/text.hpp"
#include "engine/copy/copy_kernel.hpp"
#include "engine/elementwise/run_small.hpp"
#include "engine/wanted_strategy.hpp"
#include "machine/tuning.hpp"
#include "ops/moved_result.hpp"
#include "parallel/loop_threads.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

/// Parts of fewer bytes in a row share many of their lines with their neighbours.
constexpr std::int64_t narrow_part_bytes = 4 * cache_line_bytes;
/// What a second level keeps beside what is read for it.
constexpr std::int64_t block_bytes = 128 * 1024;

/// The longest axis, of those that are not cut, along which the result is walked outside of one; or
/// that one, if there is none.
std::size_t outer_axis(const TensorView& out, std::size_t axis, std::uint64_t cut) {
  std::size_t best = axis;
  for (std::size_t other = 0; other < out.shape().size(); ++other) {
    if ((cut >> other & 1) != 0 || out.shape()[other] == 1) continue;
    if (std::abs(out.strides()[other]) <= std::abs(out.strides()[axis])) continue;
    if (best == axis || out.shape()[other] > out.shape()[best]) best = other;
  }
  return best;
}

/// The two are known to share no memory.
TensorIterator part_iterator(const TensorView& to, const TensorView& from) {
  TensorIteratorConfig config;
  config.add_output(to).add_input(from).check_all_same_dtype(false).resize_outputs(false);
  config.set_check_mem_overlap(false);
  return config.build();
}

}  // namespace

void ToldCopies::add(const TensorView& to, const TensorView& from) {
  const std::int64_t bytes = to.nbytes();
  const TensorIterator iter = part_iterator(to, from);
  Explanation e = CopyKernel(iter.dtype(0), iter.dtype(1)).explain_as_part(iter);
  ++count_;
  bytes_ += e.run.bytes_moved;
  threads_ = std::max(threads_, e.run.threads);
  if (bytes <= largest_bytes_) return;
  largest_bytes_ = bytes;
  largest_ = std::move(e);
}

void ToldCopies::add_threads(int threads) { threads_ = std::max(threads_, threads); }

Explanation ToldCopies::explanation(IntSpan shape) const {
  if (count_ == 0) return explain_nothing(shape);
  Explanation e = largest_;
  e.run.bytes_moved = bytes_;
  e.run.threads = threads_;
  if (count_ > 1) e.run.why = text("the largest of ", count_, " copies: ", e.run.why);
  return e;
}

void PartCopies::copy(const TensorView& to, const TensorView& from) const {
  if (to.numel() == 0) return;
  if (told_ != nullptr) return told_->add(to, from);
  if (copy_small(to, same_list(from.shape(), to.shape()) ? from : from.expand(to.shape()))) return;
  const TensorIterator iter = part_iterator(to, from);
  CopyKernel(iter.dtype(0), iter.dtype(1)).run_as_part(iter);
}

void PartCopies::share(std::int64_t count, std::int64_t grain,
                       FunctionRef<void(std::int64_t begin, std::int64_t end)> body) const {
  if (told_ == nullptr) return parallel_for(count, grain, body);
  told_->add_threads(loop_threads(count, grain));
  body(0, count);
}

void PartCopies::in_blocks(const TensorView& out, std::size_t axis, std::int64_t parts,
                           std::uint64_t cut, FunctionRef<void(const Block& block)> write) const {
  const std::int64_t size = element_size(out.dtype());
  const std::int64_t part_bytes =
      out.numel() == 0 ? 0 : out.shape()[axis] / parts * std::abs(out.strides()[axis]) * size;
  if (parts > 1 && out.nbytes() > block_bytes && part_bytes < narrow_part_bytes) {
    const std::size_t along = outer_axis(out, axis, cut);
    const std::int64_t extent = out.shape()[along];
    const std::int64_t count = std::max<std::int64_t>(1, block_bytes / (out.nbytes() / extent));
    if (along != axis && count < extent) {
      return share(ceil_div(extent, count), 2, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          write(Block(along, i * count, std::min(count, extent - i * count)));
      });
    }
  }
  write(Block());
}

}  // namespace v0
}  // namespace weft
