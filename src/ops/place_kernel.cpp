// SPDX-License-Identifier: Apache-2.0
#include "ops/place_kernel.hpp"

#include "kernels/reduce/reduce.hpp"
#include "machine/scratch_memory.hpp"
#include "ops/prepare_reduce.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

constexpr std::int64_t place_bytes = sizeof(PlaceAccumulator);

/// Columns that are taken together: so few that a block has several rows of them.
constexpr std::int64_t max_columns = 64;

/// What was found among all elements of a block is one that is left out only if no other is beyond
/// it. Then the first that is not left out is the one, if there is any.
void settle(char* accumulator, const char* flags, std::int64_t step, std::int64_t n,
            std::int64_t first) {
  std::int64_t& index = reinterpret_cast<PlaceAccumulator*>(accumulator)->index;
  if (flags[(index - first) * step] != 0) return;
  std::int64_t i = 0;
  while (i < n && flags[i * step] == 0)
    ++i;
  index = i < n ? first + i : -1;
}

}  // namespace

PlaceKernel::PlaceKernel(Reduction op, ScalarType type)
    : all_(kernel_of_place(op, type)),
      left_out_(all_.types[1], op == Reduction::argmax ? Neutral::least : Neutral::largest),
      size_(element_size(all_.types[1])) {
  // Accumulators are combined, and results made, without a context.
  kernel_.combine = all_.combine;
  kernel_.project = all_.project;
  kernel_.reduce_spans = &spans;
  kernel_.reduce_columns = &columns;
  kernel_.context = this;
  kernel_.noutputs = 1;
  kernel_.ninputs = 2;
  kernel_.accumulator_bytes = all_.accumulator_bytes;
  kernel_.span_elements = all_.span_elements;
  kernel_.least_row = all_.least_row;
  kernel_.indexed = true;
  kernel_.types[0] = all_.types[0];
  kernel_.types[1] = all_.types[1];
  kernel_.types[2] = ScalarType::boolean;
}

void PlaceKernel::spans(const void* context, void* accumulators, char* const* inputs,
                        const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n,
                        std::int64_t index, std::int64_t index_step) {
  const auto& self = *static_cast<const PlaceKernel*>(context);
  const ReductionKernel& all = self.all_;
  if (n == 0)
    return all.reduce_spans(all.context, accumulators, inputs, row_bytes, rows, n, index,
                            index_step);
  const std::int64_t most = max_stack_buffer_bytes / self.size_;
  const std::int64_t step = std::max<std::int64_t>(most / n, 1);
  alignas(64) char room[max_stack_buffer_bytes];
  char* const values = room;
  for (std::int64_t r = 0; r < rows; r += step) {
    const std::int64_t count = std::min(step, rows - r);
    char* const to = static_cast<char*>(accumulators) + r * place_bytes;
    for (std::int64_t i = 0; i < n; i += most) {  // more than once for a single row only
      const std::int64_t size = std::min(most, n - i), dense = size * self.size_;
      const char* const flags = inputs[1] + r * row_bytes[1] + i;
      self.left_out_.fill(values, dense, inputs[0] + r * row_bytes[0] + i * self.size_,
                          row_bytes[0], flags, row_bytes[1], size, count);
      PlaceAccumulator part;
      char* const found = i == 0 ? to : reinterpret_cast<char*>(&part);
      const std::int64_t first = index + r * index_step + i;
      all.reduce_spans(all.context, found, &values, &dense, count, size, first, index_step);
      for (std::int64_t k = 0; k < count; ++k)
        settle(found + k * place_bytes, flags + k * row_bytes[1], 1, size, first + k * index_step);
      if (i > 0) all.combine(all.context, to, found, 1);
    }
  }
}

void PlaceKernel::columns(const void* context, void* accumulators, char* const* inputs,
                          const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                          std::int64_t index) {
  const auto& self = *static_cast<const PlaceKernel*>(context);
  const ReductionKernel& all = self.all_;
  if (rows == 0)
    return all.reduce_columns(all.context, accumulators, inputs, row_bytes, rows, columns, index);
  alignas(64) char room[max_stack_buffer_bytes];
  char* const values = room;
  PlaceAccumulator parts[max_columns];
  for (std::int64_t j = 0; j < columns; j += max_columns) {
    const std::int64_t count = std::min(max_columns, columns - j), dense = count * self.size_;
    const std::int64_t step = max_stack_buffer_bytes / dense;
    char* const to = static_cast<char*>(accumulators) + j * place_bytes;
    for (std::int64_t r = 0; r < rows; r += step) {
      const std::int64_t some = std::min(step, rows - r);
      const char* const flags = inputs[1] + r * row_bytes[1] + j;
      self.left_out_.fill(values, dense, inputs[0] + r * row_bytes[0] + j * self.size_,
                          row_bytes[0], flags, row_bytes[1], count, some);
      char* const found = r == 0 ? to : reinterpret_cast<char*>(parts);
      all.reduce_columns(all.context, found, &values, &dense, some, count, index + r);
      for (std::int64_t k = 0; k < count; ++k)
        settle(found + k * place_bytes, flags + k, row_bytes[1], some, index + r);
      if (r > 0) all.combine(all.context, to, found, count);
    }
  }
}

}  // namespace v0
}  // namespace weft
