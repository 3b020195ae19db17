// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/stack_copy.hpp"

#include <weft/ops/copy.hpp>

#include "kernels/stage/stage.hpp"

#include <optional>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

/// More is worth sharing among threads.
constexpr std::int64_t max_bytes_at_once = std::int64_t{256} << 10;

/// Bytes from number to number of an element, if it is one row of them.
std::optional<std::int64_t> row_step(const TensorView& stack) {
  const std::int64_t size = element_size(stack.dtype());
  std::int64_t step = size, next = 0, count = 1;
  for (std::size_t axis = stack.shape().size(); axis-- > 1;) {
    const std::int64_t extent = stack.shape()[axis], stride = stack.strides()[axis] * size;
    if (extent == 1) continue;
    if (count == 1) {
      step = stride;
    } else if (stride != next) {
      return {};
    }
    count *= extent;
    next = step * count;
  }
  return step;
}

}  // namespace

void copy_stack(const TensorView& to, const TensorView& from) {
  const std::int64_t trips = to.shape()[0], bytes = to.nbytes();
  if (bytes == 0) return;
  const std::optional<std::int64_t> to_step = row_step(to), from_step = row_step(from);
  if (bytes > max_bytes_at_once || !to_step || !from_step) {
    copy_out(to, from);
    return;
  }
  const std::int64_t size = element_size(to.dtype());
  std::int64_t t1 = to.strides()[0] * size, f1 = from.strides()[0] * size;
  char* to_first = static_cast<char*>(to.data());
  const char* from_first = static_cast<const char*>(from.data());
  if (t1 == -size || f1 == -size) {  // the last first, so that what is dense is walked forwards
    to_first += (trips - 1) * t1;
    from_first += (trips - 1) * f1;
    t1 = -t1;
    f1 = -f1;
  }
  copy_block_kernel(size)(to_first, *to_step, t1, from_first, *from_step, f1, bytes / size / trips,
                          trips);
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
