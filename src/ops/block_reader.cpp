// SPDX-License-Identifier: Apache-2.0
#include "ops/block_reader.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {

void for_each_read_block(const TensorIterator& iter, Range range, Loop2d f) {
  const int operands = iter.ntensors();
  const auto loop = [&](char** data, const std::int64_t* strides, std::int64_t n0,
                        std::int64_t n1) {
    const bool whole_rows = n0 <= reader_block;
    const std::int64_t rows = whole_rows ? reader_block / n0 : 1;
    char* part[2];
    for (std::int64_t j = 0; j < n1; j += rows) {
      for (std::int64_t i = 0; i < n0; i += reader_block) {
        for (int k = 0; k < operands; ++k)
          part[k] = data[k] + i * strides[k] + j * strides[operands + k];
        f(part, strides, std::min(reader_block, n0 - i), std::min(rows, n1 - j));
      }
    }
  };
  iter.serial_for_each(loop, range);
}

}  // namespace v0
}  // namespace weft
