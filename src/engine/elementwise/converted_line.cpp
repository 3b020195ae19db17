// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/converted_line.hpp"

#include "machine/fixed_sizes.hpp"
#include "machine/scratch_memory.hpp"
#include "machine/tuning.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Buffers hold a multiple of this, so that each begins on a cache line.
constexpr std::int64_t part_align = cache_line_bytes;

/// Bytes of all buffers for an element: one for each operand that is converted, and one that they
/// share for what is between.
std::int64_t bytes_of_element(std::span<const TypeChange> changes) {
  std::int64_t bytes = 0, via = 0;
  for (const TypeChange& change : changes) {
    if (!change.converts()) continue;
    bytes += change.kernel_size;
    via = std::max<std::int64_t>(via, change.via_size);
  }
  return bytes + via;
}

}  // namespace

TypeChanges changes_of(const TensorIterator& iter, const SpanKernel& kernel) {
  TypeChanges changes;
  for (int k = 0; k < iter.ntensors(); ++k)
    changes.emplace_back(iter.operand(k), kernel.types[k]);
  return changes;
}

ConvertedLine::ConvertedLine(const SpanKernel& of, std::span<const TypeChange> converting,
                             std::uint32_t values)
    : kernel(of), changes(converting), broadcast(values) {
  const std::int64_t most =
      max_stack_buffer_bytes / std::max<std::int64_t>(bytes_of_element(converting), 1);
  part = std::max<std::int64_t>(most / part_align, 1) * part_align;
}

void ConvertedLine::run(char* const* memory, std::int64_t n) const {
  const int noperands = kernel.noutputs + kernel.ninputs;
  SmallScratch buffers(part * bytes_of_element(changes));
  char* data[max_operands];
  char* free = buffers.data();
  for (int k = 0; k < noperands; ++k) {
    const TypeChange& change = changes[static_cast<std::size_t>(k)];
    data[k] = memory[k];
    if (!change.converts()) continue;
    data[k] = free;
    free += part * change.kernel_size;
  }
  char* const via = free;
  const auto is_value = [&](int k) { return (broadcast >> k & 1) != 0; };
  for (std::int64_t i = 0; i < n; i += part) {
    const std::int64_t count = std::min(part, n - i);
    for (int k = 0; k < noperands; ++k) {
      const TypeChange& change = changes[static_cast<std::size_t>(k)];
      char* const at = memory[k] + (is_value(k) ? 0 : i * change.memory_size);
      if (!change.converts()) {
        data[k] = at;
      } else if (k >= kernel.noutputs && (i == 0 || !is_value(k))) {
        change.convert(data[k], at, via, is_value(k) ? 1 : count);
      }
    }
    kernel.run(kernel.context, data, nullptr, count, 1, broadcast);
    for (int k = 0; k < kernel.noutputs; ++k) {
      const TypeChange& change = changes[static_cast<std::size_t>(k)];
      if (change.converts())
        change.convert(memory[k] + i * change.memory_size, data[k], via, count);
    }
  }
}

}  // namespace v0
}  // namespace weft
