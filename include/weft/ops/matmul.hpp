// SPDX-License-Identifier: Apache-2.0
/// @file
/// Matrix products.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

namespace weft {
inline namespace v0 {

/// Matrix product over the last two axes, as NumPy's matmul: a[..., M, K] with b[..., K, N] gives
/// [..., M, N], the leading axes broadcast; a rank of 1 stands for one row (left) or one column
/// (right), whose axis is not in the result. Both of one element type, which is the result's; any
/// strides, so a transposed factor is a view: `matmul(a, w.transpose(0, 1))`. K = 0 gives zeros.
///
/// f32 and f64: each element is (r0 + r1) + ..., r0, r1, ... being the sums of 256 products each,
/// added up in order with one rounding a step (two at the baseline level); f16 and bf16 the same in
/// f32, rounded once at the end; integers wrap; bools are and-ed and or-ed; complex numbers add up
/// in their own type. So the bits do not depend on layouts, threads, or on avx2, avx512 or neon.
/// Allocates the result and at most about 1 MiB for columns of b that have to be packed (more where
/// a single panel of K rows needs more). For a factor that is used often, see PackedMatrix
/// (linalg/packed_matrix.hpp). Throws Error: shape, rank (0), dtype (types differ), overlap (out
/// with an input), undefined.
WEFT_API Tensor matmul(const Input& a, const Input& b);
WEFT_API void matmul_out(const Output& out, const Input& a, const Input& b);

}  // namespace v0
}  // namespace weft
