// SPDX-License-Identifier: Apache-2.0
#include "engine/grain.hpp"

#include "machine/tuning.hpp"
#include "parallel/thread_worth.hpp"

#include <algorithm>
#include <limits>

namespace weft {
inline namespace v0 {

std::int64_t least_elements_a_thread(double ns) {
  return std::max(tuning().min_thread_elements, pieces_worth_a_thread(ns));
}

std::int64_t least_elements_a_thread(float cost, std::int64_t bytes, int staged) {
  // Nanoseconds an element: arithmetic, bytes through the second-level cache, and packing or
  // conversion.
  const double ns = cost_ns * static_cast<double>(cost) + byte_ns * static_cast<double>(bytes) +
                    staged_ns * staged;
  return least_elements_a_thread(ns);
}

std::int64_t estimate_grain(const TensorIterator& iter, float cost, const RunOptions& options,
                            int staged) {
  if (options.serial) return std::numeric_limits<std::int64_t>::max();
  if (options.grain > 0) return options.grain;
  std::int64_t bytes = 0;
  for (int k = 0; k < iter.ntensors(); ++k)
    bytes += element_size(iter.operand(k).storage);
  return least_elements_a_thread(cost, bytes, staged);
}

}  // namespace v0
}  // namespace weft
