// SPDX-License-Identifier: Apache-2.0
/// @file
/// Blocks of operands as dense elements of another type.
#pragma once

#include <weft/iter/tensor_iterator.hpp>

#include "kernels/stage/stage.hpp"

#include <algorithm>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// Elements of a block: few enough for the first level to keep them in all their forms.
inline constexpr std::int64_t reader_block = 512;

/// Brings blocks of one operand into a type, where they lie if they are dense and of that type.
class BlockReader {
 public:
  /// Bytes of its buffers.
  static constexpr std::int64_t buffer_bytes = 2 * 8 * reader_block;

  /// Neither type is of more than 8 bytes.
  BlockReader(ScalarType to, ScalarType from)
      : size_(element_size(from)),
        pack_(copy_block_kernel(size_)),
        convert_(to == from ? nullptr : convert_kernel(to, from)) {}

  /// n1 rows of n0 elements, together at most reader_block; steps in bytes.
  const char* read(char* buffers, const char* from, std::int64_t step0, std::int64_t step1,
                   std::int64_t n0, std::int64_t n1) const {
    if (step0 != size_ || (n1 > 1 && step1 != n0 * size_)) {
      pack_(buffers, size_, n0 * size_, from, step0, step1, n0, n1);
      from = buffers;
    }
    if (convert_ == nullptr) return from;
    char* const converted = buffers + buffer_bytes / 2;
    convert_(converted, from, n0 * n1);
    return converted;
  }

 private:
  std::int64_t size_;
  CopyBlockFn pack_;
  ConvertFn convert_;
};

/// Calls f for parts of an iterator's elements, in its order: n1 rows of n0 of them, together at
/// most reader_block. The iterator has at most two operands.
void for_each_read_block(const TensorIterator& iter, Range range, Loop2d f);

}  // namespace v0
}  // namespace weft
