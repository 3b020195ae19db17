// SPDX-License-Identifier: Apache-2.0
/// @file
/// The operator of choice.hpp.
#pragma once

#include <weft/graph/operator.hpp>

#include <array>
#include <memory>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Bodies inside each other, of loops and choices: more are refused.
inline constexpr int max_nested = 64;

/// The maps of both sides of an If, then and else; the bodies are the node's.
class IfData final : public graph::NodeData {
 public:
  std::array<std::vector<int>, 2> inputs;
  std::array<std::vector<int>, 2> results;
};

std::shared_ptr<const graph::Operator> make_if_operator();

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
