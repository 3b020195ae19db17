// SPDX-License-Identifier: Apache-2.0
/// @file
/// Making constant SpanKernels from stateless function objects, for the kernel families.
#pragma once

#include <weft/kernel/span_loop.hpp>

namespace weft::inline v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The SpanKernel of a function object without state, as a constant.
template <class F>
struct OpKernel {
  static constexpr F op{};
  static constexpr SpanKernel value = typed_span_kernel(op);
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
