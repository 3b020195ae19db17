// SPDX-License-Identifier: Apache-2.0
// index_select, take and gather: out[...] = a[... + index[...] along an axis].
#include <weft/base/error.hpp>
#include <weft/iter/config.hpp>
#include <weft/ops/indexing.hpp>

#include "base/operation.hpp"
#include "kernels/indexing/indexing.hpp"
#include "ops/index_operand.hpp"
#include "ops/result.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// An indexed element costs some ten times a plain one.
constexpr std::int64_t gather_grain = default_grain / 8;

/// Axes that indices go along, outermost first.
struct Axes {
  DimVector extents;
  DimVector strides_bytes;
};

/// The axis alone.
Axes along_axis(const TensorView& a, std::size_t axis) {
  return {{a.shape()[axis]}, {a.strides()[axis] * element_size(a.dtype())}};
}

/// All axes, neighbouring ones of which the inner leads into the outer taken together; at least
/// one.
Axes merged_axes(const TensorView& a) {
  Axes axes;
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis) {
    const std::int64_t extent = a.shape()[axis];
    if (extent == 1) continue;
    const std::int64_t stride = a.strides()[axis] * element_size(a.dtype());
    if (!axes.extents.empty() && axes.strides_bytes.back() == extent * stride) {
      axes.extents.back() *= extent;
      axes.strides_bytes.back() = stride;
    } else {
      axes.extents.push_back(extent);
      axes.strides_bytes.push_back(stride);
    }
  }
  if (axes.extents.empty()) return {{1}, {0}};
  return axes;
}

/// out[...] = the element from that of `base` along the axes, as the index there says; all three
/// have one shape.
void copy_indexed(const TensorView& out, const TensorView& base, const TensorView& index,
                  std::int64_t extent, const Axes& axes) {
  if (out.numel() == 0) return;
  TensorIteratorConfig config;
  config.add_output(out).add_input(base).add_input(index);
  config.check_all_same_dtype(false).resize_outputs(false).set_check_mem_overlap(false);
  const GatherFn gather = gather_kernel(element_size(out.dtype()));
  const IndexedAxes indexed{index.dtype(), extent, static_cast<int>(axes.extents.size()),
                            axes.extents.data(), axes.strides_bytes.data()};
  const auto loop = [&](char** data, const std::int64_t* s, std::int64_t n0, std::int64_t n1) {
    gather({data[0], data[1], data[2], {s[0], s[3]}, {s[1], s[4]}, {s[2], s[5]}, n0, n1}, indexed);
  };
  config.build().for_each(loop, gather_grain);
}

/// What `a` looks like to indices of a shape: it stands still along the axis. Only its first
/// elements along the others are needed.
TensorView base_of(const TensorView& a, std::size_t axis, IntSpan shape) {
  DimVector strides(a.strides().begin(), a.strides().end());
  strides[axis] = 0;
  return TensorView::trusted(static_cast<const void*>(a.data()), a.dtype(), shape, strides);
}

// Operands come by value: a view may be the very tensor that is replaced as an output.

void run_index_select(const Output& out, TensorView a, std::int64_t axis, TensorView index) {
  with_operation("index_select", [&] {
    check_defined(a, 0);
    check_defined(index, 1);
    const auto along = static_cast<std::size_t>(normalize_axis(axis, a.rank()));
    if (index.rank() > 1) {
      fail(ErrorCode::rank,
           text("input 1: expected one axis of indices, got shape ", to_string(index.shape())));
    }
    check_output_type(out.view(), a.dtype());
    const TensorView from = with_axis(a);
    const std::int64_t extent = from.shape()[along];
    const IndexOperand indices(index, 1, extent, static_cast<std::int64_t>(along));
    indices.check();
    DimVector shape(from.shape().begin(), from.shape().end());
    shape[along] = index.numel();
    const bool point = a.rank() == 0;  // the result of which is a point as well, as in PyTorch
    if (point && index.numel() != 1)
      fail(ErrorCode::shape,
           text("input 1: expected one index into a 0-d tensor, got ", index.numel()));
    const Result result(out, point ? IntSpan() : IntSpan(shape), a.dtype(), {&a, &index});
    DimVector index_strides(shape.size(), 0);
    if (index.rank() == 1) index_strides[along] = indices.view().strides()[0];
    const TensorView spread = TensorView::trusted(static_cast<const void*>(indices.view().data()),
                                                  indices.view().dtype(), shape, index_strides);
    copy_indexed(with_axis(result.view()), base_of(from, along, shape), spread, extent,
                 along_axis(from, along));
  });
}

void run_take(const Output& out, TensorView a, TensorView index) {
  with_operation("take", [&] {
    check_defined(a, 0);
    check_output_type(out.view(), a.dtype());
    const IndexOperand indices(index, 1, a.numel(), -1);
    indices.check();
    const Result result(out, index.shape(), a.dtype(), {&a, &index});
    const DimVector still(index.shape().size(), 0);
    const TensorView base =
        TensorView::trusted(static_cast<const void*>(a.data()), a.dtype(), index.shape(), still);
    copy_indexed(result.view(), base, indices.view(), a.numel(), merged_axes(a));
  });
}

void run_gather(const Output& out, TensorView a, std::int64_t axis, TensorView index) {
  with_operation("gather", [&] {
    check_defined(a, 0);
    check_defined(index, 1);
    const auto along = static_cast<std::size_t>(normalize_axis(axis, a.rank()));
    check_output_type(out.view(), a.dtype());
    const TensorView from = with_axis(a), places = with_axis(index);
    check_index_shape(places, from, along);
    const std::int64_t extent = from.shape()[along];
    const IndexOperand indices(places, 1, extent, static_cast<std::int64_t>(along));
    indices.check();
    const Result result(out, index.shape(), a.dtype(), {&a, &index});
    if (index.numel() == 0) return;
    copy_indexed(with_axis(result.view()), base_of(from, along, places.shape()), indices.view(),
                 extent, along_axis(from, along));
  });
}

}  // namespace

void index_select_out(const Output& out, const TensorView& a, std::int64_t axis,
                      const TensorView& index) {
  run_index_select(out, a, axis, index);
}
void take_out(const Output& out, const TensorView& a, const TensorView& index) {
  run_take(out, a, index);
}
void gather_out(const Output& out, const TensorView& a, std::int64_t axis,
                const TensorView& index) {
  run_gather(out, a, axis, index);
}

Tensor index_select(const TensorView& a, std::int64_t axis, const TensorView& index) {
  Tensor out;
  index_select_out(out, a, axis, index);
  return out;
}
Tensor take(const TensorView& a, const TensorView& index) {
  Tensor out;
  take_out(out, a, index);
  return out;
}
Tensor gather(const TensorView& a, std::int64_t axis, const TensorView& index) {
  Tensor out;
  gather_out(out, a, axis, index);
  return out;
}

}  // namespace v0
}  // namespace weft
