// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/difference.hpp>

#include "base/operation.hpp"
#include "core/compiled_types.hpp"
#include "ops/index_operand.hpp"
#include "ops/moved_result.hpp"

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

void subtract_neighbours(const TensorView& to, const TensorView& from, std::int64_t axis) {
  const std::int64_t extent = from.extent(axis);
  const TensorView later = from.slice(axis, 1, extent), earlier = from.slice(axis, 0, extent - 1);
  from.dtype() == ScalarType::boolean ? bitwise_xor_out(to, later, earlier)
                                      : sub_out(to, later, earlier);
}

/// `a` comes by value: the view may be the very tensor that is replaced as an output.
void run_diff(const Output& out, TensorView a, std::int64_t axis, std::int64_t order) {
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
    if (result.view().numel() == 0) return;
    if (order == 0) return copy_part(result.view(), a);
    Tensor between;
    TensorView from = a;
    for (std::int64_t left = order; left > 1; --left) {
      shape[along] = from.extent(axis) - 1;
      Tensor next = Tensor::empty(shape, a.dtype());
      subtract_neighbours(next, from, axis);
      between = std::move(next);
      from = between;
    }
    subtract_neighbours(result.view(), from, axis);
  });
}

}  // namespace

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
