// SPDX-License-Identifier: Apache-2.0
/// @file
/// The operators of this storey, family by family. Private to the compiled part.
#pragma once

#include <weft/graph/operator_registry.hpp>

namespace weft::inline v0::graph {

/// Add, Sigmoid, Less, Select, Convert, ...: elementwise.cpp.
void add_elementwise_operators(OperatorRegistry& registry);
/// Reshape, ShapeOf, Identity, ...: shape.cpp.
void add_shape_operators(OperatorRegistry& registry);
/// MatMul, FullyConnected: matmul.cpp.
void add_product_operators(OperatorRegistry& registry);
/// LSTMCell, GRUCell, RNNCell and their steps: cells.cpp.
void add_cell_operators(OperatorRegistry& registry);

}  // namespace weft::inline v0::graph
