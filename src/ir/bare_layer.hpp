// SPDX-License-Identifier: Apache-2.0
/// @file
/// A layer that stands alone, as a network.
#pragma once

#include <weft/ir/document.hpp>

namespace weft {
inline namespace v0 {
namespace ir {

/// The layer with a Parameter at every input port and a Result at every output port, each named by
/// the port's id. The type of a Parameter is that of the port; where the file does not tell it,
/// that of the body's Parameter it is mapped to; else i64 for a Loop's trip count, boolean for its
/// condition, f32.
Network with_ends(Layer layer);

}  // namespace ir
}  // namespace v0
}  // namespace weft
