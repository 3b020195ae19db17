// SPDX-License-Identifier: Apache-2.0
#include "ops/index_operand.hpp"

#include <weft/base/error.hpp>
#include <weft/iter/config.hpp>
#include <weft/ops/copy.hpp>

#include "base/text.hpp"

#include <atomic>
#include <limits>
#include <type_traits>

namespace weft {
inline namespace v0 {
namespace {

template <class Index>
bool outside(Index index, std::int64_t extent) {
  // One comparison: [-extent, extent) moved up by extent, everything else wraps past it.
  const auto shifted = static_cast<std::uint64_t>(static_cast<std::int64_t>(index)) +
                       static_cast<std::uint64_t>(extent);
  return shifted >= 2 * static_cast<std::uint64_t>(extent);
}

/// The same of n indices next to each other. The sign of a sum says it, so that the loop is
/// additions that every processor has vectors for; what wraps has the sign of one of the two.
template <class Index>
bool any_outside(const char* from, std::int64_t n, std::int64_t extent) {
  using Bits = std::make_unsigned_t<Index>;
  constexpr std::int64_t most = std::numeric_limits<Index>::max() / 2;
  bool any = false;
  if (extent > most) {
    for (std::int64_t i = 0; i < n; ++i) {
      Index value;
      std::memcpy(&value, from + i * static_cast<std::int64_t>(sizeof(Index)), sizeof(value));
      any |= outside(value, extent);
    }
    return any;
  }
  const auto above = static_cast<Bits>(extent);
  Bits signs = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    Bits value;
    std::memcpy(&value, from + i * static_cast<std::int64_t>(sizeof(Index)), sizeof(value));
    signs |= (value + above) | (above - 1 - value);
  }
  return static_cast<Index>(signs) < 0;
}

/// Names the first index in C order that is outside.
template <class Index>
[[noreturn]] void fail_outside(const TensorView& index, int input, std::int64_t extent,
                               std::int64_t axis) {
  TensorIteratorConfig config;
  config.add_input(index).enforce_linear_iteration();
  std::int64_t position = 0;
  const auto loop = [&](char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i, ++position) {
      Index value;
      std::memcpy(&value, data[0] + i * strides[0], sizeof(value));
      if (!outside(value, extent)) continue;
      DimVector place(index.shape().size(), 0);
      for (std::size_t a = place.size(); a-- > 0; position /= index.shape()[a])
        place[a] = position % index.shape()[a];
      fail(ErrorCode::axis,
           text("input ", input, ": index ", value, " at ", to_string(place), " is outside ",
                axis < 0 ? text("the ") : text("axis ", axis, " of extent "), extent,
                axis < 0 ? " elements" : ""));
    }
  };
  config.build().serial_for_each(loop);
  fail(ErrorCode::axis, "an index changed while it was read");
}

template <class Index>
void check_range(const TensorView& index, int input, std::int64_t extent, std::int64_t axis) {
  TensorIteratorConfig config;
  config.add_input(index);
  std::atomic<bool> wrong = false;
  const auto loop = [&](char** data, const std::int64_t* strides, std::int64_t n) {
    bool any = false;
    if (strides[0] == sizeof(Index)) {
      any = any_outside<Index>(data[0], n, extent);
    } else {
      for (std::int64_t i = 0; i < n; ++i) {
        Index value;
        std::memcpy(&value, data[0] + i * strides[0], sizeof(value));
        any |= outside(value, extent);
      }
    }
    if (any) wrong.store(true, std::memory_order_relaxed);
  };
  config.build().for_each(loop, 4 * default_grain);
  if (wrong) fail_outside<Index>(index, input, extent, axis);
}

}  // namespace

void check_defined(const TensorView& view, int input) {
  if (!view.defined()) fail(ErrorCode::undefined, text("input ", input, ": undefined tensor"));
}

void check_output_type(const TensorView& out, ScalarType type) {
  if (out.defined() && out.dtype() != type) {
    fail(ErrorCode::dtype, text("output 0: expected ", name(type), ", got ", name(out.dtype())));
  }
}

void check_index_shape(const TensorView& index, const TensorView& a, std::size_t along) {
  if (index.rank() != a.rank()) {
    fail(ErrorCode::rank,
         text("input 1: expected indices of rank ", a.rank(), ", got ", index.rank()));
  }
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis) {
    if (axis == along || index.shape()[axis] <= a.shape()[axis]) continue;
    fail(ErrorCode::shape, text("input 1: expected at most ", a.shape()[axis], " along axis ", axis,
                                ", got ", index.shape()[axis]));
  }
}

IndexOperand::IndexOperand(const TensorView& index, int input, std::int64_t extent,
                           std::int64_t axis)
    : given_(&index) {
  check_defined(index, input);
  if (!is_integer(index.dtype())) {
    fail(ErrorCode::dtype,
         text("input ", input, ": expected integer indices, got ", name(index.dtype())));
  }
  if (index.dtype() != ScalarType::i32 && index.dtype() != ScalarType::i64)
    converted_ = contiguous(index, ScalarType::i64);
  if (is_narrow()) {
    check_range<std::int32_t>(view(), input, extent, axis);
  } else {
    check_range<std::int64_t>(view(), input, extent, axis);
  }
}

}  // namespace v0
}  // namespace weft
