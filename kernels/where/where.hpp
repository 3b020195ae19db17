// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the selection family: out[i] = condition[i] ? a[i] : b[i].
#pragma once

#include <weft/kernel/dispatch.hpp>
#include <weft/kernel/span_kernel.hpp>

#include <cstdint>

namespace weft::inline v0 {

/// The kernel for elements of any type, of that type's size: nothing is computed.
WEFT_DECLARE_KERNEL(where_kernel, const SpanKernel*(ScalarType type));

}  // namespace weft::inline v0
