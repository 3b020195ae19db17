// SPDX-License-Identifier: Apache-2.0
/// @file
/// Programs that give the same bits with fewer passes over memory.
#pragma once

#include "graph/compile/program.hpp"

namespace weft {
inline namespace v0 {
namespace graph {

/// Rewrites a program whose types are inferred; true if it changed anything, and types have to be
/// inferred anew.
///
/// - A sum of a product and something else starts the product with that: one pass less. Where all
///   products of an element are added up in one run (product_run), that is the same addition.
/// - Parts of a sum, or of another elementwise value, are computed from the parts of its operands,
///   where only elementwise operations read them: they all run together then, in one pass.
bool rewrite(Program& program);

}  // namespace graph
}  // namespace v0
}  // namespace weft
