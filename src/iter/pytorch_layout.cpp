// SPDX-License-Identifier: Apache-2.0
#include "iter/pytorch_layout.hpp"

#include <weft/iter/order.hpp>

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Dense with dims in the order `perm`, innermost first; axes of extent 1 may have any stride.
bool dense_in_order(const TensorView& view, const Permutation& perm) {
  std::int64_t step = 1;
  for (const std::uint8_t axis : perm) {
    if (view.shape()[axis] == 1) continue;
    if (view.strides()[axis] != step) return false;
    step *= view.shape()[axis];
  }
  return true;
}

/// Axes by stride, those of extent 1 and below outermost: the only order in which the view can be
/// dense.
Permutation order_by_stride(const TensorView& view) {
  Permutation perm = order_linear(view.rank());
  // Of equal axes the later one inside. (std::stable_sort would say so, and take memory for it.)
  std::sort(perm.begin(), perm.end(), [&](std::uint8_t a, std::uint8_t b) {
    const bool a_flat = view.shape()[a] < 2;
    const bool b_flat = view.shape()[b] < 2;
    if (a_flat != b_flat) return b_flat;
    if (!a_flat && view.strides()[a] != view.strides()[b]) {
      return view.strides()[a] < view.strides()[b];
    }
    return a > b;
  });
  return perm;
}

DimVector strides_in_order(IntSpan shape, const Permutation& perm) {
  DimVector strides(shape.size(), 1);
  std::int64_t step = 1;
  for (const std::uint8_t axis : perm) {
    strides[axis] = step;
    step *= std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}

}  // namespace

std::optional<FastLayout> pytorch_fast_layout(bool reduction, bool linear,
                                              const TensorIterator& iter, std::uint32_t is_new) {
  if (reduction) return std::nullopt;
  SmallVector<const TensorView*, inline_operands> views;
  for (int k = 0; k < iter.ntensors(); ++k) {
    if ((is_new >> k & 1) != 0) continue;
    views.push_back(&iter.tensor(k));
    if (!std::ranges::equal(views.back()->shape(), iter.common_shape())) return std::nullopt;
  }
  if (views.empty()) return std::nullopt;
  const int rank = views[0]->rank();
  const auto all_dense = [&](const Permutation& perm) {
    return std::ranges::all_of(views,
                               [&](const TensorView* view) { return dense_in_order(*view, perm); });
  };
  const Permutation row_major = order_linear(rank);
  if (std::ranges::all_of(views, [](const TensorView* view) { return view->is_contiguous(); })) {
    return FastLayout{row_major, contiguous_strides(iter.common_shape())};
  }
  if (linear) return std::nullopt;
  if (rank == 4) {
    const Permutation channels_last = {1, 3, 2, 0};
    if (all_dense(channels_last))
      return FastLayout{channels_last, strides_in_order(iter.common_shape(), channels_last)};
  }
  const Permutation by_stride = order_by_stride(*views[0]);
  const bool same_strides = std::ranges::all_of(views, [&](const TensorView* view) {
    return std::ranges::equal(view->strides(), views[0]->strides());
  });
  if (same_strides && all_dense(by_stride)) {
    const IntSpan strides = views.back()->strides();
    return FastLayout{by_stride, DimVector(strides.begin(), strides.end())};
  }
  return std::nullopt;
}

}  // namespace v0
}  // namespace weft
