// SPDX-License-Identifier: Apache-2.0
/// @file
/// Operations along one axis of a few elements.
#pragma once

#include <weft/base/limits.hpp>
#include <weft/kernel/cumulative_kernel.hpp>

#include "engine/axis/axis_walk.hpp"
#include "kernels/stage/stage.hpp"
#include "machine/scratch_memory.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// A few elements of contiguous operands of one shape, which need neither an iterator nor a plan:
/// all of them are brought into the kernel's types at once.
struct FewElements {
  bool possible = false;  ///< false if there is more to it; the rest is nothing then
  std::int64_t elements = 0;
  std::int64_t length = 0;   ///< of them along the axis
  std::int64_t columns = 0;  ///< next to each other, up to the next element along the axis
  struct Operand {
    const TensorView* view;
    ConvertFn convert;  ///< into the kernel's types, of outputs back; null: they are the same
  };
  Operand operands[max_operands];  ///< outputs, inputs, starts
  std::size_t noutputs = 0;
  std::size_t moving = 0;  ///< outputs and inputs
  std::size_t count = 0;   ///< of all
  bool converts = false;   ///< any of them

  bool are_lines() const noexcept { return columns == 1; }
  std::int64_t lines() const noexcept { return elements / length; }
};

/// `types`: the kernel's, of outputs, inputs and starts. Starts have an element for each line or
/// column, of these types. Nothing is possible with operands that are in error.
FewElements find_few(const CumulativeOperands& operands, std::int64_t axis,
                     const ScalarType* types);

/// Where a kernel finds the elements and leaves its results.
class FewBuffers {
 public:
  /// Loads the inputs. Throws std::bad_alloc.
  FewBuffers(const FewElements& few, const ScalarType* types);
  /// Stores the results.
  void store() const;

  char* data[max_operands];  ///< of each operand

 private:
  const FewElements& few_;
  SmallScratch converted_;
};

/// Explains that a kernel takes them `columns` at a time, dense along the axis if `lines`;
/// `turned`: by way of buffers in which axes are exchanged.
void explain_few(const FewElements& few, bool lines, std::int64_t columns, bool turned,
                 Explanation& e);

}  // namespace v0
}  // namespace weft
