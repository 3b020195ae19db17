// SPDX-License-Identifier: Apache-2.0
/// @file
/// Differences of neighbours.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// out[i] = a[i + 1] - a[i] along an axis, and the same of that again, `order` times: each time the
/// axis is one shorter, down to 0. An order of 0 copies.
///
/// Any element type and strides. Integers wrap; of bools it is whether the two differ; f16 and bf16
/// are subtracted in f32 and rounded, each time. The result has the type of `a`; an output may have
/// any that this converts to without losing its kind, is allocated if it is an undefined Tensor,
/// replaced if it is one of another shape, and may share no memory with `a`. An order above 1
/// allocates one tensor of about the size of `a` in between, or two. Throws Error before anything
/// is written: rank (a 0-d tensor), axis, invalid_argument (an order below 0), shape, dtype (a type
/// that functions are not compiled for), cast, overlap, undefined.
WEFT_API Tensor diff(const TensorView& a, std::int64_t axis = -1, std::int64_t order = 1);
WEFT_API void diff_out(const Output& out, const TensorView& a, std::int64_t axis = -1,
                       std::int64_t order = 1);

}  // namespace v0
}  // namespace weft
