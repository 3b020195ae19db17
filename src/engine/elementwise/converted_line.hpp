// SPDX-License-Identifier: Apache-2.0
/// @file
/// Dense operands of other types than the kernel's, converted a part at a time.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "base/internal_api.hpp"
#include "engine/type_change.hpp"

#include <cstdint>
#include <span>

namespace weft {
inline namespace v0 {

/// How each operand of an iterator becomes the kernel's.
using TypeChanges = SmallVector<TypeChange, inline_operands>;
TypeChanges changes_of(const TensorIterator& iter, const SpanKernel& kernel);

/// A line of which some operands, as `changes` says of each, are converted. The others are used
/// where they are; `broadcast`: inputs that are one value.
struct WEFT_INTERNAL_API ConvertedLine {
  ConvertedLine(const SpanKernel& kernel, std::span<const TypeChange> changes,
                std::uint32_t broadcast);

  /// Runs n > 0 elements by way of buffers on the stack.
  void run(char* const* memory, std::int64_t n) const;

  const SpanKernel& kernel;
  std::span<const TypeChange> changes;
  std::uint32_t broadcast;
  std::int64_t part;  ///< elements that are converted at a time, at most
};

}  // namespace v0
}  // namespace weft
