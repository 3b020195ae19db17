// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the staging family: bringing blocks of strided or differently typed operands into
/// dense buffers, and back.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/kernel/dispatch.hpp>

#include <cstdint>

namespace weft::inline v0 {

/// dense[i1 * n0 + i0] = strided[i1 * s1 + i0 * s0] for elements of one size; s0, s1 in bytes, any
/// sign or 0.
using PackFn = void (*)(char* dense, const char* strided, std::int64_t s0, std::int64_t s1,
                        std::int64_t n0, std::int64_t n1);
/// The way back: strided[i1 * s1 + i0 * s0] = dense[i1 * n0 + i0].
using UnpackFn = void (*)(char* strided, const char* dense, std::int64_t s0, std::int64_t s1,
                          std::int64_t n0, std::int64_t n1);
/// to[i] = cast<To>(from[i]) for dense elements; the spans do not meet.
using ConvertFn = void (*)(char* to, const char* from, std::int64_t n);

/// For elements of 1, 2, 4, 8 or 16 bytes.
WEFT_DECLARE_KERNEL(pack_kernel, PackFn(std::int64_t element_bytes));
WEFT_DECLARE_KERNEL(unpack_kernel, UnpackFn(std::int64_t element_bytes));
/// Between any two element types; for equal ones, a copy that makes bools 0 or 1.
WEFT_DECLARE_KERNEL(convert_kernel, ConvertFn(ScalarType to, ScalarType from));

}  // namespace weft::inline v0
