// SPDX-License-Identifier: Apache-2.0
#include "engine/reduce/reduce_form.hpp"

#include <weft/base/error.hpp>

#include "base/text.hpp"
#include "machine/fixed_sizes.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

/// Whether a dim is reduced: the outputs stand still along it.
bool is_reduced(const TensorIterator& iter, int dim) {
  const Geometry& geometry = iter.geometry();
  const bool first = geometry.stride(dim, 0) == 0;
  for (int k = 1; k < iter.noutputs(); ++k) {
    if ((geometry.stride(dim, k) == 0) != first && geometry.extent(dim) != 1) {
      fail(ErrorCode::shape, text("outputs 0 and ", k, " differ in whether they reduce dim ", dim,
                                  " of extent ", geometry.extent(dim)));
    }
  }
  return first;
}

/// The dims of both sides. `defers`: dim 0, which is reduced, counts as kept for now.
ReduceDims split_dims(const ReduceInputs& in, bool defers) {
  ReduceDims dims;
  if (defers) {
    dims.deferred = in.geometry.extent(0);
    dims.kept.steps.push_back({0, 1, 1});
    dims.kept.places.push_back(0);
  }
  for (int d = defers ? 1 : 0; d < in.geometry.ndim(); ++d) {
    ReduceSide& side = is_reduced(in.iter, d) ? dims.reduced : dims.kept;
    side.steps.push_back({d, 1, 1});
    side.places.push_back(side.elements);
    side.elements *= in.geometry.extent(d);
  }
  return dims;
}

/// Kept elements one stride after the other in all inputs, in front of all reduced dims but those
/// that the inputs repeat.
struct InnerColumns {
  std::int64_t count = 1;
  int dims = 0;
  bool dense = false;  // the stride is one element
};
InnerColumns inner_columns(const ReduceInputs& in, const ReduceDims& dims) {
  int first = 0;
  while (first < dims.reduced.ndim() && dims.reduced.steps[first].dim == first &&
         in.all([&](int k, std::int64_t) { return in.geometry.stride(first, k) == 0; })) {
    ++first;
  }
  InnerColumns inner;
  if (dims.kept.ndim() == 0 || dims.kept.steps[0].dim != first) return inner;
  const int joined = in.joined_dims(dims.kept);
  while (inner.dims < joined && dims.kept.steps[inner.dims].dim == first + inner.dims)
    ++inner.dims;
  inner.count = in.elements_of(dims.kept, inner.dims);
  inner.dense = in.dense_along(first);
  return inner;
}

/// Rows that are taken as one where columns are narrow and row follows row in memory: a power of
/// two, or 1 if it is not worth it.
std::int64_t fold_of(const ReduceInputs& in, const ReduceSide& reduced, const InnerColumns& inner) {
  using fixed::folded_columns;
  if (in.kernel.indexed || reduced.ndim() == 0 || reduced.steps[0].dim != inner.dims) return 1;
  const std::int64_t rows = in.geometry.extent(inner.dims);
  if (inner.count >= folded_columns || rows <= fixed::max_unfolded / inner.count) return 1;
  const auto follow = [&](int k, std::int64_t size) {
    return in.geometry.stride(inner.dims, k) == inner.count * size;
  };
  if (!in.all(follow)) return 1;
  const std::int64_t fold =
      floor_power(std::min(folded_columns / inner.count, rows / fixed::min_folded_rows));
  return 4 * fold * inner.count < 3 * folded_columns ? 2 * fold : fold;
}

/// Whether the elements along dim 0 may be columns at first: that is reduced, as are dims beyond
/// the next one, and rows of so few elements would be combined over and over. Not of kernels that
/// like to read rows twice.
bool may_defer(const ReduceInputs& in, const ReduceSide& reduced) {
  const ReductionKernel& kernel = in.kernel;
  if (in.casts || kernel.indexed || kernel.done != nullptr ||
      kernel.span_elements < fixed::long_span_elements ||
      kernel.accumulator_bytes > fixed::max_deferred_bytes ||
      !std::has_single_bit(static_cast<std::uint64_t>(kernel.accumulator_bytes)) ||
      reduced.ndim() < 2 || reduced.steps[0].dim != 0 || reduced.steps[1].dim == 1) {
    return false;
  }
  const std::int64_t n = in.geometry.extent(0);
  return n <= fixed::max_deferred && reduced.elements / n >= fixed::min_deferred_rows &&
         in.dense_along(0);
}

/// The dims, with elements that are columns at first where that makes rows of columns.
ReduceDims choose_dims(const ReduceInputs& in) {
  ReduceDims dims = split_dims(in, false);
  if (in.iter.numel() > 0 && may_defer(in, dims.reduced)) {
    ReduceDims deferring = split_dims(in, true);
    if (inner_columns(in, deferring).count >= fixed::min_deferred_width)
      dims = std::move(deferring);
  }
  return dims;
}

/// Kept dims in front of the others that are one dim in the inputs that `counts(k)` is true of.
template <class F>
int joined_dims_of(const ReduceInputs& in, const ReduceSide& kept, const F& counts) {
  const Geometry& geometry = in.geometry;
  int joined = std::min(1, kept.ndim());
  for (; joined < kept.ndim(); ++joined) {
    const int dim = kept.steps[joined].dim, inner = kept.steps[joined - 1].dim;
    const auto follows = [&](int k, std::int64_t) {
      return !counts(k) ||
             geometry.stride(dim, k) == geometry.extent(inner) * geometry.stride(inner, k);
    };
    if (!in.all(follows)) break;
  }
  return joined;
}

}  // namespace

int ReduceInputs::joined_dims(const ReduceSide& kept) const {
  return joined_dims_of(*this, kept, [](int) { return true; });
}

int ReduceInputs::rows_in_place(const ReduceSide& kept) const {
  if (kept.ndim() == 0) return 0;
  const auto is_row = [&](int k) { return is_row_along(kept.steps[0].dim, k); };
  if (all([&](int k, std::int64_t) { return !is_row(k); })) return 0;
  const int joined = joined_dims_of(*this, kept, is_row);
  return elements_of(kept, joined) < fixed::min_reduced_columns ? 0 : joined;
}

std::int64_t floor_power(std::int64_t n) noexcept {
  return n < 1 ? 1 : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
}

bool reduces_by_columns(std::int64_t kept, std::int64_t reduced, bool kept_inside,
                        std::int64_t columns, std::int64_t least_row) noexcept {
  using fixed::min_reduced_columns;
  if (kept == 1) return false;
  if (kept_inside) return columns >= min_reduced_columns || reduced < fixed::short_reduction;
  return reduced < std::min(least_row, fixed::short_reduction) && kept >= min_reduced_columns / 2;
}

std::int64_t rows_of_block(const ReductionKernel& kernel, std::int64_t size, std::int64_t rows,
                           std::int64_t columns) noexcept {
  if (kernel.accumulator_bytes <= size || kernel.done != nullptr) return fixed::block_rows;
  return floor_power(std::clamp(std::max(rows / fixed::min_shared, fixed::block_elements / columns),
                                fixed::block_rows, fixed::max_block_rows));
}

std::int64_t elements_of_span(const ReductionKernel& kernel, std::int64_t size, std::int64_t n,
                              bool staged) noexcept {
  const std::int64_t span =
      staged ? std::min(fixed::staged_span_elements, fixed::staged_span_bytes / size)
             : std::min({std::max(fixed::min_span_elements, floor_power(n / fixed::min_shared)),
                         kernel.span_elements, fixed::span_bytes / size});
  // Whether to go on is asked after each block.
  return kernel.done != nullptr ? std::min(span, fixed::staged_span_elements) : span;
}

ReduceDims choose_form(const ReduceInputs& in) {
  ReduceDims dims = choose_dims(in);
  if (in.iter.ndim() == 0 || in.iter.numel() == 0) return dims;
  const InnerColumns inner = inner_columns(in, dims);
  if (inner.dense && !in.casts) {
    // Rows that are one value do not follow each other.
    const bool is_memory = in.values_along(dims.kept.steps[0].dim) == 0;
    dims.fold = is_memory ? fold_of(in, dims.reduced, inner) : 1;
    dims.row_dims = inner.dims;
    dims.form = dims.fold > 1 ? ReduceForm::folded : ReduceForm::columns;
    if (dims.fold > 1 || inner.count >= fixed::min_reduced_columns) return dims;
  }
  const bool kept_inside = dims.kept.ndim() > 0 && dims.kept.steps[0].dim == 0;
  const bool one_dim = dims.reduced.ndim() == 1;
  const bool rows = !kept_inside && in.dense_along(0);
  const std::int64_t least_row =
      rows && one_dim && !in.casts ? in.kernel.least_row : fixed::short_reduction;
  const bool columns = reduces_by_columns(dims.kept.elements, dims.reduced.elements, kept_inside,
                                          inner.count, least_row);
  const bool spans = rows && (one_dim || in.geometry.extent(0) >= fixed::short_reduction);
  dims.form = columns ? ReduceForm::gathered_columns
              : spans ? ReduceForm::spans
                      : ReduceForm::gathered_spans;
  if (columns) dims.row_dims = in.rows_in_place(dims.kept);
  return dims;
}

}  // namespace v0
}  // namespace weft
