// SPDX-License-Identifier: Apache-2.0
/// @file
/// The operator of choice.hpp. Private to the compiled part.
#pragma once

#include <weft/graph/operator.hpp>

#include <memory>

namespace weft::inline v0::recurrent {

/// Bodies inside each other, of loops and choices: more are refused.
inline constexpr int most_nested = 64;

std::shared_ptr<const graph::Operator> make_if_operator();

}  // namespace weft::inline v0::recurrent
