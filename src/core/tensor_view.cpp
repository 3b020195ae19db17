// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/tensor_view.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <limits>

namespace weft {
inline namespace v0 {
namespace {

void check_ranks(IntSpan shape, IntSpan strides) {
  if (shape.size() != strides.size()) {
    fail(ErrorCode::rank, text("expected one stride per extent, got shape ", to_string(shape),
                               " and strides ", to_string(strides)));
  }
  if (shape.size() > max_rank)
    fail(ErrorCode::rank, text("rank ", shape.size(), " exceeds ", max_rank));
}

bool row_major(IntSpan shape, IntSpan strides) noexcept {
  std::int64_t step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 1) continue;
    if (strides[axis] != step) return false;
    step *= shape[axis];  // fits: the extents' product was checked
  }
  return true;
}

}  // namespace

void TensorView::set_geometry(IntSpan shape, IntSpan strides) {
  check_ranks(shape, strides);
  const std::int64_t size = element_size(type_);
  numel_ = weft::numel(shape);
  std::int64_t bytes = 0;
  bool fits = checked_mul(numel_, size, bytes);
  std::int64_t first = 0;
  std::int64_t end = 0;
  if (numel_ > 0) {
    for (std::size_t axis = 0; axis < shape.size() && fits; ++axis) {
      if (shape[axis] == 1) continue;
      std::int64_t span = 0;
      fits = checked_mul(shape[axis] - 1, strides[axis], span) && checked_mul(span, size, span);
      std::int64_t& edge = span < 0 ? first : end;
      fits = fits && checked_add(edge, span, edge);
    }
    fits = fits && checked_add(end, size, end);
    std::int64_t extent = 0;
    fits = fits && checked_sub(end, first, extent);
  }
  if (!fits) {
    fail(ErrorCode::overflow, text("byte offsets of shape ", to_string(shape), " with strides ",
                                   to_string(strides), " of ", name(type_), " exceed 2^63-1"));
  }
  first_byte_ = first;
  end_byte_ = end;
  rank_ = static_cast<std::int16_t>(shape.rank());
  contiguous_ = numel_ == 0 || row_major(shape, strides);
  dims_.resize_for_overwrite(2 * shape.size());
  std::copy(shape.begin(), shape.end(), dims_.begin());
  std::copy(strides.begin(), strides.end(), dims_.begin() + rank_);
}

void TensorView::check_range() const {
  if (numel_ == 0) return;
  if (data_ == nullptr) {
    fail(ErrorCode::undefined,
         text("null data for ", numel_, " elements of shape ", to_string(shape())));
  }
  if (range_.begin == nullptr && range_.end == nullptr) return;
  const std::int64_t before = static_cast<const std::byte*>(data_) - range_.begin;
  const std::int64_t after = range_.end - static_cast<const std::byte*>(data_);
  if (before < 0 || after < 0 || -first_byte_ > before || end_byte_ > after) {
    fail(ErrorCode::bounds,
         text("shape ", to_string(shape()), " with strides ", to_string(strides()), " of ",
              name(type_), " reaches bytes ", first_byte_, " to ", end_byte_,
              " of its origin, expected ", -before, " to ", after));
  }
}

TensorView TensorView::make(ByteRange range, const void* data, ScalarType type, IntSpan shape,
                            IntSpan strides, bool read_only) {
  if (static_cast<int>(type) >= scalar_type_count)
    fail(ErrorCode::dtype, text("there is no element type of number ", static_cast<int>(type)));
  TensorView view;
  view.data_ = const_cast<void*>(data);  // read_only_ remembers; build() refuses it as an output
  view.range_ = range;
  view.type_ = type;
  view.defined_ = true;
  view.read_only_ = read_only;
  view.set_geometry(shape, strides);
  view.check_range();
  return view;
}

TensorView TensorView::within(ByteRange range, void* data, ScalarType type, IntSpan shape,
                              IntSpan strides) {
  return make(range, data, type, shape, strides, false);
}
TensorView TensorView::within(ByteRange range, const void* data, ScalarType type, IntSpan shape,
                              IntSpan strides) {
  return make(range, data, type, shape, strides, true);
}
TensorView TensorView::trusted(void* data, ScalarType type, IntSpan shape, IntSpan strides) {
  return make({}, data, type, shape, strides, false);
}
TensorView TensorView::trusted(void* data, ScalarType type, IntSpan shape) {
  return make({}, data, type, shape, contiguous_strides(shape), false);
}
TensorView TensorView::trusted(const void* data, ScalarType type, IntSpan shape, IntSpan strides) {
  return make({}, data, type, shape, strides, true);
}
TensorView TensorView::trusted(const void* data, ScalarType type, IntSpan shape) {
  return make({}, data, type, shape, contiguous_strides(shape), true);
}

TensorView TensorView::trusted(void* data, const TensorView& like) {
  TensorView view = like;
  view.data_ = data;
  view.range_ = {};
  view.read_only_ = false;
  view.weak_ = false;
  return view;
}

const void* TensorView::at(const void* data, std::int64_t offset, std::size_t size,
                           std::int64_t element_bytes) {
  if (offset < 0 || static_cast<std::uint64_t>(offset) > size) {
    fail(ErrorCode::bounds, text("offset ", offset, " is outside a memory of ", size, " elements"));
  }
  return static_cast<const std::byte*>(data) + offset * element_bytes;
}

void TensorView::fail_type(ScalarType wanted) const {
  fail(ErrorCode::dtype, text("data of a tensor of ", name(type_), " asked for as ", name(wanted)));
}

void TensorView::fail_read_only() {
  fail(ErrorCode::invalid_argument,
       "data of a read-only tensor asked for as memory to write to: name a const type");
}

std::int64_t TensorView::element_offset(IntSpan index) const {
  if (!defined_)
    fail(ErrorCode::undefined, text("element ", to_string(index), " of an undefined tensor"));
  if (index.rank() != rank_) {
    fail(ErrorCode::rank,
         text("index ", to_string(index), " for a tensor of shape ", to_string(shape())));
  }
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    if (index[axis] < 0 || index[axis] >= shape()[axis]) {
      fail(ErrorCode::axis, text("index ", to_string(index), " is outside shape ",
                                 to_string(shape()), " at axis ", axis));
    }
    offset += index[axis] * strides()[axis];
  }
  return offset;
}

TensorView TensorView::as_strided(IntSpan new_shape, IntSpan new_strides,
                                  std::int64_t offset) const {
  std::int64_t bytes = 0;
  if (!checked_mul(offset, element_size(type_), bytes)) {
    fail(ErrorCode::overflow,
         text("offset ", offset, " of ", name(type_), " elements exceeds 2^63-1 bytes"));
  }
  const auto origin = reinterpret_cast<std::intptr_t>(data_);
  std::int64_t moved = 0;
  if (!checked_add(origin, bytes, moved))
    fail(ErrorCode::overflow, text("offset ", offset, " leaves the address space"));
  // The range of no memory is that of memory of unknown extent.
  if (!defined_) fail(ErrorCode::undefined, "as_strided of an undefined tensor");
  if (data_ == nullptr && weft::numel(new_shape) > 0) {
    fail(ErrorCode::undefined,
         text("as_strided: elements of shape ", to_string(new_shape), " in no memory"));
  }
  TensorView view = make(range_, reinterpret_cast<const void*>(static_cast<std::intptr_t>(moved)),
                         type_, new_shape, new_strides, read_only_);
  view.weak_ = weak_;
  view.defined_ = defined_;
  return view;
}

TensorView TensorView::permute(IntSpan order) const {
  if (order.rank() != rank_) {
    fail(ErrorCode::rank, text("permutation ", to_string(order), " of a tensor of rank ", rank_,
                               ", expected each of its axes once"));
  }
  DimVector new_shape, new_strides;
  std::uint64_t seen = 0;
  for (const std::int64_t given : order) {
    const int axis = normalize_axis(given, rank_);
    if ((seen >> axis & 1) != 0)
      fail(ErrorCode::axis, text("axis ", given, " twice in permutation ", to_string(order)));
    seen |= std::uint64_t{1} << axis;
    new_shape.push_back(shape()[static_cast<std::size_t>(axis)]);
    new_strides.push_back(strides()[static_cast<std::size_t>(axis)]);
  }
  return as_strided(new_shape, new_strides);
}

TensorView TensorView::transpose(std::int64_t axis0, std::int64_t axis1) const {
  const auto first = static_cast<std::size_t>(normalize_axis(axis0, rank_));
  const auto second = static_cast<std::size_t>(normalize_axis(axis1, rank_));
  if (rank_ == 0) return *this;
  DimVector new_shape(shape().begin(), shape().end());
  DimVector new_strides(strides().begin(), strides().end());
  std::swap(new_shape[first], new_shape[second]);
  std::swap(new_strides[first], new_strides[second]);
  return as_strided(new_shape, new_strides);
}

TensorView TensorView::expand(IntSpan target) const {
  if (target.rank() < rank_) {
    fail(ErrorCode::rank,
         text("shape ", to_string(shape()), " does not expand to shape ", to_string(target)));
  }
  const std::size_t lead = target.size() - static_cast<std::size_t>(rank_);
  DimVector new_strides(target.size(), 0);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank_); ++axis) {
    if (shape()[axis] == target[lead + axis]) {
      new_strides[lead + axis] = strides()[axis];
    } else if (shape()[axis] != 1) {
      fail(ErrorCode::shape, text("shape ", to_string(shape()), " does not expand to ",
                                  to_string(target), ": extents ", shape()[axis], " and ",
                                  target[lead + axis], " at axis ", lead + axis));
    }
  }
  return as_strided(target, new_strides);
}

TensorView TensorView::slice(std::int64_t axis, std::int64_t start, std::int64_t stop,
                             std::int64_t step) const {
  if (rank_ == 0) fail(ErrorCode::rank, "slice of a 0-d tensor");
  if (step == 0) fail(ErrorCode::invalid_argument, text("slice of axis ", axis, " with step 0"));
  const std::size_t a = existing_axis(axis, rank_);
  const std::int64_t extent = shape()[a];
  // Python's rule (slice.indices): a backward slice may start at the last element and stop before
  // the first.
  const std::int64_t low = step > 0 ? 0 : -1;
  const std::int64_t high = step > 0 ? extent : extent - 1;
  const auto clamp = [&](std::int64_t i) {
    return std::clamp(i < 0 ? std::max(i, -extent - 1) + extent : i, low, high);
  };
  start = clamp(start);
  stop = clamp(stop);
  std::int64_t count = 0;
  if (step > 0 && stop > start) count = (stop - start - 1) / step + 1;
  // -(step + 1) + 1 without negating the least integer: the distance is below 2^63, so unsigned
  // division is exact.
  if (step < 0 && start > stop) {
    const std::uint64_t stride = 0 - static_cast<std::uint64_t>(step);
    count = static_cast<std::int64_t>(static_cast<std::uint64_t>(start - stop - 1) / stride) + 1;
  }
  DimVector new_shape(shape().begin(), shape().end());
  DimVector new_strides(strides().begin(), strides().end());
  new_shape[a] = count;
  // Strides of a tensor without elements may be any.
  const std::int64_t offset = count == 0 || numel_ == 0 ? 0 : start * new_strides[a];
  if (count <= 1) {
    new_strides[a] = 0;  // never stepped over
  } else if (!checked_mul(new_strides[a], step, new_strides[a])) {
    fail(ErrorCode::overflow, text("slice of axis ", axis, " with step ", step, " exceeds 2^63-1"));
  }
  return as_strided(new_shape, new_strides, offset);
}

TensorView TensorView::select(std::int64_t axis, std::int64_t i) const {
  if (rank_ == 0) fail(ErrorCode::rank, "select from a 0-d tensor");
  const std::size_t a = existing_axis(axis, rank_);
  if (i < -shape()[a] || i >= shape()[a]) {
    fail(ErrorCode::axis, text("index ", i, " is outside axis ", axis, " of extent ", shape()[a]));
  }
  DimVector new_shape(shape().begin(), shape().end());
  DimVector new_strides(strides().begin(), strides().end());
  const std::int64_t offset = numel_ == 0 ? 0 : (i < 0 ? i + shape()[a] : i) * strides()[a];
  new_shape.erase(a);
  new_strides.erase(a);
  return as_strided(new_shape, new_strides, offset);
}

TensorView TensorView::flip(std::int64_t axis) const {
  if (!defined_) fail(ErrorCode::undefined, "flip of an undefined tensor");
  const auto a = static_cast<std::size_t>(normalize_axis(axis, rank_));
  if (rank_ == 0 || numel_ == 0) return *this;
  DimVector new_strides(strides().begin(), strides().end());
  if (new_strides[a] == std::numeric_limits<std::int64_t>::min())
    new_strides[a] = 0;  // only on an axis of extent 1
  const std::int64_t offset = (shape()[a] - 1) * new_strides[a];
  new_strides[a] = -new_strides[a];
  return as_strided(shape(), new_strides, offset);
}

TensorView TensorView::unsqueeze(std::int64_t axis) const {
  const auto a = static_cast<std::size_t>(normalize_axis(axis, rank_ + 1));
  DimVector new_shape(shape().begin(), shape().begin() + a);
  DimVector new_strides(strides().begin(), strides().begin() + a);
  new_shape.push_back(1);
  new_strides.push_back(0);
  new_shape.append(shape().begin() + a, shape().end());
  new_strides.append(strides().begin() + a, strides().end());
  return as_strided(new_shape, new_strides);
}

TensorView TensorView::squeeze() const {
  DimVector new_shape, new_strides;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank_); ++axis) {
    if (shape()[axis] == 1) continue;
    new_shape.push_back(shape()[axis]);
    new_strides.push_back(strides()[axis]);
  }
  return as_strided(new_shape, new_strides);
}

}  // namespace v0
}  // namespace weft
