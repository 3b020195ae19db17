// SPDX-License-Identifier: Apache-2.0
/// @file
/// Runs that need no tiles: spans in place, and a few elements of any layout.
#pragma once

#include <weft/iter/tensor_iterator.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "machine/tuning.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// How to run without tiles, if that can be. Bits are operands.
struct SimpleRun {
  enum class Form : std::uint8_t {
    none,     ///< tiles are needed
    line,     ///< one dim, every operand in place
    rows,     ///< a few elements: rows along dim 0, every operand in place
    strided,  ///< the same by the kernel's strided loop
    span,     ///< a few elements as one span; what does not lie so goes through buffers
  };
  Form form = Form::none;
  std::uint32_t broadcast = 0;  ///< one value along a row, a line or the span
  std::uint32_t packed = 0;     ///< span: elements do not follow each other in memory
  std::uint32_t cast = 0;       ///< span: memory is of another type than the kernel's
  bool is_shared = false;       ///< line: so long that threads may share it

  /// Operands that go through buffers.
  std::uint32_t buffered() const noexcept { return packed | cast; }
};

/// Chooses among the forms for a few elements of the kernel's own types. Precondition: numel > 0.
SimpleRun choose_small(const Geometry& geometry, const SpanKernel& kernel, const Tuning& tuning);
/// Chooses among all forms. Precondition: numel > 0; the kernel's counts are the iterator's.
SimpleRun choose_simple(const TensorIterator& iter, const SpanKernel& kernel, const Tuning& tuning);

/// Runs a form for a few elements, none of which are cast. data[k] is operand k's element at index
/// (0, 0, ...).
void run_simple(const SimpleRun& run, const Geometry& geometry, const SpanKernel& kernel,
                char* const* data);
/// Runs any form but none. Precondition: types can be cast (check_kernel).
void run_simple(const SimpleRun& run, const TensorIterator& iter, const SpanKernel& kernel,
                const RunOptions& options);

}  // namespace v0
}  // namespace weft
