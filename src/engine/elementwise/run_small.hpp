// SPDX-License-Identifier: Apache-2.0
/// @file
/// Calls of a few elements without an iterator.
#pragma once

#include <weft/core/cast.hpp>
#include <weft/core/kinds.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "base/internal_api.hpp"

#include <cstring>
#include <span>

namespace weft {
inline namespace v0 {

/// Runs a kernel over a few elements that lie anyhow, where making an iterator would take most of
/// the time: all operands are defined and of the kernel's own types (or numbers that become them),
/// the inputs broadcast to the output's shape, and the output is writable, shares no memory with
/// itself, and is an input or overlaps none. False, with nothing done, if it is not that simple.
WEFT_INTERNAL_API bool run_small(const SpanKernel& kernel, const TensorView& out,
                                 std::span<const TensorView* const> inputs);

/// Converts a number, a weak scalar of no axes, to an element of `type`. False, with nothing done,
/// if it is of a higher kind: it has a say in the type of the call then.
inline bool take_number(const TensorView& number, ScalarType type, char* to) {
  if (number.rank() != 0 || kinds::of(number.dtype()) > kinds::of(type)) return false;
  if (number.dtype() == ScalarType::f64 && type == ScalarType::f32) {
    // What most numbers are: to choose among all conversions takes as long as the call.
    double value;
    std::memcpy(&value, number.data(), sizeof(value));
    const auto converted = cast<float>(value);
    std::memcpy(to, &converted, sizeof(converted));
    return true;
  }
  cast_elements(to, type, 0, number.data(), number.dtype(), 0, 1);
  return true;
}

/// As run_small() for a copy of elements of one type.
WEFT_INTERNAL_API bool copy_small(const TensorView& to, const TensorView& from);

}  // namespace v0
}  // namespace weft
