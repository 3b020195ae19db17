// SPDX-License-Identifier: Apache-2.0
// Errors that templates of this layer report, out of line.
#include <weft/kernel/index_kernel.hpp>

#include "base/text.hpp"
#include "engine/check_kernel.hpp"

namespace weft {
inline namespace v0 {

void fail_index(const TensorIterator& iter, int which, std::int64_t index, std::int64_t extent) {
  fail(ErrorCode::axis, text("input ", which + 2 - iter.noutputs(), ": index ", index,
                             " is out of range for axis ", which, " of extent ", extent));
}

void check_index_operands(const TensorIterator& iter, std::size_t count, std::size_t strides) {
  check_elementwise(iter);
  if (count != strides || static_cast<std::size_t>(iter.ntensors()) != count + 2) {
    fail(ErrorCode::invalid_argument,
         text("cpu_index_kernel: expected destination, source and one index tensor for each of ",
              count, " extents and ", strides, " strides, got ", iter.ntensors(), " operands"));
  }
  for (int k = 2; k < iter.ntensors(); ++k) {
    if (iter.storage_dtype(k) != ScalarType::i64) {
      fail(ErrorCode::dtype, text("cpu_index_kernel: input ", k - iter.noutputs(), " is ",
                                  name(iter.storage_dtype(k)), ", expected i64"));
    }
  }
}

}  // namespace v0
}  // namespace weft
