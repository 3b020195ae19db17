// SPDX-License-Identifier: Apache-2.0
/// @file
/// Constant matrices packed for products, shared by all kernels that use them.
#pragma once

#include <weft/linalg/packed_matrix.hpp>

#include <memory>

namespace weft {
inline namespace v0 {
namespace graph {

/// The packed form of a constant: made now, or found if another kernel holds it. Planning once
/// more, for other shapes of the other operands, packs nothing. The constant has to stay as it is
/// while the packed form is held, as is promised to kernels.
std::shared_ptr<const PackedMatrix> packed_constant(const TensorView& matrix);

}  // namespace graph
}  // namespace v0
}  // namespace weft
