// SPDX-License-Identifier: Apache-2.0
/// @file
/// Documents before version 10 in the layout of today.
#pragma once

#include <weft/ir/document.hpp>

namespace weft {
inline namespace v0 {
namespace ir {

/// The same network with Parameters for Inputs, Results where an output feeds nothing, Consts for
/// blobs, precisions on ports, and bodies whose port maps lead to Parameters and Results.
/// Operations stay those of their version; see legacy_operators.hpp. A document of version 10 or
/// newer comes back as it is. Throws Error(parse) that names the layer.
Document modernise(Document document);

}  // namespace ir
}  // namespace v0
}  // namespace weft
