// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/views.hpp>
#include <weft/ops/triangle.hpp>

#include "base/operation.hpp"
#include "ops/clear_triangle.hpp"
#include "ops/explain_moves.hpp"
#include "ops/index_operand.hpp"
#include "ops/moved_result.hpp"
#include "ops/part_copies.hpp"

#include <cstdlib>

namespace weft {
inline namespace v0 {
namespace {

/// `a` comes by value: the view may be the very tensor that is replaced as an output.
void run_triangle(const char* operation, const Output& out, TensorView a, bool upper,
                  std::int64_t k, const PartCopies& copies = {}) {
  with_operation(operation, [&] {
    check_defined(a, 0);
    if (a.rank() < 2)
      fail(ErrorCode::rank, text("input 0: expected at least two axes, got rank ", a.rank()));
    const bool in_place = same_place(out.view(), a);
    const MovedResult result(out, a.shape(), a.dtype(), in_place ? TensorView() : a);
    const TensorView& to = result.view();
    if (to.numel() == 0) return;
    // Of many small matrices, each block is cleared while a cache has it.
    const std::size_t row = to.shape().size() - 2, column = row + 1;
    const bool by_rows = std::abs(to.strides()[row]) >= std::abs(to.strides()[column]);
    const std::size_t outer = by_rows ? row : column;
    copies.in_blocks(to, outer, to.shape()[outer], std::uint64_t{3} << row,
                     [&](const Block& block) {
                       const TensorView part = block.of(to);
                       if (!in_place) copies.copy(part, block.of(a));
                       if (copies.makes_them()) clear_triangle(part, upper, k);
                     });
  });
}

void check_count(std::int64_t count, const char* what) {
  if (count < 0) fail(ErrorCode::shape, text(what, ": expected at least 0, got ", count));
}

}  // namespace

Explanation explain_triangle(const TensorView& out, const TensorView& a, bool upper,
                             std::int64_t k) {
  ToldCopies told;
  run_triangle(upper ? "triu" : "tril", out, a, upper, k, PartCopies(told));
  return told.explanation(out.shape());
}

void tril_out(const Output& out, const TensorView& a, std::int64_t k) {
  run_triangle("tril", out, a, false, k);
}
void triu_out(const Output& out, const TensorView& a, std::int64_t k) {
  run_triangle("triu", out, a, true, k);
}
void eye_out(const Output& out, std::int64_t rows, std::optional<std::int64_t> columns,
             std::int64_t k) {
  with_operation("eye", [&] {
    check_count(rows, "rows");
    check_count(columns.value_or(rows), "columns");
    const Result result(out, {rows, columns.value_or(rows)}, ScalarType::f32);
    const TensorView& to = result.view();
    const NumberElement zero(false, to.dtype(), "0"), one(true, to.dtype(), "1");
    const PartCopies copies;
    copies.copy(to, zero.view());
    copies.copy(diagonal(to, k), one.view());
  });
}

Tensor tril(const TensorView& a, std::int64_t k) {
  Tensor out;
  tril_out(out, a, k);
  return out;
}
Tensor triu(const TensorView& a, std::int64_t k) {
  Tensor out;
  triu_out(out, a, k);
  return out;
}
Tensor eye(std::int64_t rows, std::optional<std::int64_t> columns, std::int64_t k,
           ScalarType type) {
  Tensor out = Tensor::empty({0, 0}, type);
  eye_out(out, rows, columns, k);
  return out;
}

}  // namespace v0
}  // namespace weft
