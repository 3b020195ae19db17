// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/mdspan.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {
namespace mdspan_parts {
namespace {

template <class Data>
TensorView make_view(Data* data, ScalarType type, const Geometry& geometry) {
  if (data == nullptr) {  // its elements, if there are any, are refused
    return TensorView::within({}, data, type, geometry.shape, geometry.strides);
  }
  std::int64_t bytes = 0;
  if (!checked_mul(geometry.size, element_size(type), bytes)) {
    fail(ErrorCode::overflow, text("view_of: ", geometry.size, " elements of ", name(type),
                                   ", which the mdspan spans, exceed 2^63-1 bytes"));
  }
  const auto* begin = static_cast<const std::byte*>(data);
  const std::byte* first = begin + geometry.first * element_size(type);
  // The constness of Data decides whether the view is read-only.
  Data* origin = const_cast<std::byte*>(first);
  return TensorView::within({begin, begin + bytes}, origin, type, geometry.shape, geometry.strides);
}

void check_extents(IntSpan shape, const Asked& asked) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (asked.shape[axis] >= 0 && asked.shape[axis] != shape[axis]) {
      fail(ErrorCode::shape, text("to_mdspan: axis ", axis, ": expected extent ", asked.shape[axis],
                                  ", got ", shape[axis]));
    }
    if (shape[axis] > asked.largest) {
      fail(ErrorCode::overflow, text("to_mdspan: axis ", axis, ": expected an extent of at most ",
                                     asked.largest, ", the largest index, got ", shape[axis]));
    }
  }
}

/// The axis of the smallest stride of those that count and have not been `seen`; -1 for none.
int next_axis(IntSpan shape, IntSpan strides, std::uint64_t seen) {
  int next = -1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (shape[a] == 1 || (seen >> a & 1) != 0) continue;
    if (next < 0 || strides[a] < strides[static_cast<std::size_t>(next)]) next = axis;
  }
  return next;
}

/// No element is reached twice if each axis steps over all that those of smaller strides reach.
void check_unique(IntSpan shape, IntSpan strides) {
  std::int64_t reach = 0;
  std::uint64_t seen = 0;
  for (int axis = 0; (axis = next_axis(shape, strides, seen)) >= 0;) {
    const auto a = static_cast<std::size_t>(axis);
    if (strides[a] <= reach) {
      fail(ErrorCode::invalid_argument,
           text("to_mdspan: axis ", axis, ": expected a stride above ", reach,
                ", the offset that axes of smaller strides reach, got ", strides[a]));
    }
    reach += (shape[a] - 1) * strides[a];  // fits: the view was checked
    seen |= std::uint64_t{1} << a;
  }
}

}  // namespace

TensorView view(void* data, ScalarType type, const Geometry& geometry) {
  return make_view(data, type, geometry);
}
TensorView view(const void* data, ScalarType type, const Geometry& geometry) {
  return make_view(data, type, geometry);
}

void check(const TensorView& view, const Asked& asked) {
  if (!view.defined()) fail(ErrorCode::undefined, "to_mdspan: the tensor is undefined");
  if (view.dtype() != asked.type) {
    fail(ErrorCode::dtype,
         text("to_mdspan: expected elements of ", name(asked.type), ", got ", name(view.dtype())));
  }
  if (view.read_only() && !asked.read_only) {
    fail(ErrorCode::invalid_argument,
         "to_mdspan: the tensor is read-only, expected an mdspan of const elements");
  }
  if (view.rank() != asked.shape.rank()) {
    fail(ErrorCode::rank,
         text("to_mdspan: expected rank ", asked.shape.rank(), ", got shape ", view.shape()));
  }
  check_extents(view.shape(), asked);
  if (view.numel() > asked.largest) {
    fail(ErrorCode::overflow, text("to_mdspan: expected at most ", asked.largest,
                                   " elements, the largest index, got shape ", view.shape()));
  }
  const auto address = reinterpret_cast<std::uintptr_t>(view.data());
  if (address % static_cast<std::uintptr_t>(asked.alignment) != 0) {
    fail(ErrorCode::invalid_argument,
         text("to_mdspan: expected data at a multiple of ", asked.alignment, " bytes, got ",
              address % static_cast<std::uintptr_t>(asked.alignment), " bytes behind one"));
  }
}

void check_strides(const TensorView& view, IntSpan strides) {
  if (view.numel() == 0) return;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    if (view.shape()[axis] == 1 || view.strides()[axis] == strides[axis]) continue;
    fail(ErrorCode::invalid_argument,
         text("to_mdspan: axis ", axis, ": expected stride ", strides[axis],
              ", which the layout has for shape ", view.shape(), ", got ", view.strides()[axis]));
  }
}

std::int64_t unique_strides(const TensorView& view, std::int64_t largest,
                            std::span<std::int64_t> strides) {
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    const std::int64_t stride = view.strides()[axis];
    if (view.numel() > 0 && view.shape()[axis] > 1 && stride <= 0) {
      fail(ErrorCode::invalid_argument,
           text("to_mdspan: axis ", axis, ": expected a positive stride, got ", stride));
    }
    strides[axis] = stride > 0 && stride <= largest ? stride : 1;
  }
  if (view.numel() == 0) return 0;
  const std::int64_t size = view.end_byte() / element_size(view.dtype());
  if (size > largest) {
    fail(ErrorCode::overflow,
         text("to_mdspan: expected strides that span at most ", largest,
              " elements, the largest index, got strides ", view.strides(), ", which span ", size));
  }
  check_unique(view.shape(), view.strides());
  return size;
}

void fail_index(const char* what, std::size_t axis, std::uint64_t value) {
  fail(ErrorCode::overflow,
       text("view_of: axis ", axis, ": ", what, " ", value, " of the mdspan exceeds 2^63-1"));
}
void fail_not_strided() {
  fail(ErrorCode::invalid_argument, "view_of: the mdspan's layout has no strides");
}

}  // namespace mdspan_parts
}  // namespace v0
}  // namespace weft
