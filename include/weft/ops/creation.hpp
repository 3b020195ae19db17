// SPDX-License-Identifier: Apache-2.0
/// @file
/// Tensors from numbers: one value everywhere, and arithmetic progressions. Every element is
/// computed from its position, never from the one before it, so that results depend neither on
/// threads nor on errors that add up.
///
/// The functions that write into an output allocate it if it is an undefined Tensor, replace a
/// Tensor of another shape, and take a view of any strides. Nothing else is allocated. They throw
/// Error before anything is written: shape, undefined, overlap (elements of the output that share
/// memory), and as each of them says.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

#include <cstdint>
#include <optional>

namespace weft {
inline namespace v0 {

/// Row-major, every element `value`, converted by cast(): any number to any type.
WEFT_API Tensor full(IntSpan shape, const Scalar& value, ScalarType type);
/// The same, to every element of a tensor that is there.
WEFT_API void fill_out(const Output& out, const Scalar& value);

/// start, start + step, ... before stop, along one axis; ceil((stop - start) / step) elements.
///
/// The result is of i64 (or u64), of f32 if some number is none, or of `type`. Integers: element i
/// is start + i * step, which wraps. Floating ones: start + i * step in f64, product and sum
/// rounded each, and that rounded to the type by cast(). The count is exact among integers, else
/// computed in f64; so the last element can be `stop` itself, as in PyTorch: linspace is told how
/// many there are.
///
/// Throws Error(invalid_argument): a step of 0 or away from stop, infinite or NaN numbers;
/// Error(cast): a fraction and an integer type; Error(dtype): complex numbers, bool as a type;
/// Error(overflow): more than 2^53 elements.
WEFT_API Tensor arange(const Scalar& start, const Scalar& stop, const Scalar& step = 1,
                       std::optional<ScalarType> type = std::nullopt);
WEFT_API void arange_out(const Output& out, const Scalar& start, const Scalar& stop,
                         const Scalar& step = 1);

/// `count` elements at equal distances; the first is start, the last stop, both exact.
///
/// Floating and complex types (part by part): in f64, start + i * step in the first half and
/// stop - (count - 1 - i) * step in the second, with step = (stop - start) / (count - 1), and
/// rounded to the type by cast(). So linspace(a, b) is linspace(b, a) backwards, but for the
/// last bits of an element in the middle, which belongs to the second half. Integer types, which
/// take integers only: the exact quotient (start * (count - 1 - i) + stop * i) / (count - 1), its
/// fraction dropped.
///
/// Throws Error(shape): a count below 0; Error(cast): a fraction and an integer type, complex
/// numbers and a real type; Error(dtype): bool as a type.
WEFT_API Tensor linspace(const Scalar& start, const Scalar& stop, std::int64_t count,
                         ScalarType type = ScalarType::f32);
WEFT_API void linspace_out(const Output& out, const Scalar& start, const Scalar& stop,
                           std::int64_t count);

}  // namespace v0
}  // namespace weft
