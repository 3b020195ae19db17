// SPDX-License-Identifier: Apache-2.0
/// @file
/// Kernels in which integer operands say where to read or write.
#pragma once

#include <weft/base/export.hpp>
#include <weft/iter/tensor_iterator.hpp>
#include <weft/machine/level.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Throws Error: the operands of an index kernel do not fit (called with `which` < 0), or an index
/// is out of range.
[[noreturn]] WEFT_API void fail_index(const TensorIterator& iter, int which, std::int64_t index,
                                      std::int64_t extent);
/// Throws Error unless operands from 2 on are `count` tensors of i64.
WEFT_API void check_index_operands(const TensorIterator& iter, std::size_t count,
                                   std::size_t strides);

inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Calls op(char* dst, char* src, std::int64_t offset_bytes) once per element of an iterator over
/// dst, src and one i64 tensor per indexed axis. offset_bytes is the sum over the index tensors of
/// index * index_strides_bytes[axis]; negative indexes count from the end of index_extents[axis].
/// Advanced indexing adds it to src, index_put to dst. `serial` keeps the plan's order, for writes
/// that may meet. Throws Error(axis) for an index out of range; elements before it have been
/// processed then.
template <class F>
void cpu_index_kernel(const TensorIterator& iter, IntSpan index_extents,
                      IntSpan index_strides_bytes, F&& op, bool serial = false) {
  check_index_operands(iter, index_extents.size(), index_strides_bytes.size());
  const auto loop = [&](char** data, const std::int64_t* strides, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      std::int64_t offset = 0;
      for (std::size_t axis = 0; axis < index_extents.size(); ++axis) {
        std::int64_t index = 0;
        __builtin_memcpy(&index, data[2 + axis] + i * strides[2 + axis], sizeof(index));
        const std::int64_t extent = index_extents[axis];
        if (index < -extent || index >= extent)
          fail_index(iter, static_cast<int>(axis), index, extent);
        offset += (index < 0 ? index + extent : index) * index_strides_bytes[axis];
      }
      op(data[0] + i * strides[0], data[1] + i * strides[1], offset);
    }
  };
  if (serial) {
    iter.serial_for_each(loop);
  } else {
    iter.for_each(loop, 3000);  // an indexed element costs some ten times a plain one
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
