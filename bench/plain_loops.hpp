// SPDX-License-Identifier: Apache-2.0
/// @file
/// What one writes without a library: plain loops, left to the compiler, for each instruction set.
/// And the loops and kernels that the studies hand to weft, so that both sides have the same
/// instructions.
#pragma once

#include <weft/iter/tensor_iterator.hpp>
#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace bench {

/// out = a + b of f32, over rows of n elements at a stride of `pitch` elements.
WEFT_DECLARE_KERNEL(add_rows, void(float* out, const float* a, const float* b, std::int64_t rows,
                                   std::int64_t n, std::int64_t pitch));

/// to[i * to_stride] = from[i * from_stride], for elements of 1, 2, 4, 8 or 16 bytes.
WEFT_DECLARE_KERNEL(copy_strided, void(std::int64_t element_bytes, void* to, std::int64_t to_stride,
                                       const void* from, std::int64_t from_stride, std::int64_t n));

/// out[i] = a[i * stride] + b[i * stride], of u8, i16, f32, f64 and c128, by the element's size.
WEFT_DECLARE_KERNEL(add_strided, void(std::int64_t element_bytes, void* out, const void* a,
                                      const void* b, std::int64_t stride, std::int64_t n));

/// to[i, j] = from[j, i], both of n x n elements of 1, 2, 4, 8 or 16 bytes.
WEFT_DECLARE_KERNEL(transpose_square,
                    void(std::int64_t element_bytes, void* to, const void* from, std::int64_t n));

/// The sum of n floats, eight registers side by side.
WEFT_DECLARE_KERNEL(plain_sum, float(const float* from, std::int64_t n));

/// Raw loops for TensorIterator::for_each: the first operand is the sum of the next two or three,
/// all f32. Dense rows have a loop of their own, which the compiler vectorises.
WEFT_DECLARE_KERNEL(add_loop, void(char** data, const std::int64_t* strides_bytes, std::int64_t n));
WEFT_DECLARE_KERNEL(add3_loop,
                    void(char** data, const std::int64_t* strides_bytes, std::int64_t n));

/// The same through cpu_kernel.
WEFT_DECLARE_KERNEL(add_kernel, void(const weft::TensorIterator& iter));
WEFT_DECLARE_KERNEL(add3_kernel, void(const weft::TensorIterator& iter));

}  // namespace bench
