// SPDX-License-Identifier: Apache-2.0
/// @file
/// What became of the operations of a graph.
#pragma once

#include <weft/base/export.hpp>
#include <weft/iter/explain.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// One thing that a plan has decided, about one operation or several.
struct PlanNote {
  enum class Kind : std::uint8_t {
    folded,  ///< computed once, ahead: it depends on constants or shapes only
    viewed,  ///< nothing to compute: its outputs are views of its input
    fused,   ///< elementwise, in one pass over the elements, block by block in cache
    kernel,  ///< runs on its own
    copied,  ///< a copy that the graph did not ask for: an operand made row-major, or a result put
             ///< in its place
  };
  Kind kind;
  std::vector<std::string> nodes;  ///< described, in the order in which they run
  std::int64_t bytes = 0;          ///< written to memory
  /// How the engine carries it out, pass by pass: by which strategy or in which form, and on how
  /// many threads, as of now. Empty of what runs without the engine (products, cells, loops), and
  /// of what depends on values that no run has computed yet.
  std::vector<Explanation::Run> runs = {};
};

/// Plain text of a kind: "fused".
WEFT_API const char* name(PlanNote::Kind kind) noexcept;

/// "fused: Add 'a', Tanh 'b'; 64 bytes written; line, 1 thread, 192 bytes moved". Passes that are
/// alike are told once, with their number.
WEFT_API std::string to_string(const PlanNote& note);

/// What a frame has planned.
struct FrameExplanation {
  std::vector<PlanNote> notes;   ///< in the order in which they run
  int segments = 0;              ///< parts of the plan; more than one where shapes depend on data
  std::int64_t arena_bytes = 0;  ///< memory for intermediate values
};

/// A line for each note.
WEFT_API std::string to_string(const FrameExplanation& explanation);

}  // namespace graph
}  // namespace v0
}  // namespace weft
