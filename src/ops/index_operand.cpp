// SPDX-License-Identifier: Apache-2.0
#include "ops/index_operand.hpp"

#include <weft/base/error.hpp>
#include <weft/core/cast.hpp>
#include <weft/iter/config.hpp>
#include <weft/ops/copy.hpp>

#include "base/text.hpp"
#include "kernels/indexing/indexing.hpp"

#include <atomic>
#include <limits>
#include <string>

namespace weft {
inline namespace v0 {
namespace {

/// The index at a place, as it stands there.
std::string index_text(const TensorView& index, const DimVector& place) {
  const ScalarType type = index.dtype();
  const auto* from = static_cast<const char*>(index.data());
  for (std::size_t axis = 0; axis < place.size(); ++axis)
    from += place[axis] * index.strides()[axis] * element_size(type);
  std::int64_t value = 0;
  const ScalarType wide = type == ScalarType::u64 ? type : ScalarType::i64;
  cast_elements(&value, wide, 0, from, type, 0, 1);
  return type == ScalarType::u64 ? text(static_cast<std::uint64_t>(value)) : text(value);
}

}  // namespace

void check_defined(const TensorView& view, int input) {
  if (!view.defined()) fail(ErrorCode::undefined, text("input ", input, ": undefined tensor"));
}

DimVector first_place(const TensorView& view, FunctionRef<bool(const char* at)> wanted) {
  TensorIteratorConfig config;
  config.add_input(view).enforce_linear_iteration();
  std::int64_t position = 0;
  bool found = false;
  const auto loop = [&](char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t i = 0; i < n && !found; ++i) {
      found = wanted(data[0] + i * strides[0]);
      if (!found) ++position;
    }
  };
  config.build().serial_for_each(loop);
  if (!found) return {};
  DimVector place(view.shape().size(), 0);
  for (std::size_t axis = place.size(); axis-- > 0; position /= view.shape()[axis])
    place[axis] = position % view.shape()[axis];
  return place;
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
    : given_(&index), input_(input), extent_(extent), axis_(axis) {
  check_defined(index, input);
  if (!is_integer(index.dtype())) {
    fail(ErrorCode::dtype,
         text("input ", input, ": expected integer indices, got ", name(index.dtype())));
  }
  if (index.dtype() != ScalarType::i32 && index.dtype() != ScalarType::i64)
    converted_ = contiguous(index, ScalarType::i64);
  if (index.dtype() == ScalarType::u64) {
    // What has become negative was larger than any axis.
    auto* const indices = static_cast<std::int64_t*>(converted_.data());
    for (std::int64_t i = 0; i < converted_.numel(); ++i)
      indices[i] = indices[i] < 0 ? std::numeric_limits<std::int64_t>::max() : indices[i];
  }
}

void IndexOperand::check() const {
  TensorIteratorConfig config;
  config.add_input(view());
  const IndexCheckFn any_outside = index_check_kernel(view().dtype());
  std::atomic<bool> wrong = false;
  const auto loop = [&](char** data, const std::int64_t* strides, std::int64_t n) {
    if (any_outside(data[0], strides[0], n, extent_)) wrong.store(true, std::memory_order_relaxed);
  };
  config.build().for_each(loop, 4 * default_grain);
  if (wrong) fail_outside();
}

void IndexOperand::fail_outside() const {
  const IndexCheckFn any_outside = index_check_kernel(view().dtype());
  const DimVector place =
      first_place(view(), [&](const char* at) { return any_outside(at, 0, 1, extent_); });
  fail(ErrorCode::axis,
       text("input ", input_, ": index ", index_text(*given_, place), " at ", to_string(place),
            " is outside ", axis_ < 0 ? text("the ") : text("axis ", axis_, " of extent "), extent_,
            axis_ < 0 ? " elements" : ""));
}

}  // namespace v0
}  // namespace weft
