// SPDX-License-Identifier: Apache-2.0
#include "engine/footprint.hpp"

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

/// Whether an output that is dense along dim 0 is written in runs of which few lines are partial
/// ones: these are fetched all the same, and cost more than others.
bool has_long_runs(const Geometry& geometry, const Tuning& tuning, int output, const char* data,
                   std::int64_t size) {
  std::int64_t run = size;
  int d = 0;
  for (; d < geometry.ndim() && geometry.stride(d, output) == run; ++d)
    run *= geometry.extent(d);
  if (run >= tuning.min_streamed_run_bytes) return true;
  auto bits = reinterpret_cast<std::uintptr_t>(data);
  for (; d < geometry.ndim(); ++d)
    bits |= static_cast<std::uintptr_t>(geometry.stride(d, output));
  return run >= tuning.min_streamed_run_bytes / 4 && bits % cache_line_bytes == 0;
}

}  // namespace

bool can_stream(const TensorIterator& iter, int output) {
  const Operand& op = iter.operand(output);
  return op.is_output && !op.is_read_write && iter.ndim() > 0 &&
         iter.geometry().stride(0, output) == element_size(op.storage);
}

bool worth_streaming(const TensorIterator& iter, int output, bool unbuffered, const Tuning& t) {
  if (!can_stream(iter, output)) return false;
  const Operand& op = iter.operand(output);
  const std::int64_t size = element_size(op.storage);
  const Geometry& geometry = iter.geometry();
  if (!has_long_runs(geometry, t, output, op.data, size)) return false;
  const std::int64_t bytes = bytes_touched(iter);
  // Below that, much of the output is still there when it is written or read again, and plain
  // stores cost no more: docs/measurements/layouts.md has the figures. Where half of all is output,
  // or rows are short, streaming gains less.
  const bool half = 2 * bytes_touched(iter, output) >= bytes;
  const bool short_rows = geometry.extent(0) * size < t.min_streamed_run_bytes;
  const std::int64_t left = half ? (unbuffered ? t.streams_before_unbuffered : 0)
                                 : (short_rows ? t.streams_before_short : t.streams_before_mixed);
  return bytes > t.last_level_without(t.last_level_bytes, left);
}

}  // namespace v0
}  // namespace weft
