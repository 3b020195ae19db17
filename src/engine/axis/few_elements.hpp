// SPDX-License-Identifier: Apache-2.0
/// @file
/// Operations along one axis of a few elements.
#pragma once

#include <weft/core/tensor_view.hpp>

#include "engine/axis/axis_walk.hpp"
#include "kernels/stage/stage.hpp"
#include "machine/scratch_memory.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// A few elements of one contiguous output and one contiguous input, which need neither an iterator
/// nor a plan: all of them are brought into the kernel's types at once.
struct FewElements {
  bool possible = false;  ///< false if there is more to it; the rest is nothing then
  std::int64_t elements = 0;
  std::int64_t length = 0;   ///< of them along the axis
  std::int64_t columns = 0;  ///< next to each other, up to the next element along the axis
  ConvertFn load = nullptr, store = nullptr;  ///< into the kernel's types and back; null: the same

  bool are_lines() const noexcept { return columns == 1; }
  std::int64_t lines() const noexcept { return elements / length; }
};

/// `types`: the kernel's, of the output and of the input. Nothing is possible with operands that
/// are in error.
FewElements find_few(const TensorView& out, const TensorView& in, std::int64_t axis,
                     const ScalarType* types);

/// Where a kernel finds the elements and leaves its results.
class FewBuffers {
 public:
  /// Loads the input. Throws std::bad_alloc.
  FewBuffers(const FewElements& few, const TensorView& out, const TensorView& in,
             const ScalarType* types);
  /// Stores the results.
  void store() const;

  const char* in;
  char* out;

 private:
  const FewElements& few_;
  char* to_;
  SmallScratch loaded_, results_;
};

/// Explains that a kernel takes them `columns` at a time, dense along the axis if `lines`;
/// `turned`: by way of buffers in which axes are exchanged.
void explain_few(const FewElements& few, bool lines, std::int64_t columns, bool turned,
                 Explanation& e);

}  // namespace v0
}  // namespace weft
