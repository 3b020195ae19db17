// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a sequence's attributes and the shapes of its inputs say together.
#pragma once

#include <weft/graph/operator.hpp>

#include "recurrent/sequence/sequence_inputs.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Which way a sequence walks along its steps; the values are those of attribute `direction`.
enum class Direction : std::uint8_t { forward, reverse, bidirectional };

/// Attribute `direction`, upper or lower case; without it, forward. Throws Error(invalid_argument)
/// that names the attribute and what it may be.
Direction direction_of(const graph::Attributes& attributes);

/// Extents that the inputs and outputs of a sequence share; unknown ones are
/// graph::PartialShape::unknown.
struct SequenceExtents {
  std::int64_t batch, directions, steps, units;
};

/// Checks the attributes, and the number, the types and the shapes of the inputs:
///     X [batch, steps, inputs]; H, C [batch, directions, units]; lengths [batch], integers;
///     W [directions, gates * units, inputs]; R [directions, gates * units, units];
///     B [directions, gates * units], of a GRU with linear_before_reset [directions, 4 * units];
///     P [directions, 3 * units].
/// Throws Error(invalid_argument), Error(dtype), Error(rank), Error(shape) that names the
/// attribute, or the input and its axis, what was expected and what came.
SequenceExtents check_sequence(const graph::InferContext& context, graph::CellKind kind);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
