// SPDX-License-Identifier: Apache-2.0
/// @file
/// DLPack: handing tensors to other libraries, and taking theirs, without a copy.
///
/// The structs have the layout of those in DLPack's own header (versions 0.2 to 1.x), under names
/// of weft's, so that any version of that header may be there, or none: pass theirs with a
/// reinterpret_cast.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {
namespace dlpack {

/// DLDevice. Type 1 is the CPU.
struct Device {
  std::int32_t type;
  std::int32_t id;
};
/// DLDataType: the kind of number (0 signed, 1 unsigned, 2 floating, 4 bfloat, 5 complex, 6 bool),
/// the bits of one, and how many make up an element.
struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
/// DLTensor. Strides count elements; null: row-major.
struct TensorInfo {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
/// DLManagedTensor, which ends with a call of its deleter.
struct ManagedTensor {
  TensorInfo tensor;
  void* context;
  void (*deleter)(ManagedTensor* self);
};
/// DLPackVersion.
struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};
/// DLManagedTensorVersioned, of version 1. Bit 0 of the flags: not to be written to.
struct ManagedTensorVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedTensorVersioned* self);
  std::uint64_t flags;
  TensorInfo tensor;
};

}  // namespace dlpack

/// The tensor that another library lends for the duration of a call: any strides, all element types
/// of weft. Its memory is trusted, its geometry is checked. Throws Error: invalid_argument (a
/// device that is not the CPU), dtype (a type that weft does not have), rank, shape, overflow,
/// undefined (no data, shape).
WEFT_API TensorView view_of(const dlpack::TensorInfo& tensor);

/// Takes a tensor over: its deleter is called once, when the last copy of the result is gone, or
/// before an Error is thrown. A versioned one that is not to be written to gives a read-only
/// Tensor, which outputs refuse. Throws Error as view_of, invalid_argument also for null and for a
/// version above 1. One allocation, of the count of owners.
WEFT_API Tensor from_dlpack(dlpack::ManagedTensor* managed);
WEFT_API Tensor from_dlpack(dlpack::ManagedTensorVersioned* managed);

/// A share in a tensor, for another library: it keeps the memory alive until its deleter is called,
/// from any thread. Strides are as they are, and always given. Throws Error(undefined) for an
/// undefined tensor; to_dlpack Error(invalid_argument) for a read-only one, which it could not say.
/// One allocation up to rank 8.
WEFT_API dlpack::ManagedTensor* to_dlpack(const Tensor& tensor);
/// The same, in version 1.0.
WEFT_API dlpack::ManagedTensorVersioned* to_dlpack_versioned(const Tensor& tensor);

}  // namespace v0
}  // namespace weft
