// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/cast.hpp>
#include <weft/core/dispatch_types.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

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

/// The type that holds every value of a type and of its like, so that a conversion from one of them
/// gives the same as one from the other.
template <class T>
struct Widest {
  using Type = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
};
template <class T>
  requires(std::is_floating_point_v<T> || is_half_type<T>)
struct Widest<T> {
  using Type = double;
};
template <class T>
  requires is_complex_type<T>
struct Widest<T> {
  using Type = std::complex<double>;
};

template <class From>
void widen_block(char* block, const char* from, std::int64_t stride, std::int64_t count) {
  using Wide = typename Widest<From>::Type;
  for (std::int64_t i = 0; i < count; ++i) {
    const Wide value = cast<Wide>(load<From>(from + i * stride));
    std::memcpy(block + i * std::int64_t{sizeof(Wide)}, &value, sizeof(Wide));
  }
}
template <class To, class Wide>
void store_block(char* to, std::int64_t stride, const char* block, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const To value = cast<To>(load<Wide>(block + i * std::int64_t{sizeof(Wide)}));
    std::memcpy(to + i * stride, &value, sizeof(To));
  }
}
/// Elements of any type as they are; bools as 0 and 1.
template <class T>
void move_block(char* to, std::int64_t to_stride, const char* from, std::int64_t from_stride,
                std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = load<T>(from + i * from_stride);
    std::memcpy(to + i * to_stride, &value, sizeof(T));
  }
}

/// A conversion in two steps, by way of the widest type: 75 loops instead of 225.
class CastLoop {
 public:
  CastLoop(ScalarType to, ScalarType from) {
    dispatch_all_types(from, [&]<class From>() {
      if (to == from) {
        move_ = &move_block<From>;
      } else {
        using Wide = typename Widest<From>::Type;
        if constexpr (std::is_same_v<From, Wide>) {
          wide_bytes_ = sizeof(From);
        } else {
          widen_ = &widen_block<From>;
        }
        store_ = store_for<Wide>(to);
      }
    });
  }

  void run(char* to, std::int64_t to_stride, const char* from, std::int64_t from_stride,
           std::int64_t count) const {
    if (move_ != nullptr) return move_(to, to_stride, from, from_stride, count);
    if (widen_ == nullptr && (count == 1 || from_stride == wide_bytes_))
      return store_(to, to_stride, from, count);
    constexpr std::int64_t most = 64;
    // Not of numbers: these would be set to 0 first.
    alignas(std::complex<double>) char block[most * sizeof(std::complex<double>)];
    for (std::int64_t first = 0; first < count; first += most) {
      const std::int64_t n = std::min(most, count - first);
      if (widen_ != nullptr) {
        widen_(block, from + first * from_stride, from_stride, n);
      } else {
        for (std::int64_t i = 0; i < n; ++i)
          std::memcpy(block + i * wide_bytes_, from + (first + i) * from_stride,
                      static_cast<std::size_t>(wide_bytes_));
      }
      store_(to + first * to_stride, to_stride, block, n);
    }
  }

 private:
  using Widen = void (*)(char*, const char*, std::int64_t, std::int64_t);
  using Store = void (*)(char*, std::int64_t, const char*, std::int64_t);
  using Move = void (*)(char*, std::int64_t, const char*, std::int64_t, std::int64_t);

  template <class Wide>
  static Store store_for(ScalarType to) {
    return dispatch_all_types(to, []<class To>() -> Store { return &store_block<To, Wide>; });
  }

  Move move_ = nullptr;
  std::int64_t wide_bytes_ = 0;  // of the widest type itself, which needs no first step
  Widen widen_ = nullptr;
  Store store_ = nullptr;
};

}  // namespace

void cast_elements(void* to, ScalarType to_type, std::int64_t to_stride_bytes, const void* from,
                   ScalarType from_type, std::int64_t from_stride_bytes, std::int64_t count) {
  CastLoop(to_type, from_type)
      .run(static_cast<char*>(to), to_stride_bytes, static_cast<const char*>(from),
           from_stride_bytes, count);
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
  const CastLoop loop(to.dtype(), from.dtype());
  DimVector index(rank, 0);
  for (;;) {
    loop.run(static_cast<char*>(to.data()) + to.element_offset(index) * to_size,
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
