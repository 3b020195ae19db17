// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/cast.hpp>
#include <weft/core/dispatch_types.hpp>

#include "base/text.hpp"

#include <cstring>

namespace weft {
inline namespace v0 {
namespace {

template <class T>
T load(const char* from) {
  if constexpr (std::is_same_v<T, bool>) {
    return *reinterpret_cast<const unsigned char*>(from) != 0;
  } else {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }
}

using CastLoop = void (*)(char*, std::int64_t, const char*, std::int64_t, std::int64_t);

CastLoop cast_loop(ScalarType to, ScalarType from) {
  return dispatch_all_types(to, [&]<class To>() {
    return dispatch_all_types(from, []<class From>() -> CastLoop {
      return [](char* t, std::int64_t t_stride, const char* f, std::int64_t f_stride,
                std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
          const To value = cast<To>(load<From>(f + i * f_stride));
          std::memcpy(t + i * t_stride, &value, sizeof(To));
        }
      };
    });
  });
}

}  // namespace

void cast_elements(void* to, ScalarType to_type, std::int64_t to_stride_bytes, const void* from,
                   ScalarType from_type, std::int64_t from_stride_bytes, std::int64_t count) {
  cast_loop(to_type, from_type)(static_cast<char*>(to), to_stride_bytes,
                                static_cast<const char*>(from), from_stride_bytes, count);
}

void cast_tensor(const TensorView& to, const TensorView& from) {
  if (!std::ranges::equal(to.shape(), from.shape())) {
    fail(ErrorCode::shape,
         text("cannot copy shape ", to_string(from.shape()), " to shape ", to_string(to.shape())));
  }
  if (to.read_only())
    fail(ErrorCode::invalid_argument, "cannot copy to a tensor that is read-only");
  if (to.numel() == 0) return;
  const std::size_t rank = to.shape().size();
  const std::int64_t inner = rank == 0 ? 1 : to.shape()[rank - 1];
  const std::int64_t to_size = element_size(to.dtype());
  const std::int64_t from_size = element_size(from.dtype());
  const CastLoop loop = cast_loop(to.dtype(), from.dtype());
  DimVector index(rank, 0);
  for (;;) {
    loop(static_cast<char*>(to.data()) + to.element_offset(index) * to_size,
         rank == 0 ? 0 : to.strides()[rank - 1] * to_size,
         static_cast<const char*>(from.data()) + from.element_offset(index) * from_size,
         rank == 0 ? 0 : from.strides()[rank - 1] * from_size, inner);
    // Next row: the odometer over all axes but the last.
    std::size_t axis = rank < 2 ? 0 : rank - 1;
    while (axis-- > 0 && ++index[axis] == to.shape()[axis])
      index[axis] = 0;
    if (axis == static_cast<std::size_t>(-1)) return;
  }
}

}  // namespace v0
}  // namespace weft
