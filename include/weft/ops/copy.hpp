// SPDX-License-Identifier: Apache-2.0
/// @file
/// Copies between any two element types and layouts.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

#include <optional>

namespace weft {
inline namespace v0 {

/// Copies `from`, broadcast to the shape of `to`, converting as cast() says: any type to any other.
/// An undefined Tensor is allocated with the shape and type of `from`; a defined one is never
/// replaced. Between equal types elements are moved bytewise. Allocates nothing else but scratch
/// memory, which is kept.
/// Throws Error(shape) where it does not broadcast, Error(overlap) where the two overlap other than
/// element for element, Error(undefined).
WEFT_API void copy_out(const Output& to, const Input& from);

/// A row-major copy in new memory, of another element type if one is given.
WEFT_API Tensor contiguous(const Input& from, std::optional<ScalarType> type = std::nullopt);

}  // namespace v0
}  // namespace weft
