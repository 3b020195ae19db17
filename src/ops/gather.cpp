// SPDX-License-Identifier: Apache-2.0
// index_select, take and gather: out[...] = a[... + index[...] along an axis].
#include <weft/base/error.hpp>
#include <weft/iter/config.hpp>
#include <weft/ops/indexing.hpp>

#include "base/operation.hpp"
#include "kernels/stage/moves.hpp"
#include "ops/index_operand.hpp"
#include "ops/result.hpp"

#include <type_traits>

namespace weft {
inline namespace v0 {
namespace {

/// An indexed element costs some ten times a plain one.
constexpr std::int64_t gather_grain = default_grain / 8;

/// From an index, counted from the front, to an offset in bytes: along an axis that is dense ...
template <int size>
struct AlongDense {
  std::int64_t operator()(std::int64_t index) const { return index * size; }
};
/// ... or not.
struct AlongAxis {
  std::int64_t stride_bytes;
  std::int64_t operator()(std::int64_t index) const { return index * stride_bytes; }
};

/// The same through several axes in C order.
struct ThroughAxes {
  DimVector extents;
  DimVector strides_bytes;

  std::int64_t operator()(std::int64_t index) const {
    std::int64_t offset = 0;
    for (std::size_t axis = extents.size(); axis-- > 1; index /= extents[axis])
      offset += index % extents[axis] * strides_bytes[axis];
    return offset + index * strides_bytes[0];
  }
};

/// Neighbouring axes of which the inner leads into the outer taken together.
ThroughAxes merged_axes(const TensorView& a) {
  ThroughAxes axes;
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
  return axes;
}

/// One element for each of n indices, which stand next to each other, into a dense row. Some are
/// read before they are written: a processor takes what stands a multiple of 4 KiB from a store
/// that is under way for the same place, and rows of one size do so all the time.
template <int size, class Index, class Offset>
void copy_dense(char* __restrict to, const char* __restrict from, const char* __restrict index,
                std::int64_t n, std::int64_t extent, const Offset& offset) {
  constexpr std::int64_t batch = 8, step = sizeof(Index);
  struct Element {
    unsigned char bytes[size];
  };
  std::int64_t i = 0;
  for (; i + batch <= n; i += batch) {
    Element elements[batch];
    WEFT_UNROLLED
    for (int k = 0; k < batch; ++k)
      std::memcpy(&elements[k], from + offset(index_at<Index>(index + (i + k) * step, extent)),
                  size);
    // One by one, as they were read: together they would have to wait for each other.
    WEFT_UNROLLED
    for (int k = 0; k < batch; ++k)
      std::memcpy(to + (i + k) * size, &elements[k], size);
  }
  for (; i < n; ++i)
    std::memcpy(to + i * size, from + offset(index_at<Index>(index + i * step, extent)), size);
}

/// Dense rows of `bytes`, one index each, `steps` being those from row to row.
template <class Index, class Bytes, class Offset>
void copy_rows(char* const* data, const std::int64_t* steps, std::int64_t rows, Bytes bytes,
               std::int64_t extent, const Offset& offset) {
  for (std::int64_t j = 0; j < rows; ++j) {
    const std::int64_t at = offset(index_at<Index>(data[2] + j * steps[2], extent));
    std::memcpy(data[0] + j * steps[0], data[1] + j * steps[1] + at, bytes);
  }
}
/// The same; lengths that are known while compiling cost no call.
template <class Index, class Offset>
void copy_rows(char* const* data, const std::int64_t* steps, std::int64_t rows, std::int64_t bytes,
               std::int64_t extent, const Offset& offset) {
  const auto copy = [&](auto count) { copy_rows<Index>(data, steps, rows, count, extent, offset); };
  switch (bytes) {
    case 8: return copy(std::integral_constant<std::size_t, 8>());
    case 16: return copy(std::integral_constant<std::size_t, 16>());
    case 32: return copy(std::integral_constant<std::size_t, 32>());
    case 64: return copy(std::integral_constant<std::size_t, 64>());
    default: return copy(static_cast<std::size_t>(bytes));
  }
}

template <int size, class Index, class Offset>
void copy_indexed(const TensorIterator& iter, std::int64_t extent, const Offset& offset) {
  const auto loop = [&](char** data, const std::int64_t* s, std::int64_t n0, std::int64_t n1) {
    if (s[2] == 0 && s[0] == size && s[1] == size)
      return copy_rows<Index>(data, s + 3, n1, n0 * size, extent, offset);
    for (std::int64_t j = 0; j < n1; ++j) {
      char* to = data[0] + j * s[3];
      const char* from = data[1] + j * s[4];
      const char* index = data[2] + j * s[5];
      if (s[2] == static_cast<std::int64_t>(sizeof(Index)) && s[1] == 0 && s[0] == size) {
        copy_dense<size, Index>(to, from, index, n0, extent, offset);
        continue;
      }
      if (s[2] != 0) {
        for (std::int64_t i = 0; i < n0; ++i) {
          const std::int64_t at = offset(index_at<Index>(index + i * s[2], extent));
          std::memcpy(to + i * s[0], from + i * s[1] + at, size);
        }
        continue;
      }
      from += offset(index_at<Index>(index, extent));  // one index for the row
      for (std::int64_t i = 0; i < n0; ++i)
        std::memcpy(to + i * s[0], from + i * s[1], size);
    }
  };
  iter.for_each(loop, gather_grain);
}

/// The same; a factor that the compiler knows costs no multiplication.
template <int size, class Index, class Offset>
void copy_of_size(const TensorIterator& iter, std::int64_t extent, const Offset& offset) {
  if constexpr (std::is_same_v<Offset, AlongAxis>) {
    if (offset.stride_bytes == size)
      return copy_indexed<size, Index>(iter, extent, AlongDense<size>());
  }
  copy_indexed<size, Index>(iter, extent, offset);
}

template <class Index, class Offset>
void copy_indexed(const TensorIterator& iter, std::int64_t extent, const Offset& offset) {
  switch (element_size(iter.storage_dtype(0))) {
    case 1: return copy_of_size<1, Index>(iter, extent, offset);
    case 2: return copy_of_size<2, Index>(iter, extent, offset);
    case 4: return copy_of_size<4, Index>(iter, extent, offset);
    case 8: return copy_of_size<8, Index>(iter, extent, offset);
    default: return copy_of_size<16, Index>(iter, extent, offset);
  }
}

/// out[...] = the element `offset` bytes, as the index there says, from that of `base`; all three
/// have one shape.
template <class Offset>
void copy_indexed(const TensorView& out, const TensorView& base, const TensorView& index,
                  std::int64_t extent, const Offset& offset) {
  if (out.numel() == 0) return;
  TensorIteratorConfig config;
  config.add_output(out).add_input(base).add_input(index);
  config.check_all_same_dtype(false).resize_outputs(false).set_check_mem_overlap(false);
  const TensorIterator iter = config.build();
  if (index.dtype() == ScalarType::i32) {
    copy_indexed<std::int32_t>(iter, extent, offset);
  } else {
    copy_indexed<std::int64_t>(iter, extent, offset);
  }
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
    const IndexOperand checked(index, 1, extent, static_cast<std::int64_t>(along));
    DimVector shape(from.shape().begin(), from.shape().end());
    shape[along] = index.numel();
    const bool point = a.rank() == 0;  // the result of which is a point as well, as in PyTorch
    if (point && index.numel() != 1)
      fail(ErrorCode::shape,
           text("input 1: expected one index into a 0-d tensor, got ", index.numel()));
    const Result result(out, point ? IntSpan() : IntSpan(shape), a.dtype(), {&a, &index});
    DimVector index_strides(shape.size(), 0);
    if (index.rank() == 1) index_strides[along] = checked.view().strides()[0];
    const TensorView spread = TensorView::trusted(static_cast<const void*>(checked.view().data()),
                                                  checked.view().dtype(), shape, index_strides);
    copy_indexed(with_axis(result.view()), base_of(from, along, shape), spread, extent,
                 AlongAxis{from.strides()[along] * element_size(a.dtype())});
  });
}

void run_take(const Output& out, TensorView a, TensorView index) {
  with_operation("take", [&] {
    check_defined(a, 0);
    check_output_type(out.view(), a.dtype());
    const IndexOperand checked(index, 1, a.numel(), -1);
    const Result result(out, index.shape(), a.dtype(), {&a, &index});
    const DimVector still(index.shape().size(), 0);
    const TensorView base =
        TensorView::trusted(static_cast<const void*>(a.data()), a.dtype(), index.shape(), still);
    const ThroughAxes axes = merged_axes(a);
    if (axes.extents.size() < 2) {
      const AlongAxis line{axes.extents.empty() ? 0 : axes.strides_bytes[0]};
      copy_indexed(result.view(), base, checked.view(), a.numel(), line);
    } else {
      copy_indexed(result.view(), base, checked.view(), a.numel(), axes);
    }
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
    const IndexOperand checked(places, 1, extent, static_cast<std::int64_t>(along));
    const Result result(out, index.shape(), a.dtype(), {&a, &index});
    if (index.numel() == 0) return;
    copy_indexed(with_axis(result.view()), base_of(from, along, places.shape()), checked.view(),
                 extent, AlongAxis{from.strides()[along] * element_size(a.dtype())});
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
