// SPDX-License-Identifier: Apache-2.0
/// @file
/// What Gather and ScatterUpdate share: dense tensors as rows with indexes, for the kernels of
/// indexing.
#pragma once

#include <weft/base/function_ref.hpp>
#include <weft/core/tensor_view.hpp>
#include <weft/parallel/parallel.hpp>

#include "kernels/indexing/indexing.hpp"

#include <cstdint>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// The indexes of a dense input along an axis, as kernels take them: i32 or i64, in range.
class IndexesInput {
 public:
  IndexesInput(const TensorView& view, int input);

  /// Reads them. Those out of range become 0 and are listed in outside().
  void read(const void* data, std::int64_t extent);

  const char* data() const noexcept { return data_; }
  ScalarType type() const noexcept { return type_; }
  /// Numbers of the indexes that are out of range, in order.
  const std::vector<std::int64_t>& outside() const noexcept { return outside_; }
  /// Throws Error(axis) for the first one. Precondition: there is one, and `data` is what was read.
  [[noreturn]] void fail_outside(const void* data, int axis, std::int64_t extent) const;

 private:
  TensorView view_;
  int input_;
  const char* data_ = nullptr;
  ScalarType type_ = ScalarType::i64;
  std::vector<std::int64_t> own_, outside_;  // kept from run to run
};

/// A dense tensor [batch, before, extent, inner] of which indexes [batch, count] name rows along
/// the third axis, and a dense tensor [batch, before, count, inner] of as many rows as there are
/// indexes.
struct IndexedRows {
  IndexedRows(const TensorView& indexed, const TensorView& indices, int axis, int batch_dims);

  /// All of `rows` from where the indexes lead to.
  void gather(char* rows, const char* indexed, const IndexesInput& indexes) const;
  /// All of `rows` to there; of equal indexes the last counts.
  void scatter(char* indexed, const char* rows, const IndexesInput& indexes) const;
  /// Zeros in the rows of the index with this number.
  void clear(char* rows, std::int64_t number) const;

  std::int64_t batch, before, extent, inner_bytes, count;

 private:
  /// f(block, axes) for blocks of rows, on several threads; `by_index`: which may share the indexes
  /// of a row. A block's `to` are the rows, its `from` what is indexed.
  using Run = FunctionRef<void(const IndexedBlock& block, const IndexedAxes& axes)>;
  void for_each_block(char* rows, char* indexed, const IndexesInput& indexes, bool by_index,
                      Run f) const;

  std::int64_t word_, words_;  // a row's elements as kernels move them: bytes of one, and how many
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
