// SPDX-License-Identifier: Apache-2.0
/// @file
/// Rows of which a kernel itself writes the results by non-temporal stores.
#pragma once

#include <weft/base/checked.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "engine/prefetch.hpp"

#include <algorithm>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// `rows` rows of n elements by kernel.run_streamed, arguments as of kernel.run; what comes before
/// the first line of a row of the output and after the last block of lines, by that.
/// end_streaming() has to follow the last of them.
inline void run_by_lines(const SpanKernel& kernel, char* const* data, const std::int64_t* row_bytes,
                         std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
  const std::int64_t size = element_size(kernel.types[0]);
  const std::int64_t block = SpanKernel::streamed_bytes / size;
  // Elements up to the next line; all of them if none begins on one.
  const auto before_line = [&](const char* at) {
    const auto past =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at) % cache_line_bytes);
    return past % size != 0 ? n : std::min((cache_line_bytes - past) % cache_line_bytes / size, n);
  };
  const bool in_line = rows == 1 || row_bytes[0] % cache_line_bytes == 0;
  if (in_line && n % block == 0 && before_line(data[0]) == 0)
    return kernel.run_streamed(kernel.context, data, row_bytes, n, rows, broadcast);
  // Plain stores wait for their line to be read, and non-temporal stores behind them do, too: a
  // memory's latency twice a row. Other rows than these may be asked for as well, those of the next
  // tile or none.
  const std::int64_t ahead =
      rows == 1 ? 0 : ceil_div(tuning().row_ends_ahead_bytes, n * size);  // rows
  for (std::int64_t r = 0; r < rows; ++r) {
    if (ahead != 0) {
      const char* row = data[0] + (r + ahead) * row_bytes[0];
      const std::int64_t before = before_line(row);
      const std::int64_t after = before + (n - before) / block * block;
      prefetch_bytes<3>(row, before * size);
      prefetch_bytes<3>(row + after * size, (n - after) * size);
    }
    char* part[max_operands];
    for (int k = 0; k <= kernel.ninputs; ++k)
      part[k] = r == 0 ? data[k] : data[k] + r * row_bytes[k];
    const auto take = [&](SpanKernel::Run run, std::int64_t count) {
      if (count == 0) return;
      run(kernel.context, part, nullptr, count, 1, broadcast);
      for (int k = 0; k <= kernel.ninputs; ++k)
        if ((broadcast >> k & 1) == 0) part[k] += count * element_size(kernel.types[k]);
    };
    const std::int64_t lead = before_line(part[0]);
    const std::int64_t blocks = (n - lead) / block * block;
    take(kernel.run, lead);
    take(kernel.run_streamed, blocks);
    take(kernel.run, n - lead - blocks);
  }
}

}  // namespace v0
}  // namespace weft
