// SPDX-License-Identifier: Apache-2.0
/// @file
/// The mathematical functions for users' kernels, of single numbers and of vectors, compiled once
/// per level.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace test {

/// out[i] = weft::name(a[i]), or of a[i] and b[i], of f32 or f64: in a loop over numbers, or over
/// Vectorized values, of which there are whole ones.
WEFT_DECLARE_KERNEL(user_math, void(const char* name, weft::ScalarType type, bool vectors,
                                    void* out, const void* a, const void* b, std::int64_t n));

}  // namespace test
