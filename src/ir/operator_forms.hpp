// SPDX-License-Identifier: Apache-2.0
/// @file
/// Operations in the forms of older files and of the documentation, said with operations of today.
#pragma once

#include <weft/graph/graph.hpp>
#include <weft/ir/document.hpp>

namespace weft {
inline namespace v0 {
namespace ir {

/// `node` is what `layer` says. Where that is an older form, the node becomes one of today that
/// gives the same, and those that it needs are added to `graph`; else it stays as it is.
///
/// | older | today |
/// | --- | --- |
/// | GRUCell, RNNCell with weights [G*H, I+H] | weights split into W [G*H, I] and R [G*H, H] |
/// | Eltwise | Add, Multiply, Maximum, ... |
/// | Power of one input | Multiply by scale, Add shift, Power |
/// | Reshape, Permute, Split with an attribute | Reshape, Transpose, Split with a constant |
/// | Activation | Sigmoid, Tanh, ... |
///
/// LSTMCell and FullyConnected take their older forms as they are.
///
/// Throws Error: parse for attributes that are not of the older form; shape.
void rewrite_older_form(const Layer& layer, graph::Node& node, graph::Graph& graph);

}  // namespace ir
}  // namespace v0
}  // namespace weft
