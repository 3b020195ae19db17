// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the sequence family: elements that follow from their position alone.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// An arithmetic progression, in f64 for floating elements and in 64 bits that wrap for integers.
struct Progression {
  /// Floating: element i is start + i * step below `turn`, and stop - (last - i) * step from there
  /// on, product and sum rounded each.
  double start = 0, step = 0, stop = 0;
  std::int64_t turn = 0, last = 0;
  /// Integers: whole_start + i * whole_step.
  std::int64_t whole_start = 0, whole_step = 0;
};

/// Writes elements first ... first + n - 1, dense.
using SequenceFn = void (*)(const Progression& terms, void* to, std::int64_t first, std::int64_t n);

/// The function for elements of a type; null for bool and complex types.
WEFT_DECLARE_KERNEL(sequence_kernel, SequenceFn(ScalarType type));

}  // namespace v0
}  // namespace weft
