// SPDX-License-Identifier: Apache-2.0
/// @file
/// Stage "coalesce": neighbouring dims that all operands can walk as one become one.
#pragma once

#include <weft/base/export.hpp>
#include <weft/iter/geometry.hpp>

namespace weft {
inline namespace v0 {

/// Operand that keeps dims `inner` and `inner + 1` separate, or -1 if they can become one: either
/// extent is 1, or extent(inner) * stride(inner) == stride(inner + 1) for every operand.
WEFT_API int coalesce_blocker(const Geometry& geometry, int inner);

/// Merges dims in one pass from the innermost out.
/// @post the sequence of offset tuples visited (dim 0 fastest) is unchanged; no two neighbours
/// could be merged further
///       except where merging changed a stride in between; a geometry of at most one dim is left as
///       it is
WEFT_API void coalesce_dims(Geometry& geometry);

}  // namespace v0
}  // namespace weft
