// SPDX-License-Identifier: Apache-2.0
#include "ops/part_copies.hpp"

#include <weft/base/checked.hpp>
#include <weft/iter/config.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/text.hpp"
#include "engine/copy/copy_kernel.hpp"
#include "engine/elementwise/run_small.hpp"
#include "engine/wanted_strategy.hpp"
#include "kernels/stage/stage.hpp"
#include "machine/scratch_memory.hpp"
#include "machine/tuning.hpp"
#include "ops/moved_result.hpp"
#include "parallel/loop_threads.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

/// Parts of fewer bytes in a row share many of their lines with their neighbours.
constexpr std::int64_t narrow_part_bytes = 4 * cache_line_bytes;
/// What a second level keeps beside what is read for it.
constexpr std::int64_t block_bytes = 128 * 1024;

/// Of the parts' elements that alternate, and of a part of them.
constexpr std::int64_t alternating_bytes = 8 * 1024, max_alternating = 64;
/// Bytes of them that are worth a thread.
constexpr std::int64_t alternating_thread_bytes = 256 * 1024;

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

void ToldCopies::add_alternating(const TensorView& out, std::span<const TensorView> parts,
                                 std::int64_t elements) {
  const auto last = static_cast<std::int64_t>(out.rank() - 1);
  Explanation e = part_iterator(out.slice(last, 0, 1), parts[0]).explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.form = "alternating";
  e.run.span = e.run.tile[0] = elements;
  e.run.tile[1] = static_cast<std::int64_t>(parts.size());
  e.run.blocks = ceil_div(parts[0].numel(), elements);
  e.operands[0].access = "direct";
  e.operands[1].access = "packed with the other parts";
  count_ = 1;
  bytes_ = 2 * out.nbytes();
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

bool alternates(const TensorView& out, std::size_t axis, std::span<const TensorView> parts) {
  if (parts.size() < 2 || static_cast<std::int64_t>(parts.size()) > max_alternating) return false;
  if (static_cast<int>(axis) != out.rank() - 1 || !out.is_contiguous()) return false;
  return std::ranges::all_of(parts, [&](const TensorView& part) {
    return part.shape()[axis] == 1 && part.dtype() == out.dtype() && part.is_contiguous();
  });
}

void PartCopies::alternate(const TensorView& out, std::span<const TensorView> parts) const {
  const std::int64_t size = element_size(out.dtype()), numel = parts[0].numel();
  const auto count = static_cast<std::int64_t>(parts.size()), step = count * size;
  const std::int64_t most = std::min(alternating_bytes / step, numel);
  if (told_ != nullptr) told_->add_alternating(out, parts, most);
  share(ceil_div(numel, most), ceil_div(alternating_thread_bytes, most * step),
        [&](std::int64_t begin, std::int64_t end) {
          if (told_ != nullptr) return;
          const CopyBlockFn join = copy_block_kernel(size);
          SmallScratch rows(most * step);
          for (std::int64_t i = begin * most; i < std::min(end * most, numel); i += most) {
            const std::int64_t n = std::min(most, numel - i);
            for (std::int64_t k = 0; k < count; ++k) {
              const auto* const part =
                  static_cast<const char*>(parts[static_cast<std::size_t>(k)].data());
              std::memcpy(rows.data() + k * n * size, part + i * size,
                          static_cast<std::size_t>(n * size));
            }
            join(static_cast<char*>(out.data()) + i * step, step, size, rows.data(), size, n * size,
                 n, count);
          }
        });
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
