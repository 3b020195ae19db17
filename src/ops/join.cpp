// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/base/small_vector.hpp>
#include <weft/core/promotion.hpp>
#include <weft/ops/join.hpp>

#include "base/operation.hpp"
#include "ops/explain_moves.hpp"
#include "ops/index_operand.hpp"
#include "ops/moved_result.hpp"
#include "ops/part_copies.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Bytes of parts that are worth a thread, and of those that are worth several.
constexpr std::int64_t thread_bytes = 64 * 1024, shared_part_bytes = 1024 * 1024;

/// The inputs as they are joined: copies of the views, one of which may be the very tensor that is
/// replaced as an output.
struct Parts {
  SmallVector<TensorView, 4> views;
  std::size_t axis = 0;
  ScalarType type = ScalarType::f32;
  DimVector shape;  ///< of the result
};

void check_shape(const TensorView& view, const TensorView& first, std::size_t k, std::size_t axis) {
  if (view.rank() != first.rank()) {
    fail(ErrorCode::rank,
         text("input ", k, ": expected rank ", first.rank(), " as input 0, got ", view.rank()));
  }
  for (std::size_t i = 0; i < view.shape().size(); ++i) {
    if (i == axis || view.shape()[i] == first.shape()[i]) continue;
    fail(ErrorCode::shape, text("input ", k, ": expected ", first.shape()[i], " along axis ", i,
                                " as input 0, got ", view.shape()[i]));
  }
}

void check_any(const Inputs& inputs) {
  if (inputs.size() == 0)
    fail(ErrorCode::invalid_argument, "expected at least one input, got none");
  for (std::size_t k = 0; k < inputs.size(); ++k)
    check_defined(inputs[k], static_cast<int>(k));
}

ScalarType common_type(const Inputs& inputs) {
  ResultType type;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    type.add(inputs[k].dtype(), inputs[k].rank(), inputs[k].is_weak_scalar());
  return type.get().value_or(ScalarType::f32);
}

Parts concat_parts(const Inputs& inputs, std::int64_t axis) {
  check_any(inputs);
  Parts parts;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k].rank() == 0)
      fail(ErrorCode::rank, text("input ", k, ": expected at least one axis, got a 0-d tensor"));
  }
  parts.axis = static_cast<std::size_t>(normalize_axis(axis, inputs[0].rank()));
  parts.shape = DimVector(inputs[0].shape().begin(), inputs[0].shape().end());
  parts.shape[parts.axis] = 0;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    check_shape(inputs[k], inputs[0], k, parts.axis);
    std::int64_t& extent = parts.shape[parts.axis];
    extent = extent_sum(extent, inputs[k].shape()[parts.axis], parts.axis);
    parts.views.push_back(inputs[k]);
  }
  parts.type = common_type(inputs);
  return parts;
}

Parts stack_parts(const Inputs& inputs, std::int64_t axis) {
  check_any(inputs);
  Parts parts;
  const int rank = inputs[0].rank() + 1;
  parts.axis = static_cast<std::size_t>(normalize_axis(axis, rank));
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    check_shape(inputs[k], inputs[0], k, static_cast<std::size_t>(rank));
    parts.views.push_back(inputs[k].unsqueeze(static_cast<std::int64_t>(parts.axis)));
  }
  parts.shape = DimVector(parts.views[0].shape().begin(), parts.views[0].shape().end());
  parts.shape[parts.axis] = static_cast<std::int64_t>(inputs.size());
  parts.type = common_type(inputs);
  return parts;
}

void copy_parts(const PartCopies& copies, const TensorView& to, const Parts& parts,
                const Block& block) {
  const auto axis = static_cast<std::int64_t>(parts.axis);
  const auto count = static_cast<std::int64_t>(parts.views.size());
  const auto copy = [&](std::int64_t first, const TensorView& view) {
    const std::int64_t end = first + view.shape()[parts.axis];
    const TensorView place = block.of(to.slice(axis, first, end));
    const TensorView from = block.of(view);
    if (!same_place(place, from)) copies.copy(place, from);
    return end;
  };
  const auto copy_some = [&](std::int64_t begin, std::int64_t end) {
    std::int64_t first = 0;
    for (std::int64_t k = 0; k < begin; ++k)
      first += parts.views[static_cast<std::size_t>(k)].shape()[parts.axis];
    for (std::int64_t k = begin; k < end; ++k)
      first = copy(first, parts.views[static_cast<std::size_t>(k)]);
  };
  // Threads share the parts, unless they share blocks or each part.
  const std::int64_t bytes = std::max<std::int64_t>(1, to.nbytes() / count);
  if (!block.is_everything() || bytes >= shared_part_bytes) return copy_some(0, count);
  copies.share(count, ceil_div(thread_bytes, bytes), copy_some);
}

void write_joined(const Output& out, const Parts& parts, const PartCopies& copies = {}) {
  // An input that stands in its place already is no overlap.
  const TensorView nothing;
  SmallVector<const TensorView*, 4> elsewhere;
  const bool fits = out.view().defined() && same_list(out.view().shape(), parts.shape);
  std::int64_t first = 0;
  for (const TensorView& view : parts.views) {
    const std::int64_t end = first + view.shape()[parts.axis];
    const bool stands =
        fits &&
        same_place(out.view().slice(static_cast<std::int64_t>(parts.axis), first, end), view);
    elsewhere.push_back(stands ? &nothing : &view);
    first = end;
  }
  const MovedResult result(out, parts.shape, parts.type, {elsewhere.data(), elsewhere.size()});
  const TensorView& to = result.view();
  if (to.numel() == 0) return;
  const std::span views(parts.views.data(), parts.views.size());
  if (alternates(to, parts.axis, views)) return copies.alternate(to, views);
  copies.in_blocks(to, parts.axis, static_cast<std::int64_t>(parts.views.size()),
                   std::uint64_t{1} << parts.axis,
                   [&](const Block& block) { copy_parts(copies, to, parts, block); });
}

}  // namespace

Explanation explain_concat(const TensorView& out, const Inputs& inputs, std::int64_t axis) {
  ToldCopies told;
  with_operation("concat",
                 [&] { write_joined(out, concat_parts(inputs, axis), PartCopies(told)); });
  return told.explanation(out.shape());
}
Explanation explain_stack(const TensorView& out, const Inputs& inputs, std::int64_t axis) {
  ToldCopies told;
  with_operation("stack", [&] { write_joined(out, stack_parts(inputs, axis), PartCopies(told)); });
  return told.explanation(out.shape());
}

void concat_out(const Output& out, const Inputs& inputs, std::int64_t axis) {
  with_operation("concat", [&] { write_joined(out, concat_parts(inputs, axis)); });
}
void stack_out(const Output& out, const Inputs& inputs, std::int64_t axis) {
  with_operation("stack", [&] { write_joined(out, stack_parts(inputs, axis)); });
}

Tensor concat(const Inputs& inputs, std::int64_t axis) {
  Tensor out;
  concat_out(out, inputs, axis);
  return out;
}
Tensor stack(const Inputs& inputs, std::int64_t axis) {
  Tensor out;
  stack_out(out, inputs, axis);
  return out;
}

}  // namespace v0
}  // namespace weft
