// SPDX-License-Identifier: Apache-2.0
/// @file
/// The walk of an operation along one axis: pieces of columns, block by block, in place or through
/// buffers.
#pragma once

#include <weft/base/function_ref.hpp>
#include <weft/iter/explain.hpp>
#include <weft/iter/tensor_iterator.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "base/internal_api.hpp"
#include "engine/axis/along_axis.hpp"
#include "engine/block.hpp"
#include "engine/tile_cursor.hpp"
#include "engine/type_change.hpp"

#include <algorithm>
#include <string>

namespace weft {
inline namespace v0 {

/// One operand of the walk. The iterator has no common type, so there is no type between.
struct AxisOperand : TypeChange {
  AxisOperand(const TensorIterator& iter, int k, std::int64_t axis_stride, ScalarType type);

  /// Whether a kernel of lines, or of rows of columns, could work where the elements stand.
  bool has_kernel_lines() const noexcept { return lines_dense && !converts(); }
  bool has_kernel_columns() const noexcept { return columns_dense && !converts(); }

  std::int64_t axis_bytes;          ///< from element to element along the axis
  std::int64_t column_bytes;        ///< from column to column
  bool lines_dense, columns_dense;  ///< in memory
  bool in_place = false;            ///< the kernel does work where they stand
};

/// How the elements are had.
enum class AxisForm : std::uint8_t {
  few,       ///< where they stand, without a plan
  in_place,  ///< where they stand
  staged,    ///< block by block through buffers
  gathered,  ///< the same, of many lines or columns, as they are or transposed
};
/// An operand's access in this form.
std::string access_text(AxisForm form, bool lines);
/// Says so, of blocks of lines or of rows of columns.
WEFT_INTERNAL_API void explain_form(AxisForm form, bool lines, std::int64_t columns,
                                    std::int64_t rows, Explanation& e);

/// The columns are what is left when the axis is squashed. A piece is some of them from end to end
/// of the axis: along the iterator's dim 0, and along a second dim. That is the one along which the
/// input is dense if neighbours along the axis and along dim 0 are on other cache lines: so lines
/// are used up. Of several inputs, the first that is no broadcast decides. A block of a piece is
/// some rows of it, dense lines or dense columns in a buffer. Each column is on its own, so results
/// do not depend on how many are taken together.
class AxisWalk {
 public:
  /// Calls run(begin, end) for ranges of pieces, which threads share.
  void share(const RunOptions& options,
             FunctionRef<void(std::int64_t begin, std::int64_t end)> run) const;
  /// What would be run.
  Explanation explain(const RunOptions& options) const;

 protected:
  /// `types` are the kernel's, an element takes `ns` nanoseconds. Throws Error as plan_along_axis
  /// does.
  AxisWalk(const AlongAxis& operands, const ScalarType* types, double ns);

  // ---- The plan ---------------------------------------------------------------------------------

  /// Elements along the axis, dim 0 of the columns and the second one; 1 where there is none.
  std::int64_t extent(int i) const { return walked_.extent(i); }
  /// The same of a block.
  std::int64_t tile(int i) const { return steps_[i].tile; }
  void set_tile(int i, std::int64_t max);
  std::int64_t tile_columns() const { return tile(1) * tile(2); }
  /// Makes pieces of up to `max` columns of both dims.
  void set_columns(std::int64_t max);
  /// Makes pieces of up to `max` columns along dim 0 alone.
  void set_width(std::int64_t max);
  /// Columns of a piece, at most `max`, that leave every thread as many pieces, and as many as
  /// that: of narrow pieces, memory is read in short parts of rows.
  std::int64_t even_columns(std::int64_t max) const;

  int size() const { return static_cast<int>(operands_.size()); }
  bool is_output(int k) const { return k < iter_.noutputs(); }
  bool all_in_place() const {
    return std::ranges::all_of(operands_, [](const AxisOperand& o) { return o.in_place; });
  }
  /// Bytes of the largest type that an element has on its way.
  std::int64_t max_size() const;
  /// Whether memory is read row by row rather than along the axis, and there are enough columns.
  bool reads_rows() const;

  // ---- Blocks -----------------------------------------------------------------------------------

  /// Blocks of a piece.
  std::int64_t blocks() const { return steps_[0].tiles; }
  /// Calls f(cursor) for blocks [begin, end), at least one, numbered piece by piece.
  template <class F>
  void each_block(std::int64_t begin, std::int64_t end, F&& f) const {
    TileCursor at(walked_, steps_, walked_.noperands);
    for (at.seek(begin, origin_.data());; at.next()) {
      f(at);
      if (++begin == end) return;
    }
  }
  /// Where results of output k are to be written: where they belong, if the kernel can, or `dense`.
  char* target(const TileCursor& at, int k, char* dense) const;
  /// An input's part of the block in the kernel's type: in `dense`, or where it stands. `others` is
  /// memory for the type in memory.
  char* load(const TileCursor& at, int k, char* dense, char* others) const {
    return load(at, k, at.extents[0], dense, others);
  }
  /// The same of the block's first `rows` elements along the axis.
  char* load(const TileCursor& at, int k, std::int64_t rows, char* dense, char* others) const;
  /// Brings results of output k that are not there to where they belong. `others` as in load().
  void store(const TileCursor& at, int k, char* results, char* others) const;
  /// Bytes between rows, or between lines, of operand k's part as the kernel gets it.
  std::int64_t step_bytes(const TileCursor& at, int k) const {
    const AxisOperand& o = operands_[k];
    if (!o.in_place)
      return (by_lines_ ? at.extents[0] : at.extents[1] * at.extents[2]) * o.kernel_size;
    return by_lines_ ? o.column_bytes : o.axis_bytes;
  }

  TensorIterator iter_;  // over the columns
  SmallVector<AxisOperand, 3> operands_;
  Geometry walked_;  // the axis, dim 0 of the columns, the second one, all others
  int leading_;      // the input that says how memory is gone through
  AxisForm staged_form_ = AxisForm::gathered;  // where not all is in place
  bool by_lines_ = false;      // a block is lines along the axis, not rows of columns
  bool dense_second_ = false;  // the input is dense along the second dim

 private:
  /// A block in memory, in the order of the buffer.
  struct Memory;
  std::int64_t pieces() const;
  std::int64_t grain(const RunOptions& options) const;
  std::int64_t elements() const { return iter_.numel() * length_; }

  TileSteps steps_;
  SmallVector<char*, inline_operands> origin_;
  std::int64_t length_;  // along the axis
  double ns_;
};

}  // namespace v0
}  // namespace weft
