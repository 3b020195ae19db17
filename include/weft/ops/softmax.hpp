// SPDX-License-Identifier: Apache-2.0
/// @file
/// softmax and log_softmax along one axis.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

#include <optional>

namespace weft {
inline namespace v0 {

/// e^(a - m) / sum(e^(a - m)) over the elements of a line along `axis`, m being the largest of
/// them: nothing overflows, and the results of a line add up to 1. Of floating types, f16 and bf16
/// computed in f32 and rounded once; bools and integers as f32. The result has the input's type, or
/// `dtype`.
///
/// f32: e^x, x = a - m, within a share of 1.2e-7 + 1.3e-8 |x|, terms below 2^-126 as 0; the sum in
/// f32 over at most 512 terms, and these in f64. A line of -inf alone, or with inf or NaN in it,
/// gives NaN, as in PyTorch.
///
/// The input may be strided in any way; the output is written as it is (converted, if that keeps
/// its kind), allocated if undefined, or replaced if it is a Tensor of another shape, and may be
/// the input. Nothing else is allocated up to rank 8 but scratch memory, which is kept unless
/// it is more than 192 KiB. Lines are shared among threads, each being one thread's work, so
/// results do not depend on them; between a line that is dense along the axis and one that is not,
/// the last bits may differ. Throw Error before anything is written: axis, shape, dtype, cast,
/// overlap, undefined.
WEFT_API Tensor softmax(const Input& a, std::int64_t axis,
                        std::optional<ScalarType> dtype = std::nullopt);
WEFT_API void softmax_out(const Output& out, const Input& a, std::int64_t axis);

/// The logarithm of softmax without its loss: (a - m) - log(sum(e^(a - m))).
WEFT_API Tensor log_softmax(const Input& a, std::int64_t axis,
                            std::optional<ScalarType> dtype = std::nullopt);
WEFT_API void log_softmax_out(const Output& out, const Input& a, std::int64_t axis);

}  // namespace v0
}  // namespace weft
