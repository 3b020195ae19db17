// SPDX-License-Identifier: Apache-2.0
#include "ops/byte_counts.hpp"

#include <weft/base/checked.hpp>
#include <weft/base/small_vector.hpp>
#include <weft/iter/config.hpp>
#include <weft/parallel/parallel.hpp>

#include <algorithm>
#include <cstring>

namespace weft {
inline namespace v0 {

void ByteCounter::add(const char* from, std::int64_t step, std::int64_t n) {
  constexpr std::int64_t most = std::int64_t{1} << 31;  // counters have 4 bytes
  while (n > 0) {
    if (counted_ == most) flush();
    const std::int64_t count = std::min(n, most - counted_);
    add_few(from, step, count);
    counted_ += static_cast<std::uint32_t>(count);
    from += count * step;
    n -= count;
  }
}

void ByteCounter::add_few(const char* from, std::int64_t step, std::int64_t n) {
  constexpr std::int64_t at_once = 8;
  std::int64_t i = 0;
  if (step == 1) {
    for (; i + at_once <= n; i += at_once) {
      std::uint64_t bytes;
      std::memcpy(&bytes, from + i, sizeof(bytes));
      for (int k = 0; k < at_once; ++k)
        ++row_[k % rows][bytes >> 8 * k & 0xff];
    }
  }
  for (; i + rows <= n; i += rows) {
    for (int k = 0; k < rows; ++k)
      ++row_[k][static_cast<unsigned char>(from[(i + k) * step])];
  }
  for (; i < n; ++i)
    ++row_[0][static_cast<unsigned char>(from[i * step])];
}

ByteCounts ByteCounter::counts() const {
  ByteCounts counts;
  for (std::size_t b = 0; b < counts.size(); ++b)
    counts[b] = flushed_[b] + (row_[0][b] + row_[1][b] + row_[2][b] + row_[3][b]);
  return counts;
}

void ByteCounter::flush() {
  flushed_ = counts();
  std::memset(row_, 0, sizeof(row_));
  counted_ = 0;
}

std::int64_t counted_parts(std::int64_t n) {
  return std::clamp<std::int64_t>(n / (2 * default_grain), 1, num_threads());
}

ByteCounts count_bytes(const TensorView& a) {
  if (a.is_contiguous() && a.numel() < 4 * default_grain) {
    ByteCounter all;
    all.add(static_cast<const char*>(a.data()), 1, a.numel());
    return all.counts();
  }
  TensorIteratorConfig config;
  config.add_input(a);
  const TensorIterator iter = config.build();
  const std::int64_t n = iter.numel();
  const std::int64_t pieces = counted_parts(n);
  SmallVector<ByteCounts, 1> counts(static_cast<std::size_t>(pieces));
  parallel_for(pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t piece = begin; piece < end; ++piece) {
      ByteCounter own;
      const std::int64_t size = ceil_div(n, pieces);
      const Range range{std::min(piece * size, n), std::min((piece + 1) * size, n)};
      iter.serial_for_each(
          [&](char** data, const std::int64_t* s, std::int64_t n0, std::int64_t n1) {
            for (std::int64_t j = 0; j < n1; ++j)
              own.add(data[0] + j * s[1], s[0], n0);
          },
          range);
      counts[static_cast<std::size_t>(piece)] = own.counts();
    }
  });
  for (std::size_t piece = 1; piece < counts.size(); ++piece) {
    for (std::size_t b = 0; b < counts[0].size(); ++b)
      counts[0][b] += counts[piece][b];
  }
  return counts[0];
}

}  // namespace v0
}  // namespace weft
