// SPDX-License-Identifier: Apache-2.0
#include "kernel/footprint.hpp"

#include <weft/kernel/cpu_info.hpp>

namespace weft::inline v0 {

std::int64_t bytes_touched(const TensorIterator& iter, int k) {
  std::int64_t bytes = element_size(iter.operand(k).storage);
  for (int d = 0; d < iter.ndim(); ++d) {
    if (iter.geometry().stride(d, k) != 0) bytes *= iter.geometry().extent(d);
  }
  return iter.numel() == 0 ? 0 : bytes;
}

bool worth_streaming(const TensorIterator& iter, int output) {
  constexpr std::int64_t least_elements = 1 << 18;  // never worth it; spares small calls the rest
  constexpr std::int64_t least_row_bytes = 512;
  if (iter.numel() < least_elements) return false;
  const Operand& op = iter.operand(output);
  if (op.is_read_write || !op.is_output) return false;
  const std::int64_t size = element_size(op.storage);
  const Geometry& geometry = iter.geometry();
  if (geometry.stride(0, output) != size || geometry.extent(0) * size < least_row_bytes)
    return false;
  std::int64_t bytes = 0;
  for (int k = 0; k < iter.ntensors(); ++k)
    bytes += bytes_touched(iter, k);
  // Up to half, much of the output is still there when it is written or read again, and plain stores
  // cost no more: docs/design/0007-layouts-at-the-speed-of-memory.md has the measurement.
  return bytes > cpu_info().l3_bytes / 2;
}

}  // namespace weft::inline v0
