// SPDX-License-Identifier: Apache-2.0
/// @file
/// The copies that a result is put together of: made, or told.
#pragma once

#include <weft/base/function_ref.hpp>
#include <weft/core/tensor_view.hpp>
#include <weft/iter/explain.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft {
inline namespace v0 {

/// What explain() is told instead of copies.
class ToldCopies {
 public:
  void add(const TensorView& to, const TensorView& from);
  void add_threads(int threads);
  /// Parts that alternate, so many elements of each at a time.
  void add_alternating(const TensorView& out, std::span<const TensorView> parts,
                       std::int64_t elements);
  /// How the largest copy is made, and the bytes that all of them move. Of none, the shape of the
  /// result and no run.
  Explanation explanation(IntSpan shape) const;

 private:
  Explanation largest_;
  std::int64_t count_ = 0, largest_bytes_ = 0, bytes_ = 0;
  int threads_ = 1;
};

/// A part of all that has the axes of a result: the elements of a block along one of its axes.
class Block {
 public:
  Block() = default;  ///< everything
  Block(std::size_t axis, std::int64_t first, std::int64_t count)
      : axis_(static_cast<std::int64_t>(axis)), first_(first), count_(count) {}

  bool is_everything() const { return axis_ < 0; }
  TensorView of(const TensorView& view) const {
    return axis_ < 0 ? view : view.slice(axis_, first_, first_ + count_);
  }

 private:
  std::int64_t axis_ = -1, first_ = 0, count_ = 0;
};

/// Whether parts alternate element by element in a result: contiguous ones, of its type, one
/// element each along its last axis.
bool alternates(const TensorView& out, std::size_t axis, std::span<const TensorView> parts);

/// Makes copies, or tells of them.
class PartCopies {
 public:
  PartCopies() = default;  ///< makes them
  explicit PartCopies(ToldCopies& told) : told_(&told) {}

  bool makes_them() const { return told_ == nullptr; }

  /// Copies `from`, broadcast, to a part of a result, converting. Preconditions: it fits, and the
  /// two share no memory. A strategy that is forced is not meant for it.
  void copy(const TensorView& to, const TensorView& from) const;

  /// Copies parts that alternates() is true of: some elements of each at a time, by way of a
  /// buffer, so that the result is written in one pass.
  void alternate(const TensorView& out, std::span<const TensorView> parts) const;

  /// Calls body(begin, end) for ranges that threads share, as parallel_for() does.
  void share(std::int64_t count, std::int64_t grain,
             FunctionRef<void(std::int64_t begin, std::int64_t end)> body) const;

  /// Calls write(block) for blocks that make up a result of some parts along `axis`. That is one
  /// block, unless the parts are so narrow that each line of a large result has elements of
  /// several: then blocks are small enough for a cache to keep them until all parts are written.
  /// They are cut along an axis that is not among `cut`, a bit for each axis, and threads share
  /// them.
  void in_blocks(const TensorView& out, std::size_t axis, std::int64_t parts, std::uint64_t cut,
                 FunctionRef<void(const Block& block)> write) const;

 private:
  ToldCopies* told_ = nullptr;
};

}  // namespace v0
}  // namespace weft
