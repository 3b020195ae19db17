// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/base/limits.hpp>
#include <weft/core/dlpack.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

using dlpack::ManagedTensor;
using dlpack::ManagedTensorVersioned;
using dlpack::TensorInfo;

constexpr std::int32_t cpu = 1;
constexpr std::uint64_t read_only_flag = 1;

dlpack::DataType data_type(ScalarType type) {
  const auto bits = static_cast<std::uint8_t>(8 * element_size(type));
  if (type == ScalarType::boolean) return {6, bits, 1};
  if (type == ScalarType::bf16) return {4, bits, 1};
  if (is_complex(type)) return {5, bits, 1};
  if (is_floating(type)) return {2, bits, 1};
  return {static_cast<std::uint8_t>(is_unsigned_integer(type) ? 1 : 0), bits, 1};
}

ScalarType scalar_type(const dlpack::DataType& type) {
  for (int i = 0; i < scalar_type_count; ++i) {
    const auto candidate = static_cast<ScalarType>(i);
    const dlpack::DataType known = data_type(candidate);
    if (known.code == type.code && known.bits == type.bits && type.lanes == 1) return candidate;
  }
  fail(ErrorCode::dtype, text("dlpack: no element type has code ", int{type.code}, ", ",
                              int{type.bits}, " bits and ", int{type.lanes}, " lanes"));
}

TensorView checked_view(const TensorInfo& tensor, bool read_only) {
  if (tensor.device.type != cpu) {
    fail(ErrorCode::invalid_argument,
         text("dlpack: expected a tensor on the CPU (device type 1), got device type ",
              tensor.device.type));
  }
  const ScalarType type = scalar_type(tensor.dtype);
  if (tensor.ndim < 0 || tensor.ndim > max_rank) {
    fail(ErrorCode::rank,
         text("dlpack: expected a rank from 0 to ", max_rank, ", got ", tensor.ndim));
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) fail(ErrorCode::undefined, "dlpack: no shape");
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  const IntSpan shape(tensor.shape, rank);
  const std::int64_t elements = numel(shape);
  if (tensor.byte_offset > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()))
    fail(ErrorCode::overflow, text("dlpack: byte offset ", tensor.byte_offset, " exceeds 2^63-1"));
  if (tensor.data == nullptr && elements > 0) {
    fail(ErrorCode::undefined,
         text("dlpack: no data for ", elements, " elements of shape ", to_string(shape)));
  }
  void* data =
      tensor.data == nullptr ? nullptr : static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  const DimVector row_major = tensor.strides == nullptr ? contiguous_strides(shape) : DimVector();
  const IntSpan strides =
      tensor.strides == nullptr ? IntSpan(row_major) : IntSpan(tensor.strides, rank);
  return read_only ? TensorView::trusted(static_cast<const void*>(data), type, shape, strides)
                   : TensorView::trusted(data, type, shape, strides);
}

template <class Managed>
std::shared_ptr<void> owner_of(Managed* managed) {
  if (managed == nullptr) fail(ErrorCode::invalid_argument, "dlpack: null instead of a tensor");
  // Calls the deleter even where it cannot be made.
  return {managed, [](void* p) {
            auto* self = static_cast<Managed*>(p);
            if (self->deleter != nullptr) self->deleter(self);
          }};
}

/// What a managed tensor that weft gives away refers to.
template <class Managed>
struct Share {
  Managed managed{};
  Tensor tensor;
  DimVector shape, strides;
};

template <class Managed>
Managed* share(const Tensor& tensor) {
  if (!tensor.defined()) fail(ErrorCode::undefined, "to_dlpack: the tensor is undefined");
  auto made = std::make_unique<Share<Managed>>();
  made->tensor = tensor;
  made->shape = DimVector(tensor.shape().begin(), tensor.shape().end());
  made->strides = DimVector(tensor.strides().begin(), tensor.strides().end());
  made->managed.tensor = {
      tensor.data(),        {cpu, 0}, tensor.rank(), data_type(tensor.dtype()), made->shape.data(),
      made->strides.data(), 0};
  made->managed.context = made.get();
  made->managed.deleter = [](Managed* self) { delete static_cast<Share<Managed>*>(self->context); };
  return &made.release()->managed;
}

}  // namespace

TensorView view_of(const TensorInfo& tensor) { return checked_view(tensor, false); }

Tensor from_dlpack(ManagedTensor* managed) {
  std::shared_ptr<void> owner = owner_of(managed);
  return Tensor::share(std::move(owner), checked_view(managed->tensor, false));
}

Tensor from_dlpack(ManagedTensorVersioned* managed) {
  std::shared_ptr<void> owner = owner_of(managed);
  if (managed->version.major != 1) {  // of any other, only the deleter is known
    fail(ErrorCode::invalid_argument, text("dlpack: expected version 1, got ",
                                           managed->version.major, ".", managed->version.minor));
  }
  const bool read_only = (managed->flags & read_only_flag) != 0;
  return Tensor::share(std::move(owner), checked_view(managed->tensor, read_only));
}

ManagedTensor* to_dlpack(const Tensor& tensor) {
  if (tensor.read_only()) {
    fail(ErrorCode::invalid_argument,
         "to_dlpack: the tensor is read-only, which only to_dlpack_versioned can say");
  }
  return share<ManagedTensor>(tensor);
}

ManagedTensorVersioned* to_dlpack_versioned(const Tensor& tensor) {
  ManagedTensorVersioned* managed = share<ManagedTensorVersioned>(tensor);
  managed->version = {1, 0};
  managed->flags = tensor.read_only() ? read_only_flag : 0;
  return managed;
}

}  // namespace v0
}  // namespace weft
