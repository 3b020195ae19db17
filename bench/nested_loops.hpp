// SPDX-License-Identifier: Apache-2.0
/// @file
/// What somebody writes who has no library: a loop for each dim, over pointers. Call one through
/// .at(level).
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace bench {

enum class LoopOp : std::uint8_t { add, neg, where, copy };

/// One pass over `ndim` dims, innermost first; data[k] is operand k's first element, the output
/// first, strides[d * operands + k] its bytes along dim d. `types`: of the output and of the last
/// input, which differ for `copy` only. False, with nothing done, for types that it does not have.
WEFT_DECLARE_KERNEL(nested_loops, bool(LoopOp op, const weft::ScalarType* types, int ndim,
                                       const std::int64_t* extents, const std::int64_t* strides,
                                       int operands, char* const* data));

}  // namespace bench
