// SPDX-License-Identifier: Apache-2.0
/// @file
/// The kernels of a function of the table: add_kernel(type) and so on, one entry a function, so
/// that a program holds the kernels of what it calls and no others.
#pragma once

#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/dispatch.hpp>
#include <weft/ops/function_table.hpp>

/// A line of a function list as the declaration of its entry.
#define WEFT_DECLARE_KERNEL_OF(NAME, ...) \
  WEFT_DECLARE_KERNEL(NAME##_kernel, const SpanKernel*(ScalarType type));
