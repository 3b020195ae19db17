// SPDX-License-Identifier: Apache-2.0
// Elements, by their size, from where indices lead to: one for each index, or a row.
#include "kernels/indexing/offset_chunks.hpp"
#include "kernels/stage/moves.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// An element that compilers know nothing of, so that they do not write it together with others:
/// it would have to wait for these.
template <class T>
WEFT_ALWAYS_INLINE T on_its_own(T element) {
#if defined(__GNUC__)
  if constexpr (sizeof(T) <= sizeof(void*)) __asm__("" : "+r"(element));
#endif
  return element;
}

/// One element for each of n offsets, into a dense row. Some are read before they are written: a
/// processor takes what stands a multiple of 4 KiB from a store that is under way for the same
/// place, and rows of one size do so all the time. No pointer is __restrict: GCC would shuffle
/// offsets into vectors and use instructions that gather.
template <class T>
void gather_dense(char* to, const char* from, const std::int64_t* offsets, std::int64_t n) {
  constexpr std::int64_t batch = 8, size = sizeof(T);
  std::int64_t i = 0;
  for (; i + batch <= n; i += batch) {
    T elements[batch];
    WEFT_UNROLLED
    for (int k = 0; k < batch; ++k)
      elements[k] = on_its_own(load<T>(from + offsets[i + k]));
    WEFT_UNROLLED
    for (int k = 0; k < batch; ++k)
      store(to + (i + k) * size, elements[k]);
  }
  for (; i < n; ++i)
    store(to + i * size, load<T>(from + offsets[i]));
}

template <class T>
void gather_elements(const IndexedBlock& block, const IndexedAxes& axes) {
  constexpr std::int64_t size = sizeof(T);
  const std::int64_t to_step = block.to_steps[0], from_step = block.from_steps[0];
  const bool is_dense = to_step == size && from_step == 0;
  for_each_chunk<true>(
      block, axes,
      [&](const IndexedBlock& chunk, const std::int64_t* offsets, std::int64_t row_offsets) {
        const std::int64_t n = chunk.n0, rows = chunk.n1;
        for (std::int64_t j = 0; j < rows; ++j, offsets += row_offsets) {
          char* const to = chunk.to + j * chunk.to_steps[1];
          const char* const from = chunk.from + j * chunk.from_steps[1];
          if (is_dense) {
            gather_dense<T>(to, from, offsets, n);
            continue;
          }
          for (std::int64_t i = 0; i < n; ++i)
            store(to + i * to_step, load<T>(from + i * from_step + offsets[i]));
        }
      });
}

/// Dense rows of `bytes`, one along dim 0 for each offset. Lengths that are known while compiling,
/// not 0, cost no call.
template <std::int64_t known_bytes>
void copy_rows(const IndexedBlock& rows, const std::int64_t* offsets, std::int64_t bytes) {
  const auto length = static_cast<std::size_t>(known_bytes != 0 ? known_bytes : bytes);
  const std::int64_t n = rows.n0, to_step = rows.to_steps[0], from_step = rows.from_steps[0];
  char* const to = rows.to;
  const char* const from = rows.from;
  for (std::int64_t i = 0; i < n; ++i)
    __builtin_memcpy(to + i * to_step, from + i * from_step + offsets[i], length);
}
void copy_rows(const IndexedBlock& rows, const std::int64_t* offsets, std::int64_t bytes) {
  switch (bytes) {
    case 8: return copy_rows<8>(rows, offsets, bytes);
    case 16: return copy_rows<16>(rows, offsets, bytes);
    case 32: return copy_rows<32>(rows, offsets, bytes);
    case 64: return copy_rows<64>(rows, offsets, bytes);
    default: return copy_rows<0>(rows, offsets, bytes);
  }
}

/// One index for all of a row.
template <class T>
void gather_rows(const IndexedBlock& block, const IndexedAxes& axes) {
  constexpr std::int64_t size = sizeof(T);
  const std::int64_t n = block.n0, to_step = block.to_steps[0], from_step = block.from_steps[0];
  const bool is_dense = to_step == size && from_step == size;
  for_each_row_chunk(block, axes, [&](const IndexedBlock& chunk, const std::int64_t* offsets) {
    if (is_dense) return copy_rows(chunk, offsets, n * size);
    for (std::int64_t j = 0; j < chunk.n0; ++j) {
      char* const to = chunk.to + j * chunk.to_steps[0];
      const char* const from = chunk.from + j * chunk.from_steps[0] + offsets[j];
      for (std::int64_t i = 0; i < n; ++i)
        store(to + i * to_step, load<T>(from + i * from_step));
    }
  });
}

template <class T>
void gather(const IndexedBlock& block, const IndexedAxes& axes) {
  if (block.index_steps[0] == 0) {
    gather_rows<T>(block, axes);
  } else {
    gather_elements<T>(block, axes);
  }
}

}  // namespace

GatherFn WEFT_KERNEL(gather_kernel)(std::int64_t element_bytes) {
  switch (element_bytes) {
    case 1: return &gather<std::uint8_t>;
    case 2: return &gather<std::uint16_t>;
    case 4: return &gather<std::uint32_t>;
    case 8: return &gather<std::uint64_t>;
    default: return &gather<Pair>;
  }
}

}  // namespace v0
}  // namespace weft
