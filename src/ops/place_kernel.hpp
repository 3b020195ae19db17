// SPDX-License-Identifier: Apache-2.0
/// @file
/// argmax and argmin of the elements that a mask selects.
#pragma once

#include <weft/kernel/reduction_kernel.hpp>
#include <weft/ops/reduction_table.hpp>

#include "ops/left_out.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// A kernel of argmax or argmin whose second input is a mask of bools. It works on blocks in which
/// elements that are left out have a number that nothing is beyond. Its results are -1 where all
/// are left out.
class PlaceKernel {
 public:
  /// Of argmax or argmin, for inputs of `type`. Throws Error(dtype) if the operation is not defined
  /// for it.
  PlaceKernel(Reduction op, ScalarType type);
  PlaceKernel(const PlaceKernel&) = delete;
  PlaceKernel& operator=(const PlaceKernel&) = delete;

  /// Refers to this object.
  const ReductionKernel& kernel() const noexcept { return kernel_; }

 private:
  static void spans(const void* context, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n,
                    std::int64_t index, std::int64_t index_step);
  static void columns(const void* context, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t index);

  const ReductionKernel& all_;  // of all elements
  LeftOut left_out_;
  std::int64_t size_;
  ReductionKernel kernel_;
};

}  // namespace v0
}  // namespace weft
