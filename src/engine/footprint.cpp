// SPDX-License-Identifier: Apache-2.0
#include "engine/footprint.hpp"

#include <weft/machine/cpu_info.hpp>

namespace weft {
inline namespace v0 {

std::int64_t bytes_touched(const TensorIterator& iter, int k) {
  std::int64_t bytes = element_size(iter.operand(k).storage);
  for (int d = 0; d < iter.ndim(); ++d) {
    if (iter.geometry().stride(d, k) != 0) bytes *= iter.geometry().extent(d);
  }
  return iter.numel() == 0 ? 0 : bytes;
}

std::int64_t bytes_touched(const TensorIterator& iter) {
  std::int64_t bytes = 0;
  for (int k = 0; k < iter.ntensors(); ++k)
    bytes += bytes_touched(iter, k);
  return bytes;
}

namespace {

/// Bytes written one after the other from which on partial lines at their ends do not matter.
constexpr std::int64_t least_run_bytes = 2048;

/// Whether an output that is dense along dim 0 is written in runs of which few lines are partial ones:
/// these are fetched all the same, and cost more than others.
bool has_long_runs(const Geometry& geometry, int output, const char* data, std::int64_t size) {
  constexpr std::int64_t line_bytes = 64;
  constexpr std::int64_t least_aligned_bytes = 512;  // of runs that all begin on a line
  std::int64_t run = size;
  int d = 0;
  for (; d < geometry.ndim() && geometry.stride(d, output) == run; ++d)
    run *= geometry.extent(d);
  if (run >= least_run_bytes) return true;
  auto bits = reinterpret_cast<std::uintptr_t>(data);
  for (; d < geometry.ndim(); ++d)
    bits |= static_cast<std::uintptr_t>(geometry.stride(d, output));
  return run >= least_aligned_bytes && bits % line_bytes == 0;
}

}  // namespace

bool worth_streaming(const TensorIterator& iter, int output, bool unbuffered) {
  constexpr std::int64_t least_elements = 1 << 18;  // never worth it; spares small calls the rest
  if (iter.numel() < least_elements) return false;
  const Operand& op = iter.operand(output);
  if (op.is_read_write || !op.is_output) return false;
  const std::int64_t size = element_size(op.storage);
  const Geometry& geometry = iter.geometry();
  if (geometry.stride(0, output) != size || !has_long_runs(geometry, output, op.data, size))
    return false;
  const std::int64_t bytes = bytes_touched(iter);
  // Below that, much of the output is still there when it is written or read again, and plain stores
  // cost no more: docs/design/0007-layouts-at-the-speed-of-memory.md has the measurements. Where half of
  // all is output, or rows are short, streaming gains less.
  const std::int64_t l3 = cpu_info().last_level_share();
  if (2 * bytes_touched(iter, output) >= bytes) {
    const bool earlier = unbuffered && has_roomy_l1() && !cpu_info().has_far_last_level();
    return bytes > l3 - (earlier ? l3 * 3 / 16 : 0);
  }
  const bool short_rows = geometry.extent(0) * size < least_run_bytes;
  return bytes > l3 - (short_rows ? l3 / 8 : l3 / 3);
}

bool has_roomy_l1() {
  constexpr std::int64_t least_bytes = 48 << 10;
  return cpu_info().l1_bytes >= least_bytes;
}

}  // namespace v0
}  // namespace weft
