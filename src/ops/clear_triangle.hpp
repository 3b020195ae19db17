// SPDX-License-Identifier: Apache-2.0
/// @file
/// Zeros on one side of a diagonal.
#pragma once

#include <weft/core/tensor_view.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Writes zeros over the elements of all matrices below diagonal k, if the upper triangle is kept,
/// or over those above it. Threads share the rows. Precondition: there are elements, of at least
/// two axes.
void clear_triangle(const TensorView& to, bool keeps_upper, std::int64_t k);

}  // namespace v0
}  // namespace weft
