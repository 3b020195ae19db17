// SPDX-License-Identifier: Apache-2.0
#include "recurrent/sequence/sequence_types.hpp"

#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>

#include "base/text.hpp"
#include "graph/operators/checks.hpp"

#include <array>
#include <cctype>
#include <initializer_list>
#include <string>

namespace weft {
inline namespace v0 {
namespace recurrent {

using graph::InferContext;
using graph::PartialShape;

namespace {

enum class Extent : std::uint8_t { batch, directions, steps, inputs, units };
constexpr std::array<const char*, 5> extent_names = {"batch", "directions", "steps", "inputs",
                                                     "units"};

/// An axis of an input, as long as `blocks` times an extent.
struct Axis {
  Extent extent;
  std::int64_t blocks = 1;
};

std::string name_of(const Axis& axis) {
  const char* name = extent_names[static_cast<std::size_t>(axis.extent)];
  return axis.blocks == 1 ? text(name) : text(axis.blocks, " * ", name);
}

/// What is known of the extents; each input adds to it, or contradicts.
class KnownExtents {
 public:
  explicit KnownExtents(const InferContext& context) : context_(context) {
    extents_.fill(PartialShape::unknown);
  }

  std::int64_t& operator[](Extent extent) { return extents_[static_cast<std::size_t>(extent)]; }

  /// An input that may be left out only if it is `optional`.
  void add(int input, const char* name, std::initializer_list<Axis> axes, bool optional = false) {
    if (input < 0 || (optional && !context_.has_input(input))) return;
    const PartialShape& shape = context_.input(input).shape;
    if (!shape.has_rank()) return;
    if (shape.rank() != static_cast<int>(axes.size())) {
      std::string list;
      for (const Axis& axis : axes)
        list += (list.empty() ? "" : ", ") + name_of(axis);
      fail(ErrorCode::rank, text("input ", input, " (", name, "): expected ", axes.size(),
                                 " axes [", list, "], got ", to_string(shape)));
    }
    std::int64_t number = 0;
    for (const Axis& axis : axes) {
      const std::int64_t got = shape.extent(number);
      if (got != PartialShape::unknown && !take(axis, got)) {
        fail(ErrorCode::shape, text("input ", input, " (", name, "): axis ", number, " (",
                                    name_of(axis), "): expected ", expected(axis), ", got ", got));
      }
      ++number;
    }
  }

 private:
  bool take(const Axis& axis, std::int64_t got) {
    std::int64_t& known = (*this)[axis.extent];
    if (got % axis.blocks != 0) return false;
    if (known == PartialShape::unknown) known = got / axis.blocks;
    return known == got / axis.blocks;
  }
  std::string expected(const Axis& axis) {
    const std::int64_t known = (*this)[axis.extent];
    if (known == PartialShape::unknown) return text("a multiple of ", axis.blocks);
    std::int64_t product = 0;
    return checked_mul(known, axis.blocks, product) ? text(product)
                                                    : text(axis.blocks, " * ", known);
  }

  const InferContext& context_;
  std::array<std::int64_t, extent_names.size()> extents_;
};

/// All but the lengths are of one floating type.
void check_types(const InferContext& context, const SequenceInputs& at) {
  graph::expect_inputs(context, at.r + 1, at.last() + 1);
  const ScalarType type = context.input(at.x).dtype;
  if (!is_floating(type)) {
    fail(ErrorCode::dtype,
         text("input ", at.x, " (X): expected a floating type, got ", weft::name(type)));
  }
  graph::expect_integers(context, at.lengths, "sequence_lengths");
  for (int i = 0; i < context.ninputs(); ++i) {
    if (i != at.lengths && context.has_input(i)) graph::expect_same_type(context, at.x, i);
  }
}

}  // namespace

Direction direction_of(const graph::Attributes& attributes) {
  const std::string given = attributes.text("direction", "forward");
  std::string lower = given;
  for (char& c : lower)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "forward") return Direction::forward;
  if (lower == "reverse") return Direction::reverse;
  if (lower == "bidirectional") return Direction::bidirectional;
  fail(
      ErrorCode::invalid_argument,
      text("attribute 'direction': expected forward, reverse or bidirectional, got '", given, "'"));
}

SequenceExtents check_sequence(const InferContext& context, graph::CellKind kind) {
  using enum Extent;
  const graph::CellSettings settings(kind, context.attributes());
  const SequenceInputs at(kind);
  check_types(context, at);
  KnownExtents known(context);
  known[directions] = direction_of(context.attributes()) == Direction::bidirectional ? 2 : 1;
  known[units] = context.attributes().integer("hidden_size", PartialShape::unknown);
  if (known[units] != PartialShape::unknown && known[units] < 1) {
    fail(ErrorCode::invalid_argument,
         text("attribute 'hidden_size': expected at least 1, got ", known[units]));
  }
  const std::int64_t gates = graph::gates_of(kind);
  known.add(at.x, "X", {{batch}, {steps}, {inputs}});
  known.add(at.h, "initial_hidden_state", {{batch}, {directions}, {units}});
  known.add(at.c, "initial_cell_state", {{batch}, {directions}, {units}});
  known.add(at.lengths, "sequence_lengths", {{batch}});
  known.add(at.w, "W", {{directions}, {units, gates}, {inputs}});
  known.add(at.r, "R", {{directions}, {units, gates}, {units}});
  known.add(at.b, "B", {{directions}, {units, settings.linear_before_reset ? 4 : gates}}, true);
  known.add(at.p, "P", {{directions}, {units, 3}}, true);
  return {known[batch], known[directions], known[steps], known[units]};
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
