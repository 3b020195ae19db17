// SPDX-License-Identifier: Apache-2.0
/// @file
/// How often each value of one byte is there: what counts or sorts such elements needs no more.
#pragma once

#include <weft/core/tensor_view.hpp>

#include <array>
#include <cstdint>

namespace weft {
inline namespace v0 {

using ByteCounts = std::array<std::int64_t, 256>;

/// Counts bytes in several rows by turns: one like the one before would wait until that is stored.
class ByteCounter {
 public:
  /// n bytes, each `step` bytes behind the one before.
  void add(const char* from, std::int64_t step, std::int64_t n);
  /// counts[b]: how many were b.
  ByteCounts counts() const;

 private:
  static constexpr int rows = 4;

  void add_few(const char* from, std::int64_t step, std::int64_t n);
  void flush();

  std::uint32_t row_[rows][256] = {};
  std::uint32_t counted_ = 0;  ///< in the rows
  ByteCounts flushed_ = {};
};

/// The parts of n elements that threads count.
std::int64_t counted_parts(std::int64_t n);
/// The bytes of all elements, whose type has one. By several threads where that is worth it.
ByteCounts count_bytes(const TensorView& a);

}  // namespace v0
}  // namespace weft
