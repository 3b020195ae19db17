// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/difference.hpp>

#include "base/operation.hpp"
#include "core/compiled_types.hpp"
#include "ops/explain_moves.hpp"
#include "ops/index_operand.hpp"
#include "ops/moved_result.hpp"
#include "ops/part_copies.hpp"
#include "ops/prepare.hpp"

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

/// The elements of a tensor along an axis but the first, and but the last.
struct Neighbours {
  TensorView later, earlier;

  Neighbours(const TensorView& from, std::int64_t axis)
      : later(from.slice(axis, 1, from.extent(axis))),
        earlier(from.slice(axis, 0, from.extent(axis) - 1)) {}

  void subtract_to(const TensorView& to) const {
    later.dtype() == ScalarType::boolean ? bitwise_xor_out(to, later, earlier)
                                         : sub_out(to, later, earlier);
  }
  Explanation explain(const TensorView& to) const {
    if (later.dtype() == ScalarType::boolean)
      return prepare(function_of<BinaryOp::bitwise_xor>, to, later, earlier).explain();
    return prepare(function_of<BinaryOp::sub>, to, later, earlier).explain();
  }
};

/// `a` comes by value: the view may be the very tensor that is replaced as an output. `told` gets
/// how it would be done instead, if it is there.
void run_diff(const Output& out, TensorView a, std::int64_t axis, std::int64_t order,
              Explanation* told = nullptr) {
  with_operation("diff", [&] {
    check_defined(a, 0);
    if (a.rank() == 0)
      fail(ErrorCode::rank, "input 0: expected at least one axis, got a 0-d tensor");
    if (order < 0)
      fail(ErrorCode::invalid_argument, text("order: expected at least 0, got ", order));
    const auto along = static_cast<std::size_t>(normalize_axis(axis, a.rank()));
    check_compiled(a.dtype());
    DimVector shape(a.shape().begin(), a.shape().end());
    shape[along] = std::max<std::int64_t>(0, shape[along] - std::min(order, shape[along]));
    const MovedResult result(out, shape, a.dtype(), a);
    if (told != nullptr) *told = explain_nothing(shape);
    if (result.view().numel() == 0) return;
    if (order == 0) {
      ToldCopies copies;
      (told == nullptr ? PartCopies() : PartCopies(copies)).copy(result.view(), a);
      if (told != nullptr) *told = copies.explanation(shape);
      return;
    }
    Tensor between;
    TensorView from = a;
    for (std::int64_t left = order; left > 1; --left) {
      shape[along] = from.extent(axis) - 1;
      Tensor next = Tensor::empty(shape, a.dtype());
      if (told == nullptr) Neighbours(from, axis).subtract_to(next);
      between = std::move(next);
      from = between;
    }
    const Neighbours last(from, axis);
    if (told == nullptr) return last.subtract_to(result.view());
    *told = last.explain(result.view());
    if (order > 1) told->run.why = text("the last of ", order, " subtractions: ", told->run.why);
  });
}

}  // namespace

Explanation explain_diff(const TensorView& out, const TensorView& a, std::int64_t axis,
                         std::int64_t order) {
  Explanation told;
  run_diff(out, a, axis, order, &told);
  return told;
}

void diff_out(const Output& out, const TensorView& a, std::int64_t axis, std::int64_t order) {
  run_diff(out, a, axis, order);
}

Tensor diff(const TensorView& a, std::int64_t axis, std::int64_t order) {
  Tensor out;
  diff_out(out, a, axis, order);
  return out;
}

}  // namespace v0
}  // namespace weft
