// SPDX-License-Identifier: Apache-2.0
/// @file
/// A number in place of elements that are left out.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/kernel/span_kernel.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// What changes nothing in an operation.
enum class Neutral : std::uint8_t { zero, one, least, largest };

/// Elements of one type, and the number that stands for those that are left out.
class LeftOut {
 public:
  /// The type is one that has kernels; for `least` and `largest` a real one.
  LeftOut(ScalarType type, Neutral number);

  /// to[i] = flags[i] ? from[i] : the number, of `rows` rows of n elements, both at least 1. Rows
  /// are dense, and the given bytes from each other; `to` may be `from`.
  void fill(char* to, std::int64_t to_row, const char* from, std::int64_t from_row,
            const char* flags, std::int64_t flags_row, std::int64_t n, std::int64_t rows) const;

 private:
  const SpanKernel* where_;
  alignas(16) char number_[16];
};

}  // namespace v0
}  // namespace weft
