// SPDX-License-Identifier: Apache-2.0
/// @file
/// The walk of a prefix operation.
#pragma once

#include <weft/kernel/cumulative_kernel.hpp>

#include "engine/axis/axis_walk.hpp"
#include "machine/tuning.hpp"

namespace weft {
inline namespace v0 {

/// What a walk does besides, or instead, where a line is taken in several walks. Its last operand
/// is memory for accumulators then: of bytes, one accumulator for each column.
struct KeptAccumulators {
  bool begins = false;       ///< with those that are kept
  bool keeps = false;        ///< what the columns' accumulators are at the end
  bool totals_only = false;  ///< and writes no output

  bool are_there() const noexcept { return begins || keeps; }
};

/// Lines that are dense along the axis, by a kernel that takes them; columns that are dense next to
/// each other, row after row; and operands of other types or strided both ways through buffers.
class CumulativeWalk : public AxisWalk {
 public:
  CumulativeWalk(const AlongAxis& operands, const CumulativeKernel& kernel, const Tuning& t,
                 KeptAccumulators kept = {});

  void run(std::int64_t begin, std::int64_t end) const;

 private:
  bool all(bool (AxisOperand::*has)() const noexcept) const;
  void stage(bool takes_lines, std::int64_t l1_bytes);
  void start(const TileCursor& at, char* accumulators, char* buffers, std::int64_t buffer_bytes,
             char* others) const;
  template <bool keeps>
  void move_kept(const TileCursor& at, char* accumulators) const;

  const CumulativeKernel& kernel_;
  KeptAccumulators kept_;
  int moving_;  // operands that have elements along the axis
  std::int64_t staged_elements_ = 0;
};

}  // namespace v0
}  // namespace weft
