// SPDX-License-Identifier: Apache-2.0
/// @file
/// The operators of this layer, family by family.
#pragma once

#include <weft/graph/operator_registry.hpp>

namespace weft {
inline namespace v0 {
namespace graph {

/// Add, Sigmoid, Less, Select, Convert, ...: elementwise.cpp.
void add_elementwise_operators(OperatorRegistry& registry);
/// Reshape, ShapeOf, Identity, ...: shape.cpp.
void add_shape_operators(OperatorRegistry& registry);
/// MatMul, FullyConnected: matmul.cpp.
void add_product_operators(OperatorRegistry& registry);
/// Squeeze, Unsqueeze, Transpose: axes.cpp.
void add_axis_operators(OperatorRegistry& registry);
/// Split, VariadicSplit, Concat: split.cpp.
void add_split_operators(OperatorRegistry& registry);
/// StridedSlice, Slice: slice.cpp.
void add_slice_operators(OperatorRegistry& registry);
/// Broadcast, Tile: broadcast.cpp.
void add_broadcast_operators(OperatorRegistry& registry);
/// Gather, ScatterUpdate: gather.cpp.
void add_gather_operators(OperatorRegistry& registry);
/// GatherElements, ScatterElementsUpdate: indexed_elements.cpp.
void add_indexed_element_operators(OperatorRegistry& registry);
/// Roll, Reverse, Pad: arrange.cpp.
void add_arrange_operators(OperatorRegistry& registry);
/// Tril, Triu, Diff: neighbors.cpp.
void add_neighbor_operators(OperatorRegistry& registry);
/// Sort, ArgSort, TopK, SearchSorted, Bucketize: ordering.cpp.
void add_ordering_operators(OperatorRegistry& registry);
/// ReverseSequence: reverse.cpp.
void add_reverse_operator(OperatorRegistry& registry);
/// ReduceSum, ReduceMean, ReduceMax, ...: reduce.cpp.
void add_reduce_operators(OperatorRegistry& registry);
/// ArgMax, ArgMin: arg_reduce.cpp.
void add_arg_reduce_operators(OperatorRegistry& registry);
/// CumSum, CumProd: cumulative.cpp.
void add_cumulative_operators(OperatorRegistry& registry);
/// Softmax, LogSoftmax: softmax.cpp.
void add_softmax_operators(OperatorRegistry& registry);
/// Range: range.cpp.
void add_range_operator(OperatorRegistry& registry);
/// ReadValue, Assign: variables.cpp.
void add_variable_operators(OperatorRegistry& registry);
/// LSTMCell, GRUCell, RNNCell and their steps: cells.cpp.
void add_cell_operators(OperatorRegistry& registry);

}  // namespace graph
}  // namespace v0
}  // namespace weft
