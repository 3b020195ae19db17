// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a plan decided, as data and as text.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/scalar_type.hpp>
#include <weft/core/shape.hpp>
#include <weft/machine/strategy.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
inline namespace v0 {

/// A strategy that can carry out a call.
struct StrategyCandidate {
  Strategy strategy = Strategy::automatic;
  /// What it is estimated to take on one thread, by the prices of the tuning table. Among a few
  /// elements the least one is taken; tiles are chosen by sizes of the table, since what rows share
  /// of cache lines is not in the estimate.
  double estimated_ns = 0;
};

/// A plan laid open. The first part is what build() decided; the second, `run`, is filled by
/// explain_run() of the kernel layer, which knows the instruction set and the threads.
struct Explanation {
  /// One operand, outputs first.
  struct Operand {
    std::string name;  ///< "output 0", "input 1"
    ScalarType storage = ScalarType::f32;
    ScalarType dtype = ScalarType::f32;
    bool allocated = false;
    DimVector shape;          ///< as given, outermost first
    DimVector strides;        ///< as given, in elements
    DimVector strides_bytes;  ///< per dim of the plan, innermost first
    std::string access;       ///< how spans of it are had: "direct", "broadcast", "packed", "cast",
                              ///< "transposed", ...
  };
  /// A pair of neighbouring dims after ordering and before coalescing, the inner first.
  struct Neighbours {
    int inner_axis = 0;
    int outer_axis = 0;
    bool merged = false;
    std::string why_not;  ///< names the operand and its strides
  };
  /// How a kernel would walk it.
  struct Run {
    std::string instruction_set;
    /// That carries it out; `automatic` of what is neither elementwise nor a copy.
    Strategy strategy = Strategy::automatic;
    std::string why;                            ///< why it is taken
    std::vector<StrategyCandidate> candidates;  ///< all that could, the one taken among them
    /// What a reduction, prefix operation or softmax has instead: "spans", "gathered-columns", ...
    std::string form;
    int threads = 1;                ///< that would take part
    std::int64_t span = 0;          ///< elements handed to the kernel at a time
    std::int64_t tile[2] = {0, 0};  ///< elements along dim 0 and dim 1 that are staged together
    std::int64_t blocks = 0;        ///< number of tiles
    std::int64_t bytes_moved =
        0;  ///< read and written in operands' memory, each element once per use

    /// The name of the strategy, or the form; "nothing" where there are no elements.
    WEFT_API std::string_view how() const;
    /// "row-tiles, 2 threads, 4096 bytes moved".
    WEFT_API std::string to_text() const;
    /// One JSON object with the fields above; strategy, why, candidates and form where there are
    /// any.
    WEFT_API std::string to_json() const;
  };

  DimVector common_shape;    ///< outermost axis first
  std::vector<int> perm;     ///< axis of each dim, innermost first
  std::vector<int> flipped;  ///< axes walked backwards
  std::vector<Neighbours> neighbours;
  DimVector shape;  ///< after coalescing, innermost first
  std::int64_t numel = 0;
  bool reduction = false;
  bool has_run = false;
  Run run;
  std::vector<Operand> operands;

  /// Some twenty lines for a person.
  WEFT_API std::string to_text() const;
  /// One JSON object with the fields above; common_shape is "shape" there, and shape is "plan".
  WEFT_API std::string to_json() const;
};

}  // namespace v0
}  // namespace weft
