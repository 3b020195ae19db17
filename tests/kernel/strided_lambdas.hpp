// SPDX-License-Identifier: Apache-2.0
/// @file
/// Kernels of users that have loops over strided elements, in ordinary files and in kernel files.
#pragma once

#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/dispatch.hpp>

#include <span>

namespace test {

struct NamedSpanKernel {
  const char* name;
  weft::SpanKernel kernel;
};

/// Those of the kernel file.
WEFT_DECLARE_KERNEL(strided_lambdas, std::span<const NamedSpanKernel>());

}  // namespace test
